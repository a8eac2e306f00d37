"""Change a few rows of a release: coarsen them with their neighbours, or take cells from a row near them."""
