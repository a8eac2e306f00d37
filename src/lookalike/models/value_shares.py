"""How large a share of the population has each value of a variable, values that no record has among them.

A sample says little of a value that it has once, and nothing of those it lacks. What can be said comes from the other
values: how often values occur once, twice, three times, and how many records their neighbours have. Formulas, sources
and limits: docs/concepts/values-nobody-has.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.domain import Domain

MAX_RARE = 50  # records; a more frequent value says itself how frequent it is
TAU_SD = 1.0  # prior of the spread of log shares: half normal
TAUS = np.concatenate([np.arange(0.1, 1.5, 0.1), np.arange(1.5, 4.01, 0.25)])
LINE_TAUS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0])
EMPTY = np.array([0.0, 0.3, 0.6, 0.8, 0.9, 0.97, 0.99, 0.997, 0.999])  # shares of the line that nobody can have
EVERY_PLACE = 0.5  # prior that there are none; few records tell nothing of it, and then dates and amounts have all
BANDWIDTHS = 10
MAX_CELLS = 1 << 16  # of a line; a longer one is looked at in pieces
CAP = 10.0  # times the median count; a single frequent value must not raise its neighbours
LINE_GROUPS, VALUES_PER_GROUP = 16, 5
BY_LOG = 8.0  # neighbours' means are told apart by an eighth on the log scale
MIN_ROUNDED = 0.5  # of the records, from which people seem to round to a unit
MIN_ROUNDING = 5  # steps of the line; by chance a fifth of the records are on it
MIN_EXACT = 5  # records that are not rounded
LEAST = 1e-12

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ValueShares(Protocol):
    """The shares of one variable's values, drawn again and again given what the sample says."""

    groups: tuple[Ints, ...]
    """From fine to coarse, the group of each level; levels that stand for unseen values come last."""
    unseen: int
    """How many levels stand for values no record has: one for each of the finest groups, or none."""

    def draw(self, rng: Generator) -> Floats:
        """A draw of the shares of all levels; they sum to 1."""


class ObservedShares:
    """The shares of the file itself: no other values exist.

    >>> ObservedShares(np.array([3.0, 1.0])).draw(np.random.default_rng(1)).tolist()
    [0.75, 0.25]
    """

    unseen = 0

    def __init__(self, counts: Floats, groups: Sequence[Ints] = ()) -> None:
        self.groups = tuple(groups)
        self._shares: Floats = counts / counts.sum()

    def draw(self, rng: Generator) -> Floats:
        """The same at every draw."""
        return self._shares


class KnownShares:
    """Shares that are known of the population, with those of the values that the sample lacks together.

    >>> KnownShares(np.array([300.0, 600.0]), elsewhere=100.0).draw(np.random.default_rng(1)).tolist()
    [0.3, 0.6, 0.1]
    """

    groups: tuple[Ints, ...] = ()
    unseen = 1

    def __init__(self, people: Floats, *, elsewhere: float) -> None:
        shares = np.append(people, elsewhere)
        self._shares: Floats = np.maximum(shares / shares.sum(), LEAST)

    def draw(self, rng: Generator) -> Floats:
        """The same at every draw."""
        return self._shares


class InferredShares:
    """Shares inferred from the counts: rare values by a law of shares, frequent ones by their own count."""

    def __init__(self, counts: Ints, domain: Domain, weights: Floats | None = None) -> None:
        """`weights`: the mean survey weight of the records of each value."""
        finest = domain.groups[0] if domain.groups else np.zeros(len(counts), np.int64)
        first = np.unique(finest, return_index=True)[1]
        self.unseen = len(first)
        self.groups = tuple(np.append(group, group[first]) for group in domain.groups)
        weights = np.ones(len(counts)) if weights is None else weights / np.average(weights, weights=counts)
        once = counts == 1
        # Values that nobody has in the sample are weighted as those that one record has.
        self._weights = np.append(weights, np.full(self.unseen, weights[once].mean() if once.any() else 1.0))
        # Where values were seen once, more of the same are likely to exist (Good 1953).
        single = np.bincount(np.unique(finest, return_inverse=True)[1], weights=counts == 1) + 1e-3
        self._unseen = single / single.sum()
        rare = line_shares if domain.line is not None else nominal_shares
        self._law = rare(counts, domain)

    def draw(self, rng: Generator) -> Floats:
        """The shares of the levels, then those of the unseen values of each of the finest groups."""
        return self.draw_with_numbers(rng)[0]

    def draw_with_numbers(self, rng: Generator) -> tuple[Floats, Floats]:
        """The same, and how many unseen values there are in each group."""
        seen, unseen, number = self._law(rng)
        shares = np.maximum(np.append(seen, unseen * self._unseen) * self._weights, LEAST)
        return shares / shares.sum(), number * self._unseen


