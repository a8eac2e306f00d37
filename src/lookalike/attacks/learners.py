"""Models an attacker trains on a release: nearest neighbours and a multi-layer perceptron."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from lookalike.attacks.columns import numbered, ordered
from lookalike.models.steps.heeding import heeding_interrupts

_STEP = 0.01
"""How fast a network learns: ten times what scikit-learn takes, so that few rounds do."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Records as points: those that differ, and which one each record is."""

    distinct: Floats
    index: Ints

    def take(self, which: NDArray[np.bool_]) -> Points:
        """Some of the records."""
        return Points(self.distinct, self.index[which])

    def spread(self, values: Floats) -> Floats:
        """What holds for the points, for every record."""
        found: Floats = values[self.index]
        return found

    def __len__(self) -> int:
        return len(self.index)


class Model(Protocol):
    """A learner that was trained."""

    def number(self, x: Points) -> Floats:
        """A number for every record."""
        ...

    def chances(self, x: Points) -> Floats:
        """The chance of every category, of a record a row."""
        ...


class Learner(Protocol):
    """Something that can be trained to predict a number, or one of so many categories numbered from 0."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def on_numbers(self, x: Points, y: Floats, *, rng: Generator) -> Model:
        """Trained on numbers."""
        ...

    def on_categories(self, x: Points, y: Ints, levels: int, *, rng: Generator) -> Model:
        """Trained on categories."""
        ...


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The mean of the k nearest rows and of all that are as near as the last of them: ties are not broken.

    Chances of categories take one row more, which has the shares of the whole file: a category that k rows lack is not
    impossible.

    >>> x = Points(np.array([[0.0], [1.0]]), np.array([0, 1, 1]))
    >>> model = Neighbours(k=1).on_numbers(x, np.array([5.0, 7.0, 8.0]), rng=np.random.default_rng(1))
    >>> model.number(Points(np.array([[0.1], [0.9]]), np.array([0, 1]))).tolist()
    [5.0, 7.5]
    >>> model = Neighbours(k=1).on_categories(x, np.array([0, 1, 1]), 2, rng=np.random.default_rng(1))
    >>> model.chances(Points(np.array([[0.1]]), np.array([0]))).shape
    (1, 2)
    """

    k: int = 5
    name: str = "nearest neighbours"

    def on_numbers(self, x: Points, y: Floats, *, rng: Generator) -> Model:
        """See `Learner`."""
        return _Near(x, y[:, None], self.k)

    def on_categories(self, x: Points, y: Ints, levels: int, *, rng: Generator) -> Model:
        """See `Learner`."""
        return _Near(x, (y[:, None] == np.arange(levels)).astype(np.float64), self.k)


