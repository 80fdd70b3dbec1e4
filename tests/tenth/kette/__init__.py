"""Formats of tournaments that are not moderator's own, installed beside it as anybody's would be: one with a table, one
with challenges, one with a bracket."""
