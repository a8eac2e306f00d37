"""Rounding: a value becomes the nearest multiple of a base, or by chance the one below or above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from lookalike.anonymize.columns.kept_form import EXACT, too_large
from lookalike.anonymize.columns.suited import is_number_column, not_there, suited
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.multiples import PERIODS, to_multiples, to_periods
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """Numbers to multiples of a base, dates to the first day of their week, month, quarter or year.

    `base` is one for all columns (without names: the quasi-identifiers it fits) or a table with one for each. With
    `random` a value x between the multiples a and a + b goes up with chance (x − a)/b, so that E = x. The type of a
    column stays.

    >>> import lookalike as la, numpy as np
    >>> file = la.read(pl.DataFrame({"income": [1240, 1250, 3999, None]}))
    >>> rounding = Rounding(base={"income": 500})
    >>> rounding.change(Asked(file=file, rng=np.random.default_rng(1))).columns["income"].to_list()
    [1000, 1500, 4000, None]
    """

    name: ClassVar[str] = "round"
    base: float | str | Mapping[str, float | str] = 5
    columns: tuple[str, ...] = ()
    random: bool = False

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        if not isinstance(self.base, Mapping):
            return _bad(self.base, "round: base")
        twice = ["round: with a base for each column, leave columns out."] if self.columns else []
        empty = [] if self.base else ["round: base names no column."]
        bad = [fault for name, base in self.base.items() for fault in _bad(base, f"round: base of '{name}'")]
        return [*twice, *empty, *bad]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        bases, faults = self._bases(asked.file)
        faults = [*self.faults(), *faults]
        if faults:
            raise BadPlan(faults)
        frame = records(asked.file.table, list(bases))
        faults = too_large(frame)
        if faults:
            raise BadPlan(faults)
        made = {name: self._rounded(frame[name], base, asked) for name, base in bases.items()}
        told = {name: _told(frame[name], made[name], base) for name, base in bases.items()}
        return Changed(
            columns=made,
            perturbed=frozenset(made),
            caveats=(*(self._caveat(name, base, told[name]) for name, base in bases.items()), *self._again()),
            figures={"alone_after": sum(facts["alone_after"] for facts in told.values())},
            details={"columns": told},
        )

    def _bases(self, file: Microdata) -> tuple[dict[str, float | str], list[str]]:
        """The base of each column, and what does not fit the file."""
        if isinstance(self.base, Mapping):
            bases = {name: base for name, base in self.base.items() if name in file.columns}
            faults = not_there(file, self.base)
            faults += [_unfit(name, base) for name, base in bases.items() if not _fits(file, name, base)]
        else:
            base = self.base
            number = not isinstance(base, str)
            kind = is_number_column if number else _is_date_column
            found, faults = suited(file, self.columns, kind, "numbers" if number else "dates")
            bases = dict.fromkeys(found, base)
        parts = [n for n, b in bases.items() if not isinstance(b, str) and b != int(b) and _whole(file, n)]
        return bases, faults + [f"Column '{name}' holds whole numbers: its base must be whole." for name in parts]

    def _rounded(self, cells: pl.Series, base: float | str, asked: Asked) -> pl.Series:
        rng = asked.rng if self.random else None
        return to_periods(cells, base, rng=rng) if isinstance(base, str) else to_multiples(cells, base, rng=rng)

    def _caveat(self, name: str, base: float | str, facts: Mapping[str, Any]) -> str:
        if isinstance(base, str):
            where = f"within one {base} before or after" if self.random else f"in the {base} that begins with"
        else:
            where = f"less than {base:g} from" if self.random else f"at most {base / 2:g} from"
        return (
            f"'{name}': the true value lies {where} the released one. {facts['values_before']:,} values became "
            f"{facts['values_after']:,}; {facts['alone_after']:,} records are alone with theirs."
        )

    def _again(self) -> tuple[str, ...]:
        if not self.random:
            return ()
        return ("Each further release of the same file rounds anew and narrows the true values: release it once.",)


def _told(before: pl.Series, after: pl.Series, base: float | str) -> dict[str, Any]:
    counts = after.drop_nulls().value_counts()
    return {
        "base": base,
        "values_before": before.drop_nulls().n_unique(),
        "values_after": counts.height,
        "alone_after": int((counts["count"] == 1).sum()),
    }


def _bad(base: Any, what: str) -> list[str]:
    if isinstance(base, str):
        return [] if base in PERIODS else [f"{what} must be a number above 0 or one of {', '.join(PERIODS)}."]
    good = isinstance(base, (int, float)) and not isinstance(base, bool) and 0 < base < EXACT
    return [] if good else [f"{what} must be a number above 0, or a period for dates: {', '.join(PERIODS)}."]


def _is_date_column(file: Microdata, name: str) -> bool:
    dtype = file.table.schema[name]
    return str(dtype).startswith("Date")


def _whole(file: Microdata, name: str) -> bool:
    return file.table.schema[name].is_integer()


def _fits(file: Microdata, name: str, base: float | str) -> bool:
    return (_is_date_column if isinstance(base, str) else is_number_column)(file, name)


def _unfit(name: str, base: float | str) -> str:
    if isinstance(base, str):
        return f"Column '{name}' does not hold dates: a base of one {base} does not fit."
    return f"Column '{name}' does not hold numbers: give a period for dates ({', '.join(PERIODS)}), or leave it out."
