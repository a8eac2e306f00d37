"""Sequential synthesis: one column after another."""

from lookalike.models.sequential.all_others import AllOthers, AllOthersLaw
from lookalike.models.sequential.asked import Asked, Fixed, Named
from lookalike.models.sequential.choice import Sequential
from lookalike.models.sequential.law import SequentialLaw

__all__ = ["AllOthers", "AllOthersLaw", "Asked", "Fixed", "Named", "Sequential", "SequentialLaw"]
