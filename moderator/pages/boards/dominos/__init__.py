"""Pictures and lists of dominoes."""
