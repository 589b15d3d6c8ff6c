"""What a machine says about itself."""
