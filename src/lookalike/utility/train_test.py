"""Train on the release, test on the original: does what a learner takes from the release hold for real records?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.errors import BadPlan, NotAssessable, unknown
from lookalike.models.mixed import Categories, Numbers
from lookalike.utility.designs import Design
from lookalike.utility.formula import all_terms
from lookalike.utility.stacked import Stacked, stack

Floats = NDArray[np.float64]

HELD = 0.3
"""The share of the original that is kept for testing if there is no holdout."""
FEW = 50_000
"""Rows up to which one thread learns."""
DRAWS = 200
"""Bootstrap samples of the test records for the intervals."""
SEEN = (
    "The test records were in the file that the release was made from: the release may have learned them. A holdout"
    " that it has never seen gives an honest figure."
)

SEEN_ROWS = (
    "Tested on records whose rows in the release were not learned from; but the release was made with them in sight."
)
MANY = 10
"""Classes from which on a forest learns."""


class Learner(StrEnum):
    """What learns.

    >>> Learner("forest") is Learner.FOREST
    True
    """

    BOOSTING = "boosting"
    FOREST = "forest"
    LINEAR = "linear"
    """Logistic or ridge regression on main effects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One measure on the test records, by what was learned from."""

    measure: str
    release: float
    original: float
    baseline: float
    """Of a learner that knows the shares, or the mean, of the response and nothing else."""
    difference: tuple[float, float]
    """Release − original, a 95 % interval over the test records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTest:
    """What a learner trained on the release does on real records, beside one trained on the original."""

    target: str
    learner: Learner
    scores: tuple[Score, ...]
    """The first is the one to look at: AUC for two levels, accuracy for more, R² for numbers."""
    trained: tuple[int, int]
    """Records that were learned from, of the original and of the release."""
    tested: int
    caveats: tuple[str, ...] = ()


def train_on_release(
    original: pl.DataFrame,
    release: pl.DataFrame,
    target: str,
    *,
    rng: Generator,
    holdout: pl.DataFrame | None = None,
    learner: Learner | None = None,
    linked: bool = False,
    columns: Sequence[str] | None = None,
    variables: Sequence[Variable] = (),
) -> TrainTest:
    """Learn the target from the release and from the original, and test both on real records that neither learned from.

    Tested is on the holdout; without one, on a part of the original that is kept back, and of a `linked` release (row
    i is row i of the original) the rows of that part are not learned from either. Esteban, Hyland and Rätsch (2017)
    call it "train on synthetic, test on real". Levels that only one file has are levels all the same. Boosting learns
    unless told, and a forest where there are many classes, of which boosting with few records each learns nothing.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=400)
    >>> file = pl.DataFrame({"x": x, "y": np.where(x + rng.normal(size=400) > 0, "yes", "no")})
    >>> found = train_on_release(file, file, "y", rng=rng, learner=Learner.LINEAR)
    >>> found.scores[0].measure, found.scores[0].release > 0.7, found.scores[0].baseline
    ('AUC', True, 0.5)
    """
    if target not in original.columns:
        raise BadPlan(unknown("Target", target, original.columns, where="in the original", listed="Columns"))
    frames = [original, release] if holdout is None else [original, release, holdout]
    names = [target, *(n for n in (original.columns if columns is None else columns) if n != target)]
    if len(names) < 2:
        raise BadPlan("There is no column to learn the target from.")
    if linked:
        frames[:2] = _with_both_targets(original, release, target, names)
    frames = [_with_target(frame, target, names) for frame in frames]
    answer = stack(frames, [target], variables=variables)
    stacked = stack(frames, names[1:], variables=variables)
    ours, test = _split(stacked, holdout is not None, rng)
    theirs = stacked.sizes[0] + ours if linked else np.arange(stacked.records)[stacked.rows(1)]
    learner = learner or (Learner.FOREST if len(answer.labels[0]) > MANY else Learner.BOOSTING)
    task = _Task.of(answer, stacked, learner, ours, theirs, test)
    seed = int(rng.integers(2**31))
    return TrainTest(
        target=target,
        learner=learner,
        scores=task.scores(seed, rng),
        trained=(len(ours), len(theirs)),
        tested=len(test),
        caveats=() if holdout is not None else (SEEN_ROWS if linked else SEEN,),
    )


def _with_both_targets(
    original: pl.DataFrame, release: pl.DataFrame, target: str, names: Sequence[str]
) -> list[pl.DataFrame]:
    """The rows of linked files whose target is known in both."""
    if original.height != release.height:
        raise BadPlan(f"Linked files have as many rows; these have {original.height:,} and {release.height:,}.")
    if target not in release.columns:
        return [original, release]  # `stack` tells
    known = [
        frame[target].fill_nan(None) if frame[target].dtype.is_float() else frame[target]
        for frame in (original, release)
    ]
    both = known[0].is_not_null() & known[1].is_not_null()
    return [original.filter(both), release.filter(both)]


def _with_target(frame: pl.DataFrame, target: str, names: Sequence[str]) -> pl.DataFrame:
    """The records whose target is known."""
    if any(name not in frame.columns for name in names):
        return frame  # `stack` tells which
    column = frame[target].fill_nan(None) if frame[target].dtype.is_float() else frame[target]
    return frame.select(names).filter(column.is_not_null())


