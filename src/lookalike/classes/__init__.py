"""Equivalence classes, and distances between distributions."""

from lookalike.classes.bounds import least_match_rate
from lookalike.classes.codes import Codes, encode, group, totals
from lookalike.classes.distances import earth_mover, kullback_leibler, total_variation
from lookalike.classes.equivalence import EquivalenceClasses, Missing, matching
from lookalike.classes.spread import Spread

__all__ = [
    "Codes",
    "EquivalenceClasses",
    "Missing",
    "Spread",
    "earth_mover",
    "encode",
    "group",
    "kullback_leibler",
    "least_match_rate",
    "matching",
    "total_variation",
    "totals",
]
