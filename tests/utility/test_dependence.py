"""Correlations, correlation ratios, Cramér's V and information of pairs of columns."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import contingency, pearsonr, spearmanr
from sklearn.metrics import mutual_info_score

from lookalike.data import Kind, Variable
from lookalike.errors import NotAssessable
from lookalike.utility.association import correlation, correlation_ratio, cramer, information
from lookalike.utility.dependence import dependence


def table(seed: int, rows: int = 3, columns: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 40, (rows, columns))


@given(st.integers(0, 500))
def test_categories_agree_with_scipy_and_scikit_learn(seed) -> None:
    counts = table(seed)
    assert cramer(counts) == pytest.approx(contingency.association(counts, method="cramer"))
    rows, columns = np.indices(counts.shape)
    plain = mutual_info_score(np.repeat(rows, counts.ravel()), np.repeat(columns, counts.ravel())) / np.log(2)
    bias = (12 - 3 - 4 + 1) / (2 * counts.sum()) / np.log(2)
    assert information(counts) == pytest.approx(plain - bias)


def test_information_has_no_bias_left_where_there_is_none() -> None:
    rng = np.random.default_rng(1)
    found = [information(np.bincount(rng.integers(0, 25, 400), minlength=25).reshape(5, 5)) for _ in range(400)]
    assert np.mean(found) == pytest.approx(0, abs=0.002)  # without the correction 16/800/ln 2 = 0.029


def test_numbers_agree_with_scipy_and_leave_missing_ones_out() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    y = x + rng.normal(size=300)
    assert correlation(x, y) == pytest.approx(pearsonr(x, y).statistic)
    gone = np.where(np.arange(300) < 20, np.nan, x)
    assert correlation(gone, y) == pytest.approx(pearsonr(x[20:], y[20:]).statistic)


def test_a_correlation_ratio_of_two_levels_is_the_correlation_with_them() -> None:
    rng = np.random.default_rng(3)
    code = rng.integers(0, 2, 200)
    y = code + rng.normal(size=200)
    assert correlation_ratio(code, y) == pytest.approx(abs(pearsonr(code, y).statistic))


def test_what_does_not_vary_has_no_association() -> None:
    assert correlation(np.full(9, 0.1), np.arange(9.0)) is None
    assert correlation(np.array([np.nan]), np.array([1.0])) is None
    assert correlation_ratio(np.zeros(3, int), np.arange(3.0)) is None
    assert correlation_ratio(np.array([0, 1]), np.full(2, np.nan)) is None
    assert cramer([[3, 0], [4, 0]]) is None
    with pytest.raises(NotAssessable, match=r"A table without records holds no information."):
        information([[0, 0]])


def test_huge_numbers_do_not_overflow() -> None:
    assert correlation(np.array([1e300, -1e300, 5e299]), np.array([1.0, -1, 0.5])) == pytest.approx(1)


def test_all_pairs_of_mixed_columns() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=2000)
    original = pl.DataFrame({"x": x, "y": x + rng.normal(size=2000), "sex": np.where(x > 0, "F", "M")})
    original = original.with_columns(job=pl.when(pl.col("sex") == "F").then(pl.lit("a")).otherwise(pl.lit("b")))
    release = original.with_columns(pl.Series("x", rng.permutation(x)), pl.Series("job", ["a", "b"] * 1000))
    found = {pair.variables: pair for pair in dependence(original, release)}
    assert len(found) == 6
    xy = found["x", "y"]
    assert (xy.method, xy.association.original) == ("correlation", pytest.approx(2**-0.5, abs=0.05))
    assert xy.association.release == pytest.approx(0, abs=0.06)
    assert xy.low < xy.association.release < xy.high
    assert xy.ranks.original == pytest.approx(spearmanr(original["x"], original["y"]).statistic)
    assert xy.information.difference < -0.3
    assert found["x", "sex"].method == "correlation ratio"
    assert found["x", "sex"].association.original == pytest.approx((2 / np.pi) ** 0.5, abs=0.03)
    job = found["sex", "job"]
    assert (job.method, job.association.original) == ("Cramér's V", pytest.approx(1))
    assert job.association.release == pytest.approx(0, abs=0.06)
    assert job.ranks is None
    assert (job.low, job.high) == (None, None)


def test_a_constant_in_one_file_gives_no_difference() -> None:
    original = pl.DataFrame({"x": [1.0, 2, 3, 4], "y": [1.0, 2, 4, 3]})
    (found,) = dependence(original, original.with_columns(y=pl.lit(7.0)))
    assert found.association.release is None
    assert found.association.difference is None
    assert (found.low, found.high) == (None, None)


def test_missing_codes_are_not_numbers() -> None:
    original = pl.DataFrame({"x": [1.0, 2, 3, -8], "y": [1.0, 2, 3, 1000]})
    variables = [Variable(name=name, kind=Kind.NUMERIC, missing=("-8",)) for name in "xy"]
    (found,) = dependence(original, original, variables=variables)
    assert found.association.original == pytest.approx(1)
    assert (found.low, found.high) == (None, None)  # three records have no interval


def test_many_levels_take_no_more_room_than_records() -> None:
    ids = pl.DataFrame({"a": [str(i) for i in range(50_000)], "b": [str(-i) for i in range(50_000)]})
    (found,) = dependence(ids, ids)
    assert found.association.original == pytest.approx(1)
