"""Distances: whether the rows of a release lie nearer to the records it was made from than to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks import distance_outcomes as outcomes
from lookalike.attacks.adversarial import privacy_loss
from lookalike.attacks.distance_outcomes import CANNOT_PROVE, LOW
from lookalike.attacks.distance_space import Space, subsets
from lookalike.attacks.files import Files
from lookalike.attacks.gower import Gower
from lookalike.attacks.outcome import LEVEL, Outcome, Share
from lookalike.attacks.several import mean_outcome
from lookalike.errors import BadPlan
from lookalike.estimate import Estimate

Floats = NDArray[np.float64]


class Beside(NamedTuple):
    """One figure of the release's rows: against the original and against as many records of the control."""

    original: float
    control: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Distanced:
    """What the distances say; of several releases the mean.

    >>> rng = np.random.default_rng(1)
    >>> def people(n): return pl.DataFrame({"age": rng.integers(18, 90, n), "pay": rng.normal(0, 1, n)})
    >>> original, control = people(300), people(300)
    >>> found = Distances().attack(Files(original=original, releases=(original,), control=control), rng=rng)
    >>> found.identical.main.value, found.identical.control.value, found.near.main.value
    (1.0, 0.0, 1.0)
    >>> len(found.outcomes)
    4
    """

    closer: Outcome
    """Rows nearer to the original than to the control, and half of those as near to both: 1/2 if nothing was copied."""
    identical: Outcome
    """Rows equal to a record (IMS), in all columns measured."""
    singled_out: Outcome
    """Rows whose distance ratio is below the control's 5th percentile: one record is far nearer than the next."""
    near: Outcome
    """Records with a row nearer than 95 % of the control's records have one: near copies."""
    worst: Outcome | None
    """`closer` on the worst of the column subsets, with an interval that allows for the choice among all of them."""
    worst_columns: tuple[str, ...]
    closest: Beside
    """The median distance to the closest record (DCR)."""
    closest_low: Beside
    """Its 5th percentile."""
    ratio_low: Beside
    """The 5th percentile of the nearest neighbour distance ratio (NNDR)."""
    privacy_loss: tuple[Estimate, ...]
    """By nearest neighbour adversarial accuracy, a release each: 0 if nothing was copied."""
    caveats: tuple[str, ...]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes."""
        found = (self.closer, self.identical, self.singled_out, self.near)
        return found if self.worst is None else (*found, self.worst)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """Distance to the closest record and its ratio to the next, of the original and of as many records of a control.

    DCR_j = min_i D(s_j, o_i), NNDR_j = D₍₁₎/D₍₂₎; closer: P(DCR_original < DCR_control) + ½ P(equal). Rows that have
    the same record nearest stand or fall together, so the interval is that of as many rows as vary alike on their own.

    >>> rng = np.random.default_rng(1)
    >>> def people(n): return pl.DataFrame({"age": rng.integers(18, 90, n), "pay": rng.normal(0, 1, n)})
    >>> original, control = people(300), people(300)
    >>> files = Files(original=original, releases=(original.sample(150, seed=1),), control=control)
    >>> found = Distances().attack(files, rng=rng)
    >>> found.closer.main.value, found.closer.baseline.value, found.closest.original, found.closest.control > 0
    (1.0, 0.5, 0.0, True)
    """

    name: ClassVar[str] = outcomes.NAME

    columns: tuple[str, ...] = ()
    """The columns measured; all common ones if none are named."""
    gower: Gower = field(default_factory=Gower)
    subsets: int = 10
    """Random subsets of the columns that are tried beside all columns."""
    most: int = 5_000
    """Records or rows that are looked for at most, a random part of more. They are looked for among all."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        wrong = self.gower.faults()
        wrong += ["subsets must be at least 0."] if self.subsets < 0 else []
        return wrong + (["most must be at least 1."] if self.most < 1 else [])

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        if faults := [*self.faults(), *self._unfit(files)]:
            raise BadPlan(faults)

    def _unfit(self, files: Files) -> Iterator[str]:
        if files.control is None:
            yield (
                "Distances need a control: how near a row comes by chance depends on the file, so without records that "
                "were not used no distance is small. Keep some records out before the release is made, or take copies."
            )
        yield from self.gower.unfit(files, self._columns(files))

    def _columns(self, files: Files) -> tuple[str, ...]:
        return self.columns or measured(files)

    def attack(self, files: Files, *, rng: Generator) -> Distanced:
        """Measure every release against the original and the control."""
        self.check(files)
        columns = self._columns(files)
        each = [self._one(files, release, columns, rng) for release in files.releases]
        return _together(each, self._caveats(files, columns))

    def _one(self, files: Files, release: pl.DataFrame, columns: Sequence[str], rng: Generator) -> Distanced:
        assert files.control is not None
        space = Space.of([files.original, files.control, release], columns, self.gower, self.most, rng)
        own, other = space.near()
        worst, where = self._worst(space, columns, len(files.releases), rng)
        return Distanced(
            closer=outcomes.closer(space, own, other),
            identical=outcomes.identical(space, own, other, [files.original, release], columns),
            singled_out=outcomes.singled_out(space, own, other),
            near=outcomes.near(space, rng),
            worst=worst,
            worst_columns=where,
            closest=Beside(float(np.median(own.first)), float(np.median(other.first))),
            closest_low=Beside(_low(own.first), _low(other.first)),
            ratio_low=Beside(_low(own.ratio), _low(other.ratio)),
            privacy_loss=(privacy_loss(space.original, space.control, space.release, rng=rng, most=self.most),),
            caveats=(),
        )

    def _worst(
        self, space: Space, columns: Sequence[str], releases: int, rng: Generator
    ) -> tuple[Outcome | None, tuple[str, ...]]:
        """The subset with the highest lower end, all ends moved out for so many tries (Bonferroni)."""
        chosen = subsets(len(columns), self.subsets, rng)
        if not chosen:
            return None, ()
        tries = len(chosen) * releases
        told = f"The worst of {tries} random column subsets, so its interval is one of {1 - (1 - LEVEL) / tries:.2%}."
        found = []
        for which in chosen:
            part = space.only(which)
            outcome = outcomes.closer(part, *part.near())
            found.append(replace(outcome, main=_widened(outcome.main, tries), caveats=(CANNOT_PROVE, told)))
        at = int(np.argmax([o.main.low for o in found]))
        return replace(found[at], measure=f"{found[at].measure}, worst columns"), tuple(columns[j] for j in chosen[at])

    def _caveats(self, files: Files, columns: Sequence[str]) -> tuple[str, ...]:
        assert files.control is not None
        found = [CANNOT_PROVE, *self.gower.coarse(files, columns)]
        sizes = files.original.height, files.control.height
        if min(sizes) < max(sizes):
            found.append(f"Both files are taken as large as the smaller one: {min(sizes):,} of {max(sizes):,} records.")
        if max(*sizes, *(r.height for r in files.releases)) > self.most:
            found.append(f"A random part of {self.most:,} records or rows was looked for, among all of the others.")
        return tuple(found)


