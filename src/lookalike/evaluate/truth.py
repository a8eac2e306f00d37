"""The truth about B where all people are known: how many of them look like each record."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookalike.anonymize import Protected
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import NotAssessable
from lookalike.evaluate.recoded_people import recoded_people

OVERLAP = "A value of the file has several in the release, so the people who look like a record are not counted."
STRANGERS = "Some records have no lookalike among the people: they are not of this population."


def true_rate(file: Microdata, people: Microdata, known: Sequence[str]) -> float:
    """B counted: (1/n) Σ 1/F over the records, F the people with a record's values.

    >>> import lookalike as la
    >>> people = la.read(pl.DataFrame({"age": [30, 30, 31, 31, 31, 47]}))
    >>> true_rate(la.read(pl.DataFrame({"age": [30, 47]})), people, ["age"])
    0.75
    """
    sizes = records(people.table, list(known)).cast(pl.String).group_by(known).len()
    rows = records(file.table, list(known)).cast(pl.String)
    found = rows.join(sizes, on=list(known), how="left", nulls_equal=True)["len"]
    if found.null_count():
        raise NotAssessable(STRANGERS)
    return float((1 / found).mean())  # type: ignore[arg-type]


def true_rate_after(release: Protected, people: Microdata, known: Sequence[str]) -> float:
    """The same of a release, the people recoded as its records were."""
    recoded = recoded_people(people, release, known)
    if recoded is None:
        raise NotAssessable(OVERLAP)
    return true_rate(release.data, recoded, known)
