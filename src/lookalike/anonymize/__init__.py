"""Microdata to a release by changing records."""

from lookalike.anonymize.method import Asked, Changed, Method

__all__ = ["Asked", "Changed", "Method"]
