"""Other values in place of the real ones."""
