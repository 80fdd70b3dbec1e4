"""Tournaments at the desk: the pure logic of moderator/tournament joined with players, matches and mails."""