class _Near:
    """Points with the sums of what their rows hold."""

    def __init__(self, x: Points, y: Floats, k: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        rows = np.bincount(x.index, minlength=len(x.distinct))
        here = rows > 0
        self.k = min(k, len(x))
        self.mean = y.mean(axis=0)
        self.rows = rows[here]
        sums = [np.bincount(x.index, weights=column, minlength=len(rows))[here] for column in y.T]
        self.sums = np.column_stack(sums)
        self.search = NearestNeighbors(n_neighbors=min(k, len(self.rows))).fit(x.distinct[here])

    def number(self, x: Points) -> Floats:
        """See `Model`."""
        totals, rows = self._near(x.distinct)
        return x.spread(totals[:, 0] / rows)

    def chances(self, x: Points) -> Floats:
        """See `Model`."""
        totals, rows = self._near(x.distinct)
        return x.spread((totals + self.mean) / (rows[:, None] + 1))

    def _near(self, points: Floats) -> tuple[Floats, Floats]:
        """The sums over the rows that are near, and how many they are."""
        distance, which = self.search.kneighbors(points)
        rows = self.rows[which]
        last = np.argmax(np.cumsum(rows, axis=1) >= self.k, axis=1)
        near = distance <= distance[np.arange(len(distance)), last][:, None] * (1 + 1e-12)
        totals = (self.sums[which] * near[:, :, None]).sum(axis=1)
        return totals, (rows * near).sum(axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Perceptron:
    """A network with one layer or more between what is known and what is wanted, trained for so many rounds.

    >>> x = Points(np.array([[0.0], [1.0]]), np.arange(100) % 2)
    >>> model = Perceptron(hidden=(4,), rounds=20).on_numbers(x, np.arange(100) % 2 * 2.0, rng=np.random.default_rng(1))
    >>> len(model.number(Points(np.array([[0.5]]), np.array([0, 0]))))
    2
    """

    hidden: tuple[int, ...] = (16,)
    rounds: int = 60
    name: str = "multi-layer perceptron"

    def on_numbers(self, x: Points, y: Floats, *, rng: Generator) -> Model:
        """See `Learner`; the target is scaled for the training and back."""
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.neural_network import MLPRegressor
        from sklearn.preprocessing import StandardScaler

        network = MLPRegressor(**self._settings(rng))
        return _Network(_trained(TransformedTargetRegressor(network, transformer=StandardScaler()), x, y), 0)

    def on_categories(self, x: Points, y: Ints, levels: int, *, rng: Generator) -> Model:
        """See `Learner`; one category alone needs no network."""
        from sklearn.dummy import DummyClassifier
        from sklearn.neural_network import MLPClassifier

        alone = len(np.unique(y)) == 1
        return _Network(_trained(DummyClassifier() if alone else MLPClassifier(**self._settings(rng)), x, y), levels)

    def _settings(self, rng: Generator) -> dict[str, Any]:
        return {
            "hidden_layer_sizes": self.hidden,
            "max_iter": self.rounds,
            "learning_rate_init": _STEP,
            "random_state": int(rng.integers(2**31)),
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Network:
    """A trained model of scikit-learn."""

    model: Any
    levels: int

    def number(self, x: Points) -> Floats:
        """See `Model`."""
        return x.spread(np.asarray(self.model.predict(x.distinct), np.float64))

    def chances(self, x: Points) -> Floats:
        """See `Model`; a category the model has not seen has no chance."""
        found = np.zeros((len(x.distinct), self.levels))
        found[:, self.model.classes_] = self.model.predict_proba(x.distinct)
        return x.spread(found)


def features(files: Sequence[pl.DataFrame], known: Sequence[str]) -> list[Points]:
    """What is known as numbers, one table a file: numbers scaled by the first file, a column for each category.

    A missing number is the mean, and a column says that it is missing.

    >>> one, other = pl.DataFrame({"age": [30, 40], "sex": ["F", "M"]}), pl.DataFrame({"age": [35], "sex": ["M"]})
    >>> [x.spread(x.distinct).tolist() for x in features([one, other], ["age", "sex"])]
    [[[-1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0, 1.0]]]
    """
    whole = [_scaled([file[name] for file in files]) for name in known]
    found = []
    for i, keys in enumerate(numbered(files, known).files):
        first, index = _in_order(keys)
        found.append(Points(np.column_stack([part[i][first] for part in whole]), index))
    return found


def _in_order(keys: Ints) -> tuple[Ints, Ints]:
    """The first record of each key, in the order of the records, and which of them each record is like."""
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[index]


def _scaled(columns: Sequence[pl.Series]) -> list[Floats]:
    if all(column.dtype.is_numeric() for column in columns):
        values = [c.cast(pl.Float64).fill_null(float("nan")).to_numpy() for c in columns]
        seen = values[0][~np.isnan(values[0])]
        mean, spread = (seen.mean(), seen.std() or 1.0) if len(seen) else (0.0, 1.0)
        return [np.column_stack([np.nan_to_num((v - mean) / spread), np.isnan(v)]) for v in values]
    codes = ordered(columns)
    levels = np.arange(1 + max(int(c.max(initial=0)) for c in codes))
    return [(c[:, None] == levels).astype(np.float64) for c in codes]


def _trained(model: Any, x: Points, y: Any) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    # Small matrices are no faster on two cores, and a sum in another order would be another number.
    with threadpool_limits(1), warnings.catch_warnings(), heeding_interrupts():
        # The rounds are a choice of ours; a network stopped early is an attacker who stopped early.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x.spread(x.distinct), y)
