"""Outputs of commands: what kind of output it is, and what it says."""
