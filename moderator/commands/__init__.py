"""The commands of players and of the moderator: declaration.py says what one is, player/ and moderator/ have them."""
