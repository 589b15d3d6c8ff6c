"""What each service does in one request, and what it stopped or began to do since the trouble."""
