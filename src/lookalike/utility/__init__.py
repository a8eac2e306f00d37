"""Original against release: what analysis keeps."""

from lookalike.utility.covers import Covers
from lookalike.utility.information_loss import (
    average_class_size,
    covers_of,
    discernibility,
    granularity,
    information_loss,
    squared_distances,
)
from lookalike.utility.losses import ColumnLoss, Losses, losses

__all__ = [
    "ColumnLoss",
    "Covers",
    "Losses",
    "average_class_size",
    "covers_of",
    "discernibility",
    "granularity",
    "information_loss",
    "losses",
    "squared_distances",
]
