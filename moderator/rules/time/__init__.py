"""Time in a match: days and deadlines, leave, each seat's account."""
