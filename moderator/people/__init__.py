"""Who wrote a mail, and the mailboxes of players: proof, new addresses, bounces, mails that wait."""
