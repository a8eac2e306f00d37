"""Fitting uniqueness: who is alone in a file whose cells are values, intervals or wildcards.

Each record is a box: the set of people it may stand for. A value is a box of width one on its axis, a
wildcard is the whole axis. Positions are integers that the caller gives to the possible values, so an
interval of ages 24 to 28 is low 24, high 28; categories are codes with low equal to high.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadFile, BadPlan, NotAssessable

BUDGET = 200_000
"""Work on one record at most, in tree nodes and boxes looked at: some 4 milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingUniqueness:
    """Which classes are unique, and how sure that is.

    `undecided` records ran out of budget; they count as unique, which is the worst case. `work` is the
    number of tree nodes and boxes looked at.

    >>> result = fitting_uniques(np.array([[26], [24]]), np.array([[26], [28]]), np.array([1, 1]))
    >>> result.unique.tolist(), result.undecided, result.records, result.share
    ([False, True], 0, 2, 0.5)
    """

    unique: NDArray[np.bool_]
    undecided: int
    records: int
    work: int

    @property
    def share(self) -> float:
        """Unique records over records (Sánchez et al. 2016, equation 1)."""
        return int(np.count_nonzero(self.unique)) / self.records


def fitting_uniques(
    low: NDArray[np.int64], high: NDArray[np.int64], sizes: NDArray[np.int64], *, budget: int = BUDGET
) -> FittingUniqueness:
    """Records with a possible value that fits no other record.

    Record r with box R_r is unique if R_r is not inside the union of the R_s, s != r: the real value
    may be the one nobody else has. A class of two or more records with one box is never unique.
    Each row of `low` and `high` is the box of a class, both ends included; `sizes` counts its records.

    Source: Sanchez, Martinez and Domingo-Ferrer (2016), comment on "Unique in the shopping mall",
    supplement, "Reidentification risk" (Sánchez et al. 2016).

    Age 26 beside age 24 to 28: the first fits the second, the second may be 24 and fits nobody.

    >>> low, high = np.array([[26], [24]]), np.array([[26], [28]])
    >>> result = fitting_uniques(low, high, np.array([1, 1]))
    >>> result.unique.tolist(), result.share
    ([False, True], 0.5)
    """
    _door(low, high, budget)
    from lookalike.risk import _boxes, _boxtree  # numba is loaded on use only

    tree = _boxtree.grow(_grid(low), _grid(high))
    verdicts, work = _boxes.judge(tree, np.asarray(sizes) == 1, budget)
    return FittingUniqueness(
        unique=verdicts != _boxes.COVERED,
        undecided=int(np.count_nonzero(verdicts == _boxes.UNDECIDED)),
        records=int(np.sum(sizes)),
        work=int(work),
    )


def _grid(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.ascontiguousarray(ends, dtype=np.int64)


def _door(low: NDArray[np.int64], high: NDArray[np.int64], budget: int) -> None:
    if budget < 1:
        raise BadPlan(f"Fitting uniqueness: the budget must be at least 1, got {budget}.")
    if low.size == 0:
        raise NotAssessable("Fitting uniqueness needs at least one record and one quasi-identifier.")
    turned = np.flatnonzero((low > high).any(axis=0))
    if turned.size:
        raise BadFile(
            f"Quasi-identifier {turned[0] + 1} has intervals that end before they start, "
            f"in {np.count_nonzero(low[:, turned[0]] > high[:, turned[0]]):,} classes. Swap their ends."
        )
