"""What a page that may leave the house must not show: cells of the original with one to four records."""

from __future__ import annotations

from math import floor, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.evaluate.comparison.rare import FEWEST


def merged_bins(counts: ArrayLike, fewest: int = FEWEST) -> NDArray[np.int64]:
    """Where bins begin after those with one to four records are joined to their neighbours; the end comes last.

    A bin without any record stays as it is unless it lies between bins that are joined. Empty if all records are too
    few.

    >>> merged_bins([9, 0, 2, 1, 3, 0, 7, 1]).tolist()
    [0, 1, 2, 5, 6, 8]
    >>> merged_bins([1, 0, 2]).tolist()
    []
    """
    numbers = np.asarray(counts, np.int64)
    bins, start, held = [], 0, 0
    for place, number in enumerate(numbers):
        held += int(number)
        if held == 0 or held >= fewest:
            bins.append((start, held))
            start, held = place + 1, 0
    if held:  # what is left over goes to the last bin that has records
        bins = bins[: 1 + max((i for i, (_, records) in enumerate(bins) if records), default=-1)]
    return np.array([begin for begin, _ in bins] + [len(numbers)] * bool(bins), np.int64)


def round_step(span: float, steps: int = 100) -> float:
    """A step of 1, 2 or 5 times a power of ten that goes about so often into a span.

    >>> round_step(73.0), round_step(1.0), round_step(0.0)
    (1.0, 0.01, 1.0)
    """
    if not span > 0:
        return 1.0
    rough = span / steps
    power = 10.0 ** floor(log10(rough))
    return power * next(f for f in (1.0, 2.0, 5.0, 10.0) if rough <= f * power * (1 + 1e-9))
