"""What the alerts themselves say: what they measure, since when, and of which it is known what they mean."""