class Law(Protocol):
    """Draws of unscaled shares of the seen values, of all unseen ones together, and of how many these are."""

    def __call__(self, rng: Generator) -> tuple[Floats, float, float]:
        """One draw."""


def nominal_shares(counts: Ints, domain: Domain) -> Law:
    """Values without neighbours: shares are log-normal, with the law's two parameters inferred from the rare values.

    A value with the share x is seen Poisson(n x) times. Of the values seen 1 to 50 times the likelihood of (μ, τ) is

        Π_c [P(c) / Σ_{i ≤ 50} P(i)]^{S_c},    P(c) = ∫ Poisson(c; n x) dLogNormal(x; μ, τ)

    with S_c values seen c times; a value seen 0 times cannot be counted. Unseen values hold S·P(1) / (n Σ P).
    """
    from scipy.special import gammaln

    n = float(counts.sum())
    grid = np.arange(np.log(1e-3 / n), np.log(max(1.2 * MAX_RARE, 2.0) / n), 0.1)
    times = np.arange(1, MAX_RARE + 1)
    poisson = np.exp(times[:, None] * (grid + np.log(n)) - n * np.exp(grid) - gammaln(times + 1)[:, None])
    laws = np.array(list(product(grid[::2], TAUS)))
    density = np.exp(-0.5 * ((grid - laws[:, :1]) / laws[:, 1:]) ** 2)
    density /= density.sum(axis=1, keepdims=True)
    seen, none = density @ poisson.T, density @ np.exp(-n * np.exp(grid))
    total = np.maximum(seen.sum(axis=1), 1e-250)
    rare = np.bincount(counts[counts <= MAX_RARE], minlength=MAX_RARE + 1)[1:]
    fit = np.log(np.maximum(seen, 1e-300)) @ rare - rare.sum() * np.log(total) - 0.5 * (laws[:, 1] / TAU_SD) ** 2
    cumulated = np.cumsum(np.exp(fit - fit.max()))
    places = [(c, np.flatnonzero(counts == c)) for c in np.unique(counts) if c <= MAX_RARE]
    frequent = np.flatnonzero(counts > MAX_RARE)

    def law(rng: Generator) -> tuple[Floats, float, float]:
        k = _pick(cumulated, rng)
        shares = np.empty(len(counts))
        for c, at in places:
            # In logarithms: far from the law's centre both factors vanish.
            log = np.log(np.maximum(density[k], 1e-300)) + c * grid - n * np.exp(grid)
            within = np.cumsum(np.exp(log - log.max()))
            drawn = np.searchsorted(within, rng.random(len(at)) * within[-1])
            shares[at] = np.exp(grid[drawn] + rng.uniform(-0.05, 0.05, len(at)))
        shares[frequent] = rng.standard_gamma(counts[frequent]) / n
        values = rare.sum() / total[k]
        return shares, float(values * seen[k, 0] / n), float(values * none[k])

    return law


def line_shares(counts: Ints, domain: Domain) -> Law:
    """Values on a line: the mean of the neighbours times a log-normal factor; some places nobody can have.

    With λ_v the mean count of the neighbours of v (a Gaussian kernel of bandwidth h without v itself), the count of
    any place v between the first and the last is Poisson(λ_v g) with g = 0 for a share e of all places and log g
    normal with spread τ, mean 1 / (1 − e), for the others. (h, τ, e) are inferred from all places, empty ones too.
    """
    assert domain.line is not None
    off = np.zeros(len(counts), bool) if domain.off_line is None else domain.off_line
    rounded = _rounded(domain.line, np.where(off, 0, counts))
    lines = [(on, _Line(domain.line[on], counts[on])) for on in (~off & rounded, ~off & ~rounded) if on.any()]

    def law(rng: Generator) -> tuple[Floats, float, float]:
        shares = np.empty(len(counts))
        shares[off] = rng.standard_gamma(counts[off])
        unseen = number = 0.0
        for on, line in lines:
            shares[on], mass, places = line.draw(rng)
            unseen, number = unseen + mass, number + places
        return shares, unseen, number

    return law


