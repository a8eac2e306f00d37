"""How far a release's table is from the original's: one function a measure, on counts of cells.

Cells j with o_j + s_j > 0; p_j = o_j/n₁, q_j = s_j/n₂ are shares, c = n₂/(n₁ + n₂), d_j = s_j − o_j n₂/n₁ the
difference in records of the release, e_j = c (o_j + s_j) what is expected of it. Counts may carry axes in front: many
tables at once, cells last. Sources: Voas and Williamson (2001); Raab, Nowok and Dibben (2021), "Assessing, visualizing
and improving the utility of synthetic data".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import log, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """Counts of the cells of two files and what the measures need of them.

    >>> cells = Cells.of([6, 4, 0], [5, 4, 1])
    >>> cells.difference.tolist(), cells.expected.tolist()
    ([-1.0, 0.0, 1.0], [5.5, 4.0, 0.5])
    """

    original: Floats
    release: Floats

    @classmethod
    def of(cls, original: ArrayLike, release: ArrayLike) -> Cells:
        """From counts of records."""
        return cls(np.asarray(original, float), np.asarray(release, float))

    @cached_property
    def sizes(self) -> tuple[Floats, Floats]:
        """n₁ and n₂."""
        return self.original.sum(axis=-1, keepdims=True), self.release.sum(axis=-1, keepdims=True)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """p and q."""
        return self.original / self.sizes[0], self.release / self.sizes[1]

    @cached_property
    def difference(self) -> Floats:
        """d."""
        return np.asarray(self.release - self.original * (self.sizes[1] / self.sizes[0]))

    @cached_property
    def expected(self) -> Floats:
        """e."""
        n1, n2 = self.sizes
        return np.asarray(n2 / (n1 + n2) * (self.original + self.release))


def voas_williamson(cells: Cells) -> Floats:
    """VW = Σ d²/e, Voas and Williamson's modified χ².

    >>> float(voas_williamson(Cells.of([6, 4], [5, 5]))) == 1 / 5.5 + 1 / 4.5
    True
    """
    return _sum(cells.difference**2, cells.expected)


def propensity_error(cells: Cells) -> Floats:
    """pMSE = VW c (1 − c)²/N: the mean squared error of the shares s/(o + s) about c.

    >>> cells = Cells.of([6, 4], [5, 5])
    >>> float(propensity_error(cells)) == float(voas_williamson(cells)) / 8 / 20
    True
    """
    n1, n2 = (size[..., 0] for size in cells.sizes)
    c, n = n2 / (n1 + n2), n1 + n2
    return np.asarray(voas_williamson(cells) * c * (1 - c) ** 2 / n)


def freeman_tukey(cells: Cells) -> Floats:
    """FT = 4 Σ (√s − √(o n₂/n₁))².

    >>> float(freeman_tukey(Cells.of([4, 4], [4, 4])))
    0.0
    """
    n1, n2 = cells.sizes
    return np.asarray(4 * ((np.sqrt(cells.release) - np.sqrt(cells.original * (n2 / n1))) ** 2).sum(axis=-1))


def likelihood_ratio(cells: Cells) -> Floats:
    """G = 2 Σ s log(q'/p') over cells that both files have, shares of those cells alone; new cells are not seen.

    >>> float(likelihood_ratio(Cells.of([4, 4, 0], [4, 4, 9])))
    0.0
    """
    both = (cells.original > 0) & (cells.release > 0)
    o, s = np.where(both, cells.original, 0.0), np.where(both, cells.release, 0.0)
    logs = np.log(np.divide(s, o, out=np.ones(np.broadcast_shapes(s.shape, o.shape)), where=both))
    of_both = np.maximum(s.sum(axis=-1), 1.0), np.maximum(o.sum(axis=-1), 1.0)
    return np.asarray(np.maximum(2 * ((s * logs).sum(axis=-1) - of_both[0] * np.log(of_both[0] / of_both[1])), 0.0))


def jensen_shannon(cells: Cells) -> Floats:
    """JSD = ½ KL(p, h) + ½ KL(q, h) with h = (p + q)/2, in bits: 0 for equal shares, 1 for no cell in common.

    >>> float(jensen_shannon(Cells.of([5, 0], [0, 5])))
    1.0
    """
    p, q = cells.shares
    h = (p + q) / 2
    return np.asarray(_relative(p, h) / 2 + _relative(q, h) / 2)


def absolute_difference(cells: Cells) -> Floats:
    """MabsDD = Σ |p − q|, twice the total variation.

    >>> float(absolute_difference(Cells.of([3, 1], [1, 3])))
    1.0
    """
    p, q = cells.shares
    return np.asarray(np.abs(p - q).sum(axis=-1))


def total_variation(cells: Cells) -> Floats:
    """½ Σ |p − q|: the largest difference in the share of any set of cells.

    It is SPECKS, the Kolmogorov–Smirnov distance between the shares s/(o + s) of the two files, if each cell is told
    from the others.

    >>> float(total_variation(Cells.of([3, 1], [1, 3])))
    0.5
    """
    return np.asarray(absolute_difference(cells) / 2)


def above_half(cells: Cells) -> Floats:
    """PO50 = 50 × total variation: how far above 50 % records are told apart, each file counting half.

    synthpop cuts at ½, which is the same if both files have as many records.

    >>> float(above_half(Cells.of([3, 1], [10, 30])))
    25.0
    """
    return np.asarray(50 * total_variation(cells))


def weighted_difference(cells: Cells) -> Floats:
    """WMabsDD = √(π/2) Σ |d|/√e.

    >>> float(weighted_difference(Cells.of([4, 4], [4, 4])))
    0.0
    """
    return np.asarray(sqrt(pi / 2) * _sum(np.abs(cells.difference), np.sqrt(cells.expected)))


def bhattacharyya(cells: Cells) -> Floats:
    """dBhatt = √(1 − Σ √(p q)) = √(FT/(8 n₂)).

    >>> float(bhattacharyya(Cells.of([5, 0], [0, 5])))
    1.0
    """
    p, q = cells.shares
    # A sum of squares: 1 − Σ √(p q) would lose all digits where the files are alike.
    return np.asarray(np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=-1) / 2))


def mann_whitney(cells: Cells) -> Floats:
    """U: the pairs in which the record of the release has the larger share s/(o + s), ties one half.

    Cells of equal share lie on one line of the curve whose area this is, so ties need no care.

    >>> float(mann_whitney(Cells.of([6, 4], [5, 5])))       # 5 × 6 pairs above, 5 × 4 + 5 × 6 ties
    55.0
    """
    both = cells.original + cells.release
    share = np.divide(cells.release, both, out=np.zeros(both.shape), where=both > 0)
    order = np.argsort(share, axis=-1)
    o, s = (np.take_along_axis(np.broadcast_to(x, both.shape), order, -1) for x in (cells.original, cells.release))
    return np.asarray((s * (np.cumsum(o, axis=-1) - o / 2)).sum(axis=-1))


def area(cells: Cells) -> Floats:
    """AUC = U/(n₁ n₂): ½ if no cell tells the files apart.

    >>> float(area(Cells.of([6, 4], [5, 5])))
    0.55
    """
    return np.asarray(mann_whitney(cells) / (cells.sizes[0] * cells.sizes[1])[..., 0])


def z_scores(cells: Cells) -> Floats:
    """z = d/√e of each cell: about standard normal for a release drawn from the original's shares.

    >>> z_scores(Cells.of([6, 2], [2, 6])).tolist()
    [-2.0, 2.0]
    """
    expected = cells.expected
    return np.divide(cells.difference, np.sqrt(expected), out=np.zeros(expected.shape), where=expected > 0)


MEASURES: dict[str, Callable[[Cells], Floats]] = {
    "VW": voas_williamson,
    "FT": freeman_tukey,
    "G": likelihood_ratio,
    "JSD": jensen_shannon,
    "MabsDD": absolute_difference,
    "SPECKS": total_variation,
    "PO50": above_half,
    "WMabsDD": weighted_difference,
    "dBhatt": bhattacharyya,
    "U": mann_whitney,
    "AUC": area,
    "pMSE": propensity_error,
}
"""All measures by the names that synthpop gives them."""


def _sum(above: Floats, below: Floats) -> Floats:
    """Σ above/below over cells that some record is in."""
    terms = np.divide(above, below, out=np.zeros(np.broadcast_shapes(above.shape, below.shape)), where=below > 0)
    return np.asarray(terms.sum(axis=-1))


def _relative(p: Floats, h: Floats) -> Floats:
    """Σ p log₂(p/h)."""
    some = p > 0
    ratio = np.divide(p, h, out=np.ones(np.broadcast_shapes(p.shape, h.shape)), where=some)
    return np.asarray((p * np.log(ratio)).sum(axis=-1) / log(2))
