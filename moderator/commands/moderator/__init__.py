"""The moderator's commands, by mail with the moderator's token and on the command line. Every module here is imported;
a new one needs no entry anywhere."""
