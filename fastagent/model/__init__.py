"""The model client: one request, one streamed reply, retried in one place, under the deadline."""
