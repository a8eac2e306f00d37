"""Which predictors are dropped, copied or chosen, and the order of the columns; examples of thesis section 4.5."""

import numpy as np
import pytest
import statsmodels.api as sm

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.steps.collinear import screen
from lookalike.models.steps.information_matrix import information_on, mutual_information
from lookalike.models.steps.one_to_one import Copied, twins
from lookalike.models.steps.ordering import order_by_detail, order_by_information, order_by_regression
from lookalike.models.steps.selection import ByInformation, ByLasso, ByRidge

ALL = [ByLasso(), ByRidge(), ByInformation()]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def numbers(*columns: np.ndarray) -> Mixed:
    return Mixed(tuple(Numbers(np.asarray(c, np.float64)) for c in columns))


def codes(values: np.ndarray, levels: int, ordered: bool = False) -> Categories:
    return Categories(np.asarray(values, np.int32), levels, ordered)


def two_pairs(seed: int) -> Mixed:
    """Thesis, example 4.5.3: X₂ = 2X₁ + ε and X₄ = 5X₃ + ε, the pairs independent."""
    r = rng(seed)
    a, c = r.exponential(2, 1_000), r.beta(0.5, 0.5, 1_000)
    return numbers(a, 2 * a + r.normal(0, 0.1, 1_000), c, 5 * c + r.normal(0, 0.1, 1_000))


# Predictors that cannot be used


def test_constants_copies_and_combinations_are_dropped_with_reasons() -> None:
    r = rng()
    y, a, b = r.normal(size=(3, 200))
    table = numbers(a, np.full(200, 3.0), -2 * y, b, a - b)
    found = screen(Numbers(y), table, numbers=(2, 3, 5, 7, 8))
    assert found.reasons == (
        "column 3 is constant",
        "column 5 says the same as the column that is drawn",
        "column 8 is a combination of other predictors",
    )
    assert found.kept == (0, 3)


def test_of_two_equal_predictors_the_first_stays() -> None:
    a = rng().normal(size=100)
    assert screen(Numbers(rng(2).normal(size=100)), numbers(a, a, 3 * a)).kept == (0,)


def test_a_share_in_small_units_is_no_constant() -> None:
    small = 1e-4 * rng().random(100)
    assert screen(Numbers(rng(2).normal(size=100)), numbers(small)).kept == (0,)


def test_categories_are_screened_by_their_levels() -> None:
    r = rng()
    region = r.integers(0, 3, 300)
    town = region * 4 + r.integers(0, 4, 300)
    y = Numbers(r.normal(size=300))
    table = Mixed((codes(town, 12), codes(region, 3), codes(np.ones(300), 2)))
    found = screen(y, table)
    assert len(found.kept) == 1
    assert "column 3 is constant" in found.reasons
    renamed = Mixed((codes((town + 5) % 12, 12), codes(r.integers(0, 2, 300), 2)))
    assert screen(codes(town, 12), renamed).kept == (1,)


def test_nothing_is_dropped_without_reason_and_no_predictor_is_no_fault() -> None:
    r = rng()
    table = Mixed((Numbers(r.normal(size=100)), codes(r.integers(0, 3, 100), 3)))
    assert screen(Numbers(r.normal(size=100)), table).kept == (0, 1)
    assert screen(Numbers(r.normal(size=3)), Mixed(())).kept == ()


def test_twins_are_found_and_copied() -> None:
    code = rng().integers(0, 5, 100)
    name = (3 * code + 1) % 5
    price = np.array([1.5, 2.5, 9.0, 7.0, 3.0])[code]
    table = Mixed((codes(code, 5), codes(rng(2).integers(0, 5, 100), 5), codes(name, 5), Numbers(price)))
    assert [(t.first, t.second) for t in twins(table)] == [(0, 2), (0, 3)]
    assert twins(table)[1].why.startswith("column 4 says the same as column 1")
    step = Copied().fit(table.columns[3], table.only([0]), rng=rng())
    assert np.array_equal(step.draw(table.only([0]), rng=rng()).values, price)


def test_columns_of_unique_values_are_twins_only_if_they_rise_or_fall_together() -> None:
    a, b = rng().normal(size=(2, 50))
    found = twins(numbers(a, b, np.exp(a), -b))
    assert [(t.first, t.second) for t in found] == [(0, 2), (1, 3)]
    assert twins(Mixed((codes(np.arange(50), 50), codes(np.arange(50)[::-1], 50)))) == ()


