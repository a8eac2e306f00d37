from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lookalike.errors import BadPlan, NotAssessable
from lookalike.risk.suda import Suda, dis_scores, minimal_sample_uniques, suda

KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


def classes(records):
    table, counts = np.unique(np.asarray(records, dtype=np.int64), axis=0, return_counts=True)
    return table, counts


def brute(records, largest):
    """MSUs of each record, straight from the definition."""
    q = records.shape[1]
    found = [[] for _ in records]
    for size in range(1, largest + 1):
        for subset in combinations(range(q), size):
            part = records[:, subset]
            for row, mine in enumerate(found):
                unique = (part == part[row]).all(axis=1).sum() == 1
                if unique and not any(set(m) <= set(subset) for m in mine):
                    mine.append(subset)
    return found


def adult(shared: Path):
    data = pl.read_csv(shared / "data" / "adult_arx.csv").select(
        pl.col(KEY7).cast(pl.String).rank("dense").cast(pl.Int64)
    )
    return np.unique(data.to_numpy(), axis=0, return_inverse=True, return_counts=True)


def test_a_record_with_a_twin_on_each_pair_needs_all_three_variables():
    # Row 0 has a twin on every pair. Each other row is alone on one variable.
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])
    result = suda(codes, np.ones(4, dtype=np.int64), ["x", "y", "z"])
    assert result.scores.tolist() == [factorial(0), factorial(2), factorial(2), factorial(2)]
    assert result.uniques_by_size == {1: 3, 2: 0, 3: 1}
    assert result.contributions == pytest.approx(dict.fromkeys("xyz", 100 * (2 + 1) / 7))


def test_a_record_adds_up_its_minimal_uniques():
    # Row 0 is alone on {x, y} and on {y, z}; row 1 on {x, z}; the class of two on nothing.
    codes, sizes = (
        np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1], [2, 0, 0], [2, 1, 0]]),
        np.array([1, 1, 2, 3, 3]),
    )
    result = suda(codes, sizes, ["x", "y", "z"])
    assert result.scores.tolist() == [2 * factorial(1), factorial(1), 0, 0, 0]
    assert result.contributions == pytest.approx({"x": 100 * 2 / 3, "y": 100 * 2 / 3, "z": 100 * 2 / 3})


def test_contributions_are_shares_of_the_total_score():
    # Row 0: {x}, 1! = 1. Row 1: {y}, 1. Rows 2 and 3: nothing. Row 4: {x, y}, 0! = 1.
    codes, sizes = np.array([[5, 0], [0, 7], [1, 0], [0, 0], [1, 1], [0, 1]]), np.array([1, 1, 2, 2, 1, 2])
    result = suda(codes, sizes, ["x", "y"])
    assert result.scores.tolist() == [1, 1, 0, 0, 1, 0]
    assert result.contributions == pytest.approx({"x": 100 * 2 / 3, "y": 100 * 2 / 3})
    assert result.uniques_by_size == {1: 2, 2: 1}
    assert result.records == 9
    assert result.mean_score == pytest.approx(3 / 9)


def test_dis_follows_its_formula():
    scores, sizes = np.array([6.0, 2.0, 0.0, 0.0]), np.array([1, 1, 2, 5])
    power = np.array([6.0, 2.0]) ** (1 + (8 - 4) / 20)
    theta = 0.1 * 2 / (0.1 * 2 + 2 * 0.9 * 1)
    odds = theta / (1 - theta) * power * (1 / power).mean()
    dis = dis_scores(scores, sizes, 4, fraction=0.1)
    assert dis[:2] == pytest.approx(odds / (1 + odds))
    assert dis[2:].tolist() == [0, 0]


def test_dis_is_one_for_every_unique_where_the_file_has_no_pairs():
    result = suda(np.array([[0, 0], [1, 1], [2, 1]]), np.array([1, 1, 3]), ["x", "y"])
    assert result.dis.tolist() == [1, 1, 0]
    assert result.mean_dis == pytest.approx(2 / 5)


