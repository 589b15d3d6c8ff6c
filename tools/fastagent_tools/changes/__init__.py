"""What was changed: commits, deploys and flags, and which of them the trouble points at."""
