"""Mails: where they come from, how they are read and how they leave."""
