"""When a certain and right attribution is common knowledge and not a leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.cap_measures import CERTAIN, is_certain
from lookalike.attacks.cells import Cells, Ints
from lookalike.attacks.columns import numbered
from lookalike.attacks.outcome import Share

ONE_LEVEL = (50, 0.9)
"""One target level is flagged with more disclosive records than this, and more than this share of them all."""
ONE_PAIR = (4, 0.8)
"""A pair of a known level and a target level: more disclosive records, and more than this share of that known level."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flags:
    """The checks of Raab, Nowok and Dibben (2024) on what is disclosed; always read DiSCO with and without.

    `columns` counts, for each known column, the disclosive records whose target nearly everybody with their level has.

    >>> original = pl.DataFrame({"age": range(10), "sex": ["M"] * 10, "beard": ["y"] * 9 + ["n"]})
    >>> found = flags(Cells.of(original, original, ["age", "sex"], "beard"), original, ["age", "sex"])
    >>> found.one_level, str(found.without_flagged), int(found.records.sum())
    (False, '1 of 10 records', 9)
    """

    one_level: bool
    """Nearly all disclosive records have one and the same target."""
    columns: dict[str, int]
    right_and_certain: Share
    without_flagged: Share
    records: NDArray[np.bool_] = field(repr=False)
    """Which records of the original are disclosive and flagged."""


def flags(cells: Cells, original: pl.DataFrame, known: Sequence[str], *, certain: float = CERTAIN) -> Flags:
    """Check the records that are given away for what everybody knows.

    >>> original = pl.DataFrame({"age": range(10), "sex": ["M"] * 10, "beard": ["y"] * 9 + ["n"]})
    >>> found = flags(Cells.of(original, original, ["age", "sex"], "beard"), original, ["age", "sex"])
    >>> found.columns, str(found.right_and_certain), str(found.without_flagged)
    ({'age': 0, 'sex': 9}, '10 of 10 records', '1 of 10 records')
    """
    d, sure = cells.original.cells, is_certain(cells, cells.release, certain)
    here = np.flatnonzero(d)
    a_record = np.empty(len(d), np.int64)
    a_record[cells.place] = np.arange(len(cells.place))
    people, target, count, given = original[a_record[here]], cells.target[here], d[here], sure[here]
    level = _one_level(target, count * given)
    flagged = given & (target == level) if level is not None else np.zeros(len(given), bool)
    columns = {}
    for name in known:
        pair = given & _common_pairs(numbered([people], [name]).files[0], target, count, given)
        columns[name], flagged = int(count[pair].sum()), flagged | pair
    records = np.zeros(len(d), bool)
    records[here] = flagged
    return Flags(
        one_level=level is not None,
        columns=columns,
        right_and_certain=Share(successes=int(count[given].sum()), of=len(cells.place), what="records"),
        without_flagged=Share(successes=int(count[given & ~flagged].sum()), of=len(cells.place), what="records"),
        records=records[cells.place],
    )


def _one_level(target: Ints, disclosive: Ints) -> int | None:
    """The target that nearly all disclosive records have."""
    counts = np.bincount(target, weights=disclosive)
    most = int(counts.argmax())
    least, share = ONE_LEVEL
    return most if counts[most] > least and counts[most] > share * counts.sum() else None


def _common_pairs(level: Ints, target: Ints, count: Ints, given: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells whose target more than the share of the records of their level has."""
    _, pair = np.unique(level * (int(target.max()) + 1) + target, return_inverse=True)
    in_level, in_pair = (np.bincount(which, weights=count)[which] for which in (level, pair))
    disclosive = np.bincount(pair, weights=count * given)[pair]
    least, share = ONE_PAIR
    return np.asarray((disclosive > least) & (in_pair > share * in_level))
