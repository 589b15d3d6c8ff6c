"""What any model is told, and the form it must answer in. The contract with models, versioned in one place."""

VERSION = "1"
