"""Values and combinations that few records of the original have: they are counted, and not shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.utility.formula import Formula
from lookalike.utility.levels import MISSING
from lookalike.utility.margins import Margin
from lookalike.utility.proportions import Proportion, Proportions
from lookalike.utility.regression_overlap import Coefficient, RegressionOverlap
from lookalike.utility.regressions import Family, complete

Rows = NDArray[np.bool_]

FEWEST = 5
"""Records of the original that a bin, a level or a coefficient must have at least to be shown, unless it has none."""
_MOST_LEVELS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rare:
    """What is not shown of a comparison."""

    values: frozenset[tuple[str, str]] = frozenset()
    """Column and value."""
    coefficients: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By formula."""

    @classmethod
    def of(
        cls,
        original: pl.DataFrame,
        shares: Proportions | None,
        regressions: Sequence[RegressionOverlap],
        variables: Sequence[Variable] = (),
    ) -> Rare:
        """Look for them in the original."""
        return cls(
            values=frozenset() if shares is None else _rare_values(shares, original.height),
            coefficients={found.formula: _of_regression(original, found, variables) for found in regressions},
        )

    def shares(self, found: Proportions) -> tuple[Proportion, ...]:
        """Those that are shown."""
        return tuple(row for row in found.rows if (row.column, row.level) not in self.values)

    def hides_missing(self, margin: Margin) -> bool:
        """Whether the number of missing cells of the original's column is not shown."""
        return 0 < margin.missing[0].count < FEWEST or (margin.variable, MISSING) in self.values

    def told(self, found: RegressionOverlap) -> tuple[Coefficient, ...]:
        """The coefficients that are shown."""
        return tuple(c for c in found.coefficients if c.name not in self.coefficients[found.formula])

    def untold(self, found: RegressionOverlap) -> tuple[str, ...]:
        """The names of coefficients without an estimate that are shown."""
        return tuple(name for name in found.untold if name not in self.coefficients[found.formula])


def _rare_values(shares: Proportions, records: int) -> frozenset[tuple[str, str]]:
    columns: dict[str, list[Proportion]] = {}
    for row in shares.rows:
        columns.setdefault(row.column, []).append(row)
    return frozenset(
        (name, rows[place].level)
        for name, rows in columns.items()
        for place in hidden_levels([round(row.original * records) for row in rows])
    )


def _of_regression(original: pl.DataFrame, found: RegressionOverlap, variables: Sequence[Variable]) -> frozenset[str]:
    """Counted among the records that the regression was fitted to."""
    columns = list(Formula.read(found.formula, original.columns).columns)
    original = complete(original.select(columns), variables)
    response = None if found.family is Family.LINEAR else found.response
    names = [*(c.name for c in found.coefficients), *found.untold]
    return rare_coefficients(original, names, response=response, references=found.references)


def hidden_levels(counts: Sequence[int], fewest: int = FEWEST) -> frozenset[int]:
    """Places of levels that are not shown: those of few records, and as many more that no rest tells of a few.

    A level that only the release has is shown.

    >>> sorted(hidden_levels([900, 60, 3, 40])), sorted(hidden_levels([900, 3, 2])), hidden_levels([10, 20])
    ([2, 3], [1, 2], frozenset())
    """
    order = sorted(range(len(counts)), key=lambda place: counts[place])
    hidden = [place for place in order if 0 < counts[place] < fewest]
    total = sum(counts[place] for place in hidden)
    for place in order:
        if total == 0 or total >= fewest:
            break
        if counts[place] < fewest:
            continue
        hidden.append(place)
        total += counts[place]
    return frozenset(hidden)


def rare_coefficients(
    original: pl.DataFrame,
    names: Iterable[str],
    *,
    response: str | None = None,
    references: Mapping[str, str] | None = None,
    fewest: int = FEWEST,
) -> frozenset[str]:
    """The coefficients (`job=cook`, `sex=F:job=cook`) whose estimate and interval rest on a cell of few records.

    Counted are the records a coefficient speaks of and those of the levels it is set against; by each level of the
    response, if that is named: the interval of a log odds tells the smallest of its four counts. Name it unless it
    is a number. `references` are the levels that others are set against, the first ones unless told. A name that is not
    understood is taken for rare.

    >>> file = pl.DataFrame({"sex": ["F"] * 9 + ["M"] * 9, "job": ["maid"] * 15 + ["nun"] * 3, "age": range(18)})
    >>> sorted(rare_coefficients(file, ["intercept", "age", "sex=M", "job=nun", "age:job=nun"]))
    ['age:job=nun', 'job=nun']
    >>> sorted(rare_coefficients(file, ["intercept", "sex=M"], response="job"))
    ['intercept', 'sex=M']
    """
    everybody = np.ones(original.height, np.bool_)
    known = dict.fromkeys(("intercept", *original.columns), (everybody, everybody))
    first = references or {}
    for name in original.columns:
        levels = _levels(original[name], first.get(name))
        known |= {f"{name}={label}": (rows, levels[0][1]) for label, rows in levels}
    answers = _levels(original[response], first.get(response)) if response is not None else [("", everybody)]
    return frozenset(name for name in names if _records(name, known, answers) < fewest)


def _levels(column: pl.Series, first: str | None) -> list[tuple[str, Rows]]:
    """The records of each level, the one that others are set against before them."""
    texts = column.cast(pl.String).fill_null("")
    labels = sorted(texts.unique().to_list(), key=lambda label: (label != first, label))
    return [(label, (texts == label).to_numpy()) for label in labels] if len(labels) <= _MOST_LEVELS else []


def _records(name: str, known: Mapping[str, tuple[Rows, Rows]], answers: Sequence[tuple[str, Rows]]) -> int:
    """The records of the smallest cell behind a coefficient, by the reading of its name that finds most."""
    # A multinomial regression sets one level of the response, which its coefficients begin with, against the first.
    told = [(label, rows) for label, rows in answers if label and name.startswith(f"{label}: ")]
    if told:
        name, answers = name[len(told[0][0]) + 2 :], [told[0], answers[0]]
    return max(
        (_smallest([known[piece] for piece in reading], answers) for reading in _readings(name, known)), default=0
    )


def _smallest(pieces: Sequence[tuple[Rows, Rows]], answers: Sequence[tuple[str, Rows]]) -> int:
    groups = [np.logical_and.reduce([rows for rows, _ in pieces]), *(reference for _, reference in pieces)]
    return min(int(np.count_nonzero(group & rows)) for group in groups for _, rows in answers)


def _readings(name: str, known: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """The ways to take a name apart at its colons into what is known."""
    if name in known:
        yield (name,)
    for place in (i for i, letter in enumerate(name) if letter == ":" and name[:i] in known):
        yield from ((name[:place], *rest) for rest in _readings(name[place + 1 :], known))
