"""Dictionaries made of lists of words."""
