"""How often records come back by chance: from a release with the same columns and nothing between them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.columns import numbered

Floats = NDArray[np.float64]


def chance_of_equal(records: pl.DataFrame, release: pl.DataFrame) -> Floats:
    """For each record the chance that one row equals it, if the columns of the release were independent: Π_j p_j(x_j).

    >>> records = pl.DataFrame({"sex": ["F", "M"], "ill": ["yes", "yes"]})
    >>> release = pl.DataFrame({"sex": ["F", "F", "F", "M"], "ill": ["yes", "no", "no", "no"]})
    >>> chance_of_equal(records, release).tolist()
    [0.1875, 0.0625]
    """
    chance = np.ones(records.height)
    for name in records.columns:
        found = numbered([records, release], [name])
        chance *= np.bincount(found.files[1], minlength=found.room)[found.files[0]] / release.height
    return chance


def chance_of_return(records: pl.DataFrame, release: pl.DataFrame) -> Floats:
    """For each record the chance that at least one of the rows equals it: 1 − (1 − w)^k."""
    chance = chance_of_equal(records, release)
    # By logarithms: of a tiny chance 1 − (1 − w)^k would be 0.
    return np.where(chance >= 1, 1.0, -np.expm1(release.height * np.log1p(-np.minimum(chance, 1 - 1e-12))))
