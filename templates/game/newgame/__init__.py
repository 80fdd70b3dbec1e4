"""New Game for moderator."""
