"""Many recorded incidents, each investigated and held against its expected answer."""
