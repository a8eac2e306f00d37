"""An assessment as an HTML page."""
