"""ℓ-diversity: how many well represented values of a sensitive variable each class holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """ℓ of every class.

    >>> ell = Diversity(per_class=np.array([1, 3]), sizes=np.array([1, 3]))
    >>> ell.minimum, ell.mean
    (1.0, 2.5)
    """

    per_class: NDArray[np.float64] | NDArray[np.int64]
    sizes: NDArray[np.int64]
    """The records of each class that have a value."""

    @property
    def minimum(self) -> float:
        """The least ℓ of a class."""
        return float(self.per_class.min())

    @property
    def mean(self) -> float:
        """The mean over records of their class's ℓ."""
        return float((self.per_class * self.sizes).sum() / self.sizes.sum())


def distinct_diversity(spread: Spread) -> Diversity:
    """Distinct ℓ: the number of different values in a class. Missing values do not count.

    Source: Machanavajjhala et al. 2007; Qu (2024), definition 2.3.1.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "F", "F", "M"], "result": ["+", "-", "-", "-"]})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["sex"])
    >>> distinct_diversity(la.Spread.of(classes, "result")).minimum
    1.0
    """
    return Diversity(per_class=spread.distinct, sizes=spread.sizes)


def entropy_diversity(spread: Spread) -> Diversity:
    """Entropy ℓ = exp(−Σ p log p) of a class: the number of equally frequent values with the same entropy.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "F", "M"], "result": ["+", "-", "-"]})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["sex"])
    >>> sorted(entropy_diversity(la.Spread.of(classes, "result")).per_class.round(9).tolist())
    [1.0, 2.0]
    """
    p = spread.shares
    return Diversity(per_class=np.exp(-spread.per_class(p * np.log(p))), sizes=spread.sizes)


def recursive_diversity(spread: Spread, *, c: float = 3.0) -> Diversity:
    """Recursive (c, ℓ): the largest ℓ with r₁ < c (r_ℓ + … + r_m), r sorted downwards; 0 if there is none.

    The commonest value must not be c times commoner than the rest from the ℓ-th on.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F"] * 6, "result": list("aaabbc")})
    >>> classes = la.EquivalenceClasses.of(la.read(table), ["sex"])
    >>> recursive_diversity(la.Spread.of(classes, "result"), c=2.0).per_class.tolist()
    [2.0]
    """
    label = np.repeat(np.arange(len(spread.distinct)), spread.distinct)
    r = spread.counts[np.lexsort((-spread.counts, label))]
    largest = np.repeat(r[spread.starts[:-1]], spread.distinct)
    before = np.cumsum(r) - r
    within = before - np.repeat(before[spread.starts[:-1]], spread.distinct)
    rest = np.repeat(spread.sizes, spread.distinct) - within
    return Diversity(per_class=spread.per_class((largest < c * rest).astype(float)), sizes=spread.sizes)
