"""Metrics: files to series, series to changes with an onset, changes to findings."""