def _rounded(line: Ints, counts: Ints) -> NDArray[np.bool_]:
    """Which values are rounded, where most people round and some give the exact amount; all, if nobody seems to.

    A rounded amount has many neighbours in the same place, an exact one has none. They lie on two lines.

    >>> _rounded(np.array([500, 1000, 1500, 2000, 2500, 713]), np.array([9, 8, 7, 9, 8, 5])).tolist()
    [True, True, True, True, True, False]
    """
    rare = (counts > 0) & (counts <= MAX_RARE)
    every = np.ones(len(line), bool)
    unit = int(np.gcd.reduce(line[rare])) if rare.any() else 0
    if not unit:
        return every
    best = every
    for factor in (m * 10**k for k in range(7) for m in (1, 2, 5)):
        on = line % (unit * factor) == 0
        share = float(counts[on & rare].sum() / counts[rare].sum())
        exact = int(counts[rare & ~on].sum())
        if factor >= MIN_ROUNDING and share >= MIN_ROUNDED and exact >= MIN_EXACT:
            best = on
    return best


class _Places(NamedTuple):
    """The places of a line by the mean of their neighbours."""

    mean: Floats
    """Distinct pairs of a neighbours' mean and a count, both sides."""
    times: Ints
    of_value: Ints
    """The pair of each seen value."""
    means: Floats
    """The neighbours' mean of empty places, and how many of them there are."""
    empty: Floats


