"""Signs that a file is no random sample of all people: one value of a quasi-identifier, a sharp edge, even counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.population.sample import Sample

FEWEST_PLACES = 10  # of a line, below which an edge means nothing
EDGE, INSIDE = 3, 7  # places at the edge, and inside of it
FEWEST = 20  # records on the places inside
AS_MANY = 0.5  # records of a place at the edge, as a share of those inside, from which the edge is sharp
MIN_EVEN_VALUES = 10  # of a nominal variable, below which equal counts may be chance
MIN_EVEN_MEAN = 1.5  # records of a value
MAX_EVEN_CHANCE = 1e-6  # that a random sample has counts as equal as these
OLDEST = 130  # beyond it a line is no age: years, amounts and codes end where they end


def some_people_only(sample: Sample) -> tuple[int, ...]:
    """The quasi-identifiers by which the file seems to be of some people only, those with a known margin left out.

    >>> men = Sample.from_codes(np.array([[0, 0], [0, 1]]), np.array([5, 7]))
    >>> some_people_only(men)
    (0,)
    """
    known = {j for margin in sample.margins for j in margin.variables}
    return tuple(j for j in range(sample.table.variables) if j not in known and _is_narrow(sample, j))


def _is_narrow(sample: Sample, j: int) -> bool:
    counts = np.bincount(sample.table.codes[:, j], weights=sample.sizes).astype(np.float64)
    domain = sample.domain(j)
    if len(counts) == 1:
        return True
    if domain.line is None:
        return False
    on = np.ones(len(counts), bool) if domain.off_line is None else ~domain.off_line
    return bool(on.any()) and starts_late(domain.line[on], counts[on])


def starts_late(line: NDArray[np.int64], counts: NDArray[np.float64]) -> bool:
    """Whether ages begin with as many people as they go on, above 1: no one under 18.

    Only the lower edge of whole numbers up to 130 is looked at. Years, dates, codes and amounts end where they end.

    >>> starts_late(np.arange(18, 80), np.full(62, 9.0)), starts_late(np.arange(0, 80), np.full(80, 9.0))
    (True, False)
    """
    first, last = int(line.min()), int(line.max())
    if not 1 < first < last <= OLDEST or last - first + 1 < FEWEST_PLACES:
        return False
    held = np.bincount(line - first, weights=counts, minlength=EDGE + INSIDE)
    edge, inside = held[:EDGE].mean(), held[EDGE : EDGE + INSIDE]
    return bool(inside.sum() >= FEWEST and edge >= AS_MANY * inside.mean())


def too_even(sample: Sample) -> tuple[int, ...]:
    """The nominal quasi-identifiers whose values occur more equally often than in any random sample.

    In a random sample the count of a value is Poisson, and values of unequal size only spread the counts further. Equal
    counts mean that a fixed number was taken of each value: of places that were chosen first, or of strata.

    >>> too_even(Sample.from_codes(np.arange(30)[:, None], np.full(30, 20)))
    (0,)
    """
    known = {j for margin in sample.margins for j in margin.variables}
    free = (j for j in range(sample.table.variables) if j not in known and sample.domain(j).line is None)
    return tuple(
        j for j in free if _is_even(np.bincount(sample.table.codes[:, j], weights=sample.sizes).astype(np.float64))
    )


def _is_even(counts: NDArray[np.float64]) -> bool:
    """Whether the variance is far below that of a Poisson count given that it is not 0."""
    from scipy.optimize import brentq
    from scipy.special import chdtr

    counts = counts[counts > 0]
    mean = float(counts.mean())
    if len(counts) < MIN_EVEN_VALUES or mean < MIN_EVEN_MEAN:
        return False
    rate = float(brentq(lambda x: x / -np.expm1(-x) - mean, 1e-9, mean + 1))
    ratio = float(counts.var(ddof=1)) / (mean * (1 + rate - mean))
    return bool(chdtr(len(counts) - 1, (len(counts) - 1) * ratio) < MAX_EVEN_CHANCE)
