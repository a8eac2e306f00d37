"""Every set of columns an attacker may know: which one gives most away, and what each column adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from lookalike.attacks.bins import Classes, apart, class_codes, classed, room_of
from lookalike.attacks.cap import Guess
from lookalike.attacks.cap_measures import CERTAIN, DISCO, Measure
from lookalike.attacks.cells import Cells, Counted, Ints
from lookalike.attacks.coarse import Coded, key_cells
from lookalike.attacks.columns import numbered
from lookalike.attacks.files import Files
from lookalike.attacks.fitted import Keys
from lookalike.attacks.outcome import Outcome
from lookalike.attacks.ranges import is_coarse
from lookalike.attacks.release_ranges import released_target
from lookalike.classes import group
from lookalike.engine import stage
from lookalike.errors import BadPlan, NotAssessable

UP_TO = 4
"""Known columns at most, unless told."""
MOST = 20_000
"""Sets of columns that are looked at in one go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One set of known columns and the outcome of the attack; None where it cannot be measured."""

    columns: tuple[str, ...]
    outcome: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySubsets:
    """The attack for every set of known columns up to a size: a lattice.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 30, 31, 31], "sex": ["F", "M", "F", "M"], "ill": ["y", "n", "n", "n"]})
    >>> found = key_subsets(Files(original=original, releases=(original,)), ["age", "sex"], "ill")
    >>> found.target, [known.columns for known in found.sets], found.worst.columns
    ('ill', [('age',), ('sex',), ('age', 'sex')], ('age', 'sex'))
    """

    target: str
    sets: tuple[Known, ...]

    @property
    def worst(self) -> Known:
        """The set with the highest figure to judge; among those that are not informative there is no worst."""
        found = [(known.outcome.risk.value, known) for known in self.sets if known.outcome is not None]
        told = [(value, known) for value, known in found if value is not None]
        if not told:
            raise NotAssessable("No set of known columns does better than a guess, so none is the worst.")
        return max(told, key=lambda pair: (pair[0], -len(pair[1].columns)))[1]

    def contributions(self) -> dict[str, float]:
        """What a column adds on average: the change of the share when it joins a set, where both have a figure."""
        share = {frozenset(k.columns): k.outcome.main.value for k in self.sets if k.outcome is not None}
        share[frozenset()] = 0.0
        names = dict.fromkeys(name for known in self.sets for name in known.columns)
        found = {}
        for name in names:
            steps = [v - share[s - {name}] for s, v in share.items() if name in s and s - {name} in share]
            if steps:
                found[name] = float(np.mean(steps))
        return found


def key_subsets(
    files: Files,
    columns: Sequence[str],
    target: str,
    *,
    measure: Measure = DISCO,
    up_to: int = UP_TO,
    guess: Guess = Guess.MARGIN,
    certain: float = CERTAIN,
    classes: Mapping[str, Classes] | None = None,
) -> KeySubsets:
    """One measure for every set of 1 to `up_to` of the columns, counted from the cells of all columns together.

    `classes` makes values of a column count as equal. Columns that the release holds ranges of are matched by what
    their cells stand for.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 30, 31, 31], "sex": ["F", "M", "F", "M"], "ill": ["y", "n", "n", "n"]})
    >>> found = key_subsets(Files(original=original, releases=(original,)), ["age", "sex"], "ill")
    >>> found.worst.columns, found.contributions()
    (('age', 'sex'), {'age': 0.5, 'sex': 0.5})
    """
    files.check(columns, [target])
    sizes = range(1, min(up_to, len(columns)) + 1)
    _door(len(files.releases), sum(comb(len(columns), size) for size in sizes))
    cells_of = _counter(files, columns, target, classes or {})
    found = []
    chosen = [c for size in sizes for c in combinations(range(len(columns)), size)]
    with stage("sets of known columns", total=len(chosen)) as progress:
        for which in chosen:
            cells = cells_of(which)
            outcome = _or_none(lambda c=cells: measure.outcome(c, guess=guess, certain=certain))  # type: ignore[misc]
            found.append(Known(columns=tuple(columns[j] for j in which), outcome=outcome))
            progress.advance()
    return KeySubsets(target=target, sets=tuple(found))


def _door(releases: int, sets: int) -> None:
    if releases != 1:
        raise BadPlan("Sets of known columns are looked at for one release at a time.")
    if not 0 < sets <= MOST:
        raise BadPlan(
            f"There are {sets:,} sets of known columns to look at; choose `up_to` so that it is 1 to {MOST:,}."
        )


def _or_none(measure: Callable[[], Outcome]) -> Outcome | None:
    try:
        return measure()
    except NotAssessable:
        return None


def _counter(
    files: Files, columns: Sequence[str], target: str, classes: Mapping[str, Classes]
) -> Callable[[Sequence[int]], Cells]:
    """What counts the cells on some of the columns."""
    tables = [files.original, files.releases[0]] + ([] if files.control is None else [files.control])
    rules = released_target(tables[0], tables[1], target, classes)
    codes = class_codes(tables, [target], rules)
    targets, tables = apart(codes), classed(tables, columns, rules)
    if not any(is_coarse(tables[1][name], tables[0][name]) for name in columns):
        return _Distinct.of(tables, columns, targets).cells
    keys = Keys.of([tables[0], *tables[2:]], tables[1], columns)
    people, rows, levels = [targets[0], *targets[2:]], targets[1], room_of(codes)
    return lambda which: key_cells(Coded(keys.fitted(which), people, rows, levels))


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """The distinct records of all files on all columns, and how often each file has them."""

    columns: list[Ints]
    target: Ints
    counts: list[Ints]

    @classmethod
    def of(cls, tables: Sequence[pl.DataFrame], columns: Sequence[str], targets: Sequence[Ints]) -> _Distinct:
        codes = [*(np.concatenate(numbered(tables, [name]).files) for name in columns), np.concatenate(targets)]
        joint = group(codes).astype(np.int64)
        first = np.unique(joint, return_index=True)[1]
        places = np.split(joint, np.cumsum([t.height for t in tables])[:-1])
        counts = [np.bincount(p, minlength=len(first)) for p in places]
        return cls([c[first] for c in codes[:-1]], codes[-1][first], counts)

    def cells(self, which: Sequence[int]) -> Cells:
        """The cells on some of the columns, without the places of records."""
        key = group([self.columns[j] for j in which]).astype(np.int64)
        joint = group([key, self.target]).astype(np.int64)
        first = np.unique(joint, return_index=True)[1]
        keys, targets = key[first], self.target[first]
        counted = [self._counted(c, joint, keys, targets) for c in self.counts]
        none = np.empty(0, np.int64)
        return Cells(keys, targets, counted[0], counted[1], counted[2] if len(counted) > 2 else None, none, None)

    def _counted(self, counts: Ints, joint: Ints, keys: Ints, targets: Ints) -> Counted:
        cells = np.bincount(joint, weights=counts).astype(np.int64)
        by_key = np.bincount(keys, weights=cells).astype(np.int64)
        return Counted(cells, by_key, np.bincount(targets, weights=cells).astype(np.int64))
