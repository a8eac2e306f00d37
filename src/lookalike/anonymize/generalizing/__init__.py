"""Coarser values: levels of hierarchies, searched or given, and fixed intervals."""
