"""A run: tick, watch, receive, rehearse, and the steps that they share."""
