"""A referee for postal games played by e-mail."""

__version__ = "0.1.0"
