"""The parts of a mail, in words and tables."""
