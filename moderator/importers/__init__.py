"""Clubs that move in: their players, results and running matches, from files."""
