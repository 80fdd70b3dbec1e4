"""The commands of players: declaration.py says what one is, player/ has them."""
