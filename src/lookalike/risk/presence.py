"""Measures against a population file: k-map and δ-presence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses


def k_map(classes: EquivalenceClasses, population_sizes: NDArray[np.int64]) -> int:
    """The smallest F over the file's classes: every record is one of at least this many people.

    `population_sizes` is `classes.sizes_in(population)`. Source: Sweeney 2001; ARX.

    >>> import lookalike as la, polars as pl
    >>> sample = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31]})), ["age"])
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 30, 31, 31, 31]})), ["age"])
    >>> k_map(sample, sample.sizes_in(people))
    2
    """
    return int(np.maximum(population_sizes, classes.lookalikes).min())


def delta_presence(classes: EquivalenceClasses, population: EquivalenceClasses) -> tuple[float, float]:
    """The least and the greatest f/F over the population's classes: how sure it is that a person is in the file.

    Source: Nergiz, Atzori and Clifton 2007.

    >>> import lookalike as la, polars as pl
    >>> sample = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31]})), ["age"])
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31, 31, 32]})), ["age"])
    >>> delta_presence(sample, people)
    (0.0, 1.0)
    """
    inside = population.sizes_in(classes)
    share = np.minimum(inside / population.lookalikes, 1.0)
    return float(share.min()), float(share.max())
