"""Groups of levels: a prior under which latent classes may differ between groups and not inside."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln

from lookalike.models import Counts, LatentClasses
from lookalike.models import _level_tree as kernel
from lookalike.models.level_tree import LevelTree
from lookalike.models.value_shares import ObservedShares

MARGIN = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
PAIRS = np.array([0, 0, 1, 1, 2])


def test_shares_of_a_latent_class_sum_to_one_and_follow_the_counts() -> None:
    tree = LevelTree(MARGIN, [PAIRS])
    sums = np.array([[0, 500], [0, 500], [800, 0], [200, 0], [0, 0]], float)
    theta = tree.draw(sums, rng=np.random.default_rng(1))
    np.testing.assert_allclose(theta.sum(axis=0), 1)
    assert theta[:2, 1].sum() > 0.95
    # Inside the group the margin holds, 2 to 1, though the records say 4 to 1: ten thousand prior counts against them.
    assert theta[2, 0] / theta[3, 0] == pytest.approx(2, rel=0.5)


def test_equal_concentrations_are_the_plain_dirichlet() -> None:
    rng = np.random.default_rng(2)
    tree, plain = LevelTree(MARGIN, [PAIRS]), LevelTree(MARGIN)
    sums = rng.integers(0, 6, (5, 4000)).astype(float)
    tree.concentration[:] = plain.concentration[:] = 2.0
    one, two = tree.draw(sums, rng=rng), plain.draw(sums, rng=rng)
    np.testing.assert_allclose(one.mean(axis=1), two.mean(axis=1), atol=0.01)
    np.testing.assert_allclose(one.var(axis=1), two.var(axis=1), rtol=0.1)


def test_the_likelihood_of_a_concentration_is_that_of_the_dirichlet_integrated_out() -> None:
    counts = np.random.default_rng(1).integers(0, 7, (5, 3)).astype(float)
    groups = np.array([counts[g == PAIRS].sum(axis=0) for g in range(3)])
    base = np.array([MARGIN[g == PAIRS].sum() for g in range(3)])
    for s in (0.3, 8.0, 1e5):
        below = gammaln(s * MARGIN[:, None] + counts) - gammaln(s * MARGIN[:, None])
        above = gammaln(s * base[:, None]) - gammaln(s * base[:, None] + groups)
        found = kernel.concentration_likelihood(counts, groups, MARGIN, base, np.array([s]))[0]
        assert found == pytest.approx(below.sum() + above.sum(), rel=1e-9, abs=1e-6)


def test_maps_that_group_nothing_and_maps_that_do_not_nest_do_no_harm() -> None:
    assert len(LevelTree(MARGIN, [np.arange(5), np.zeros(5, int)]).layers) == 1
    torn = LevelTree(MARGIN, [np.array([0, 1, 1, 2, 2]), PAIRS])
    assert len(torn.layers) == 2
    np.testing.assert_allclose(torn.start(3, rng=np.random.default_rng(1)).sum(axis=0), 1)
    for above, below in pairwise(torn.layers):
        assert (
            (np.bincount(below.group, weights=below.base) == pytest.approx(above.base)) if above is not below else True
        )


def test_a_constant_variable_has_one_level_of_share_one() -> None:
    tree = LevelTree(np.array([1.0]))
    tree.learn(np.array([[4.0, 2.0]]), rng=np.random.default_rng(1))
    assert tree.draw(np.array([[4.0, 2.0]]), rng=np.random.default_rng(1)).tolist() == [[1.0, 1.0]]


def test_months_show_what_days_are_too_many_to_show() -> None:
    rng = np.random.default_rng(1)
    month = rng.integers(0, 6, 700)
    days = np.column_stack([month * 30 + rng.integers(0, 30, 700), (month + rng.integers(0, 2, 700)) % 6 * 30])
    days[:, 1] += rng.integers(0, 30, 700)
    table = Counts.of(*np.unique(days, axis=0, return_counts=True))
    months = [np.unique(days[:, j]) // 30 for j in (0, 1)]
    choice = LatentClasses(classes=20, sweeps=120, burn_in=60)
    near = []
    for groups in (None, [[m] for m in months]):
        found = []
        shares = [ObservedShares(table.margin(j), groups[j] if groups else ()) for j in (0, 1)]
        for draw in choice.draws(table, rng=np.random.default_rng(2), shares=shares):
            first, second = draw.levels[: draw.first[1]], draw.levels[draw.first[1] :]
            joint = np.zeros((6, 6))
            np.add.at(joint, (months[0][:, None], months[1][None, :]), (first * draw.shares) @ second.T)
            found.append(np.trace(joint) + np.trace(np.roll(joint, -1, axis=1)))
        near.append(float(np.mean(found)))
    assert near[0] < 0.6  # it is 1/3 if nothing ties them, 1 in truth
    assert near[1] > 0.9