def _split(stacked: Stacked, has_holdout: bool, rng: Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The original records that are learned from, and those tested on."""
    if has_holdout:
        return np.arange(stacked.sizes[0]), np.arange(stacked.records)[stacked.rows(2)]
    shuffled = rng.permutation(stacked.sizes[0])
    held = round(HELD * stacked.sizes[0])
    return np.sort(shuffled[held:]), np.sort(shuffled[:held])


@dataclass(frozen=True, slots=True)
class _Task:
    """A response, features, and the rows to learn from and to test on."""

    y: Floats
    classes: int
    """Of the response; 0 for numbers."""
    x: Any
    levels: tuple[int, ...]
    """Features that are levels."""
    learner: Learner
    original: NDArray[np.int64]
    release: NDArray[np.int64]
    test: NDArray[np.int64]

    @classmethod
    def of(cls, answer: Stacked, stacked: Stacked, learner: Learner, *rows: NDArray[np.int64]) -> _Task:
        cells = answer.table.columns[0]
        y = cells.values if isinstance(cells, Numbers) else cells.codes.astype(np.float64)
        classes = len(answer.labels[0])
        for part, what in zip(rows, ("original", "release", "test records"), strict=True):
            if not len(part) or (classes and len(np.unique(y[part])) < 2):
                raise NotAssessable(
                    f"The target has one value in the {what}, or there are none: nothing can be learned."
                )
        x, levels = _features(stacked, learner)
        return cls(y, classes, x, levels, learner, *rows)

    def scores(self, seed: int, rng: Generator) -> tuple[Score, ...]:
        found = {name: self._predicted(rows, seed) for name, rows in (("o", self.original), ("r", self.release))}
        truth = self.y[self.test]
        resampled = [rng.integers(0, len(truth), len(truth)) for _ in range(DRAWS)]
        scores = []
        for name, measure in self._measures():
            gaps = [measure(truth[d], found["r"][d]) - measure(truth[d], found["o"][d]) for d in resampled]
            low, high = np.nanpercentile(gaps, [2.5, 97.5])
            scores.append(
                Score(
                    measure=name,
                    release=measure(truth, found["r"]),
                    original=measure(truth, found["o"]),
                    baseline=measure(truth, self._baseline()),
                    difference=(float(low), float(high)),
                )
            )
        return tuple(scores)

    def _measures(self) -> list[tuple[str, Any]]:
        if not self.classes:
            return [("R²", _r_squared)]
        return [("AUC", _auc), ("accuracy", _accuracy)] if self.classes == 2 else [("accuracy", _accuracy)]

    def _baseline(self) -> Floats:
        learned = self.y[self.original]
        if not self.classes:
            return np.full(len(self.test), learned.mean())
        shares = np.bincount(learned.astype(np.int64), minlength=self.classes) / len(learned)
        return np.tile(shares, (len(self.test), 1))

    def _predicted(self, rows: NDArray[np.int64], seed: int) -> Floats:
        """Numbers, or one column of chances a class."""
        model = _model(self.learner, bool(self.classes), self.levels, seed)
        with _few_threads(len(rows)):
            model.fit(self.x[rows], self.y[rows])
            if not self.classes:
                return np.asarray(model.predict(self.x[self.test]), np.float64)
            chances = np.zeros((len(self.test), self.classes))
            chances[:, model.classes_.astype(np.int64)] = model.predict_proba(self.x[self.test])
        return chances


def _few_threads(rows: int) -> Any:
    """One thread for few rows: on a busy machine more wait for each other, up to a hundred times as long."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(1) if rows < FEW else nullcontext()


def _features(stacked: Stacked, learner: Learner) -> tuple[Any, tuple[int, ...]]:
    """A 0/1 column a level for linear learners; codes for trees."""
    if learner is Learner.LINEAR:
        design = Design.of(stacked, all_terms(tuple(dict.fromkeys(stacked.owners)), 1))
        return design.matrix(slice(0, stacked.records))[:, 1:], ()
    columns = stacked.table.columns
    x = np.column_stack([c.codes if isinstance(c, Categories) else c.values for c in columns])
    # Boosting splits sets of levels, of up to 255; with more they are cut in their order.
    few = (isinstance(c, Categories) and 2 < c.levels <= 255 for c in columns)
    return x.astype(np.float64), tuple(j for j, level in enumerate(few) if level)


def _model(learner: Learner, classes: bool, levels: tuple[int, ...], seed: int) -> Any:
    from sklearn import ensemble, linear_model

    if learner is Learner.BOOSTING:
        kind = ensemble.HistGradientBoostingClassifier if classes else ensemble.HistGradientBoostingRegressor
        return kind(categorical_features=list(levels) or None, early_stopping=False, random_state=seed)
    if learner is Learner.FOREST:
        forest = ensemble.RandomForestClassifier if classes else ensemble.RandomForestRegressor
        return forest(100, min_samples_leaf=5, random_state=seed)
    return linear_model.LogisticRegression(max_iter=1_000) if classes else linear_model.Ridge()


def _auc(truth: Floats, chances: Floats) -> float:
    """Not a number if the records are all of one level."""
    from lookalike.utility.propensity_scores import apart

    drawn = truth == 1
    return apart(chances[:, 1], drawn).auc if 0 < drawn.sum() < len(drawn) else float("nan")


def _accuracy(truth: Floats, chances: Floats) -> float:
    return float(np.mean(chances.argmax(axis=1) == truth))


def _r_squared(truth: Floats, predicted: Floats) -> float:
    """1 − Σ(y − ŷ)²/Σ(y − ȳ)²; below 0 for predictions worse than the mean of the test records."""
    spread = float(np.sum((truth - truth.mean()) ** 2))
    return 1 - float(np.sum((truth - predicted) ** 2)) / spread if spread > 0 else float("nan")
