"""Carrying matches on: orders, turns, deadlines, what happens besides moves, and tournaments."""
