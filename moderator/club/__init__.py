"""What a run has in its hands: settings and session, the matches opened, tournaments as values."""
