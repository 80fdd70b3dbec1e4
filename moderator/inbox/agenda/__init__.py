"""What needs the moderator today: everything that waits for somebody's decision, and nothing that is fine."""
