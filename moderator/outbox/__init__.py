"""What somebody is to be told, and when: pages made, queued, kept, unsubscribed from."""
