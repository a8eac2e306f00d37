"""What every method of protection is: a choice that turns a file into changed columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import Missing
from lookalike.data import Microdata
from lookalike.target import Target
from lookalike.threshold import Threshold


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a method works on: the file with its roles, and the limits it is to keep.

    >>> import numpy as np
    >>> from lookalike.data import read
    >>> file = read(pl.DataFrame({"age": [31, 34]}), quasi_identifiers=["age"])
    >>> asked = Asked(file=file, rng=np.random.default_rng(1))
    >>> asked.file.quasi_identifiers, asked.until.k_anonymity
    (('age',), None)
    """

    file: Microdata
    rng: Generator
    until: Threshold = field(default_factory=lambda: Threshold(sample_to_population=None))
    """Limits to reach; a method that reaches none of them by search leaves them alone."""
    population: int | None = None
    missing: Missing = Missing.OWN
    """How a missing quasi-identifier is read when records are compared; a suppressed cell is one."""
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Changed:
    """What a method did: new columns for all records, in the order of the file, and which records stay.

    A suppressed cell is null. An interval is `[low;high]`, as in seed 004. Cells of `perturbed` columns that differ
    from the file hold another value, not a coarser one.

    >>> Changed(columns={"age": pl.Series("age", ["[30;39]", "[30;39]"])}).stays is None
    True
    """

    columns: Mapping[str, pl.Series]
    stays: NDArray[np.bool_] | None = None
    """Which records stay; None: all."""
    perturbed: frozenset[str] = frozenset()
    suppressed: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Where a column was suppressed, if a null does not tell it: coarsened to all values, by column."""
    caveats: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    """What the method tells of its work, by name."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The same as plain data: levels chosen, nodes visited, the frontier. Counts and names, no cell."""
    recode: Any = None
    """The method that does the same to the next file without a search; it may hold values of the data."""


class Method(Protocol):
    """A way to protect: a frozen dataclass, equal if its settings are, so that a plan can hold it.

    `change` answers for every file with at least one record. It raises `BadPlan`, all faults at once, where its
    settings do not fit the file. It never changes the file, and the same state of `rng` gives the same columns.

    >>> import numpy as np
    >>> from lookalike.data import read
    >>> class Masked:
    ...     name = "masked"
    ...     def change(self, asked: Asked) -> Changed:
    ...         return Changed(columns={"area": asked.file.head()["area"].str.slice(0, 2)})
    >>> file = read(pl.DataFrame({"area": ["0117", "0122"]}), quasi_identifiers=["area"])
    >>> Masked().change(Asked(file=file, rng=np.random.default_rng(1))).columns["area"].to_list()
    ['01', '01']
    """

    name: ClassVar[str]
    """Its name in plans, evidence and the command."""

    def change(self, asked: Asked) -> Changed:
        """The file's columns as this method changes them."""
        ...
