"""Joint laws one can fit and sample; they know nothing of privacy."""

from lookalike.models.counts import Counts

__all__ = ["Counts"]