def test_what_cannot_be_copied_is_refused() -> None:
    x = Mixed((codes(np.array([0, 0, 1]), 3),))
    with pytest.raises(BadPlan, match="different values of the column"):
        Copied().fit(Numbers(np.arange(3.0)), x, rng=rng())
    with pytest.raises(BadPlan, match="needs a predictor"):
        Copied().fit(Numbers(np.arange(3.0)), Mixed(()), rng=rng())
    step = Copied().fit(Numbers(np.array([1.0, 1.0, 2.0])), x, rng=rng())
    with pytest.raises(BadPlan, match="1 records have a level of the predictor that no record"):
        step.draw(Mixed((codes(np.array([2]), 3),)), rng=rng())


# Choosing predictors


@pytest.mark.parametrize("seed", range(5))
def test_thesis_example_4_5_4_a_lasso_of_a_hundredth_finds_the_four_pairs(seed: int) -> None:
    table = two_pairs(seed)
    found = []
    for j in range(4):
        others = [k for k in range(4) if k != j]
        kept = ByLasso(penalty=0.01).select(table.columns[j], table.only(others)).kept
        found.append([others[k] for k in kept])
    assert found == [[1], [0], [3], [2]]


def test_thesis_example_4_5_4_in_units_of_the_columns_finds_more_than_the_pairs() -> None:
    # In 200 simulations: standardized 100 %, columns standardized and the response not 99.5 %, nothing 49 %.
    right = 0
    for seed in range(20):
        table = two_pairs(seed)
        kept = ByLasso(penalty=0.01, standardized=False).select(table.columns[3], table.only([0, 1, 2])).kept
        right += kept == (2,)
    assert right < 18


@pytest.mark.parametrize("choice", ALL, ids=repr)
def test_what_tells_something_is_kept_for_any_kind_of_response(choice) -> None:
    r = rng()
    group, other = r.integers(0, 4, 2_000), r.integers(0, 4, 2_000)
    x = r.normal(size=2_000)
    table = Mixed((codes(other, 4), codes(group, 4), Numbers(x), Numbers(np.ones(2_000))))
    number = Numbers(2.0 * (group == 2) + x + r.normal(size=2_000))
    level = codes((group == 1) + 2 * (x > 0.5), 4)
    for response in (number, level):
        kept = set(choice.select(response, table).kept)
        assert {1, 2} <= kept
        assert 3 not in kept


@pytest.mark.parametrize("choice", ALL, ids=repr)
def test_no_predictor_and_a_constant_response_choose_nothing(choice) -> None:
    assert choice.select(Numbers(np.arange(5.0)), Mixed(())).kept == ()
    assert choice.select(Numbers(np.ones(50)), numbers(rng().normal(size=50))).kept == ()
    assert choice.select(codes(np.ones(50), 3), numbers(rng().normal(size=50))).kept == ()


def test_information_sees_what_a_line_does_not_and_keeps_at_most_so_many() -> None:
    r = rng()
    x = r.normal(size=(12, 3_000))
    y = Numbers(x[5] ** 2 + 0.1 * r.normal(size=3_000))
    found = ByInformation(most=3).select(y, numbers(*x))
    assert 5 in found.kept
    assert len(found.kept) <= 3
    assert found.strength.argmax() == 5
    assert 5 not in ByLasso(penalty=0.1).select(y, numbers(*x)).kept


def test_information_is_that_of_the_table_less_its_bias() -> None:
    counts = np.array([[40, 10], [10, 40]])
    a, b = np.repeat([0, 0, 1, 1], counts.ravel()), np.repeat([0, 1, 0, 1], counts.ravel())
    expected = 0.8 * np.log(0.4 / 0.25) + 0.2 * np.log(0.1 / 0.25) - 1 / 200
    table = Mixed((codes(a, 2), codes(b, 2)))
    assert mutual_information(table)[0, 1] == pytest.approx(expected)
    assert information_on(table, 0).tolist() == pytest.approx([np.log(2), expected])


def test_an_unknown_cell_tells_something_too() -> None:
    group = rng().integers(0, 2, 2_000)
    income = np.where(group == 1, np.nan, rng(2).normal(size=2_000))
    assert mutual_information(Mixed((codes(group, 2), Numbers(income))))[0, 1] == pytest.approx(np.log(2), abs=0.02)


def test_impossible_choices_are_refused() -> None:
    for make in (lambda: ByLasso(penalty=0), lambda: ByRidge(least=0), lambda: ByInformation(most=0)):
        with pytest.raises(BadPlan, match=r"must be above 0|at least 1"):
            make()


