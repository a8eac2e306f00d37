"""Household risk: one member found gives the others away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import encode, group
from lookalike.classes.codes import MISSING
from lookalike.data import Microdata
from lookalike.engine import column
from lookalike.errors import NotAssessable


def household_risk(risk: NDArray[np.float64], household: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 − Π(1 − r_i) over the members of each record's household: the chance that at least one is matched.

    A record without a household (code -1) is a household of its own. Source: sdcMicro's hierarchical risk.

    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1])).round(3).tolist()
    [0.75, 0.75, 0.1]
    """
    label = group([np.where(household == MISSING, np.arange(len(household)) + household.max() + 1, household)])
    with np.errstate(divide="ignore"):
        log_safe = np.log1p(-risk)
    together = np.zeros(label.max() + 1)
    np.add.at(together, label, log_safe)
    return -np.expm1(together)[label]


def households(data: Microdata) -> NDArray[np.int64]:
    """The household of every record as a code, in the order of the file.

    >>> import lookalike as la, polars as pl
    >>> data = la.read(pl.DataFrame({"age": [34, 35, 9], "house": [7, 8, 7]}), household="house")
    >>> households(data).tolist()
    [0, 1, 0]
    """
    if data.household is None:
        raise NotAssessable("No variable has the role household.")
    return encode(column(data.table, data.household))
