"""The on-call bot: alerts in by webhook, diagnoses out, on a queue in one SQLite file that survives a `kill -9`."""
