"""A finished match looked at again: what each turn could have been, the turning point, the find, luck, skill. Pure."""

REVIEWER = 3
"""Version of what makes a review. Raise it where a review of the same match would come out differently: what is kept of
older versions is then made again in idle time."""
