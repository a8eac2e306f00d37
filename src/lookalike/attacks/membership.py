"""Membership: whether a release tells who was in the original it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.columns import alike
from lookalike.attacks.distance_space import some
from lookalike.attacks.distances import measured
from lookalike.attacks.files import Files
from lookalike.attacks.gower import Gower, Points, nearest
from lookalike.attacks.kernel_density import KernelDensity
from lookalike.attacks.membership_scores import Hits, area_under_curve, effective_epsilon, hits_at, right_guesses
from lookalike.attacks.outcome import Outcome, sure
from lookalike.attacks.several import mean_outcome
from lookalike.errors import BadPlan
from lookalike.estimate import Estimate

Floats = NDArray[np.float64]

SHARPER = 4.0
"""How many times narrower than for the best estimate of the law kernels are. What sets the rows apart from others is
what an attacker looks for: of records copied with noise four times narrower kernels find more than wider ones do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldApart:
    """How well one score tells the original's records from the control's, in one release."""

    outcome: Outcome
    """Right guesses, if the half with the highest scores is taken for used. As many records of both files are asked, so
    the control is in it: of a release that tells nothing half are right."""
    area: Estimate
    """P(score of a record of the original > that of one of the control): ½ is nothing, 1 everything."""
    hits: tuple[Hits, ...]
    """Records of the original found with few false alarms: an attack may be of no use on average and name a few."""
    epsilon: Estimate
    """A lower bound on the ε of differential privacy that whatever made this release can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """What membership inference found; one entry a release.

    >>> rng = np.random.default_rng(1)
    >>> def people(n): return pl.DataFrame({"age": rng.integers(18, 90, n), "pay": rng.normal(0, 1, n)})
    >>> original, control = people(300), people(300)
    >>> found = Membership().attack(Files(original=original, releases=(original,), control=control), rng=rng)
    >>> len(found.distance), len(found.density), [outcome.baseline.value for outcome in found.outcomes]
    (1, 1, [0.5, 0.5])
    """

    distance: tuple[ToldApart, ...]
    density: tuple[ToldApart, ...]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """By distance and by density, the mean over releases."""
        return tuple(mean_outcome([found.outcome for found in each]) for each in (self.distance, self.density))


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """Guess who was in the original: those whom the release lies nearest to, or holds likeliest.

    Scores: minus Gower's distance to the closest row, and the log density of the release by kernels (`KernelDensity`).
    The targets are as many records of the original as of the control, so a guess is right half of the time.

    >>> rng = np.random.default_rng(1)
    >>> def people(n): return pl.DataFrame({"age": rng.integers(18, 90, n), "pay": rng.normal(0, 1, n)})
    >>> original, control = people(300), people(300)
    >>> files = Files(original=original, releases=(original[rng.integers(0, 300, 300)],), control=control)
    >>> found = Membership().attack(files, rng=rng).distance[0]
    >>> found.outcome.main.value > 0.75, found.outcome.baseline.value, found.epsilon.value > 1
    (True, 0.5, True)
    """

    name: ClassVar[str] = "membership"

    columns: tuple[str, ...] = ()
    """What the attacker knows of a target; all common columns if none are named."""
    gower: Gower = field(default_factory=Gower)
    most: int = 5_000
    """Records of each file that are looked for at most, a random part of more."""
    most_rows: int = 100_000
    """Rows of the release that the density is learned from at most, a random part of more."""

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        wrong = self.gower.faults()
        wrong += ["most must be at least 1."] if self.most < 1 else []
        return wrong + (["most_rows must be at least 1."] if self.most_rows < 1 else [])

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        if faults := [*self.faults(), *self._unfit(files)]:
            raise BadPlan(faults)

    def _unfit(self, files: Files) -> Iterator[str]:
        if files.control is None:
            yield (
                "Membership inference needs a control: it asks whether records that were used can be told from records "
                "that were not. Keep some records out before the release is made."
            )
        yield from self.gower.unfit(files, self.columns or measured(files))

    def attack(self, files: Files, *, rng: Generator) -> Members:
        """Score records of the original and of the control by each release."""
        self.check(files)
        each = [self._one(files, release, rng) for release in files.releases]
        return Members(distance=tuple(one for one, _ in each), density=tuple(other for _, other in each))

    def _one(self, files: Files, release: pl.DataFrame, rng: Generator) -> tuple[ToldApart, ToldApart]:
        assert files.control is not None
        columns = self.columns or measured(files)
        every = [files.original, files.control, release]
        original, control, rows = self.gower.points(every, columns)
        even = min(len(original), len(control), self.most)
        people = [points[some(len(points), even, rng)] for points in (original, control)]
        numbers = [_is_number([file[name] for file in every]) or name in self.gower.ordered for name in columns]
        caveats = self._caveats(files, columns, even)
        parts = [file[some(len(file), self.most_rows, rng)] for file in (rows, original)]
        near, near_itself = (_near(people, file) for file in (rows, original))
        dense, dense_itself = (_dense(people, part, [original, control, rows], numbers, rng) for part in parts)
        return (
            _told_apart("distance", near, near_itself, caveats, rng),
            _told_apart("density", dense, dense_itself, caveats, rng),
        )

    def _caveats(self, files: Files, columns: Sequence[str], even: int) -> tuple[str, ...]:
        assert files.control is not None
        found = self.gower.coarse(files, columns)
        if even < max(files.original.height, files.control.height):
            found += (f"A random part of {even:,} records of each file was looked for.",)
        return found


def _told_apart(
    score: str, release: list[Floats], itself: list[Floats], caveats: tuple[str, ...], rng: Generator
) -> ToldApart:
    """`release` and `itself` are the scores of the original's and the control's records, by the release and by the
    original released as it is."""
    own, other = release
    half = sure(0.5, "records, for as many of both files are asked")
    outcome = Outcome(
        attack=Membership.name,
        measure=f"right guesses, by {score}",
        main=right_guesses(own, other),
        control=half,
        baseline=half,
        original=right_guesses(*itself),
        caveats=caveats,
    )
    return ToldApart(
        outcome=outcome,
        area=area_under_curve(own, other),
        hits=hits_at(own, other),
        epsilon=effective_epsilon(own, other, rng=rng),
    )


def _near(people: Sequence[Points], rows: Points) -> list[Floats]:
    # Rounded to what floating point can tell, so that equal distances tie.
    return [-np.round(nearest(points, rows).first, 6) for points in people]


def _dense(
    people: Sequence[Points], rows: Points, every: Sequence[Points], numbers: Sequence[bool], rng: Generator
) -> list[Floats]:
    law = KernelDensity.fit(rows, every, numbers, rng=rng, sharper=SHARPER)
    return [law.log_density(points, rows).round(6) for points in people]


def _is_number(columns: Sequence[pl.Series]) -> bool:
    kind = alike(columns)[0].dtype
    return kind.is_numeric() or kind.is_temporal()
