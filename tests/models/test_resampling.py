"""Bootstrap, SMOTE, interpolation, normal and parametric laws of mixed tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lookalike.errors import BadPlan
from lookalike.models.bootstrap import Bootstrap
from lookalike.models.interpolation import Interpolation
from lookalike.models.mixed import Categories, Column, Conditional, Joint, Law, Mixed, Numbers
from lookalike.models.multivariate_normal import MultivariateNormal
from lookalike.models.neighbours import Neighbours, coordinates
from lookalike.models.parametric import Parametric
from lookalike.models.smote import CHUNK, Smote

WHOLE = [
    Bootstrap(),
    Smote(),
    Smote(neighbours=1),
    Interpolation(),
    Interpolation(kind=1, inside="normal", ties="keep"),
]
NORMAL = [MultivariateNormal(), MultivariateNormal(decomposition="cholesky")]
ALL = [*WHOLE, *NORMAL, Parametric()]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def numbers(*values: float) -> Numbers:
    return Numbers(np.array(values, np.float64))


def codes(*values: int, levels: int = 3, ordered: bool = False) -> Categories:
    return Categories(np.array(values, np.int32), levels, ordered)


def mixed(n: int, seed: int = 0, unknown: float = 0.0) -> Mixed:
    r = rng(seed)
    x = r.normal(40, 10, n)
    y = np.where(r.random(n) < 0.3, 0.0, np.exp(x / 10 + r.normal(size=n)))
    c = (x > 40) + (r.random(n) < 0.2).astype(int)
    for values in (x, y):
        values[r.random(n) < unknown] = np.nan
    c[r.random(n) < unknown] = -1
    d = r.integers(0, 4, n)
    return Mixed((Numbers(x), Categories(c.astype(np.int32), 4, True), Numbers(y), Categories(d.astype(np.int32), 4)))


def fitted(choice: Joint, table: Mixed) -> Law:
    return choice.fit_mixed(suited(choice, table), rng=rng())


def suited(choice: Joint, table: Mixed) -> Mixed:
    """A normal law takes numbers only."""
    if isinstance(choice, MultivariateNormal):
        return Mixed(tuple(c for c in table.columns if isinstance(c, Numbers)))
    return table


def same(one: Mixed, two: Mixed) -> bool:
    return all(cells(a).tobytes() == cells(b).tobytes() for a, b in zip(one.columns, two.columns, strict=True))


def cells(column: Column) -> np.ndarray:
    return column.values if isinstance(column, Numbers) else column.codes


def matrix(table: Mixed) -> np.ndarray:
    return np.column_stack([cells(column) for column in table.columns])


TABLES = {
    "one row": Mixed((numbers(3.5), codes(1))),
    "two rows": Mixed((numbers(3.5, 7), codes(1, 2))),
    "a constant column": Mixed((numbers(*[2.0] * 30), codes(*range(3), *[0] * 27), numbers(*range(30)))),
    "all constant": Mixed((numbers(*[0.1] * 9), codes(*[1] * 9))),
    "all distinct": Mixed((numbers(*range(50)), codes(*range(50), levels=50))),
    "one column of numbers": Mixed((numbers(1, 2, 2, 9),)),
    "huge and tiny": Mixed((numbers(-1e308, 1e308, 0), numbers(1e-300, 2e-300, 5e-301), codes(0, 1, 2))),
    "unknown cells": mixed(200, unknown=0.4),
    "mixed": mixed(500),
    "wide": Mixed(tuple(Numbers(rng(j).normal(size=40)) for j in range(60)) + (codes(*[0, 1] * 20),) * 940),
}


@pytest.mark.parametrize("choice", ALL, ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_every_cell_is_known_kinds_are_kept_and_the_seed_decides(choice: Joint, name: str) -> None:
    table = suited(choice, TABLES[name])
    before = [cells(column).copy() for column in table.columns]
    if choice == MultivariateNormal(decomposition="cholesky") and name == "wide":
        with pytest.raises(BadPlan, match="spectral"):
            choice.fit_mixed(table, rng=rng())
        return
    law = choice.fit_mixed(table, rng=rng())
    assert isinstance(choice, Joint)
    assert isinstance(law, Law)
    drawn = law.sample(70, rng=rng(2))
    assert same(drawn, law.sample(70, rng=rng(2), threads=2))
    assert drawn.records == 70
    for mine, theirs in zip(drawn.columns, table.columns, strict=True):
        assert mine.known.all()
        assert type(mine) is type(theirs)
        if isinstance(mine, Categories) and isinstance(theirs, Categories):
            assert (mine.levels, mine.ordered, mine.codes.dtype) == (theirs.levels, theirs.ordered, np.int32)
            assert np.isin(mine.codes, theirs.codes).all()
        elif isinstance(mine, Numbers):
            assert np.isfinite(mine.values).all()
    assert law.sample(0, rng=rng()).records == 0
    assert all(isinstance(caveat, str) for caveat in law.caveats)
    assert law.caveats
    for old, column in zip(before, table.columns, strict=True):
        assert np.array_equal(old, cells(column), equal_nan=old.dtype.kind == "f")


@pytest.mark.parametrize("choice", ALL, ids=str)
def test_what_cannot_be_learned_is_refused(choice: Joint) -> None:
    with pytest.raises(BadPlan, match="at least one record"):
        choice.fit_mixed(Mixed((numbers(),)), rng=rng())
    with pytest.raises(BadPlan, match="Column 2 holds no known value"):
        choice.fit_mixed(Mixed((numbers(1, 2), numbers(np.nan, np.nan))), rng=rng())
    with pytest.raises(BadPlan, match="Column 1 holds infinite numbers"):
        choice.fit_mixed(Mixed((numbers(1, np.inf),)), rng=rng())


def test_options_out_of_range_are_refused() -> None:
    for make, words in (
        (lambda: Smote(neighbours=0), "'neighbours' must be at least 1"),
        (lambda: Smote(compare=0), "'compare' must be at least 1"),
        (lambda: Interpolation(kind=3), "'kind' is 1 or 2"),
        (lambda: Interpolation(inside="beta"), "'inside' is"),
        (lambda: Interpolation(ties="no"), "'ties' is"),
        (lambda: MultivariateNormal(decomposition="qr"), "'decomposition' is"),
        (lambda: Smote(balance=2).fit_mixed(Mixed((numbers(1),)), rng=rng()), "columns are 0 to 0"),
        (lambda: Smote(balance=0).fit_mixed(Mixed((numbers(1),)), rng=rng()), "which holds numbers"),
        (lambda: MultivariateNormal().fit_mixed(mixed(5), rng=rng()), "categories are in column 2, 4"),
    ):
        with pytest.raises(BadPlan, match=words):
            make()


def test_smote_draws_the_same_records_on_one_thread_and_on_more() -> None:
    law = fitted(Smote(), mixed(300))
    assert same(law.sample(3 * CHUNK + 5, rng=rng(), threads=1), law.sample(3 * CHUNK + 5, rng=rng(), threads=3))


def test_a_bootstrap_draws_every_record_equally_often_and_no_other() -> None:
    drawn = matrix(fitted(Bootstrap(), Mixed((numbers(1, 2, 4), codes(0, 1, 0)))).sample(90_000, rng=rng()))
    rows, seen = np.unique(drawn, axis=0, return_counts=True)
    assert rows.tolist() == [[1, 0], [2, 1], [4, 0]]
    assert stats.chisquare(seen).pvalue > 0.001


def test_unknown_cells_are_filled_by_the_margin_of_their_column() -> None:
    table = Mixed((numbers(*[np.nan] * 60_000, *[0.0] * 15_000, *[1.0] * 5_000),))
    law = fitted(Bootstrap(), table)
    assert law.sample(100_000, rng=rng()).columns[0].values.mean() == pytest.approx(0.25, abs=0.01)
    assert "60000 unknown cells" in law.caveats[-1]


# Neighbours


def brute(table: Mixed, scale: bool, apart: int | None) -> np.ndarray:
    """All squared distances, infinite to oneself."""
    points, weights, numbers = coordinates(table, scale=scale, apart=apart)
    gaps = points[:, None] - points[None]
    found = (weights[:numbers] * gaps[:, :, :numbers] ** 2).sum(axis=2)
    found += np.where(gaps[:, :, numbers:] != 0, weights[numbers:], 0).sum(axis=2)
    np.fill_diagonal(found, np.inf)
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 150), st.integers(0, 10**6), st.booleans(), st.sampled_from([None, 1]), st.integers(1, 9))
def test_neighbours_are_those_of_a_full_comparison(n: int, seed: int, scale: bool, apart: int | None, k: int) -> None:
    r = rng(seed)
    table = Mixed(
        (
            Numbers(np.round(r.normal(size=n), 1)),
            Categories(r.integers(0, 4, n).astype(np.int32), 4),
            Numbers(np.round(100 * r.normal(size=n))),
            Categories(r.integers(0, 60, n).astype(np.int32), 60),
        )
    )
    distances = brute(table, scale, apart)
    found = Neighbours.of(table, scale=scale, apart=apart).nearest(np.arange(n), k, rng=r)
    expected = np.sort(distances, axis=1)[:, :k]
    # A neighbour is told as a record with the same cells, which may be the record itself: then the distance is 0.
    np.fill_diagonal(distances, 0)
    near = np.where(found >= 0, np.take_along_axis(distances, np.maximum(found, 0), 1), np.inf)
    assert near[:, : n - 1] == pytest.approx(expected[:, : n - 1])
    assert (found[:, n - 1 :] == -1).all()


def test_duplicates_are_neighbours_and_the_record_itself_is_not() -> None:
    table = Mixed((numbers(5, 5, 5, 6, 9),))
    found = Neighbours.of(table).nearest(np.array([0, 3]), 3, rng=rng())
    assert table.columns[0].values[found].tolist() == [[5, 5, 6], [5, 5, 5]]


def test_ties_come_in_random_order_and_records_count_not_points() -> None:
    # From 0: one record at −1, three at 1; the first neighbour is at −1 once in four.
    tree = Neighbours.of(Mixed((numbers(0, -1, 1, 1, 1, 50),)))
    first = tree.nearest(np.zeros(40_000, np.int64), 1, rng=rng())[:, 0]
    assert (first == 1).mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 40_000))
    pairs = tree.nearest(np.zeros(40_000, np.int64), 2, rng=rng(2))
    # −1 is among two of the four drawn without replacement: 1/2.
    assert (pairs == 1).any(axis=1).mean() == pytest.approx(0.5, abs=0.01)


def test_a_search_cut_short_finds_near_records_and_says_so() -> None:
    r = rng()
    table = Mixed(tuple(Numbers(r.normal(size=3_000)) for _ in range(12)))
    law = Smote(compare=100).fit_mixed(table, rng=rng())
    assert "100 comparisons" in law.caveats[2]
    assert not any("comparisons" in caveat for caveat in Smote(compare=None).fit_mixed(table, rng=rng()).caveats)
    tree, rows = Neighbours.of(table), np.arange(300)
    points = matrix(table)

    def gap(found: np.ndarray) -> float:
        return float(np.linalg.norm(points[found[:, 0]] - points[rows], axis=1).mean())

    sure, short = (gap(tree.nearest(rows, 5, rng=rng(), most=most)) for most in (2**62, 100))
    assert sure <= short < 0.8 * gap(r.integers(0, 3_000, (300, 1)))


# SMOTE


def test_a_category_costs_the_median_standard_deviation() -> None:
    # Standard deviations 1, 2, 3 of values ±1, ±2, ±3, over the common factor 4: (2/4)².
    table = Mixed((numbers(-1, 1), numbers(-2, 2), numbers(-3, 3), codes(0, 1)))
    assert coordinates(table, scale=False, apart=None)[1].tolist() == [1, 1, 1, (2 / 4) ** 2]
    # ±1 over 2, ±2 over 4, ±3 over 4, each then over its standard deviation.
    assert coordinates(table, scale=True, apart=None)[1] == pytest.approx([2**2, 2**2, (4 / 3) ** 2, 1])


def test_smote_uses_one_u_a_record_and_k_uniform() -> None:
    x = np.array([[0.0, 0.0], [1.0, 10.0], [3.0, 30.0]])
    table = Mixed((Numbers(x[:, 0].copy()), Numbers(x[:, 1].copy())))
    drawn = matrix(Smote(neighbours=2).fit_mixed(table, rng=rng()).sample(60_000, rng=rng(2)))
    assert drawn[:, 1] == pytest.approx(10 * drawn[:, 0])
    # Each ordered pair 1/6: (0,1) twice, (1,3) twice, (0,3) twice, uniform on each.
    expected = lambda t: (np.clip(t, 0, 1) + np.clip((t - 1) / 2, 0, 1) + np.clip(t / 3, 0, 1)) / 3  # noqa: E731
    assert stats.kstest(drawn[:, 0], expected).pvalue > 0.001


def test_smote_takes_the_category_of_the_majority_and_breaks_ties_at_random() -> None:
    table = Mixed((numbers(0, 0, 0, 0), codes(0, 1, 2, 2)))
    drawn = Smote(neighbours=3, scale=False).fit_mixed(table, rng=rng()).sample(80_000, rng=rng(2))
    # Neighbours of 0: {1, 2, 2} → 2; of 1: {0, 2, 2} → 2; of each 2: {2, 0, 1} → a third each.
    expected = np.array([1 / 6, 1 / 6, 2 / 3])
    assert stats.chisquare(np.bincount(drawn.columns[1].codes), expected * 80_000).pvalue > 0.001


def test_smote_balances_classes_and_stays_in_them() -> None:
    r = rng()
    labels = np.repeat([0, 1, 3], [900, 95, 5]).astype(np.int32)
    table = Mixed((Numbers(labels * 100 + r.random(1_000)), Categories(labels, 5)))
    drawn = Smote(balance=1).fit_mixed(table, rng=rng()).sample(30_000, rng=rng(2))
    seen = np.bincount(drawn.columns[1].codes, minlength=5)
    assert seen[[2, 4]].tolist() == [0, 0]
    assert stats.chisquare(seen[[0, 1, 3]]).pvalue > 0.001
    assert (np.floor(drawn.columns[0].values / 100) == drawn.columns[1].codes).all()


def test_a_class_of_one_record_repeats_it() -> None:
    table = Mixed((numbers(1, 2, 3, 70), codes(0, 0, 0, 1)))
    drawn = Smote(balance=1).fit_mixed(table, rng=rng()).sample(200, rng=rng(2))
    assert set(drawn.columns[0].values[drawn.columns[1].codes == 1].tolist()) == {70.0}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=30))
def test_smote_and_interpolation_ii_never_leave_the_range(values: list[float]) -> None:
    table = Mixed((numbers(*values),))
    for choice in (Smote(), Smote(scale=False), Interpolation(), Interpolation(inside="normal")):
        x = choice.fit_mixed(table, rng=rng()).sample(50, rng=rng(2)).columns[0].values
        assert min(values) <= x.min()
        assert x.max() <= max(values)


# Interpolation


def cdf_of(values: list[float], choice: Interpolation, at: list[float]) -> list[float]:
    x = choice.fit_mixed(Mixed((numbers(*values),)), rng=rng()).sample(100_000, rng=rng(2)).columns[0].values
    return [float((x <= t).mean()) for t in at]


def test_interpolation_i_joins_the_points_of_the_empirical_cdf() -> None:
    # Values 0, 2, 6, 6; the added point is 0 − (6 − 0)/2 = −3. F: −3 → 0, 0 → 1/4, 2 → 2/4, 6 → 1.
    found = cdf_of([0, 2, 6, 6], Interpolation(kind=1), [-3, -1.5, 0, 1, 2, 4, 6])
    assert found == pytest.approx([0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1], abs=0.007)


def test_interpolation_ii_gives_the_first_interval_the_weight_of_two() -> None:
    found = cdf_of([0, 2, 6, 6], Interpolation(), [0, 1, 2, 4, 6])
    assert found == pytest.approx([0, 1 / 4, 1 / 2, 3 / 4, 1], abs=0.007)


def test_ties_that_are_kept_stay_atoms() -> None:
    # 6 is held twice: half of its 2/4 stays at 6, half is spread over (2, 6).
    found = cdf_of([0, 2, 6, 6], Interpolation(ties="keep"), [0, 2, 4, 5.9999999, 6])
    assert found == pytest.approx([0, 1 / 2, 5 / 8, 3 / 4, 1], abs=0.007)


def test_normal_draws_gather_in_the_middle_of_the_interval() -> None:
    x = Interpolation(inside="normal").fit_mixed(Mixed((numbers(0, 6),)), rng=rng()).sample(100_000, rng=rng(2))
    law = stats.truncnorm(-3, 3, loc=3, scale=1)
    assert stats.kstest(x.columns[0].values, law.cdf).pvalue > 0.001


def test_the_numbers_of_a_record_lie_in_its_own_box_and_its_categories_stay() -> None:
    table = Mixed((numbers(0, 1, 2), numbers(2, 0, 1), codes(0, 1, 2)))
    drawn = matrix(fitted(Interpolation(), table).sample(3_000, rng=rng()))
    boxes = {0: ((0, 1), (1, 2)), 1: ((0, 1), (0, 1)), 2: ((1, 2), (0, 1))}
    for code, box in boxes.items():
        rows = drawn[drawn[:, 2] == code]
        assert len(rows) > 800
        for j, (low, high) in enumerate(box):
            assert ((rows[:, j] >= low) & (rows[:, j] <= high)).all()


# Normal and parametric laws


def test_a_normal_law_is_recovered_also_where_cells_are_unknown() -> None:
    sigma = np.array([[4.0, 3.0, 0.0], [3.0, 9.0, -2.0], [0.0, -2.0, 1.0]])
    r = rng()
    x = r.multivariate_normal([1, 2, 3], sigma, 50_000)
    x[r.random(x.shape) < 0.3] = np.nan
    table = Mixed(tuple(Numbers(column.copy()) for column in x.T))
    for choice in NORMAL:
        law = choice.fit_mixed(table, rng=rng())
        assert "unknown cells" in law.caveats[1]
        drawn = matrix(law.sample(200_000, rng=rng(2)))
        assert drawn.mean(axis=0) == pytest.approx(np.array([1, 2, 3]), abs=0.06)
        assert np.cov(drawn.T) == pytest.approx(sigma, abs=0.2)


def test_a_normal_law_completes_records_by_its_conditional() -> None:
    sigma = np.array([[1.0, 0.8], [0.8, 1.0]])
    x = rng().multivariate_normal([0, 10], sigma, 50_000)
    law = MultivariateNormal().fit_mixed(Mixed((Numbers(x[:, 0].copy()), Numbers(x[:, 1].copy()))), rng=rng())
    assert isinstance(law, Conditional)
    half = Mixed((numbers(*[1.0] * 50_000, np.nan), numbers(*[np.nan] * 50_000, 9.5)))
    done = law.complete(half, rng=rng(2))
    assert (done.columns[0].values[:-1] == 1).all()
    assert done.columns[1].values[-1] == 9.5
    # Given x = 1: mean 10 + 0.8, variance 1 − 0.8².
    drawn = done.columns[1].values[:-1]
    assert drawn.mean() == pytest.approx(10.8, abs=0.02)
    assert drawn.var() == pytest.approx(0.36, abs=0.02)


def test_constant_columns_stay_exactly_constant_under_a_normal_law() -> None:
    table = Mixed((numbers(*[0.1] * 20), numbers(*range(20))))
    for choice in NORMAL:
        assert set(choice.fit_mixed(table, rng=rng()).sample(50, rng=rng()).columns[0].values.tolist()) == {0.1}


def test_a_parametric_law_keeps_margins_and_no_ties() -> None:
    r = rng()
    x = r.gamma(3, 2, 20_000)
    table = Mixed((Numbers(x), Categories((x > 6).astype(np.int32), 3)))
    law = Parametric().fit_mixed(table, rng=rng())
    drawn = law.sample(50_000, rng=rng(2))
    assert stats.ks_2samp(drawn.columns[0].values, x).statistic < 0.02
    shares = np.bincount(drawn.columns[1].codes, minlength=3) / 50_000
    assert shares == pytest.approx([(x <= 6).mean(), (x > 6).mean(), 0], abs=0.01)
    assert abs(np.corrcoef(drawn.columns[0].values, drawn.columns[1].codes)[0, 1]) < 0.02
    assert "column 1: gamma" in law.caveats[1]


def test_a_parametric_law_fills_unknown_cells_and_keeps_known_ones() -> None:
    law = fitted(Parametric(), mixed(1_000))
    assert isinstance(law, Conditional)
    holes = mixed(1_000, unknown=0.3)
    done = law.complete(holes, rng=rng())
    for old, new in zip(holes.columns, done.columns, strict=True):
        assert new.known.all()
        assert np.array_equal(cells(old)[old.known], cells(new)[old.known])
