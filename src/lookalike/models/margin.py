"""Margins: the law of one column by itself, as a quantile function of a normal variable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Kind = Literal["empirical", "interpolated", "parametric"]

_BINS = 2**18


class Margin(Protocol):
    """The law of one column: from a normal variable to a value, and from a value to a stretch of probability."""

    @property
    def largest_atom(self) -> float:
        """The largest probability of one value."""
        ...

    def draw(self, z: Floats, out: NDArray[Any]) -> None:
        """The quantiles at Φ(z)."""
        ...

    def stretch(self, cells: NDArray[Any]) -> tuple[Floats, Floats]:
        """P(X < x) and P(X ≤ x) of known cells; equal where the law is continuous."""
        ...


@dataclass(frozen=True)
class LevelMargin:
    """Levels put in a row, each with its share.

    >>> margin, out = LevelMargin(np.array([0.2, 0.5, 0.3]), np.array([1, 0, 2])), np.empty(3, np.int32)
    >>> margin.draw(np.array([-1.0, 0.1, 2.0]), out)                   # level 1 holds the lower half, then come 0 and 2
    >>> out.tolist(), [bound.round(1).tolist() for bound in margin.stretch(np.array([0]))]
    ([1, 0, 2], [[0.5], [0.7]])
    """

    shares: Floats
    """Of each level, by code."""
    order: NDArray[np.int64]
    """Which code stands at each place of the row."""

    @property
    def largest_atom(self) -> float:
        """The largest share."""
        return float(self.shares.max())

    def draw(self, z: Floats, out: NDArray[Any]) -> None:
        """Codes."""
        from lookalike.models._quantiles import steps

        steps(z, self._cumulated, self._guide, self.order.astype(np.int32), out)

    def stretch(self, cells: NDArray[Any]) -> tuple[Floats, Floats]:
        """Between the cumulated shares around a code."""
        place = np.argsort(self.order)[cells]
        return np.concatenate([[0.0], self._cumulated])[place], self._cumulated[place]

    @cached_property
    def _cumulated(self) -> Floats:
        return cumulated(self.shares[self.order])

    @cached_property
    def _guide(self) -> NDArray[np.int64]:
        return guide_of(self._cumulated)


@dataclass(frozen=True)
class StepMargin:
    """Numbers that occur, each with its share: the empirical law, or a law of counts.

    >>> margin, out = StepMargin(np.array([1.5, 7.0]), np.array([0.75, 0.25])), np.empty(2)
    >>> margin.draw(np.array([0.6, 0.7]), out)                         # Φ(0.6) = 0.73, Φ(0.7) = 0.76
    >>> out.tolist(), [bound.tolist() for bound in margin.stretch(np.array([7.0, 3.0]))]
    ([1.5, 7.0], [[0.75, 0.75], [1.0, 0.75]])
    """

    values: Floats
    """Rising."""
    shares: Floats

    @property
    def largest_atom(self) -> float:
        """The largest share."""
        return float(self.shares.max())

    def draw(self, z: Floats, out: NDArray[Any]) -> None:
        """Only numbers that occur."""
        from lookalike.models._quantiles import steps

        steps(z, self._cumulated, self._guide, self.values, out)

    def stretch(self, cells: NDArray[Any]) -> tuple[Floats, Floats]:
        """By the step function; a number that does not occur has no width."""
        levels = np.concatenate([[0.0], self._cumulated])
        return (
            levels[np.searchsorted(self.values, cells, side="left")],
            levels[np.searchsorted(self.values, cells, side="right")],
        )

    @cached_property
    def _cumulated(self) -> Floats:
        return cumulated(self.shares)

    @cached_property
    def _guide(self) -> NDArray[np.int64]:
        return guide_of(self._cumulated)


@dataclass(frozen=True)
class InterpolatedMargin:
    """Straight lines between order statistics: x₍ᵢ₎ stands at i/n, the smallest at 0 (Qu 2024, 3.2.12, "II").

    The seed draws one of the n values and then a number between it and the one below; for the smallest, between it and
    the one above. So nothing lies outside the file's range, and the first gap has the weight of two. A value c records
    have keeps the weight (c − 1)/n as it is; a value of one record has none. If all values of the file are whole, so
    are the draws.

    >>> margin, out = InterpolatedMargin.of(np.array([0.0, 10.0, 40.0]), np.array([1, 1, 2])), np.empty(3)
    >>> margin.draw(np.array([-0.6744897501960817, 0.3186393639643752, 3.0]), out)   # at 1/4, 5/8 and nearly 1
    >>> out.tolist()                                                   # half way to 10, half way to 40, at 40
    [5.0, 25.0, 40.0]
    """

    knots: Floats
    values: Floats
    largest_atom: float
    whole: bool

    @classmethod
    def of(cls, values: Floats, counts: NDArray[np.integer]) -> InterpolatedMargin:
        """From distinct values that rise, at least two, and how often each occurs."""
        last = np.cumsum(counts)
        first = last - counts + 1
        first[0] = 0
        # The smallest, if one record has it, stands at 0 alone: its own 1/n belongs to the first gap.
        upper = last.copy()
        upper[0] = 0 if counts[0] == 1 else last[0]
        knots = np.column_stack([first, upper]).ravel() / last[-1]
        kept = np.append(True, np.diff(knots) > 0)
        atom = int(counts.max()) / int(last[-1])
        return cls(knots[kept], np.repeat(values, 2)[kept], atom, bool((np.rint(values) == values).all()))

    def draw(self, z: Floats, out: NDArray[Any]) -> None:
        """On the lines."""
        from lookalike.models._quantiles import lines

        lines(z, self.knots, self._guide, self.values, self.whole, out)

    def stretch(self, cells: NDArray[Any]) -> tuple[Floats, Floats]:
        """Back along the lines; a value that many have is a stretch."""
        half = 0.5 if self.whole else 0.0
        return self._below(cells - half, "left"), self._below(cells + half, "right")

    def _below(self, x: Floats, side: Literal["left", "right"]) -> Floats:
        right = np.clip(np.searchsorted(self.values, x, side=side), 1, len(self.values) - 1)
        a, b = self.values[right - 1], self.values[right]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = np.where(b > a, (x / 2 - a / 2) / (b / 2 - a / 2), 1.0 if side == "right" else 0.0)
        low, high = self.knots[right - 1], self.knots[right]
        return np.asarray(low + np.clip(np.nan_to_num(t, nan=0.5), 0, 1) * (high - low), np.float64)

    @cached_property
    def _guide(self) -> NDArray[np.int64]:
        return guide_of(self.knots)


def cumulated(shares: Floats) -> Floats:
    """Cumulated shares, the last 1."""
    found = np.minimum(np.cumsum(shares) / shares.sum(), 1.0)
    # Levels of no share at the end must not catch what rounding leaves below 1.
    found[np.flatnonzero(shares)[-1] :] = 1.0
    return np.asarray(found, np.float64)


def guide_of(knots: Floats) -> NDArray[np.int64]:
    """For even bins of probability, how many knots lie below each edge: where the search begins and ends."""
    bins = min(_BINS, 1 << (2 * len(knots) - 1).bit_length())
    # A power of two, so that the edges and u · bins are exact and no knot falls into the wrong bin.
    found = np.searchsorted(knots, np.arange(bins + 1) / bins, side="left")
    found[-1] = len(knots)
    return found.astype(np.int64)
