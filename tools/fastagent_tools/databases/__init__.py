"""What databases say about themselves."""
