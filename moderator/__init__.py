"""A referee for postal games played by e-mail."""

__version__ = "0.2.0"
