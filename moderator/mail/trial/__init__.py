"""Trying the mailbox with mails that the club sends to itself: `moderator doctor --mail`."""
