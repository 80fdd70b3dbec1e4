"""A tournament of the club, from its rows to the values that moderator/tournaments thinks in."""
