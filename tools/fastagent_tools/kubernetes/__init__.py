"""Kubernetes: what kubectl and the API print, as plain objects, and what those say about an incident."""
