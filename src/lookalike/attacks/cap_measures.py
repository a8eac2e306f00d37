"""The CAP family as one table: who is asked, when the attacker speaks, and what the figure is a share of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lookalike.attacks.cap import Guess, expected, guess_chance, itself
from lookalike.attacks.cells import Cells, Counted, Floats
from lookalike.attacks.outcome import Outcome, Share
from lookalike.errors import NotAssessable

Bools = NDArray[np.bool_]

CERTAIN = 1.0
"""The share of a target among the rows of a key from which an attacker is sure."""
_ROUNDING = 1e-12


class Denominator(StrEnum):
    """What a figure is a share of."""

    ALL = "records"
    MATCHED = "records whose key is in the release"
    CERTAIN = "records whose key is certain in the release"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: Σ over records of the attacker's chance, by the records of the denominator.

    `chance` gives it for each cell. `spoken` tells for which keys the attacker says anything; a guess without the
    release is compared on those alone."""

    name: str
    denominator: Denominator
    chance: Callable[[Cells, float], Floats]
    spoken: Denominator

    def share(self, cells: Cells, people: Counted, *, certain: float = CERTAIN) -> Share:
        """The figure for the records of the original, or of a control."""
        asked = keys_in(cells, self.denominator, certain)
        total = expected(people, self.chance(cells, certain))
        return Share(successes=total, of=int(people.keys[asked].sum()), what=self.denominator.value)

    def guess(self, cells: Cells, guess: Guess, *, certain: float = CERTAIN) -> Share:
        """What a guess reaches on the keys the attacker speaks of, by the same denominator."""
        spoken = keys_in(cells, self.spoken, certain)[cells.key]
        asked = keys_in(cells, self.denominator, certain)
        total = expected(cells.original, np.where(spoken, guess_chance(cells, guess), 0))
        return Share(successes=total, of=int(cells.original.keys[asked].sum()), what=self.denominator.value)

    def outcome(self, cells: Cells, *, guess: Guess = Guess.MARGIN, certain: float = CERTAIN) -> Outcome:
        """The figure beside its control, its baseline and the original released."""
        control, caveats = controlled(cells, lambda people: self.share(cells, people, certain=certain))
        return Outcome(
            attack="attribution",
            measure=self.name,
            main=self.share(cells, cells.original, certain=certain),
            baseline=self.guess(cells, guess, certain=certain),
            control=control,
            original=self._of_itself(cells, certain),
            caveats=caveats,
        )

    def _of_itself(self, cells: Cells, certain: float) -> Share | None:
        """The figure if the original were released; None where it would have no denominator."""
        own = itself(cells)
        asked = keys_in(own, self.denominator, certain)
        return self.share(own, cells.original, certain=certain) if cells.original.keys[asked].any() else None


def controlled(cells: Cells, share: Callable[[Counted], Share]) -> tuple[Share | None, tuple[str, ...]]:
    """The figure of the control, or why it has none."""
    if cells.control is None:
        return None, ()
    try:
        return share(cells.control), ()
    except NotAssessable as reason:
        return None, (f"No control: {reason}",)


def keys_in(cells: Cells, which: Denominator, certain: float = CERTAIN) -> Bools:
    """Which keys belong to a denominator."""
    if which is Denominator.ALL:
        return np.ones(len(cells.release.keys), bool)
    if which is Denominator.MATCHED:
        return cells.release.keys > 0
    found = np.zeros(len(cells.release.keys), bool)
    found[cells.key[is_certain(cells, cells.release, certain)]] = True
    return found


def is_certain(cells: Cells, of: Counted, certain: float = CERTAIN) -> Bools:
    """The cells whose target has at least this share among the records of its key: WEAP ≥ τ."""
    with np.errstate(invalid="ignore"):
        return cells.share(of) >= certain - _ROUNDING


def weap(cells: Cells) -> Floats:
    """Within-equivalence-class attribution probability of each cell of the release, ps (Taub and Elliot 2019)."""
    return cells.share(cells.release)


def _sure(cells: Cells, certain: float) -> Floats:
    return is_certain(cells, cells.release, certain).astype(np.float64)


def _sure_in_both(cells: Cells, certain: float) -> Floats:
    return _sure(cells, certain) * is_certain(cells, cells.original, certain)


DCAP = Measure("DCAP", Denominator.ALL, lambda cells, _: weap(cells), Denominator.MATCHED)
DCAP_MATCHED = Measure("DCAP matched", Denominator.MATCHED, lambda cells, _: weap(cells), Denominator.MATCHED)
DISCO = Measure("DiSCO", Denominator.ALL, _sure, Denominator.CERTAIN)
DISDIO = Measure("DiSDiO", Denominator.ALL, _sure_in_both, Denominator.CERTAIN)
TCAP_B = Measure("TCAP B", Denominator.MATCHED, _sure, Denominator.CERTAIN)
TCAP_D = Measure("TCAP D", Denominator.CERTAIN, _sure, Denominator.CERTAIN)
MEASURES = (DCAP, DCAP_MATCHED, DISCO, TCAP_B, TCAP_D)


def over_rows(cells: Cells, people: Counted, *, unmatched_as_zero: bool = False, certain: float = CERTAIN) -> Share:
    """TCAP A: the mean of d_tq/d_q over the rows of the release with WEAP ≥ τ whose key some record has.

    Source: Taub and Elliot (2019). Variant A0 counts the rows whose key no record has as 0.

    >>> import polars as pl
    >>> original = pl.DataFrame({"sex": ["M", "M"], "test": ["P", "N"]})
    >>> release = pl.DataFrame({"sex": ["M", "F"], "test": ["P", "P"]})
    >>> cells = Cells.of(original, release, ["sex"], "test")
    >>> over_rows(cells, cells.original).value, over_rows(cells, cells.original, unmatched_as_zero=True).value
    (0.5, 0.25)
    """
    rows = cells.release.cells * is_certain(cells, cells.release, certain)
    right = cells.share(people)
    counted = rows if unmatched_as_zero else rows * ~np.isnan(right)
    words = "certain rows of the release" + ("" if unmatched_as_zero else " whose key a record has")
    return Share(successes=float((rows * np.nan_to_num(right)).sum()), of=int(counted.sum()), what=words)


def over_rows_outcome(
    cells: Cells, *, unmatched_as_zero: bool, guess: Guess, certain: float, by_key: Cells | None = None
) -> Outcome:
    """TCAP A or A0 beside control and baseline; where rows hold ranges, `by_key` are the cells of people's own keys."""

    def share(of: Cells, people: Counted) -> Share:
        return over_rows(of, people, unmatched_as_zero=unmatched_as_zero, certain=certain)

    main = share(cells, cells.original)
    control, caveats = controlled(cells, lambda people: share(cells, people))
    rows = cells.release.cells * is_certain(cells, cells.release, certain)
    if not unmatched_as_zero:
        rows = rows * (cells.original.keys[cells.key] > 0)
    own = itself(cells if by_key is None else by_key)
    return Outcome(
        attack="attribution",
        measure="TCAP A0" if unmatched_as_zero else "TCAP A",
        main=main,
        baseline=Share(successes=float((rows * guess_chance(cells, guess)).sum()), of=main.of, what=main.what),
        control=control,
        original=share(own, own.original) if is_certain(own, own.original, certain).any() else None,
        caveats=caveats,
    )