def test_max_size_leaves_out_larger_sets_and_shortens_the_product():
    codes, sizes = classes([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [2, 0, 0, 0], [3, 3, 3, 3]])
    result = suda(codes, sizes, list("abcd"), max_size=2)
    assert result.uniques_by_size == {1: 5, 2: 4}
    # prod_{i=1}^{2} (4 - i) = 3 * 2 for one variable, (4 - 2) for two.
    assert result.scores[-1] == 4 * (4 - 1) * (4 - 2)
    assert result.scores[0] == 4 - 2
    only_one = suda(codes, sizes, list("abcd"), max_size=1)
    assert only_one.scores.tolist() == [0, 0, 0, 0, 3, 4 * 3]
    assert suda(codes, sizes, list("abcd"), max_size=9).scores[-1] == 4 * factorial(3)


def test_missing_is_a_category_of_its_own():
    result = suda(np.array([[-1, 0], [0, 0], [1, 0]]), np.array([1, 4, 3]), ["x", "y"])
    assert result.scores.tolist() == [1, 0, 0]
    two_missing = suda(np.array([[-1, 0], [-1, 1], [0, 0], [0, 1]]), np.array([1, 3, 2, 2]), ["x", "y"])
    assert two_missing.uniques_by_size == {1: 0, 2: 1}


def test_a_file_of_one_record_is_unique_on_each_variable():
    result = suda(np.array([[3, 1, 4]]), np.array([1]), ["x", "y", "z"])
    assert result.scores.tolist() == [3 * factorial(2)]
    assert result.uniques_by_size == {1: 3, 2: 0, 3: 0}


def test_a_constant_column_contributes_nothing():
    result = suda(np.array([[0, 7], [1, 7], [2, 7]]), np.array([1, 1, 2]), ["x", "constant"])
    assert result.contributions == {"x": 100, "constant": 0}


def test_a_file_without_uniques_scores_zero():
    result = suda(np.array([[0], [1]]), np.array([2, 3]), ["x"])
    assert result.scores.tolist() == result.dis.tolist() == [0, 0]
    assert result.contributions == {"x": 0}


def test_keys_that_do_not_fit_an_integer_are_ranked_anew():
    # Twelve columns of 100 values: 100**12 is above 2**63. All rows differ in the last column only.
    same = np.tile(np.arange(100)[:, None], (1, 12))
    twins = same.copy()
    twins[:, 11] = (twins[:, 11] + 1) % 100
    codes = np.vstack([same, twins])
    found = dict(minimal_sample_uniques(codes, np.ones(200, dtype=np.int64), max_size=2))
    assert all(found[(v, 11)].size == 200 for v in range(11))
    assert sum(alone.size for alone in found.values()) == 11 * 200
    full = suda(codes, np.ones(200, dtype=np.int64), list("abcdefghijkl"))
    assert full.uniques_by_size[2] == 11 * 200
    no_last = suda(np.vstack([same, same])[:, :12], np.ones(200, dtype=np.int64), list("abcdefghijkl"))
    assert no_last.scores.max() == 0


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.integers(-1, 3)),
    st.integers(1, 5),
)
def test_it_equals_the_definition_on_any_small_table(records, max_size):
    q = records.shape[1]
    largest = min(max_size, q)
    codes, sizes = classes(records)
    result = suda(codes, sizes, [f"v{i}" for i in range(q)], max_size=max_size)
    msus = brute(records, largest)
    by_size = {m: sum(len(s) == m for mine in msus for s in mine) for m in range(1, largest + 1)}
    assert result.uniques_by_size == by_size
    weight = {m: np.prod([q - i for i in range(m, min(largest, q - 1) + 1)]) for m in by_size}
    scores = [sum(weight[len(s)] for s in mine) for mine in msus]
    row_class = [int(np.flatnonzero((codes == row).all(axis=1))[0]) for row in records]
    assert result.scores[row_class].tolist() == scores
    total = max(sum(scores), 1)
    for v in range(q):
        part = sum(weight[len(s)] for mine in msus for s in mine if v in s)
        assert result.contributions[f"v{v}"] == pytest.approx(100 * part / total)


