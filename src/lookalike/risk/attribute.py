"""Attribute disclosure: who is known to have a value because all alike have it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import Spread
from lookalike.errors import NotAssessable
from lookalike.estimate import Rate


def attribute_disclosure(spread: Spread, wanted: NDArray[np.bool_]) -> Rate:
    """The share of records with a value z (or in a range z) that sit in classes where all have z.

    `wanted` marks the codes of `spread.values` that make up z. Source: Sánchez et al. (2016) equation 5.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", "M"], "charge": [10, 200, 300, 400]})
    >>> spread = la.Spread.of(la.EquivalenceClasses.of(la.read(table), ["sex"]), "charge")
    >>> str(attribute_disclosure(spread, in_range(spread, above=100)))
    '2 of 3 records with the value'
    """
    having = np.add.reduceat(np.where(wanted[spread.codes], spread.counts, 0), spread.starts[:-1])
    total = int(having.sum())
    if total == 0:
        raise NotAssessable(f"No record has the value of '{spread.name}' that was asked for.")
    disclosed = int(having[having == spread.sizes].sum())
    return Rate(count=disclosed, of=total, what="records with the value")


def any_disclosure(spread: Spread) -> Rate:
    """The share of records with a value whose whole class has that one value, whatever it is.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"sex": ["F", "F", "M", "M"], "result": ["+", "-", "+", "+"]})
    >>> spread = la.Spread.of(la.EquivalenceClasses.of(la.read(table), ["sex"]), "result")
    >>> str(any_disclosure(spread))
    '2 of 4 records with a value'
    """
    alike = spread.distinct == 1
    return Rate(count=int(spread.sizes[alike].sum()), of=int(spread.sizes.sum()), what="records with a value")


def equal_to(spread: Spread, *values: object) -> NDArray[np.bool_]:
    """Marks the codes of these values.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "M"], "ill": ["y", "n", "n"]}))
    >>> spread = la.Spread.of(la.EquivalenceClasses.of(table, ["sex"]), "ill")
    >>> list(zip(spread.values.to_list(), equal_to(spread, "y").tolist()))
    [('n', False), ('y', True)]
    """
    texts = {str(v) for v in values}
    return np.array([str(v) in texts for v in spread.values.to_list()])


def in_range(spread: Spread, *, above: float | None = None, below: float | None = None) -> NDArray[np.bool_]:
    """Marks the codes of the values above and below two limits, the limits left out.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "M"], "pay": [900, 1500, 2500]}))
    >>> spread = la.Spread.of(la.EquivalenceClasses.of(table, ["sex"]), "pay")
    >>> list(zip(spread.values.to_list(), in_range(spread, above=1000).tolist()))
    [(900, False), (1500, True), (2500, True)]
    """
    if not spread.values.dtype.is_numeric():
        raise NotAssessable(f"'{spread.name}' is not numeric, so it has no range.")
    values = spread.values.to_numpy()
    chosen = np.ones(len(values), bool)
    if above is not None:
        chosen &= values > above
    if below is not None:
        chosen &= values < below
    return chosen
