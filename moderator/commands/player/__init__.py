"""The players' commands. Every module here is imported; a new one needs no entry anywhere."""
