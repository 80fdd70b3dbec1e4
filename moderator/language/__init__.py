"""Codes to sentences, dates and moves in the reader's language, and the words that players write."""
