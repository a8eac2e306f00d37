"""The Gini index of a classification tree: how mixed its leaves are, and how well a release fits into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from lookalike.data import Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.levels import codes_of_levels
from lookalike.utility.numbers import known_numbers
from lookalike.utility.pair import is_number, kind_faults, pair_faults

LEAST_LEAF = 5
"""Records of a leaf, if nothing else is asked for; synthpop's `minbucket`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeGini:
    """One tree, fitted to half of the original: how often a record is given a wrong class.

    A record is given a class at random by the shares of its leaf. For the half that the tree was fitted to the chance
    of a wrong one is the Gini index of the tree, exactly.
    """

    target: str
    leaves: int
    root: float
    """Gini of the half without a tree."""
    fitted: float
    """Gini of the tree: the half it was fitted to."""
    original: float
    """The other half: what a release can be measured by."""
    release: float
    deviation: float
    """Standard error of `difference`, as of independent records."""

    @property
    def difference(self) -> float:
        """Release less original: above 0 the release has lost what the tree predicts."""
        return self.release - self.original


def gini(counts: ArrayLike) -> float | NDArray[np.float64]:
    """Gini(t) = 1 − Σ_k p_k² of a node's classes; several nodes as rows (Qu 2024, section 4.4.7).

    >>> gini([5, 5]), gini([2, 0]), gini([[1, 3], [4, 0]]).tolist()
    (0.5, 0.0, [0.375, 0.0])
    """
    table = np.asarray(counts, float)
    total = table.sum(axis=-1, keepdims=True)
    if (total == 0).any():
        raise NotAssessable("A node without records has no Gini index.")
    found = 1 - ((table / total) ** 2).sum(axis=-1)
    return float(found) if np.ndim(found) == 0 else np.asarray(found)


def overall_gini(leaves: ArrayLike) -> float:
    """The mean of the leaves' Gini, each by its records: rows are leaves, columns classes (Qu 2024, example 4.4.9).

    >>> round(overall_gini([[2, 2], [2, 0], [1, 3]]), 10)
    0.35
    """
    table = np.asarray(leaves, float)
    table = table[table.sum(axis=1) > 0]
    if not len(table):
        raise NotAssessable("A tree without records has no Gini index.")
    return float(np.average(np.asarray(gini(table)), weights=table.sum(axis=1)))


def tree_gini(
    original: pl.DataFrame,
    release: pl.DataFrame,
    target: str,
    *,
    rng: Generator,
    variables: Sequence[Variable] = (),
    columns: Sequence[str] | None = None,
    least_leaf: int = LEAST_LEAF,
) -> TreeGini:
    """Fit a tree of `target` on the other columns to half of the original; drop the other half and the release down it.

    Levels of a category are put in the order of the share of the target's commonest class, which for two classes
    finds the best split (Breiman et al. 1984, theorem 4.5). A missing value is a level of its own; a missing number
    goes where it is purer.

    >>> frame = pl.DataFrame({"age": list(range(200)), "old": ["no"] * 100 + ["yes"] * 100})
    >>> mixed = frame.with_columns(pl.Series("old", ["no", "yes"] * 100))
    >>> found = tree_gini(frame, mixed, "old", rng=np.random.default_rng(1))
    >>> found.leaves, found.fitted, round(found.original, 1), round(found.release, 1)
    (2, 0.0, 0.0, 0.5)
    """
    from sklearn.tree import DecisionTreeClassifier

    names = _predictors(original, release, target, columns, variables, least_leaf)
    codes, labels = codes_of_levels(original[target], release[target])
    half, known = rng.permutation(original.height), {variable.name: variable for variable in variables}
    fit, rest = half[: original.height // 2], half[original.height // 2 :]
    features = [_feature(original[n], release[n], known.get(n), fit, codes) for n in names]
    x = np.column_stack(features)
    # The seed breaks ties between splits that are equally good.
    tree = DecisionTreeClassifier(min_samples_leaf=least_leaf, random_state=int(rng.integers(2**31)))
    leaf = tree.fit(x[fit], codes[fit]).apply(x)
    counts = np.zeros((tree.tree_.node_count, len(labels)))
    np.add.at(counts, (leaf[fit], codes[fit]), 1)
    used = counts.sum(axis=1) > 0
    wrong = 1 - counts[leaf, codes] / counts.sum(axis=1)[leaf]
    files = wrong[rest], wrong[original.height :]
    return TreeGini(
        target=target,
        leaves=int(used.sum()),
        root=float(gini(counts.sum(axis=0))),
        fitted=overall_gini(counts[used]),
        original=float(files[0].mean()),
        release=float(files[1].mean()),
        deviation=sqrt(sum(float(file.var()) / len(file) for file in files)),
    )


def _predictors(
    original: pl.DataFrame,
    release: pl.DataFrame,
    target: str,
    columns: Sequence[str] | None,
    variables: Sequence[Variable],
    least_leaf: int,
) -> list[str]:
    named = None if columns is None else [target, *(name for name in columns if name != target)]
    faults = pair_faults(original, release, named)
    faults += [] if named is not None else pair_faults(original, release, [target])
    if least_leaf < 1:
        faults.append("A leaf needs 1 record at least.")
    if original.height == 1:
        faults.append("The original has 1 record: a tree is fitted to one half and judged by the other.")
    names = [name for name in (named or original.columns) if name != target]
    if not faults and not names:
        faults.append(f"No column is left to predict '{target}' from.")
    known = {variable.name: variable for variable in variables}
    faults += [] if faults else kind_faults(original, release, names, known)
    if faults:
        raise BadPlan(list(dict.fromkeys(faults)))
    return names


def _feature(
    original: pl.Series,
    release: pl.Series,
    variable: Variable | None,
    fit: NDArray[np.int64],
    target: NDArray[np.int64],
) -> NDArray[np.float64]:
    """A column that a split by size can use: numbers by rank, since trees hold them in 32 bits."""
    if is_number(original, variable):
        values = np.concatenate([known_numbers(column, variable) for column in (original, release)])
        ranks = pl.Series(values).fill_nan(None).rank("dense").cast(pl.Float64)
        return np.array(ranks.fill_null(float("nan")).to_numpy(), np.float64)
    codes, labels = codes_of_levels(original, release)
    share = _commonest_share(codes[fit], target[fit], len(labels))
    place = np.empty(len(labels))
    place[np.lexsort((np.arange(len(labels)), share))] = np.arange(len(labels))
    return np.asarray(place[codes], np.float64)


def _commonest_share(codes: NDArray[np.int64], target: NDArray[np.int64], levels: int) -> NDArray[np.float64]:
    """The share of the target's commonest class at each level; levels that nobody has come first."""
    hit = target == np.bincount(target).argmax()
    counts = np.bincount(codes, minlength=levels)
    share = np.divide(np.bincount(codes, hit, levels), counts, out=np.full(levels, -1.0), where=counts > 0)
    return np.asarray(share, np.float64)
