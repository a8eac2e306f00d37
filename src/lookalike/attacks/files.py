"""The files of an attack, checked once: the original, its releases, records that were not used, a population."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lookalike.attacks.columns import alike, numbered
from lookalike.attacks.overlap import shared_records
from lookalike.attacks.ranges import is_coarse
from lookalike.errors import BadPlan, unknown

FIRST = 1_000
"""Records looked at first when two columns are asked for a value in common."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Files:
    """What an attack is run on; a fault of the files is told here, and all of them at once.

    `linked` says that row i of every release was made from record i, as in a partial synthesis or an anonymized file.
    `control` is records of the same kind that were not used to make the release; `population` is everybody the
    original was drawn from.

    >>> original = pl.DataFrame({"sex": ["F", "M"], "ill": ["yes", "no"]})
    >>> Files(original=original, releases=(original,)).columns
    ('sex', 'ill')
    >>> files = Files(original=original, releases=(original, original))
    >>> list(files.named)
    ['original', 'release 1', 'release 2']
    >>> files.check(["sex"], ["sick"])
    Traceback (most recent call last):
        ...
    lookalike.errors.BadPlan: 3 faults:
    - Column 'sick' is not in the original. Columns: sex, ill.
    - Column 'sick' is not in the release 1...
    >>> files.check_linked("Matching")
    Traceback (most recent call last):
        ...
    lookalike.errors.BadPlan: Matching counts a match as true when row i of the release is matched to record i...
    >>> renamed = Files(original=original, releases=(original.with_columns(sex=pl.lit("w")),))
    >>> len(renamed.strangers(["sex"])), len(renamed.strangers(["ill"]))
    (1, 0)
    >>> Files(original=original, releases=(original.rename({"sex": "a", "ill": "b"}),))
    Traceback (most recent call last):
        ...
    lookalike.errors.BadPlan: The original and the release have no column in common. Check that both files are meant,
    and that no column was renamed.
    """

    original: pl.DataFrame
    releases: tuple[pl.DataFrame, ...]
    control: pl.DataFrame | None = None
    population: pl.DataFrame | None = None
    linked: bool = False

    def __post_init__(self) -> None:
        if faults := list(self._faults()):
            raise BadPlan(faults)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the original and every release have."""
        return tuple(c for c in self.original.columns if all(c in release.columns for release in self.releases))

    @property
    def named(self) -> dict[str, pl.DataFrame]:
        """Every file by the name it has in messages."""
        several = len(self.releases) > 1
        found = {"original": self.original}
        found |= {f"release {i + 1}" if several else "release": r for i, r in enumerate(self.releases)}
        found |= {} if self.control is None else {"control": self.control}
        return found | ({} if self.population is None else {"population": self.population})

    def check(self, known: Sequence[str], wanted: Sequence[str] = ()) -> None:
        """Tell every fault of what the attacker is said to know and to want."""
        faults = [] if known else ["The attacker knows nothing: name at least one known column."]
        faults += [
            f"Column '{name}' is both known and wanted: nobody guesses what they know. Take it out of one of the two."
            for name in known
            if name in wanted
        ]
        faults += [f"Column '{name}' is named twice." for name in dict.fromkeys(known) if list(known).count(name) > 1]
        for name in dict.fromkeys([*known, *wanted]):
            faults += self._missing(name, only_known=name not in wanted)
        if faults:
            raise BadPlan(faults)

    def strangers(self, known: Sequence[str]) -> tuple[str, ...]:
        """A caveat for each known column that shares no value with the original in some release: it was recoded."""
        return tuple(
            f"No value of column '{name}' in the {where} occurs in the original, so it cannot match as it is. "
            "Group or rename the values of the original in the same way first."
            for where, release in self.named.items()
            if where.startswith("release")
            for name in known
            if not _share_a_value(self.original[name], release[name])
        )

    def check_linked(self, attack: str) -> None:
        """Refuse an attack that needs to know which row was made from which record."""
        if not self.linked:
            raise BadPlan(
                f"{attack} counts a match as true when row i of the release is matched to record i. This release "
                "is not linked: its rows were not made one from each record, so no match is true or false. "
                "Take attribution instead, or say linked=True if row i was made from record i."
            )

    def _missing(self, name: str, *, only_known: bool) -> Iterator[str]:
        for where, file in self.named.items():
            needed = where != "population" or only_known
            if needed and name not in file.columns:
                yield unknown("Column", name, file.columns, where=f"in the {where}", listed="Columns")

    def _faults(self) -> Iterator[str]:
        if not self.releases:
            yield "There is no release to attack: give at least one."
            return
        for where, file in self.named.items():
            if file.height == 0:
                yield f"The {where} has no records."
        if not self.columns:
            yield (
                "The original and the release have no column in common. "
                "Check that both files are meant, and that no column was renamed."
            )
        if self.linked:
            yield from self._unequal()
        if self.control is not None and self.control.height and self.original.height:
            yield from self._overlap(self.control)

    def _unequal(self) -> Iterator[str]:
        for where, file in self.named.items():
            if where.startswith("release") and file.height != self.original.height:
                yield (
                    f"The {where} has {file.height:,} rows and the original {self.original.height:,} records, "
                    "so row i cannot be made from record i. Say linked=False."
                )

    def _overlap(self, control: pl.DataFrame) -> Iterator[str]:
        common = [c for c in self.original.columns if c in control.columns]
        if not common:
            yield "The control and the original have no column in common. A control is records of the same kind."
            return
        found = numbered([self.original, control], common)
        shared = shared_records(np.concatenate(found.files).astype(np.int32), self.original.height)
        if shared:
            yield (
                f"About {shared:,} of the {control.height:,} records of the control are records of the original. "
                "A control must hold only records that were not used for the release: take those records out."
            )


def _share_a_value(one: pl.Series, other: pl.Series) -> bool:
    first, second = alike([one, other])
    # The first values nearly always settle it; all distinct ones are looked for only where they do not.
    return _meet(first.head(FIRST), second.head(FIRST)) or _meet(first, second) or is_coarse(other, one)


def _meet(one: pl.Series, other: pl.Series) -> bool:
    return bool(one.unique().is_in(other.unique().implode(), nulls_equal=True).any())


def faults_in(check: Callable[[], None]) -> tuple[str, ...]:
    """The faults a check tells, so that those of several checks can be told together."""
    try:
        check()
    except BadPlan as wrong:
        return wrong.faults
    return ()
