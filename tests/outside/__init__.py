"""Tests that look from outside: command line, mail files, and what the documents say. They know nothing of the code."""
