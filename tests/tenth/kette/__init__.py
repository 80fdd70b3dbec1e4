"""A format of tournaments that is not moderator's own, installed beside it as anybody's would be."""
