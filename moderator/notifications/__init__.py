"""What somebody is told, as values: nothing here decides, and nothing here prints."""