@given(hnp.arrays(np.int64, (10, 3), elements=st.integers(0, 4)), st.permutations(range(3)))
def test_the_order_of_variables_does_not_matter(records, order):
    codes, sizes = classes(records)
    one = suda(codes, sizes, ["a", "b", "c"])
    other = suda(codes[:, order], sizes, [["a", "b", "c"][v] for v in order])
    assert one.scores.tolist() == other.scores.tolist()
    assert one.contributions == pytest.approx(other.contributions)


def test_a_search_beyond_the_budget_is_refused_with_the_size_that_fits():
    codes, sizes = np.zeros((1000, 20), dtype=np.int64), np.full(1000, 2)
    with pytest.raises(NotAssessable, match=r"would try 1,048,575 sets on 1,000 classes") as told:
        suda(codes, sizes, [f"v{i}" for i in range(20)], budget=1000 * (20 + 190))
    assert "Let sets have at most 2 variables (plan: [suda] size), or raise the budget." in str(told.value)
    with pytest.raises(NotAssessable, match="Name fewer quasi-identifiers"):
        suda(codes, sizes, [f"v{i}" for i in range(20)], budget=10)
    assert isinstance(suda(codes, sizes, [f"v{i}" for i in range(20)], max_size=2), Suda)


def test_refusals_say_what_is_wrong():
    codes, sizes = np.zeros((1, 2), dtype=np.int64), np.array([1])
    with pytest.raises(BadPlan, match="max_size must be at least 1, got 0"):
        suda(codes, sizes, ["x", "y"], max_size=0)
    with pytest.raises(BadPlan, match="fraction must be above 0 and at most 1, got 0"):
        suda(codes, sizes, ["x", "y"], fraction=0)
    with pytest.raises(NotAssessable, match="got 0 classes on 2"):
        suda(codes[:0], sizes[:0], ["x", "y"])
    with pytest.raises(NotAssessable, match=r"1 to 27 quasi-identifiers .* got 1 classes on 28"):
        suda(np.zeros((1, 28), dtype=np.int64), sizes, [f"v{i}" for i in range(28)], max_size=1)


def test_the_input_is_not_changed():
    codes, sizes = np.array([[-1, 5], [3, 5]]), np.array([1, 2])
    suda(codes, sizes, ["x", "y"])
    assert codes.tolist() == [[-1, 5], [3, 5]]
    assert sizes.tolist() == [1, 2]


def test_adult_has_the_scores_of_sdcmicro(shared):
    codes, inverse, sizes = adult(shared)
    result = suda(codes, sizes, KEY7, fraction=0.05)
    reference = pl.read_csv(shared / "reference" / "suda_adult.csv")
    assert result.scores[inverse.ravel()].tolist() == reference["score"].to_list()
    assert result.dis[inverse.ravel()] == pytest.approx(reference["dis"].to_numpy(), abs=1e-7)
    assert np.count_nonzero(result.scores) == 7653
    assert result.scores.max() == 720
    assert result.mean_score == pytest.approx(11.160865, abs=5e-7)
    assert result.mean_dis == pytest.approx(0.08542363, abs=5e-9)
    assert result.dis.max() == pytest.approx(0.9443426, abs=5e-8)


def test_adult_has_the_contributions_of_sdcmicro(shared):
    codes, _, sizes = adult(shared)
    expected = [80.14, 13.62, 19.16, 30.69, 49.51, 58.10, 27.29]
    result = suda(codes, sizes, KEY7)
    assert list(result.contributions.values()) == pytest.approx(expected, abs=0.005)
