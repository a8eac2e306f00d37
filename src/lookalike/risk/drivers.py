"""Which variables drive the risk: what each one alone adds."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.classes import EquivalenceClasses
from lookalike.engine import stage
from lookalike.risk.uniqueness import unique_records


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """What the file would be like without one variable.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"age": [30, 31, 32, 33], "sex": ["F", "F", "F", "M"]}))
    >>> first = drivers(la.EquivalenceClasses.of(table, ["age", "sex"]))[0]
    >>> first.variable, first.distinct, first.uniques_without, first.unique_share_lost
    ('age', 4, 1, 0.75)
    """

    variable: str
    distinct: int
    uniques_without: int
    unique_share_lost: float
    """The share of the file's unique records that are no longer unique without the variable."""
    mean_without: float
    """The prosecutor's mean risk without the variable."""


def drivers(classes: EquivalenceClasses) -> list[Driver]:
    """Each variable left out in turn, the one whose loss lowers the mean risk most first.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"age": [30, 31, 32, 33], "sex": ["F", "F", "F", "M"]}))
    >>> [d.variable for d in drivers(la.EquivalenceClasses.of(table, ["age", "sex"]))]
    ['age', 'sex']
    """
    uniques = unique_records(classes).count
    found = []
    with stage("drivers of the risk", total=len(classes.variables)) as progress:
        for variable in classes.variables:
            found.append(_without(classes, variable, uniques))
            progress.advance()
    return sorted(found, key=lambda d: (d.mean_without, d.variable))


def _without(classes: EquivalenceClasses, variable: str, uniques: int) -> Driver:
    rest = [v for v in classes.variables if v != variable]
    left, mean = classes.known(rest) if rest else (0, 1 / classes.records)
    return Driver(
        variable=variable,
        distinct=classes.distinct(variable),
        uniques_without=left,
        unique_share_lost=1 - left / uniques if uniques else 0.0,
        mean_without=mean,
    )
