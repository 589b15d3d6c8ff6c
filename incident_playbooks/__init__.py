"""Playbooks that come with fastagent, as data: one folder each, found through the entry point `fastagent.playbooks`."""

from pathlib import Path


def folder() -> Path:
    """Where the playbooks are."""
    return Path(__file__).parent
