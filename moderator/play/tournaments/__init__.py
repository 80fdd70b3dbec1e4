"""Tournaments at the desk: the pure logic of moderator/tournaments joined with players, matches and mails."""
