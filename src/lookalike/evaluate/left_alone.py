"""What a release still says in columns that no method changed and no threshold counts."""

from __future__ import annotations

import polars.selectors as selectors

from lookalike.anonymize.release import Protected
from lookalike.engine import records, sample_rows, stage
from lookalike.risk import telling

SINGLE = (
    "{names}: left as it is, and these records alone have their value. Whoever knows that value finds the record: "
    "drop, round or group the column, or name it known (--qi)."
)
TELLS = (
    "{names}: left as it is, and tells the column in brackets, which was changed: what was hidden there can be read "
    "here. Drop it (--drop), or name it known (--qi) and protect again."
)
ALONE = 0.5
"""The share of records with a value of their own from which a column is warned of."""
TOLD = 0.9
"""The share of wrong guesses saved from which one column tells another."""
LOOKED_AT = 50_000
"""About so many records of a longer file are looked at."""
DISTINCT = 0.2
"""A column with more values than this share of its records tells nothing but records."""


def alone_beside(release: Protected) -> tuple[str, ...]:
    """A warning of columns that no method changed and whose values many records have alone: one of them is a name.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47], "weight": [1.25, 3.5, 8.0, 2.75]})
    >>> limit = la.Threshold(k_anonymity=2)
    >>> alone_beside(la.protect(table, "mondrian", until=limit, quasi_identifiers=["age"]).release)
    ("'weight' (100 % of records): left as it is, and ...",)
    """
    data = release.data
    found = []
    for name in _beside(release):
        alone = records(data.table, [name])[name].drop_nulls().is_unique().sum()
        if alone >= ALONE * data.records:
            share = "100" if alone == data.records else f"{min(100 * alone / data.records, 99.9):.1f}"
            found.append(f"'{name}' ({share} % of records)")
    return (SINGLE.format(names=", ".join(found)),) if found else ()


def told_beside(release: Protected, *, seed: int) -> tuple[str, ...]:
    """A warning of columns that no method changed and that tell one which was changed.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47] * 5, "born": [1990, 1989, 1975, 1973] * 5})
    >>> made = la.protect(table, "mondrian", until=la.Threshold(k_anonymity=6), quasi_identifiers=["age"]).release
    >>> told_beside(made, seed=1)
    ("'born' (age): left as it is, and tells the column in brackets, which was changed: ...",)
    """
    data = release.original
    beside = [name for name in _beside(release) if name in data.columns]
    changed = [name for name in release.cells if name in data.columns]
    if not beside or not changed:
        return ()
    with stage("looking for columns that tell others"):
        looked = sample_rows(data.table, min(1.0, LOOKED_AT / data.records), seed=seed).select(*beside, *changed)
        plain = looked.select(~(selectors.nested() | selectors.binary() | selectors.object()))
        few = [name for name in beside if name in plain and 1 < plain[name].n_unique() <= DISTINCT * plain.height]
        told = {name: [other for other in changed if telling(plain[name], plain[other]) >= TOLD] for name in few}
    found = [f"'{name}' ({', '.join(others)})" for name, others in told.items() if others]
    return (TELLS.format(names=", ".join(found)),) if found else ()


def _beside(release: Protected) -> list[str]:
    """Columns of the release that nobody is taken to know, and that are as they were."""
    known = release.data.quasi_identifiers
    return [name for name in release.data.columns if name not in release.cells and name not in known]
