"""k-anonymity: the smallest number of records that share a record's quasi-identifiers."""

from __future__ import annotations

from lookalike.classes import EquivalenceClasses
from lookalike.estimate import Rate


def k_anonymity(classes: EquivalenceClasses) -> int:
    """The smallest f: every record is one of at least this many alike.

    Source: Samarati and Sweeney 1998; Qu (2024), definition 2.2.1.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "F", "M", "M"]}))
    >>> k_anonymity(la.EquivalenceClasses.of(table, ["sex"]))
    2
    """
    return int(classes.lookalikes.min())


def records_below(classes: EquivalenceClasses, k: int) -> Rate:
    """The records with fewer than k alike in the file, themselves included.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "F", "M", "M"]}))
    >>> str(records_below(la.EquivalenceClasses.of(table, ["sex"]), 3))
    '2 of 5 records'
    """
    below = classes.lookalikes < k
    return Rate(count=int(classes.sizes[below].sum()), of=classes.records, what="records")


def classes_below(classes: EquivalenceClasses, k: int) -> Rate:
    """The classes with fewer than k records.

    >>> import lookalike as la, polars as pl
    >>> table = la.read(pl.DataFrame({"sex": ["F", "F", "F", "M", "M"]}))
    >>> str(classes_below(la.EquivalenceClasses.of(table, ["sex"]), 3))
    '1 of 2 classes'
    """
    return Rate(count=int((classes.lookalikes < k).sum()), of=len(classes), what="classes")
