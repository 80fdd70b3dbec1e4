"""Keeping what the club has: backups, restoring one, mails that are read again, who did what."""
