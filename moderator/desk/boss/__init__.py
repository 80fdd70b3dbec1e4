"""The moderator's own commands: by mail with the moderator's token, and on the command line."""
