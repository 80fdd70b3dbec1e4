"""Players' addresses: changes, bounces, unsubscribing, forgetting."""