def measured(files: Files) -> tuple[str, ...]:
    """The columns that all files have."""
    return tuple(c for c in files.columns if files.control is None or c in files.control.columns)


def _low(values: Floats) -> float:
    told = values[np.isfinite(values)]
    return float(np.quantile(told, LOW)) if len(told) else float("nan")


def _widened(share: Share, tries: int) -> Share:
    """The share with the interval of level 1 − 0.05/tries: Wilson's of n·(z/z′)² rows is the one with z′ of n rows."""
    z, wide = (NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / many) for many in (1, tries))
    of = max(1, int(share.of * (z / wide) ** 2))
    return Share(successes=share.value * of, of=of, what=share.what)


def _together(each: Sequence[Distanced], caveats: tuple[str, ...]) -> Distanced:
    """The mean over releases; of the worst subsets the worst."""
    worst = max(each, key=lambda e: e.worst.main.low if e.worst else 0.0)
    means = {name: mean_outcome([getattr(e, name) for e in each]) for name in _OUTCOMES}
    figures = {name: Beside(*np.mean([getattr(e, name) for e in each], axis=0).tolist()) for name in _FIGURES}
    losses = tuple(loss for e in each for loss in e.privacy_loss)
    return replace(worst, **means, **figures, privacy_loss=losses, caveats=caveats)  # type: ignore[arg-type]


_OUTCOMES = ("closer", "identical", "singled_out", "near")
_FIGURES = ("closest", "closest_low", "ratio_low")
