"""Trees grow where they should: by hand, as scikit-learn grows them, and against all subsets of levels."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.tree_coding import RANGE, code_columns
from lookalike.models.steps.tree_growing import Tree, answer_of, grow_tree, once, rules_of

SEED = np.array([1, 2], np.uint64)


def codes(values: Any, levels: int, *, ordered: bool = False) -> Categories:
    return Categories(np.asarray(values, np.int32), levels, ordered)


def grown(response: Column, *columns: Column, leaf: int = 1, split: int = 2, depth: int = 30, **rules: float) -> Tree:
    coded = code_columns(Mixed(columns), records=len(response))
    return grow_tree(
        coded, answer_of(response, once(len(response))), rules_of(leaf, split, depth, gain=1e-8, **rules), seed=SEED
    )


def parts(tree: Tree) -> list[list[int]]:
    """The rows of each leaf."""
    nodes = tree.nodes
    leaves = np.flatnonzero(nodes.column < 0)
    return sorted(sorted(tree.rows[nodes.begin[k] : nodes.end[k]].tolist()) for k in leaves)


def same_leaves(labels: np.ndarray) -> list[list[int]]:
    return sorted(np.flatnonzero(labels == label).tolist() for label in np.unique(labels))


def impurity(response: Column, rows: Any) -> float:
    if isinstance(response, Numbers):
        return float(((response.values[rows] - response.values[rows].mean()) ** 2).sum())
    counts = np.bincount(response.codes[rows])
    return float(counts.sum() - (counts**2).sum() / counts.sum())


def test_a_tree_of_numbers_as_by_hand() -> None:
    # Σ(y − ȳ)² of all is 53.3; after 3.5 it is 0 + 10.7, after 5.5 it is 19.2 + 0. Then 5, 5 part from 9.
    tree = grown(Numbers(np.array([1.0, 1, 1, 5, 5, 9])), Numbers(np.array([1.0, 2, 3, 4, 5, 6])))
    assert parts(tree) == [[0, 1, 2], [3, 4], [5]]
    assert tree.nodes.column.tolist() == [0, -1, 0, -1, -1]
    assert tree.nodes.low[[0, 2]].tolist() == [3.5, 5.5]
    assert tree.nodes.share[[0, 2]].tolist() == [1 / 2, 2 / 3]
    assert tree.nodes.depth.tolist() == [0, 1, 1, 2, 2]


def test_a_tree_of_classes_as_by_hand() -> None:
    # Levels 0 and 3 have class 0 only, 1 has class 1, 2 has both alike: their shares of class 1 are 0, 1, 1/2, 0.
    x, y = [0, 0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 1, 1, 0, 1, 0, 0]
    tree = grown(codes(y, 2), codes(x, 5))
    # n(1 − Σp²) is 9 − (36 + 9)/9 = 4; {0, 3} | {1, 2} leaves 0 + 1.5, {0, 2, 3} | {1} leaves 1.71 + 0.
    assert parts(tree) == [[0, 1, 2, 7, 8], [3, 4], [5, 6]]
    first = tree.sets[tree.nodes.set_from[0] : tree.nodes.set_to[0]]
    assert [(s // 2, s % 2) for s in first.tolist()] == [(0, 0), (1, 1), (2, 1), (3, 0)]


def test_ordered_levels_are_cut_in_their_order_and_gaps_midway() -> None:
    tree = grown(Numbers(np.array([5.0, 5, 1, 1, 5, 5])), codes([0, 0, 1, 1, 4, 4], 5, ordered=True))
    assert parts(tree) == [[0, 1], [2, 3], [4, 5]]
    assert sorted(tree.nodes.low[tree.nodes.column >= 0].tolist()) == [0.5, 2.5]


def test_neighbouring_floats_are_told_apart() -> None:
    x = np.array([1.0, np.nextafter(1.0, 2)])
    tree = grown(Numbers(np.array([0.0, 1.0])), Numbers(x))
    assert tree.nodes.low[0] == 1.0
    large = grown(Numbers(np.array([0.0, 1.0])), Numbers(np.array([-1e308, 1.5e308])))
    assert np.isfinite(large.nodes.low[0])


def test_leaf_split_depth_and_gain_are_kept() -> None:
    draw = np.random.default_rng(1)
    x, y = Numbers(draw.normal(size=300)), Numbers(draw.normal(size=300))
    assert min(map(len, parts(grown(y, x, leaf=11)))) >= 11
    nodes = grown(y, x, split=40).nodes
    assert (nodes.end - nodes.begin)[nodes.column >= 0].min() >= 40
    assert grown(y, x, depth=3).nodes.depth.max() == 3
    assert len(parts(grown(y, x, depth=0))) == 1


@pytest.mark.parametrize("leaf", [1, 5, 20])
def test_leaves_of_numbers_are_those_of_scikit_learn(leaf: int) -> None:
    draw = np.random.default_rng(leaf)
    x = draw.normal(size=(600, 4)).astype(np.float32).astype(np.float64)
    x[:, 3] = np.round(x[:, 3] * 5)
    y = x[:, 0] * x[:, 1] + draw.normal(size=600)
    theirs = DecisionTreeRegressor(min_samples_leaf=leaf, min_samples_split=3 * leaf + 1, random_state=1).fit(x, y)
    ours = grown(Numbers(y), *(Numbers(c) for c in x.T.copy()), leaf=leaf, split=3 * leaf + 1)
    assert parts(ours) == same_leaves(theirs.apply(x))


def test_leaves_of_classes_are_those_of_scikit_learn() -> None:
    draw = np.random.default_rng(2)
    x = draw.normal(size=(3_000, 3)).astype(np.float32).astype(np.float64)
    y = np.digitize(x[:, 0] + x[:, 1] ** 2 + draw.normal(size=3_000), [0, 1, 2])
    # Leaves of a hundred: in small ones many cuts fall by the very same amount, and either may be taken.
    theirs = DecisionTreeClassifier(min_samples_leaf=100, random_state=1).fit(x, y)
    ours = grown(codes(y, 4), *(Numbers(c) for c in x.T.copy()), leaf=100)
    assert parts(ours) == same_leaves(theirs.apply(x))


def best_of_all_subsets(response: Column, x: np.ndarray, levels: int) -> float:
    sides = (np.isin(x, chosen) for k in range(1, levels) for chosen in combinations(range(levels), k))
    found = (impurity(response, side) + impurity(response, ~side) for side in sides if 0 < side.sum() < len(x))
    return impurity(response, slice(None)) - min(found)


def gain_of_one_cut(response: Column, *columns: Column) -> float:
    tree = grown(response, *columns, depth=1)
    return impurity(response, slice(None)) - sum(impurity(response, part) for part in parts(tree))


@pytest.mark.parametrize("seed", range(15))
def test_the_cut_of_levels_is_the_best_of_all_for_numbers_and_two_classes(seed: int) -> None:
    draw = np.random.default_rng(seed)
    levels = int(draw.integers(2, 7))
    x = draw.integers(0, levels, 40)
    for response in (Numbers(draw.normal(size=40)), codes(draw.random(40) < draw.random(levels)[x], 2)):
        best = best_of_all_subsets(response, x, levels)
        assert gain_of_one_cut(response, codes(x, levels)) == pytest.approx(best)


def test_the_cut_of_levels_is_near_the_best_for_more_classes() -> None:
    shares = []
    for seed in range(30):
        draw = np.random.default_rng(seed)
        x = draw.integers(0, 6, 200)
        y = (draw.random(200)[:, None] > np.cumsum(draw.dirichlet([1.0] * 4, 6), axis=1)[x]).sum(axis=1)
        response = codes(np.minimum(y, 3), 4)
        shares.append(gain_of_one_cut(response, codes(x, 6)) / best_of_all_subsets(response, x, 6))
    assert min(shares) > 0.75
    assert np.mean(shares) > 0.97


def test_many_levels_and_many_classes_take_the_way_of_single_rows() -> None:
    # 40 levels by 30 classes are more cells than rows: the same order as by the table of a file ten times as long.
    draw = np.random.default_rng(1)
    x = draw.integers(0, 40, 300)
    y = np.where(draw.random(300) < 0.9, x % 3, draw.integers(3, 30, 300))
    short, long = (grown(codes(np.tile(y, k), 30), codes(np.tile(x, k), 40), depth=1) for k in (1, 10))
    assert (short.sets == long.sets).all() or (short.sets == long.sets ^ 1).all()


@pytest.mark.parametrize("scale", [1.0, 0.1, RANGE * 3.0])
def test_numbers_are_ranked_whether_counted_or_sorted(scale: float) -> None:
    x = np.random.default_rng(1).integers(-40, 40, 500) * scale
    coded = code_columns(Mixed((Numbers(x),)))
    assert coded.values[0].tolist() == np.unique(x).tolist()
    assert (coded.values[0][coded.codes[0]] == x).all()


def test_a_long_column_of_distinct_numbers_is_put_in_order() -> None:
    # A node of fewer rows than a quarter of the ranks is sorted and not counted.
    x = np.random.default_rng(1).permutation(5_000).astype(float) + 0.5
    tree = grown(Numbers(np.floor(x / 50)), Numbers(x))
    assert len(parts(tree)) == 100
    assert all(np.ptp(x[part]) == 49 for part in parts(tree))
