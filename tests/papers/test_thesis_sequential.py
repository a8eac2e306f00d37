"""Chapter 4 of the thesis (seed 003) through the whole model. Examples of one step stand with the steps."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.models import AllOthers, Sequential
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.sequential import Asked, SequentialLaw
from lookalike.models.steps import Cart
from lookalike.models.steps.tree_fitted import gini

N = 1_000


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def values(column: Column) -> np.ndarray:
    assert isinstance(column, Numbers)
    return column.values


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """The largest gap of two empirical distribution functions."""
    at = np.sort(np.concatenate([one, other]))
    return float(
        np.abs(
            np.searchsorted(np.sort(one), at, "right") / len(one)
            - np.searchsorted(np.sort(other), at, "right") / len(other)
        ).max()
    )


def test_example_4_2_1_income_on_age_is_drawn_around_its_line() -> None:
    # The printed line, 1230.77 + 1500 age with residual variance 11,159,735.665, is not that of its table (see
    # test_regressions); drawn from a file of the printed law, line and variance come back.
    age = rng(1).integers(20, 65, 20_000).astype(float)
    income = 1230.77 + 1500 * age + rng(2).normal(0, np.sqrt(11_159_735.665), 20_000)
    law = Sequential(methods={"2": "norm"}).fit_mixed(Mixed((Numbers(age), Numbers(income))), rng=rng())
    drawn = [values(c) for c in law.sample(20_000, rng=rng(3)).columns]
    slope, start = np.polyfit(drawn[0], drawn[1], 1)
    assert slope == pytest.approx(1500, abs=10)
    assert start == pytest.approx(1230.77, abs=450)
    assert np.var(drawn[1] - slope * drawn[0] - start) == pytest.approx(11_159_735.665, rel=0.05)


@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_example_4_3_1_education_is_missing_as_often_and_stays_so(method: str) -> None:
    education = ["Bachelor's", None, "Master's", None, "Bachelor's", "High School", None, "PhD", "Master's", None]
    table = pl.DataFrame(
        {"age": list(range(25, 75, 5)), "income": list(range(30_000, 130_000, 10_000)), "education": education}
    )
    table = pl.concat([table] * 40)
    release = la.synthesize(
        la.read(table, kinds={"age": "numeric", "income": "numeric"}), Sequential(method=method), rows=4_000
    )
    drawn = release.data.head(4_000)
    assert drawn["education"].null_count() / 4_000 == pytest.approx(0.4, abs=0.04)
    assert set(drawn["education"].drop_nulls()) <= {"Bachelor's", "Master's", "High School", "PhD"}


def test_example_4_4_9_gini() -> None:
    age = np.array([22.0, 25, 28, 30, 40, 40, 45, 50, 55, 60])
    income = np.array([30_000.0, 35_000, 40_000, 40_000, 50_000, 60_000, 80_000, 80_000, 85_000, 90_000])
    gender = np.array([0, 1, 0, 1, 0, 0, 0, 1, 1, 1], np.int32)  # M is 0
    leaf = np.where(age < 40, 0, np.where(income < 75_000, 1, 2))
    assert gini(gender, leaf) == pytest.approx(0.35)  # 0.4 · 0.5 + 0.2 · 0 + 0.4 · 0.375
    # A tree grown on the same data with leaves of two is at least as pure.
    grown = Cart(leaf=2, split=4).fit(Categories(gender, 2), Mixed((Numbers(age), Numbers(income))), rng=rng())
    assert grown.figures["gini"] <= 0.35


def chain() -> Mixed:
    """Example 4.5.1."""
    first = rng(1).exponential(5, N)
    second = first / 2 + rng(2).normal(0, 0.1, N)
    return Mixed((Numbers(first), Numbers(second), Numbers(2 * first + 3 * second + rng(3).normal(0, 0.1, N))))


def drawn_in(order: tuple[str, ...], table: Mixed, method: str) -> list[np.ndarray]:
    law = Sequential(order=order, method=method).fit_named(
        table, Asked(names=("X1", "X2", "X3", "X4")[: len(table.columns)]), rng=rng(5)
    )
    return [values(c) for c in law.sample(N, rng=rng(6)).columns]


@pytest.mark.parametrize("order", [("X1", "X2", "X3"), ("X3", "X2", "X1")], ids=["right", "wrong"])
def test_example_4_5_1_with_so_little_noise_a_line_fits_both_ways(order: tuple[str, ...]) -> None:
    """The thesis finds that the wrong order distorts margins and ties; drawn by lines with noise it does not."""
    table = chain()
    drawn = drawn_in(order, table, "norm")
    assert max(distance(values(c), d) for c, d in zip(table.columns, drawn, strict=True)) < 0.07
    assert np.corrcoef(drawn)[0] == pytest.approx(np.corrcoef([values(c) for c in table.columns])[0], abs=0.005)


def pairs() -> Mixed:
    """Example 4.5.3: two pairs that know nothing of each other."""
    first, third = rng(1).exponential(2, N), rng(2).beta(0.5, 0.5, N)
    second, fourth = 2 * first + rng(3).normal(0, 0.1, N), 5 * third + rng(4).normal(0, 0.1, N)
    return Mixed(tuple(map(Numbers, (first, second, third, fourth))))


def test_example_4_5_3_a_regression_across_the_pairs_distorts_and_4_5_4_all_others_does_not() -> None:
    table = pairs()
    # "X2, X4, X3, X1" by linear regression: X4 on X2 says nothing, so X4 becomes normal instead of a U.
    sequence = drawn_in(("X2", "X4", "X3", "X1"), table, "norm")
    assert distance(values(table.columns[3]), sequence[3]) > 0.1
    law = AllOthers(method="norm").fit_named(table, Asked(names=("X1", "X2", "X3", "X4")), rng=rng(5))
    assert law.details["predictors_used"] == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    found = [values(c) for c in law.sample(N, rng=rng(6)).columns]
    assert max(distance(values(c), d) for c, d in zip(table.columns, found, strict=True)) < 0.06
    assert np.corrcoef(found)[0, 1] > 0.99
    assert np.corrcoef(found)[2, 3] > 0.99
    again = AllOthers(method="norm", again=True).fit_named(table, Asked(names=("X1", "X2", "X3", "X4")), rng=rng(5))
    twice = [values(c) for c in again.sample(N, rng=rng(6)).columns]
    assert max(distance(values(c), d) for c, d in zip(table.columns, twice, strict=True)) < 0.06


def test_example_4_5_3_trees_keep_the_margins_in_any_order() -> None:
    table = pairs()
    sequence = drawn_in(("X2", "X4", "X3", "X1"), table, "cart")
    assert max(distance(values(c), d) for c, d in zip(table.columns, sequence, strict=True)) < 0.07


def test_example_4_5_2_the_order_is_found_and_told() -> None:
    first = rng(1).exponential(0.5, N)
    second = 2 * first + rng(2).normal(size=N)
    table = Mixed(tuple(map(Numbers, (3 * first + 5 * second + rng(3).normal(size=N), first, second))))
    law = Sequential(ordering="regression").fit_named(table, Asked(names=("X3", "X1", "X2")), rng=rng())
    assert isinstance(law, SequentialLaw)
    assert law.details["order"] == ["X1", "X2", "X3"]
    assert "log p" in law.details["order_found_by"]
    assert any(said.startswith("The order is X1, X2, X3") for said in law.caveats)
