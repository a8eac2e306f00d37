"""Levels in a row by the first axis of a correspondence analysis."""

import numpy as np
import pytest

from lookalike.models.correspondence import _first_axis, level_order
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.mixed import Categories, Mixed, Numbers


def test_the_hidden_row_of_the_levels_is_found() -> None:
    rng = np.random.default_rng(1)
    z = rng.multivariate_normal([0, 0, 0], 0.7 + 0.3 * np.eye(3), 20_000)
    place = np.digitize(z[:, 0], [-1.2, -0.4, 0.3, 1.0])
    names = np.array([3, 0, 4, 2, 1])  # the code of each place
    others = (Numbers(z[:, 1]), Categories(np.digitize(z[:, 2], [0.0]).astype(np.int32), 2))
    table = Mixed((Categories(names[place].astype(np.int32), 5), *others))
    found = GroupedTable.of(table).order[0].tolist()
    assert found in ([3, 0, 4, 2, 1], [1, 2, 4, 0, 3])


def test_ordered_levels_keep_their_order() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=1000)
    codes = np.array([1, 0, 2])[np.digitize(x, [-0.5, 0.5])].astype(np.int32)
    table = Mixed((Categories(codes, 3, ordered=True), Numbers(x)))
    assert GroupedTable.of(table).order[0].tolist() == [0, 1, 2]
    assert GroupedTable.of(Mixed((Categories(codes, 3), Numbers(x)))).order[0].tolist() in ([1, 0, 2], [2, 0, 1])


def test_without_a_tie_the_codes_keep_their_order() -> None:
    own = np.repeat([0, 1, 2], 4)
    assert level_order(own, 3, -1, np.tile([0, 1], 6).astype(np.uint8)[None], [2]).tolist() == [0, 1, 2]
    assert level_order(own, 3, -1, np.zeros((1, 12), np.uint8), [1], skip=0).tolist() == [0, 1, 2]


def test_a_level_nobody_has_comes_last() -> None:
    own = np.array([0, 0, 2, 2, 3, 3, -1])
    others = np.array([[0, 0, 2, 2, 1, 1, 1]], np.uint8)
    assert level_order(own, 4, -1, others, [3]).tolist()[-1] == 1


@pytest.mark.parametrize("shape", [(2100, 30), (30, 2100), (2100, 2050)], ids=["tall", "flat", "large"])
def test_the_axis_is_the_first_singular_vector_for_every_shape(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    u, v = rng.normal(size=shape[0]), rng.normal(size=shape[1])
    matrix = np.outer(u, v) + 0.01 * rng.normal(size=shape)
    axis = _first_axis(matrix)
    assert abs(np.corrcoef(axis, u)[0, 1]) > 0.999
    assert np.linalg.norm(axis) == pytest.approx(np.linalg.norm(u) * np.linalg.norm(v), rel=0.02)


def test_thousands_of_levels_are_put_in_a_row_too() -> None:
    rng = np.random.default_rng(4)
    where = rng.normal(size=5000)
    codes = rng.integers(0, 5000, 100_000).astype(np.int32)
    x = where[codes] + 0.3 * rng.normal(size=100_000)
    wide = Categories(rng.integers(0, 3000, 100_000).astype(np.int32), 3000)
    order = GroupedTable.of(Mixed((Categories(codes, 5000), Numbers(x), wide))).order[0]
    assert abs(np.corrcoef(np.arange(5000), where[order])[0, 1]) > 0.9
