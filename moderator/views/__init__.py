"""Matches, tournaments and people as they stand, built from the database. Nothing here is decided."""
