"""A synthetic release as an HTML page."""