# The order of the columns


@pytest.mark.parametrize("seed", range(10))
def test_thesis_example_4_5_2_draws_x3_last(seed: int) -> None:
    r = rng(seed)
    a = r.exponential(1 / 2, 100)
    b = 2 * a + r.normal(size=100)
    c = 3 * a + 5 * b + r.normal(size=100)
    found = order_by_regression(numbers(a, b, c))
    # The thesis prints the list X₃, X₁, X₂ in which they are set aside; the last two have the same p-value.
    assert found.columns == (0, 1, 2)
    assert found.sentence.startswith("The order is column 1, column 2, column 3")
    theirs = [sm.OLS(c, sm.add_constant(np.column_stack([a, b]))).fit(), sm.OLS(b, sm.add_constant(a)).fit()]
    assert found.figures["explained by those before"][[2, 1]] == pytest.approx([m.rsquared for m in theirs])
    assert found.figures["log p"][[2, 1]] == pytest.approx([np.log(m.f_pvalue) for m in theirs])


def test_thesis_example_4_5_1_finds_the_order_of_the_simulation() -> None:
    r = rng()
    a = r.exponential(5, 1_000)
    b = a / 2 + r.normal(0, 0.1, 1_000)
    found = order_by_regression(numbers(a, b, 2 * a + 3 * b + r.normal(0, 0.1, 1_000)))
    assert found.columns == (0, 1, 2)
    assert np.isfinite(found.figures["log p"]).all()  # as numbers these p-values are 0


def test_thesis_example_4_5_3_puts_a_pair_apart() -> None:
    # The thesis finds X₂, X₄, X₃, X₁: a pair at the ends, the other between. Which of a pair is first is chance.
    for seed in range(5):
        first, second, third, last = order_by_regression(two_pairs(seed)).columns
        assert {first, last} == {0, 1}
        assert {second, third} == {2, 3}


def test_the_log_of_a_p_value_goes_on_where_the_p_value_ends() -> None:
    from lookalike.models.steps.ordering import _log_p

    # With 2 slopes P = (1 − R²)^{free/2}.
    assert _log_p(0.999, 2, 1_000) == pytest.approx(500 * np.log(0.001))
    assert _log_p(0.5, 2, 20) == pytest.approx(10 * np.log(0.5))


def test_order_by_regression_takes_ordered_levels_and_copies_and_refuses_the_rest() -> None:
    r = rng()
    x = r.normal(size=50)
    table = Mixed((Numbers(x), codes(x > 0, 2), codes(np.digitize(x, [-1, 1]), 3, True), Numbers(2 * x)))
    assert sorted(order_by_regression(table).columns) == [0, 1, 2, 3]
    with pytest.raises(BadPlan, match="column 1 has levels without an order"):
        order_by_regression(Mixed((codes(np.arange(3), 3),)))
    with pytest.raises(BadPlan, match="needs every cell known"):
        order_by_regression(numbers(np.array([1.0, np.nan])))
    with pytest.raises(BadPlan, match="at least one column"):
        order_by_information(Mixed(()))


def test_order_by_detail_puts_unknown_and_coarse_columns_first() -> None:
    r = rng()
    income = r.gamma(2, 1_000, 200)
    gaps = np.where(r.random(200) < 0.2, np.nan, r.normal(size=200))
    table = Mixed((Numbers(income), codes(r.integers(0, 20, 200), 20), codes(r.integers(0, 2, 200), 2), Numbers(gaps)))
    found = order_by_detail(table)
    assert found.columns == (3, 2, 1, 0)
    assert found.figures["detail"][-1] == pytest.approx(200)
    assert found.figures["share unknown"][0] > 0.1


def test_order_by_information_puts_each_column_after_its_best_partner() -> None:
    r = rng()
    a = r.normal(size=5_000)
    b = a + 0.3 * r.normal(size=5_000)
    c = b + 0.3 * r.normal(size=5_000)
    noise = r.normal(size=5_000)
    found = order_by_information(numbers(noise, c, a, b), threads=2)
    assert found.columns[0] == 3  # b tells most of the others
    assert found.columns[-1] == 0
    assert found.figures["told by one before"][0] == 0
    told = mutual_information(numbers(noise, c, a, b))
    assert found.figures["told by one before"].sum() == pytest.approx(told[3, 1] + told[3, 2] + told[0, 1:].max())
