"""Cloud providers and monitoring services: their JSON answers, and what those say about an incident."""
