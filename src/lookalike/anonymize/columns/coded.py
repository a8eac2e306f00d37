"""A column as places on an axis (see `lookalike.classes.axis`): distances, intervals and groups are computed on it."""

from lookalike.classes.axis import Axis, axis, axis_of
from lookalike.classes.codes import MISSING

__all__ = ["MISSING", "Axis", "axis", "axis_of"]
