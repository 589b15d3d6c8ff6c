"""Logs: from bytes on disk to ranked findings.

    intake -> layout (envelope, formats) -> events -> templates -> novelty -> digest

`corpus` runs the first three once per investigation; `overview` and `search` are the tools.
"""
