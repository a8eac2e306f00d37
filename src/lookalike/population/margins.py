"""Known margins: counts of people by one or more quasi-identifiers, to which a model of the population is raked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models import LatentDraw

ROUNDS = 50
SURE, FAR = 1e-4, 0.05  # p-value and total variation beyond which a sample is not taken for one of these people
CLOSE = 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Margin:
    """How many people of the population have each combination of some variables' values.

    >>> cells = np.array([[0], [1]], np.int32)
    >>> people = np.array([300.0, 700.0])
    >>> margin = Margin("by-sex.csv", (0,), cells, people, elsewhere=0.0, of_class=np.array([0, 1]))
    >>> margin.total
    1000.0
    """

    name: str
    """The file it came from, for messages."""
    variables: tuple[int, ...]
    """Columns of the sample's table."""
    cells: NDArray[np.int32]
    """One row a combination whose values all occur in the sample, as codes of the sample's table."""
    people: Floats
    """The people in each of the cells."""
    elsewhere: float
    """The people whose values the sample lacks."""
    of_class: NDArray[np.int64]
    """The cell of every class of the sample."""

    @property
    def total(self) -> float:
        """All people counted."""
        return float(self.people.sum()) + self.elsewhere

    def outside(self, sizes: NDArray[np.int64], population: int) -> Floats:
        """The people of each cell outside the sample; below 0 where it has more records than there are people."""
        seen = np.bincount(self.of_class, weights=sizes, minlength=len(self.people))
        return np.asarray(self.people * (population / self.total) - seen)

    def contradicts(self, shares: Floats, records: float) -> bool:
        """Whether a random sample of these people would hardly look like this: a χ² test, and a distance that matters.

        `shares` are those of the classes of the sample, `records` what they are worth.
        """
        from scipy.stats import chi2

        seen = np.append(np.bincount(self.of_class, weights=shares, minlength=len(self.people)), 0.0)
        there = np.append(self.people, self.elsewhere) / self.total
        if 0.5 * np.abs(seen - there).sum() < FAR:
            return False
        # Cells of few expected records count as one.
        few = there * records < 5
        seen, there = (np.append(x[~few], x[few].sum()) for x in (seen, there))
        kept = there > 0
        statistic = records * float(((seen - there)[kept] ** 2 / there[kept]).sum())
        return bool(chi2.sf(statistic, max(int(kept.sum()) - 1, 1)) < SURE)

    def short(self, sizes: NDArray[np.int64], population: int) -> int:
        """In how many cells the sample has more records than there are people."""
        return int((self.outside(sizes, population) < -0.5).sum())


class Raking:
    """Moves the class probabilities of a model so that its margins outside the sample are the known ones.

    With T(x) people in cell x of N, and n(x) of them in the sample, T(x) − n(x) of the M people outside have cell x.
    The law nearest to the model with these margins (in the sense of Kullback and Leibler) multiplies the probability
    of a class by one factor a margin (iterative proportional fitting, Deming and Stephan 1940). In a latent-class
    model the margins of the changed law stay closed sums if no variable is in two margins, so nothing is drawn.
    """

    def __init__(self, margins: Sequence[Margin], sizes: NDArray[np.int64], population: int) -> None:
        self.margins = margins
        outside = population - int(sizes.sum())
        self.targets = [np.maximum(margin.outside(sizes, population), 0.0) / outside for margin in margins]

    def __call__(self, draw: LatentDraw) -> Floats:
        """p of each class, raked."""
        if not all(target.any() for target in self.targets):  # nobody outside has a value that the sample has
            return np.zeros(len(draw.probability))
        cells = [_within(draw, m) for m in self.margins]
        factors = [np.ones(len(m.people)) for m in self.margins]
        masses = [c.sum(axis=0) for c in cells]
        for _ in range(ROUNDS):
            gap = 0.0
            for t, target in enumerate(self.targets):
                others = draw.shares * np.prod([m for s, m in enumerate(masses) if s != t], axis=0)
                now = factors[t] * (cells[t] @ others) / float(others @ masses[t])
                wanted = target / target.sum()
                gap = max(gap, float(np.abs(now - wanted).sum()))
                factors[t] = np.where(now > 0, factors[t] * wanted / np.maximum(now, 1e-300), 0.0)
                masses[t] = factors[t] @ cells[t]
            if len(cells) == 1 or gap < CLOSE:
                break
        p = draw.probability / float(draw.shares @ np.prod(masses, axis=0))
        for margin, factor, target in zip(self.margins, factors, self.targets, strict=True):
            p = p * factor[margin.of_class] * target.sum()
        return np.asarray(np.minimum(p, 1.0))


def _within(draw: LatentDraw, margin: Margin) -> Floats:
    """The probability of each cell inside each latent class."""
    part = np.ones((len(margin.cells), len(draw.shares)))
    for place, j in enumerate(margin.variables):
        part *= draw.levels[draw.first[j] + margin.cells[:, place]]
    return part


def check_apart(margins: Sequence[Margin], names: Sequence[str]) -> None:
    """Refuse margins that share a variable."""
    used: dict[int, str] = {}
    faults = []
    for margin in margins:
        for j in margin.variables:
            if j in used:
                faults.append(
                    f"Margins '{used[j]}' and '{margin.name}' both count by '{names[j]}': give one table that counts "
                    "by all their variables together, or keep one of the two."
                )
            used.setdefault(j, margin.name)
    if faults:
        raise BadPlan(faults)
