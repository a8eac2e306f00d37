"""Masking in an order: unique records lose one value after another until they are not unique (seed 004, table S3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing.mask import Mask
from lookalike.classes import group, totals
from lookalike.data import Microdata
from lookalike.errors import BadPlan

AGES_20 = (0, 1, *range(5, 90, 5))
"""Where the ages of California's discharge file begin: under 1, 1 to 4, by fives, 85 and more. The 20th: unknown."""
AGES_5 = (0, 1, 18, 35, 65)
"""Five ages; seed 004 does not say which."""
LEFT = "{count:,} records went through the whole order and are still in classes of fewer than {k}."
OTHERS = "Records were compared on {names}; with {others} known, they may be unique."


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeHarbor:
    """Records in classes of fewer than k are masked step after step of an order, until they are not.

    A step applies to the records that are still unique. Records are compared as they are written, on the columns of
    the order (or on `columns`): a masked cell equals only a cell masked alike, so that whoever knows a person finds k
    records that look the same. Who has left the order stays out of it: classes only grow. The order may be given as
    tables with `column` and `ranges` or `keep`. Source: seed 004, table S3.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [30, 31, 50, 50], "sex": ["F", "F", "M", "M"]}))
    >>> order = (Mask(column="age", ranges=(0, 18, 65)), Mask(column="sex"))
    >>> made = SafeHarbor(order=order).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list()
    ['[18;64]', '[18;64]', '50', '50']
    """

    name: ClassVar[str] = "safe-harbor"
    order: tuple[Mask | Mapping[str, Any], ...] = field(hash=False)
    k: int = 2
    columns: tuple[str, ...] = ()

    @classmethod
    def hipaa(
        cls,
        *,
        age: str | None = None,
        ethnicity: str | None = None,
        race: str | None = None,
        sex: str | None = None,
        quarter: str | None = None,
        zip_code: str | None = None,
        county: str | None = None,
        k: int = 2,
    ) -> SafeHarbor:
        """The order of table S3, for the columns that are there.

        >>> [step.column for step in SafeHarbor.hipaa(age="age", sex="sex", zip_code="zip").order]
        ['age', 'sex', 'age', 'age', 'zip', 'zip']
        """
        steps: tuple[tuple[str | None, dict[str, Any]], ...] = (
            (age, {"ranges": AGES_20}),
            (ethnicity, {}),
            (race, {}),
            (sex, {}),
            (age, {"ranges": AGES_5}),
            (age, {}),
            (quarter, {}),
            (zip_code, {"keep": 3}),
            (county, {}),
            (zip_code, {}),
        )
        return cls(order=tuple(Mask(column=column, **how) for column, how in steps if column is not None), k=k)

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        faults = [] if self.k >= 2 else [f"k must be at least 2, not {self.k}."]
        if not self.order:
            faults.append("The order has no step. Name the columns to mask, one after another.")
        for given in self.order:
            try:
                faults += Mask.of(given).faults()
            except BadPlan as fault:
                faults += fault.faults
        return faults

    def change(self, asked: Asked) -> Changed:
        """The columns masked; `figures` count unique records before and after, `details` the records of each step."""
        file, faults = asked.file, self.faults()
        steps = [] if faults else [Mask.of(given) for given in self.order]
        names = chosen(file, (*self.columns, *(step.column for step in steps)), faults, k=self.k)
        axes = {name: axis_of(file, name) for name in names}
        misfits = [told for step in steps if (told := step.misfit(axes[step.column]))]
        if misfits:
            raise BadPlan(misfits)
        masking = _Masking(axes, self.k)
        masked = [masking.apply(step) for step in steps]
        changed = {step.column for step in steps}
        return Changed(
            columns={name: masking.cells(name) for name in names if name in changed},
            caveats=tuple(self._caveats(file, names, len(masking.open))),
            figures={
                "unique records": masking.before,
                "masked records": masked[0],
                "records still unique": len(masking.open),
            },
            details={
                "order": [
                    {"column": step.column, "how": step.how, "records": count}
                    for step, count in zip(steps, masked, strict=True)
                ]
            },
        )

    def _caveats(self, file: Microdata, names: Sequence[str], left: int) -> list[str]:
        others = [name for name in file.quasi_identifiers if name not in names]
        caveats = [LEFT.format(count=left, k=self.k)] if left else []
        return caveats + ([OTHERS.format(names=", ".join(names), others=", ".join(others))] if others else [])


class _Masking:
    """The cells as they are now, and the records that are still unique (`open`)."""

    def __init__(self, axes: Mapping[str, Axis], k: int) -> None:
        self.axes, self.k = axes, k
        self.codes = {name: axis.codes.copy() for name, axis in axes.items()}
        self.books = {name: axis.texts.to_list() for name, axis in axes.items()}
        records = len(next(iter(axes.values())).codes)
        self.open = np.arange(records)
        # One record of each class that is out of the order, and how many records the class has.
        self._settled, self._sizes = np.empty(0, np.int64), np.empty(0, np.int64)
        self._settle()
        self.before = len(self.open)

    def apply(self, step: Mask) -> int:
        """Mask the open records; how many they were."""
        count = len(self.open)
        if count:
            codes, axis = self.codes[step.column], self.axes[step.column]
            # A missing value, -1, finds the last entry: it stays missing.
            codes[self.open] = np.append(self._places(step), -1)[axis.codes[self.open]]
            self._settle()
        return count

    def cells(self, name: str) -> pl.Series:
        """The column as it is now."""
        book = pl.Series([*self.books[name], None], dtype=pl.String)
        codes = self.codes[name]
        return book.gather(np.where(codes < 0, len(book) - 1, codes)).alias(name)

    def _places(self, step: Mask) -> NDArray[np.int32]:
        """The code of what each value becomes; new texts are added to the book."""
        book = self.books[step.column]
        place = {text: i for i, text in enumerate(book)}
        for text in dict.fromkeys(step.texts(self.axes[step.column]).drop_nulls().to_list()):
            if text not in place:
                place[text] = len(book)
                book.append(text)
        texts = step.texts(self.axes[step.column]).to_list()
        return np.array([-1 if text is None else place[text] for text in texts], np.int32)

    def _settle(self) -> None:
        """Let go of the open records whose class now has k members."""
        rows = np.concatenate([self._settled, self.open])
        labels = group(codes[rows].astype(np.int64) for codes in self.codes.values())
        sizes = totals(labels, np.concatenate([self._sizes, np.ones(len(self.open), np.int64)]))
        one = np.empty(len(sizes), np.int64)
        one[labels] = rows
        safe = sizes >= self.k
        self._settled, self._sizes = one[safe], sizes[safe]
        self.open = self.open[~safe[labels[len(rows) - len(self.open) :]]]
