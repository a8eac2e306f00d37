"""Risk by what the attacker knows: every subset of the quasi-identifiers, or named groups of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from lookalike.classes import EquivalenceClasses
from lookalike.engine import stage
from lookalike.estimate import Rate

WORK = 200_000_000
"""Subsets × classes looked at when nobody says how far to go."""
CALL = 8_000
"""Classes that cost as much to look at as a subset costs by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What an attacker with these variables can do in the file.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"age": [30, 30, 31], "sex": ["F", "M", "F"]}))
    >>> known = by_knowledge(la.EquivalenceClasses.of(table, ["age", "sex"]))[0]
    >>> known.variables, str(known.unique_records), round(known.mean, 3)
    (('age',), '1 of 3 records', 0.667)
    """

    variables: tuple[str, ...]
    group: str
    unique_records: Rate
    mean: float
    """The prosecutor's mean risk K/n with only these variables known."""
    sample_to_population: float | None = None
    """B with only these variables known; None without a population file."""


def by_knowledge(
    classes: EquivalenceClasses,
    *,
    up_to: int | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    population: EquivalenceClasses | None = None,
) -> list[Knowledge]:
    """Uniqueness for all subsets up to a size (chosen from the work if not given), the full set and each union
    of named groups, as Sánchez et al. (2016, figure S3) do for census, spatial and temporal variables.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"age": [30, 30, 31], "sex": ["F", "M", "F"]}))
    >>> for known in by_knowledge(la.EquivalenceClasses.of(table, ["age", "sex"])):
    ...     print(known.variables, known.unique_records)
    ('age',) 1 of 3 records
    ('sex',) 1 of 3 records
    ('age', 'sex') 3 of 3 records
    """
    rows = len(classes) + (len(population) if population is not None else 0)
    most = affordable(len(classes.variables), rows) if up_to is None else min(up_to, len(classes.variables))
    chosen = list(_subsets(classes.variables, most, groups or {}))
    found = []
    with stage("attacker knowledge", total=len(chosen)) as progress:
        for name, variables in chosen:
            found.append(_knowing(classes, population, name, variables))
            progress.advance()
    return found


def affordable(q: int, rows: int) -> int:
    """The largest size of subsets of q variables whose number times the rows stays within `WORK`; at least 1.

    >>> affordable(9, 1_000), affordable(9, 4_000_000), affordable(40, 100)
    (9, 2, 3)
    """
    work = 0
    for size in range(1, q + 1):
        work += comb(q, size) * (rows + CALL)
        if work > WORK:
            return max(1, size - 1)
    return q


def _subsets(
    variables: tuple[str, ...], most: int, groups: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for size in range(1, most + 1):
        for chosen in combinations(variables, size):
            yield "", chosen
    if most < len(variables):
        yield "", variables
    for size in range(1, len(groups) + 1):
        for names in combinations(groups, size):
            members = {v for name in names for v in groups[name]}
            yield " + ".join(names), tuple(v for v in variables if v in members)


def _knowing(
    classes: EquivalenceClasses, population: EquivalenceClasses | None, name: str, variables: tuple[str, ...]
) -> Knowledge:
    count, mean = classes.known(variables)
    unique = Rate(count=count, of=classes.records, what="records")
    b = None if population is None else _b(classes, population, variables)
    return Knowledge(variables=variables, group=name, unique_records=unique, mean=mean, sample_to_population=b)


def _b(classes: EquivalenceClasses, population: EquivalenceClasses, variables: tuple[str, ...]) -> float:
    """B on a subset; a class that the population lacks counts with its records in the file."""
    people = np.maximum(classes.sizes_in(population, variables), classes.sizes)
    return float((classes.sizes / people).sum() / classes.records)
