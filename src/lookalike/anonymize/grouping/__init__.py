"""Groups of records that are made alike."""