class _Line:
    """Counts along a line, and the laws that may have made them."""

    def __init__(self, places: Ints, counts: Ints) -> None:
        self.counts, self.rare = counts, counts <= MAX_RARE
        unit = int(np.gcd.reduce(np.diff(np.sort(places)))) if len(places) > 1 else 1
        steps = (places - places.min()) // max(unit, 1)
        self.places = int(steps.max()) + 1
        self.width = -(-self.places // MAX_CELLS)
        self.cell = steps // self.width
        cells = int(self.cell.max()) + 1
        # Counts of the seen values and, of each mean of neighbours, how many places nobody has.
        near = _neighbours(self.cell, counts, cells, self.width)
        self.empty = np.full(cells, float(self.width))
        self.empty[-1] = self.places - (cells - 1) * self.width
        self.empty -= np.bincount(self.cell, minlength=cells)
        self.laws = list(product(range(len(near)), range(len(LINE_TAUS)), range(len(EMPTY))))
        self.nodes, weights = np.polynomial.hermite_e.hermegauss(15)
        self.weights = weights / weights.sum()
        self.tables = [self._table(mean) for mean in near]
        fit = np.concatenate([self._fit(table).ravel() for table in self.tables])
        self.cumulated = np.cumsum(np.exp(fit - fit.max()))

    def _table(self, mean: Floats) -> _Places:
        by_log = np.round(np.log(mean) * BY_LOG).astype(np.int64)
        own = np.column_stack([by_log[self.cell], np.minimum(self.counts, MAX_RARE + 1)])
        pairs, of_value = np.unique(own, axis=0, return_inverse=True)
        bins, of_cell = np.unique(by_log, return_inverse=True)
        empty = np.bincount(of_cell, weights=self.empty).astype(np.float64)
        return _Places(np.exp(pairs[:, 0] / BY_LOG), pairs[:, 1], of_value.ravel(), np.exp(bins / BY_LOG), empty)

    def _factors(self, t: int, e: int) -> Floats:
        tau = LINE_TAUS[t]
        return np.asarray(np.exp(tau * self.nodes - tau**2 / 2) / (1 - EMPTY[e]))

    def _fit(self, table: _Places) -> Floats:
        """The log-posterior of each spread and share of empty places, up to a constant."""
        from scipy.special import gammaln, logsumexp

        rare = table.times <= MAX_RARE
        many = np.bincount(table.of_value, minlength=len(rare))[rare]
        mean, times = table.mean[rare], table.times[rare]
        out = np.empty((len(LINE_TAUS), len(EMPTY)))
        for t in range(len(LINE_TAUS)):
            for e in range(len(EMPTY)):
                factor = self._factors(t, e)
                rates = mean[:, None] * factor
                log = times[:, None] * np.log(rates) - rates - gammaln(times + 1)[:, None]
                seen = logsumexp(log, axis=1, b=self.weights) + np.log1p(-EMPTY[e])
                none = EMPTY[e] + (1 - EMPTY[e]) * (np.exp(-table.means[:, None] * factor) @ self.weights)
                out[t, e] = many @ seen + table.empty @ np.log(np.maximum(none, 1e-300))
        others = (1 - EVERY_PLACE) / (EVERY_PLACE * (len(EMPTY) - 1))
        return out - 0.5 * (LINE_TAUS[:, None] / TAU_SD) ** 2 + np.where(EMPTY > 0, np.log(others), 0.0)

    def draw(self, rng: Generator) -> tuple[Floats, float, float]:
        """Shares times n, of seen values and of all unseen ones, and how many these are."""
        h, t, e = self.laws[_pick(self.cumulated, rng)]
        mean, times, of_value, means, empty = self.tables[h]
        tau, grid = LINE_TAUS[t], np.linspace(-6, 6, 121)
        log_factor = tau * grid - tau**2 / 2 - np.log1p(-EMPTY[e])
        rates = mean[:, None] * np.exp(log_factor)
        log = -0.5 * grid**2 + times[:, None] * np.log(rates) - rates
        within = np.cumsum(np.exp(log - log.max(axis=1, keepdims=True)), axis=1)
        u = rng.random(len(of_value))
        place = _pick_rows(within, of_value, u)
        shares = mean[of_value] * np.exp(log_factor[place] + tau * rng.uniform(-0.05, 0.05, len(u)))
        shares[~self.rare] = rng.standard_gamma(self.counts[~self.rare])
        factor = self._factors(t, e)
        none = np.exp(-means[:, None] * factor)
        # Where so many are near that nobody can be missing by chance, all of this vanishes.
        whole = np.maximum(EMPTY[e] + (1 - EMPTY[e]) * (none @ self.weights), 1e-300)
        at_none = (1 - EMPTY[e]) * ((factor * none) @ self.weights) / whole
        there = (1 - EMPTY[e]) * (none @ self.weights) / whole
        # Beyond both ends there may be one record more on each side.
        return shares, float(empty @ (means * at_none)) + 2.0, float(empty @ there) + 2.0


def _neighbours(cell: Ints, counts: Ints, cells: int, width: int) -> list[Floats]:
    """The mean count of a place by its neighbours, at each bandwidth."""
    capped = np.minimum(counts, CAP * max(float(np.median(counts)), 1.0))
    held = np.bincount(cell, weights=capped, minlength=cells)
    size = 1 << (2 * cells).bit_length()
    away = np.minimum(np.arange(size), size - np.arange(size))
    seen, everywhere = np.fft.rfft(held, size), np.fft.rfft(np.ones(cells), size)
    floor = 1e-3 * held.sum() / (cells * len(counts))
    found = []
    for bandwidth in np.unique(np.geomspace(1, max(cells / 3, 1.5), BANDWIDTHS).round(3)):
        kernel = np.exp(-0.5 * (away / bandwidth) ** 2)
        kernel[0] = 0.0
        spectrum = np.fft.rfft(kernel)
        above, below = (np.fft.irfft(side * spectrum, size)[:cells] for side in (seen, everywhere))
        found.append((np.maximum(above, 0) / np.maximum(below, 1e-12) + floor) / width)
    return found


def _pick(cumulated: Floats, rng: Generator) -> int:
    return min(int(np.searchsorted(cumulated, rng.random() * cumulated[-1])), len(cumulated) - 1)


def _pick_rows(within: Floats, row: Ints, u: Floats) -> Ints:
    """For each u the place in its row of cumulated weights."""
    flat = within / within[:, -1:] + np.arange(len(within))[:, None]
    place = np.searchsorted(flat.ravel(), u + row) - row * within.shape[1]
    return np.asarray(np.clip(place, 0, within.shape[1] - 1))


def line_groups(domain: Domain, counts: Ints, most: int = LINE_GROUPS) -> Domain:
    """The domain with its line cut into groups of about as many records and five values or more, if it has no groups.

    >>> cut = line_groups(Domain(line=np.arange(100)), np.ones(100, np.int64), 4)
    >>> [int(size) for size in np.bincount(cut.groups[0])]
    [25, 25, 25, 25]
    """
    groups = min(most, len(counts) // VALUES_PER_GROUP)
    if domain.line is None or domain.groups or groups < 2:
        return domain
    order = np.argsort(domain.line)
    middle = np.empty(len(counts))
    middle[order] = np.cumsum(counts[order]) - counts[order] / 2
    group = np.minimum(middle / counts.sum() * groups, groups - 1).astype(np.int64)
    if domain.off_line is not None and domain.off_line.any():
        group[domain.off_line] = groups + np.arange(int(domain.off_line.sum()))
    return Domain(domain.line, domain.off_line, (np.unique(group, return_inverse=True)[1].astype(np.int64),))
