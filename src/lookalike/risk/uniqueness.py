"""Unique records: alone in the file, and alone in the population."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from lookalike.classes import EquivalenceClasses
from lookalike.errors import NotAssessable
from lookalike.estimate import Rate


def unique_classes(classes: EquivalenceClasses) -> Rate:
    """Proportion of unique entries by classes: (classes with f = 1) / (classes).

    Source: Qu (2024), definition 2.1.1.

    >>> import lookalike as la, polars as pl
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"])
    >>> str(unique_classes(classes))
    '1 of 2 classes'
    """
    return Rate(count=int((classes.lookalikes == 1).sum()), of=len(classes), what="classes")


def unique_records(classes: EquivalenceClasses) -> Rate:
    """Proportion of unique entries by records: (records with f = 1) / (records).

    Source: Sánchez et al. (2016) equation 1, "reidentification risk".

    >>> import lookalike as la, polars as pl
    >>> classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F", "M"]})), ["sex"])
    >>> str(unique_records(classes))
    '1 of 3 records'
    """
    unique = classes.lookalikes == 1
    return Rate(count=int(classes.sizes[unique].sum()), of=classes.records, what="records")


def relative_frequency_of_uniques(classes: EquivalenceClasses, population: EquivalenceClasses) -> Rate:
    """RFUE with a population file: the share of sample-unique classes that are population unique.

    Source: Qu (2024), definition 2.1.3.

    >>> import lookalike as la, polars as pl
    >>> sample = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31]})), ["age"])
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"age": [30, 31, 31]})), ["age"])
    >>> str(relative_frequency_of_uniques(sample, people))
    '1 of 2 sample-unique classes'
    """
    unique = classes.lookalikes == 1
    if not unique.any():
        raise NotAssessable("No class is unique in the file, so there is no share of unique classes.")
    alone = classes.sizes_in(population)[unique] <= 1
    return Rate(count=int(alone.sum()), of=int(unique.sum()), what="sample-unique classes")


def estimated_frequency_of_uniques(classes: EquivalenceClasses, population: int) -> float:
    """RFUE without a population file, by Bayes' rule with hypergeometric weights.

    Σ over class sizes i: p₁h₁ / Σ pᵢhᵢ with pᵢ the share of sample classes of size i and
    hᵢ = C(N − i, n − i) / C(N, n), the chance that a population class of size i is drawn whole.
    It takes the sample's shares for the population's: it overstates when the sample is small, and understates when
    the file is nearly the whole population (at n = N it gives c₁/K, the truth is 1). A guess, not an estimate.
    Source: Qu (2024), section 2.1.2, example 2.1.4 (0.936).

    >>> import lookalike as la, polars as pl
    >>> years = pl.DataFrame({"year": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 11, 11]})
    >>> classes = la.EquivalenceClasses.of(la.read(years), ["year"])
    >>> round(estimated_frequency_of_uniques(classes, 31), 3)
    0.936
    """
    n, big = classes.records, population
    if not (classes.lookalikes == 1).any():
        raise NotAssessable("No class is unique in the file, so there is no share of unique classes.")
    size, count = np.unique(classes.lookalikes, return_counts=True)
    # log of C(N - i, n - i) / C(N, n); the share c_i / K only scales, so counts serve.
    log_h = (gammaln(big - size + 1) - gammaln(n - size + 1)) - (gammaln(big + 1) - gammaln(n + 1))
    terms = count * np.exp(log_h - log_h.max())
    return float(terms[size == 1][0] / terms.sum())
