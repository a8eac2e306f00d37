"""Inference: a model trained on the release predicts what is wanted of a person from what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.learners import Learner, Neighbours, Points, features
from lookalike.attacks.outcome import Outcome, Share, pooled
from lookalike.attacks.predictions import Errors, Prediction, Truth, mean_errors
from lookalike.attacks.ranges import Radius
from lookalike.errors import BadPlan

Floats = NDArray[np.float64]

MOST_ROWS = 20_000
"""Rows a model is trained on at most; more are sampled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredTarget:
    """One target: how often it is predicted right, how far off, and for whom the release predicts better.

    >>> original = pl.DataFrame({"age": [20, 21, 60, 61] * 5, "ill": ["n", "n", "y", "y"] * 5})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Inference(known=("age",), targets=("ill",)).attack(files, rng=np.random.default_rng(1)).targets[0]
    >>> found.target, found.release.squared, found.guess.squared, str(found.equal)
    ('ill', 0.0, 0.25, '20 of 20 records')
    """

    target: str
    outcome: Outcome
    """A category is right if it is the likeliest; a number if it lies within the radius of the truth."""
    release: Errors
    original: Errors
    """By the same model trained on the original, which has seen the records it predicts."""
    guess: Errors
    """By the shares, or the mean, of the release alone."""
    better: Share
    """Records that the release predicts strictly better than the original does: low is safe."""
    equal: Share
    """Records that both predict equally well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """All targets, the mean over releases.

    >>> original = pl.DataFrame({"age": [20, 21, 60, 61] * 5, "ill": ["n", "n", "y", "y"] * 5})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Inference(known=("age",), targets=("ill",)).attack(files, rng=np.random.default_rng(1))
    >>> found.release_error, found.original_error, len(found.targets)
    (0.0, 0.0, 1)
    """

    targets: tuple[InferredTarget, ...]

    @property
    def release_error(self) -> float:
        """The file-level mean squared error of models trained on the release: the mean over targets."""
        return float(np.mean([t.release.squared for t in self.targets]))

    @property
    def original_error(self) -> float:
        """The same for models trained on the original."""
        return float(np.mean([t.original.squared for t in self.targets]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """Predict the targets from the known columns by a model. Source: sections 3.2.4 and 3.2.5 of seed 002; Choi et
    al. (2017).

    >>> original = pl.DataFrame({"age": [20, 21, 60, 61] * 5, "ill": ["n", "n", "y", "y"] * 5})
    >>> files = Files(original=original, releases=(original,))
    >>> found = Inference(known=("age",), targets=("ill",)).attack(files, rng=np.random.default_rng(1)).targets[0]
    >>> found.outcome.main.value, found.outcome.baseline.value, found.better.value
    (1.0, 0.5, 0.0)
    """

    name: ClassVar[str] = "inference"

    known: tuple[str, ...]
    targets: tuple[str, ...]
    learner: Learner = field(default_factory=Neighbours)
    within: Radius = field(default_factory=lambda: Radius(value=0.1, share=True))

    def attack(self, files: Files, *, rng: Generator) -> Inferred:
        """Train on each release and on the original; predict the original and the control."""
        faults = [] if self.targets else ["Name at least one target to predict."]
        faults += faults_in(lambda: files.check(self.known, self.targets))
        if faults:
            raise BadPlan(faults)
        people = [files.original] + ([] if files.control is None else [files.control])
        own, *each = [_Trained.on(file, people, self.known, rng) for file in (files.original, *files.releases)]
        return Inferred(targets=tuple(self._target(target, own, each, rng) for target in self.targets))

    def _target(self, target: str, trained: _Trained, releases: Sequence[_Trained], rng: Generator) -> InferredTarget:
        own = trained.predict(target, self.learner, rng)[0]
        each = [release.predict(target, self.learner, rng) for release in releases]
        guesses = [found[0].guess() for found in each]
        wins = [own.loss - found[0].loss for found in each]
        outcome = Outcome(
            attack=self.name,
            measure=f"{target} predicted right by {self.learner.name}",
            main=pooled([found[0].right(self.within) for found in each]),
            baseline=pooled([guess.right(self.within) for guess in guesses]),
            control=pooled([found[1].right(self.within) for found in each]) if len(each[0]) > 1 else None,
            original=own.right(self.within),
        )
        return InferredTarget(
            target=target,
            outcome=outcome,
            release=mean_errors([found[0].errors() for found in each]),
            original=own.errors(),
            guess=mean_errors([guess.errors() for guess in guesses]),
            better=pooled([_share(win > _TIE) for win in wins]),
            equal=pooled([_share(np.abs(win) <= _TIE) for win in wins]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    """A file to train on and people to predict, what is known of them made into numbers once."""

    files: list[pl.DataFrame]
    tables: list[Points]

    @classmethod
    def on(cls, file: pl.DataFrame, people: Sequence[pl.DataFrame], known: Sequence[str], rng: Generator) -> _Trained:
        if file.height > MOST_ROWS:
            file = file[np.sort(rng.choice(file.height, MOST_ROWS, replace=False))]
        return cls([file, *people], features([file, *people], known))

    def predict(self, target: str, learner: Learner, rng: Generator) -> list[Prediction]:
        """The predictions for each group of people."""
        first, *others = Truth.of([file[target] for file in self.files])
        return first.predict(learner, self.tables, others, rng=rng)


_TIE = 1e-12


def _share(which: NDArray[np.bool_]) -> Share:
    return Share(successes=int(np.count_nonzero(which)), of=len(which), what="records")
