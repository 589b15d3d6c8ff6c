"""Who calls whom, and who is to blame when the trouble of one is the trouble of all its callers."""
