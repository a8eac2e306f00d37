"""Signs that a file could only hold some of the people: one value of a quasi-identifier, or a sharp edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.population.sample import Sample

FEWEST_PLACES = 20  # of a line, below which an edge means nothing
EDGE, INSIDE = 3, 7  # places at the edge, and inside of it
FEWEST = 20  # records on the places inside
AS_MANY = 0.5  # records of a place at the edge, as a share of those inside, from which the edge is sharp
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
