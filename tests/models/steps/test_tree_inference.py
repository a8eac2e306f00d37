"""The test of independence at a node is the permutation test it claims to be; the survival tree draws whole pairs."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, kstest, norm

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.steps._tree_test import between, log_tail, pearson, together
from lookalike.models.steps.inference_tree import ConditionalTree
from lookalike.models.steps.survival_tree import SurvivalTree, log_rank_scores


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def codes(values: Any, levels: int) -> Categories:
    return Categories(np.asarray(values, np.int32), levels)


def quadratic_form(g: np.ndarray, h: np.ndarray, w: np.ndarray) -> tuple[float, int]:
    """c and its degrees of freedom from the mean and covariance of Strasser and Weber, written out."""
    total = w.sum()
    t = (g * w[:, None]).T @ h
    mean_h = w @ h / total
    v = ((h - mean_h) * w[:, None]).T @ (h - mean_h) / total
    sum_g = w @ g
    gg = (g * w[:, None]).T @ g
    covariance = total / (total - 1) * np.kron(v, gg) - np.kron(v, np.outer(sum_g, sum_g)) / (total - 1)
    d = (t - np.outer(sum_g, mean_h)).ravel(order="F")
    return float(d @ np.linalg.pinv(covariance, rcond=1e-10) @ d), int(np.linalg.matrix_rank(covariance, tol=1e-8))


def test_the_statistic_is_the_quadratic_form_of_all_four_pairs_of_kinds() -> None:
    draw, n = rng(), 60
    x, y = draw.normal(size=(2, n))
    a, b = draw.integers(0, 4, n), draw.integers(0, 3, n)
    w = draw.integers(1, 4, n).astype(float)
    total = w.sum()
    at_a, at_b = np.eye(4)[a], np.eye(3)[b]
    assert together(x, y, w, n, total) == pytest.approx(quadratic_form(x[:, None], y[:, None], w)[0])
    assert between(a, 4, y, w, n, total) == pytest.approx(quadratic_form(at_a, y[:, None], w)[0])
    assert between(b, 3, x, w, n, total) == pytest.approx(quadratic_form(x[:, None], at_b, w)[0])
    found, freedom = quadratic_form(at_a, at_b, w)
    assert pearson(a, 4, b, 3, w, n, total, w @ at_b) == pytest.approx(found)
    assert freedom == 3 * 2


def test_the_statistic_as_by_hand() -> None:
    # r of (1, 2, 3) and (1, 3, 2) is 1/2, so (n − 1) r² = 2/4.
    one = np.ones(3)
    assert together(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), one, 3, 3.0) == pytest.approx(2 / 4)
    # Two levels by two classes, 3 and 1 against 1 and 3: X² = 8 · (9 − 1)²/4⁴ = 2, and 7/8 of it is 1.75.
    level, kind = np.repeat([0, 1], 4), np.array([0, 0, 0, 1, 0, 1, 1, 1])
    assert pearson(level, 2, kind, 2, np.ones(8), 8, 8.0, np.array([4.0, 4])) == pytest.approx(1.75)


def test_a_table_larger_than_the_file_is_counted_by_sorting() -> None:
    draw = rng()
    level, kind = draw.integers(0, 90, 100), draw.integers(0, 70, 100)
    _, level = np.unique(level, return_inverse=True)
    _, kind = np.unique(kind, return_inverse=True)
    levels, classes = level.max() + 1, kind.max() + 1
    table = np.zeros((levels, classes))
    np.add.at(table, (level, kind), 1.0)
    expected = np.outer(table.sum(1), table.sum(0)) / 100
    found = pearson(level, levels, kind, classes, np.ones(100), 100, 100.0, table.sum(0))
    assert levels * classes > 16 * 100
    assert found == pytest.approx(99 / 100 * ((table - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("freedom", [1, 2, 7, 60, 5_000])
def test_the_tail_of_chi_square_is_that_of_scipy(freedom: int) -> None:
    for c in freedom * np.array([0.01, 0.5, 0.9, 1.0, 1.1, 1.2]):
        assert log_tail(c, freedom) == pytest.approx(chi2.logsf(c, freedom), rel=1e-8, abs=1e-12)
    assert log_tail(0.0, freedom) == 0
    # Far out, where that is −∞: P(|Z| > 1,000) of a normal Z.
    assert log_tail(1e6, 1) == pytest.approx(np.log(2) + norm.logsf(1_000))


def test_p_values_are_uniform_under_independence() -> None:
    draw, n, ones = rng(), 80, np.ones(80)
    found: dict[str, list[float]] = {"numbers": [], "levels": [], "both": []}
    for _ in range(500):
        x, y = draw.normal(size=(2, n))
        a, b = np.arange(n) % 4, draw.permutation(np.arange(n) % 3)
        found["numbers"].append(log_tail(together(x, y, ones, n, 80.0), 1))
        found["levels"].append(log_tail(between(a, 4, y, ones, n, 80.0), 3))
        found["both"].append(log_tail(pearson(a, 4, b, 3, ones, n, 80.0, np.bincount(b) * 1.0), 6))
    for name in ("numbers", "levels"):
        assert kstest(np.exp(found[name]), "uniform").pvalue > 0.01
    # Counts are discrete: only the rate at which it errs is looked at.
    assert (np.exp(found["both"]) <= 0.1).mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 500))


def test_a_tree_on_noise_is_split_at_the_stated_rate_however_many_columns_there_are() -> None:
    for columns in (1, 6):
        split = 0
        for seed in range(300):
            draw = rng(seed)
            table = Mixed((*(Numbers(x) for x in draw.normal(size=(columns - 1, 60))), codes(np.arange(60) % 12, 12)))
            split += ConditionalTree().fit(Numbers(draw.normal(size=60)), table, rng=draw).figures["leaves"] > 1
        # Bonferroni keeps it at or a little below a tenth.
        assert 0.1 - 4 * np.sqrt(0.09 / 300) < split / 300 < 0.1 + 4 * np.sqrt(0.09 / 300)


def test_the_column_that_matters_is_found_and_cut_where_it_matters() -> None:
    draw = rng()
    x = draw.normal(size=(3, 500))
    y = Numbers((x[1] > 0.3) * 2 + draw.normal(size=500) / 2)
    fitted = ConditionalTree(alpha=1e-4).fit(y, Mixed(tuple(Numbers(c) for c in x)), rng=draw)
    nodes = fitted.trees.nodes
    assert fitted.figures["leaves"] == 2
    assert nodes.low[0] == pytest.approx(0.3, abs=0.02)


def test_an_ordered_response_is_tested_by_its_scores() -> None:
    draw = rng()
    x = draw.normal(size=200)
    y = np.digitize(x + draw.normal(size=200), [-1, 0, 1]).astype(np.int32)
    as_numbers, as_levels = Numbers(y * 1.0), Categories(y, 4, ordered=True)
    trees = [ConditionalTree().fit(r, Mixed((Numbers(x),)), rng=rng()).trees for r in (as_numbers, as_levels)]
    assert (trees[0].rows == trees[1].rows).all()


def test_log_rank_scores_as_by_hand() -> None:
    # At 2 two of the five at risk have the event, at 4 one of two; a record that leaves at 2 was still at risk at 2.
    scores = log_rank_scores(np.array([2.0, 2, 2, 4, 5]), np.array([1, 1, 0, 1, 0]))
    assert scores == pytest.approx([1 - 2 / 5, 1 - 2 / 5, -2 / 5, 1 - 2 / 5 - 1 / 2, -2 / 5 - 1 / 2])
    assert scores.sum() == pytest.approx(0)


@pytest.mark.parametrize("proper", [False, True])
def test_a_survival_tree_draws_pairs_of_one_record_that_depend_on_the_predictors(proper: bool) -> None:
    draw = rng()
    group = np.repeat([0, 1], 300)
    hidden, leaving = draw.exponential([10.0, 1.0], (300, 2)).T.ravel(), draw.exponential(8.0, 600)
    time, event = Numbers(np.minimum(hidden, leaving)), codes(hidden <= leaving, 2)
    table = Mixed((codes(group, 2), Numbers(draw.normal(size=600))))
    fitted = SurvivalTree().fit_pair(time, event, table, rng=rng(2), proper=proper)
    times, events = fitted.draw_pair(table, rng=rng(3), threads=1)
    again = fitted.draw_pair(table, rng=rng(3), threads=2)
    assert (times.values == again[0].values).all()
    assert set(zip(times.values, events.codes, strict=True)) <= set(zip(time.values, event.codes, strict=True))
    for g in (0, 1):
        assert times.values[group == g].mean() == pytest.approx(time.values[group == g].mean(), rel=0.25)
        assert events.codes[group == g].mean() == pytest.approx(event.codes[group == g].mean(), abs=0.12)
    assert fitted.figures["fewest_donors"] >= 7
    assert fitted.caveats


def test_a_survival_tree_refuses_what_is_not_a_time_and_an_event() -> None:
    time, event = Numbers(np.ones(3)), codes([0, 1, 2], 3)
    for pair in ((time, event), (event, event), (time, time)):
        with pytest.raises(BadPlan, match="A survival tree needs a time in numbers and an event of two levels"):
            SurvivalTree().fit_pair(*pair, Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="alpha must be above 0"):
        SurvivalTree(alpha=2.0)
