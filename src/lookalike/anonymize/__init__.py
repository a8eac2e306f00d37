"""Microdata to a release by changing records."""

from lookalike.anonymize.method import Asked, Changed, Method
from lookalike.anonymize.release import Protected
from lookalike.anonymize.work import protect

__all__ = ["Asked", "Changed", "Method", "Protected", "protect"]
