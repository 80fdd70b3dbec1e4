"""Domi Jongg, the ten-headed snake: see RULES.md."""
