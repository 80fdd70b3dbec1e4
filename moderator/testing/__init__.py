"""A club to try things in, for the demo, the checks of games and the tests."""
