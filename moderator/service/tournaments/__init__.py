"""Tournaments of the club: their rules come from moderator/tournaments, their matches from here."""
