"""How wide the text part of a mail is."""

WIDTH = 62
"""Columns."""
