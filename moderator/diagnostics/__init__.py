"""The mailbox tried with mails that the club sends to itself: `moderator doctor --mail`."""
