"""A release made by drawing: the copies, what they were drawn from, and how like the file they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lookalike.data import Microdata
from lookalike.models.mixed import Law
from lookalike.notebook import told
from lookalike.synthesis.likeness import Likeness


class Combining(StrEnum):
    """How estimates from m copies are combined (docs/concepts/synthesis.md).

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 35, 51, 52] * 20})
    >>> la.synthesize(people, la.Independent(), rows=10, seed=1).combining is Combining.COMPLETE_IMPROPER
    True
    """

    COMPLETE_IMPROPER = "complete, improper: v(k/n + 1/m)"
    COMPLETE_PROPER = "complete, proper: v(k/n + (1 + k/n)/m)"
    PARTIAL = "partial: v + b/m"


@dataclass(frozen=True, kw_only=True, repr=False)
class Release:
    """Copies drawn from a model of a file.

    `linked`: row i of each copy stands for row i of the file. `combining` is the rule for estimates from the copies.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 35, 51, 52] * 20, "sex": ["F", "M", "M", "F"] * 20})
    >>> release = la.synthesize(people, la.Independent(), copies=2, rows=10, seed=1)
    >>> release.model, release.drawn, [copy.records for copy in release.copies], release.linked
    ('independent', ('age', 'sex'), [10, 10], False)
    """

    copies: tuple[Microdata, ...]
    model: str
    drawn: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    given: tuple[str, ...] = ()
    """Columns that hold one given value in all records."""
    linked: bool
    combining: Combining
    redrawn: int
    """Records drawn again because they broke a rule."""
    caveats: tuple[str, ...]
    figures: Mapping[str, float] = field(default_factory=dict)
    """What the model tells of its fit, by name."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the model tells of itself as plain data: order of columns, methods, predictors."""
    likeness: tuple[Likeness, ...] = ()
    """One a copy."""
    laws: tuple[Law, ...] = field(default=(), repr=False)
    """The fitted models, for a look at them."""

    @property
    def data(self) -> Microdata:
        """The first copy."""
        return self.copies[0]

    def __repr__(self) -> str:
        copies = f"{len(self.copies)} copies" if len(self.copies) > 1 else "1 copy"
        return f"<Release: {copies} of {self.data.records:,} records drawn by {self.model}>"

    def _repr_html_(self) -> str:
        """In a notebook: what was drawn, and what one must know of it; no record."""
        drawn = f"Drawn: {', '.join(self.drawn)}." if self.drawn else "Nothing was drawn."
        kept = [f"As in the file: {', '.join(self.kept)}."] if self.kept else []
        return told("Release", f": {repr(self)[10:-1]}", [drawn, *kept, *self.caveats])
