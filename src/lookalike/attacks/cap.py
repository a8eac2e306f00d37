"""Correct attribution probability: how often a draw from the records with the same key gives the right target."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from lookalike.attacks.cells import Cells, Counted, Floats
from lookalike.attacks.outcome import Share


class Undefined(StrEnum):
    """What becomes of a record whose key the release does not have.

    >>> [way.value for way in Undefined]
    ['left out', 'zero']
    """

    LEFT_OUT = "left out"
    """It is no part of the mean: the denominator is the records that can be matched."""
    ZERO = "zero"
    """Nothing is learnt of it: it counts as 0, and the denominator is all records."""


class Guess(StrEnum):
    """How somebody guesses who has no release.

    >>> [guess.value for guess in Guess]
    ['margin', 'mode']
    """

    MARGIN = "margin"
    """A value drawn as often as it occurs in the original: right with chance Σ (d_t/n)²."""
    MODE = "mode"
    """The most frequent value of the original, always: right with chance max d_t/n."""


def record_cap(cells: Cells) -> Floats:
    """CAP of each record of the original against the release; "not a number" where the release lacks its key.

    CAP_A,j = #{i: T_A,i = T_O,j, K_A,i = K_O,j} / #{i: K_A,i = K_O,j}. Source: Qu (2024), equation 2.4; Elliot
    (2014). With the original as the release (`itself`) it is equation 2.2.

    >>> import polars as pl
    >>> original = pl.DataFrame({"sex": ["M", "M", "F", "F"], "test": ["P", "P", "P", "N"]})
    >>> release = pl.DataFrame({"sex": ["M", "F", "F", "F"], "test": ["P", "P", "N", "N"]})
    >>> cells = Cells.of(original, release, ["sex"], "test")
    >>> record_cap(cells).round(3).tolist(), record_cap(itself(cells)).tolist()
    ([1.0, 1.0, 0.333, 0.667], [1.0, 1.0, 0.5, 0.5])
    """
    return cells.share(cells.release)[cells.place]


def dataset_cap(records: Floats, undefined: Undefined = Undefined.LEFT_OUT) -> Share:
    """The mean of CAP over records, with the denominator named. Source: Qu (2024), equations 2.3 and 2.5.

    >>> found = np.array([1.0, 0.5, np.nan])
    >>> dataset_cap(found).value, dataset_cap(found, Undefined.ZERO).value
    (0.75, 0.5)
    """
    defined = ~np.isnan(records)
    total = float(records[defined].sum())
    if undefined is Undefined.ZERO:
        return Share(successes=total, of=len(records), what="records")
    return Share(successes=total, of=int(defined.sum()), what="records whose key is in the release")


def itself(cells: Cells) -> Cells:
    """The same files with the original released as it is."""
    return replace(cells, release=cells.original)


def within_release(cells: Cells) -> Share:
    """CAP of the release against itself, Σ s_tq·ps / k (synthpop's CAPs)."""
    s = cells.release
    total = float(np.nansum(s.cells * cells.share(s)))
    return Share(successes=total, of=s.records, what="rows of the release")


def guess_chance(cells: Cells, guess: Guess) -> Floats:
    """For each cell, how likely a guess without the release gives its target.

    >>> import polars as pl
    >>> file = pl.DataFrame({"sex": ["M", "M", "F", "F"], "test": ["P", "P", "P", "N"]})
    >>> cells = Cells.of(file, file, ["sex"], "test")
    >>> [float(guess_chance(cells, g)[cells.place].mean()) for g in Guess]
    [0.625, 0.75]
    """
    counts = cells.original.targets
    if guess is Guess.MARGIN:
        return np.asarray(counts[cells.target] / counts.sum(), np.float64)
    return np.asarray(cells.target == int(counts.argmax()), np.float64)


def expected(people: Counted, chance: Floats) -> float:
    """The sum over records of the chance of their cell."""
    return float((people.cells * np.nan_to_num(chance)).sum())
