"""What is told to whom and when: routed, composed, queued."""
