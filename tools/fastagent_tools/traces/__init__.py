"""Traces: files to spans, spans to where errors begin, where time is lost and which calls no longer come."""
