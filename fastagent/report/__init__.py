"""The answer as people and programs read it."""
