"""Regression steps: the contract, agreement with statsmodels, recovery, the thesis's examples, calibrated utility."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.miscmodels.ordinal_model import OrderedModel

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps import FittedStep, Step
from lookalike.models.steps.cells import Nested, Saturated
from lookalike.models.steps.design import Design
from lookalike.models.steps.logistic import Logistic
from lookalike.models.steps.multinomial import FittedMultinomial, Multinomial
from lookalike.models.steps.normal import Normal
from lookalike.models.steps.one_thread import one_thread
from lookalike.models.steps.ordinal import FittedOrdinal, Ordinal
from lookalike.models.steps.plain import Constant, Sample
from lookalike.models.steps.rank import NormalRank
from lookalike.models.steps.transformed import CubeRootNormal, LogNormal, SqrtNormal

NUMERIC = [Normal(), LogNormal(), SqrtNormal(), CubeRootNormal(), NormalRank()]
CATEGORICAL = [Logistic(), Logistic(pseudo="none"), Multinomial(), Multinomial(pseudo="equal"), Ordinal()]
DONORS = [Sample(), Nested(column=1), Saturated()]
ALL = [*NUMERIC, *CATEGORICAL, *DONORS, Constant(value=1)]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def nothing(records: int) -> Mixed:
    """Predictors that say only how many records there are."""
    return Mixed((Categories(np.zeros(records, np.int32), 1),))


def predictors(n: int, seed: int = 0) -> Mixed:
    r = rng(seed)
    group = r.integers(0, 3, n).astype(np.int32)
    return Mixed((Numbers(r.normal(50, 10, n)), Categories(group, 4), Categories(group // 2, 3, True)))


def response(step: Step, table: Mixed, seed: int = 0) -> Column:
    x = table.columns[0].values if table.columns else np.zeros(0)
    r = rng(seed + 1)
    if step in NUMERIC:
        return Numbers(np.round(np.abs(x + r.normal(0, 5, len(x))), 1))
    levels = 2 if isinstance(step, Logistic) else 3
    found = (x > 50).astype(np.int32) + (r.random(len(x)) < 0.3) * (levels - 2)
    return Categories(np.asarray(found, np.int32), levels + 1, True)


def suited(step: Step, table: Mixed) -> Mixed:
    """Cells are made of categories only."""
    return table.only([1, 2]) if isinstance(step, Saturated) else table


def cells(column: Column) -> np.ndarray:
    return column.values if isinstance(column, Numbers) else column.codes


def sound(drawn: Column, like: Column, records: int) -> bool:
    same = type(drawn) is type(like) and len(drawn) == records and bool(drawn.known.all())
    if isinstance(drawn, Categories) and isinstance(like, Categories):
        return same and (drawn.levels, drawn.ordered) == (like.levels, like.ordered) and drawn.codes.dtype == np.int32
    return same and bool(np.isfinite(cells(drawn)).all())


# The contract


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize("step", ALL, ids=repr)
def test_the_same_rng_gives_the_same_cells_on_any_threads_and_the_input_stays(step: Step, proper: bool) -> None:
    table = predictors(300)
    y, x = response(step, table), suited(step, table)
    before = [cells(c).copy() for c in (y, *x.columns)]
    found = []
    for threads in (1, 2):
        fitted = step.fit(y, x, rng=rng(), proper=proper, threads=threads)
        found.append(fitted.draw(x, rng=rng(2), threads=threads))
    assert isinstance(step, Step)
    assert isinstance(fitted, FittedStep)
    assert all(isinstance(c, str) for c in fitted.caveats)
    assert all(isinstance(float(v), float) for v in fitted.figures.values())
    assert np.array_equal(cells(found[0]), cells(found[1]))
    assert sound(found[0], y, 300)
    assert all(np.array_equal(cells(c), b) for c, b in zip((y, *x.columns), before, strict=True))


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize("step", ALL, ids=repr)
def test_one_row_no_predictor_and_constants_have_an_answer(step: Step, proper: bool) -> None:
    one = predictors(1)
    y = response(step, one)
    fitted = step.fit(y, suited(step, one), rng=rng(), proper=proper)
    assert sound(fitted.draw(suited(step, one), rng=rng()), y, 1)

    table = predictors(200)
    y = response(step, table)
    assert sound(step.fit(y, Mixed(()), rng=rng(), proper=proper).draw(nothing(50), rng=rng()), y, 50)

    same = Mixed(tuple(c.take(np.zeros(200, np.int64)) for c in table.columns))
    x = suited(step, same)
    assert sound(step.fit(y, x, rng=rng(), proper=proper).draw(x, rng=rng()), y, 200)
    flat = y.take(np.zeros(200, np.int64))
    drawn = step.fit(flat, suited(step, table), rng=rng(), proper=proper).draw(suited(step, table), rng=rng())
    assert sound(drawn, flat, 200)
    if not isinstance(step, Constant):
        assert np.allclose(cells(drawn), cells(flat))


@pytest.mark.parametrize("rows", [60, 400])
@pytest.mark.parametrize("step", ALL, ids=repr)
def test_three_hundred_predictors_are_taken_even_if_there_are_fewer_rows(step: Step, rows: int) -> None:
    r = rng(4)
    table = predictors(rows)
    y = response(step, table)
    more = [Categories(r.integers(0, 2, rows).astype(np.int32), 2) for _ in range(150)]
    noise = [] if isinstance(step, Saturated) else [Numbers(r.normal(size=rows)) for _ in range(147)]
    wide = Mixed((*table.columns[1:], *more, *noise, *([] if isinstance(step, Saturated) else table.columns[:1])))
    step = replace(step, column=0) if isinstance(step, Nested) else step
    assert sound(step.fit(y, wide, rng=rng()).draw(wide, rng=rng()), y, rows)


@pytest.mark.parametrize("step", [*NUMERIC, *CATEGORICAL], ids=repr)
def test_collinear_and_separating_predictors_have_an_answer(step: Step) -> None:
    table = predictors(100)
    x = table.columns[0].values
    copies = Mixed((Numbers(x), Numbers(2 * x), Categories((x > 50).astype(np.int32), 2)))
    y = response(step, table)
    split = y if step in NUMERIC else Categories((x > 50).astype(np.int32), 2, True)
    for proper in (False, True):
        assert sound(step.fit(split, copies, rng=rng(), proper=proper).draw(copies, rng=rng()), split, 100)


@pytest.mark.parametrize("step", NUMERIC, ids=repr)
def test_categories_are_refused_where_numbers_are_drawn(step: Step) -> None:
    with pytest.raises(BadPlan, match="draws numbers; the column holds categories"):
        step.fit(Categories(np.zeros(3, np.int32), 1), Mixed(()), rng=rng())


@pytest.mark.parametrize("step", CATEGORICAL, ids=repr)
def test_numbers_are_refused_where_categories_are_drawn(step: Step) -> None:
    with pytest.raises(BadPlan, match="draws categories; the column holds numbers"):
        step.fit(Numbers(np.zeros(3)), Mixed(()), rng=rng())


def test_what_a_step_cannot_draw_is_refused() -> None:
    three = Categories(np.array([0, 1, 2], np.int32), 3)
    with pytest.raises(BadPlan, match="Logistic draws two levels; the column has 3"):
        Logistic().fit(three, Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="Ordinal needs levels with an order"):
        Ordinal().fit(three, Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="2 of 3 values are negative"):
        LogNormal().fit(Numbers(np.array([-1.0, -2.0, 3.0])), Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="takes the square root"):
        SqrtNormal().fit(Numbers(np.array([-1.0])), Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="'ridge' must be at least 0"):
        Normal(ridge=-1)
    with pytest.raises(BadPlan, match="'pseudo' is 'shares', 'equal' or 'none'"):
        Logistic(pseudo="some")  # type: ignore[arg-type]


# The design matrix


def test_a_level_not_seen_in_the_fit_counts_as_the_reference() -> None:
    seen = Mixed((Categories(np.array([0, 2, 2, 3], np.int32), 5),))
    design = Design.of(seen)
    rows = design.matrix(Mixed((Categories(np.array([2, 1, 4, 0], np.int32), 5),)))
    assert design.width == 3  # the intercept, 0 and 3; 2 is the most frequent
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[3])


def test_the_matrix_in_blocks_is_the_matrix() -> None:
    table = predictors(50)
    design = Design.of(table)
    pieces = [part for _, part in design.blocks(table, rows=7)]
    assert np.array_equal(np.vstack(pieces), design.matrix(table))


def test_fits_that_overlap_leave_the_threads_of_linear_algebra_as_they_were() -> None:
    from threadpoolctl import threadpool_info

    def now() -> list[int]:
        return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]

    before = now()
    first, second = one_thread(), one_thread()
    with first:
        second.__enter__()
        assert set(now()) == {1}
    assert set(now()) == {1}
    second.__exit__(None, None, None)
    assert now() == before


# Against statsmodels


def design_of(n: int = 2_000) -> tuple[Mixed, np.ndarray, np.ndarray]:
    """Predictors, the same with an intercept as statsmodels takes them, and a linear index of them."""
    r = rng(3)
    x, c = r.normal(50, 10, (n, 2)), np.sort(r.integers(0, 3, n)).astype(np.int32)
    reference = np.bincount(c).argmax()
    dummies = [(c == k) * 1.0 for k in range(3) if k != reference]
    index = 0.05 * (x[:, 0] - 50) - 0.08 * (x[:, 1] - 50) + 0.7 * (c == 2)
    table = Mixed((Numbers(x[:, 0]), Numbers(x[:, 1]), Categories(c, 3)))
    return table, np.column_stack([np.ones(n), x, *dummies]), index


def test_normal_is_least_squares() -> None:
    table, matrix, index = design_of()
    y = index + rng(5).normal(size=len(index))
    ours, theirs = Normal(ridge=0.0).fit(Numbers(y), table, rng=rng()), sm.OLS(y, matrix).fit()
    assert np.allclose(ours.coefficients, theirs.params, atol=1e-9)
    assert ours.figures["deviation"] ** 2 == pytest.approx(theirs.scale, rel=1e-9)  # RSS/(n − q)
    assert ours.figures["explained"] == pytest.approx(theirs.rsquared, rel=1e-9)


def test_a_year_as_predictor_is_not_pulled_to_zero_by_the_ridge() -> None:
    # Σx² of years is 40,000 times their variance: a ridge of 1e-5 Σx² without centring would make 2.33 of the slope.
    year = rng().normal(2_000, 10, 5_000)
    y = Numbers(3 * year + rng(2).normal(size=5_000))
    slope = Normal().fit(y, Mixed((Numbers(year),)), rng=rng()).coefficients[1]
    assert slope == pytest.approx(3, abs=0.005)


def test_logistic_without_pseudo_records_is_maximum_likelihood() -> None:
    table, matrix, index = design_of()
    y = (rng(5).random(len(index)) < 1 / (1 + np.exp(-index))).astype(np.int32)
    found = Logistic(pseudo="none").fit(Categories(y, 2), table, rng=rng())
    assert np.allclose(found.coefficients, sm.Logit(y, matrix).fit(disp=0).params, atol=1e-5)


def test_logistic_with_pseudo_records_is_the_weighted_fit_of_the_rows_and_them() -> None:
    r = rng(5)
    x = r.normal(size=40)
    y = (x + r.normal(size=40) > 0.5).astype(np.int32)
    z, share = (x - x.mean()) / x.std(), y.mean()
    for pseudo, parts in (("equal", [0.5, 0.5]), ("shares", [1 - share, share])):
        # p = 1: two pseudo-records at ±½ for each class, together of weight p + 1 = 2.
        points, labels = np.array([0.5, -0.5, 0.5, -0.5]), np.array([0, 0, 1, 1])
        weights = np.concatenate([np.ones(40), 2 * np.repeat(parts, 2) / 2])
        rows = sm.add_constant(np.concatenate([z, points]))
        family = sm.families.Binomial()
        theirs = sm.GLM(np.concatenate([y, labels]), rows, family=family, freq_weights=weights).fit()
        ours = Logistic(pseudo=pseudo).fit(Categories(y, 2), Mixed((Numbers(x),)), rng=rng())
        assert np.allclose(ours.scaled, theirs.params, atol=1e-5)


def test_multinomial_without_pseudo_records_is_maximum_likelihood() -> None:
    table, matrix, index = design_of()
    r = rng(5)
    y = np.where(r.random(len(index)) < 0.5, (index > 0) + 2 * (index > 1), r.integers(0, 4, len(index)))
    found = Multinomial(pseudo="none", tolerance=1e-12).fit(Categories(y.astype(np.int32), 4), table, rng=rng())
    theirs = sm.MNLogit(y, matrix).fit(disp=0, method="newton", maxiter=50)
    assert np.allclose(found.coefficients, theirs.params, atol=1e-5)


def test_multinomial_of_two_levels_is_logistic() -> None:
    table, _, index = design_of(500)
    y = Categories((index > rng(5).logistic(size=500)).astype(np.int32), 2)
    many = Multinomial(tolerance=1e-12).fit(y, table, rng=rng())
    assert np.allclose(many.coefficients[:, 0], Logistic().fit(y, table, rng=rng()).coefficients, atol=1e-5)


def test_ordinal_without_pseudo_records_is_maximum_likelihood() -> None:
    table, matrix, index = design_of()
    y = np.digitize(index + rng(5).logistic(size=len(index)), [-1, 0.5, 2])
    found = Ordinal(pseudo="none").fit(Categories(y.astype(np.int32), 4, True), table, rng=rng())
    assert isinstance(found, FittedOrdinal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = OrderedModel(y, matrix[:, 1:], distr="logit").fit(method="newton", disp=0, maxiter=100)
    assert np.allclose(found.slopes, theirs.params[:4], atol=1e-5)
    assert np.allclose(found.thresholds, theirs.model.transform_threshold_params(theirs.params)[1:-1], atol=1e-5)


def test_ordinal_that_does_not_converge_says_so_and_is_multinomial() -> None:
    table, _, index = design_of(300)
    y = Categories(np.digitize(index, [-0.5, 0.5]).astype(np.int32), 3, True)
    found = Ordinal(steps=1).fit(y, table, rng=rng())
    assert isinstance(found, FittedMultinomial)
    assert found.caveats[0] == "Proportional odds did not converge: a multinomial regression was taken instead."


# Recovery


def test_proper_draws_of_the_normal_slope_have_the_posterior_variance() -> None:
    x = rng(1).normal(size=400)
    y = Numbers(1 + 2 * x + rng(2).normal(0, 3, 400))
    table, r = Mixed((Numbers(x),)), rng(3)
    drawn = [Normal().fit(y, table, rng=r, proper=True) for _ in range(2_000)]
    theirs = sm.OLS(y.values, sm.add_constant(x)).fit()
    slopes = np.array([fitted.coefficients[1] for fitted in drawn])
    # s²/χ²_{n−q} has the mean of s² (n − q)/(n − q − 2); 2,000 draws give a variance within 3 %.
    assert slopes.var() == pytest.approx(theirs.bse[1] ** 2 * 398 / 396, rel=0.1)
    assert slopes.mean() == pytest.approx(theirs.params[1], abs=4 * theirs.bse[1] / np.sqrt(2_000))
    deviations = np.array([fitted.figures["deviation"] for fitted in drawn])
    assert (1 / deviations**2).mean() == pytest.approx(1 / theirs.scale, rel=0.01)


def test_proper_copies_vary_by_the_posterior_and_the_draw() -> None:
    # The slope of a copy: variance σ²/Sxx from the draw alone, and as much again from the parameters.
    x = rng(1).normal(size=300)
    y = Numbers(2 * x + rng(2).normal(size=300))
    table = Mixed((Numbers(x),))

    def slopes(proper: bool) -> np.ndarray:
        r = rng(3)
        copies = (Normal().fit(y, table, rng=r, proper=proper).draw(table, rng=r).values for _ in range(1_000))
        return np.array([np.polyfit(x, copy, 1)[0] for copy in copies])

    alone = sm.OLS(y.values, sm.add_constant(x)).fit().bse[1] ** 2
    assert slopes(False).var() == pytest.approx(alone, rel=0.15)
    assert slopes(True).var() == pytest.approx(2 * alone, rel=0.15)


def test_proper_draws_of_the_logistic_slope_have_the_posterior_variance() -> None:
    x = rng(1).normal(size=1_000)
    y = (rng(2).random(1_000) < 1 / (1 + np.exp(-x))).astype(np.int32)
    theirs, r = sm.Logit(y, sm.add_constant(x)).fit(disp=0), rng(3)
    step, column, table = Logistic(), Categories(y, 2), Mixed((Numbers(x),))
    slopes = np.array([step.fit(column, table, rng=r, proper=True).coefficients[1] for _ in range(1_000)])
    assert slopes.var() == pytest.approx(theirs.bse[1] ** 2, rel=0.15)
    assert slopes.mean() == pytest.approx(theirs.params[1], abs=0.3 * theirs.bse[1])


@pytest.mark.parametrize("step", [Multinomial(), Ordinal()], ids=repr)
def test_proper_by_bootstrap_varies_the_fit(step: Step) -> None:
    table, _, index = design_of(500)
    y = Categories(np.digitize(index + rng(5).logistic(size=500), [-1, 1]).astype(np.int32), 3, True)
    fits = [step.fit(y, table, rng=rng(seed), proper=True) for seed in (1, 2)]
    drawn = [fitted.draw(table, rng=rng()).codes for fitted in fits]
    assert (drawn[0] != drawn[1]).any()


def test_pseudo_records_by_share_leave_a_rare_level_rare() -> None:
    # 30 predictors weigh 31 records: in equal parts 15.5 of the rare level are added to about 40.
    r = rng(1)
    x = Mixed(tuple(Numbers(column) for column in r.normal(size=(30, 2_000))))
    y = Categories((r.random(2_000) < 0.02).astype(np.int32), 2)
    share = y.codes.mean()
    by_share = np.mean([Logistic().fit(y, x, rng=r).draw(x, rng=r).codes.mean() for _ in range(20)])
    equal = np.mean([Logistic(pseudo="equal").fit(y, x, rng=r).draw(x, rng=r).codes.mean() for _ in range(20)])
    assert by_share == pytest.approx(share, rel=0.1)
    assert equal > 1.25 * share


# Other scales


def test_log_normal_brings_zeros_and_the_median_back() -> None:
    r = rng(1)
    y = np.exp(r.normal(7, 1, 1_000)).round()
    y[:100] = 0
    drawn = LogNormal().fit(Numbers(y), Mixed(()), rng=r).draw(nothing(20_000), rng=r).values
    assert drawn.min() == 0
    assert np.array_equal(drawn, np.round(drawn))  # the decimals of the file, not those of the logarithms
    assert drawn.max() < np.inf


def test_log_normal_of_its_own_law_is_unbiased() -> None:
    r = rng(1)
    x = r.normal(size=5_000)
    y = np.exp(1 + 0.5 * x + r.normal(0, 0.3, 5_000))
    table = Mixed((Numbers(x),))
    drawn = LogNormal().fit(Numbers(y), table, rng=r).draw(table, rng=r).values
    assert drawn.mean() == pytest.approx(y.mean(), rel=0.03)
    assert np.corrcoef(np.log(drawn), x)[0, 1] == pytest.approx(np.corrcoef(np.log(y), x)[0, 1], abs=0.01)


def test_square_roots_below_zero_become_zero_and_cube_roots_keep_their_sign() -> None:
    r = rng(1)
    y = r.chisquare(1, 2_000)
    step = SqrtNormal().fit(Numbers(y), Mixed(()), rng=r)
    drawn = step.draw(nothing(20_000), rng=r).values
    assert (drawn == 0).mean() == pytest.approx(step.figures["below zero"], abs=0.01)
    z = r.normal(size=2_000) ** 3
    back = CubeRootNormal().fit(Numbers(z), Mixed(()), rng=r).draw(nothing(20_000), rng=r).values
    assert np.quantile(back, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(z, [0.1, 0.5, 0.9]), abs=0.35)


def test_normal_rank_keeps_the_margin_and_does_not_copy_the_extremes() -> None:
    r = rng(1)
    x = r.normal(size=2_000)
    y = np.exp(2 * x + r.normal(size=2_000))
    table = Mixed((Numbers(x),))
    step = NormalRank().fit(Numbers(y), table, rng=r)
    drawn = np.concatenate([step.draw(table, rng=r).values for _ in range(10)])
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.log(np.quantile(drawn, levels)) == pytest.approx(np.log(np.quantile(y, levels)), abs=0.1)
    assert not np.isin([y.min(), y.max()], drawn).any()
    assert drawn.min() > y.min()
    assert drawn.max() < y.max()


def test_values_are_rounded_to_the_decimals_of_the_file() -> None:
    y = Numbers(np.array([1.25, 2.5, 3.0, 7.75]))
    drawn = Normal().fit(y, Mixed(()), rng=rng()).draw(nothing(100), rng=rng()).values
    assert np.array_equal(drawn, np.round(drawn, 2))
    free = Normal(rounding=False).fit(y, Mixed(()), rng=rng()).draw(nothing(100), rng=rng()).values
    assert not np.array_equal(free, np.round(free, 2))


# The thesis (seed 003)


def test_thesis_example_4_2_1_prints_a_line_that_is_not_the_least_squares_line_of_its_table() -> None:
    age = np.array([22.0, 25, 28, 30, 35, 40, 45, 50, 55, 60])
    income = np.array([30_000.0, 35_000, 40_000, 45_000, 50_000, 60_000, 70_000, 80_000, 85_000, 90_000])
    found = Normal(ridge=0.0).fit(Numbers(income), Mixed((Numbers(age),)), rng=rng())
    # Sxx = 16,768 − 10·39² = 1,558; Sxy = 25,380,000 − 10·39·58,500 = 2,565,000.
    assert found.coefficients == pytest.approx([58_500 - 39 * 2_565_000 / 1_558, 2_565_000 / 1_558])
    assert found.figures["deviation"] ** 2 == pytest.approx(29_634_146.341 / 8)
    # As printed: 1230.77 + 1500 age, RSS 89,277,885.32, σ² = 11,159,735.665 = RSS/(n − 2).
    assert round(89_277_885.32 / (10 - 2), 3) == 11_159_735.665
    printed = np.sum((income - 1230.77 - 1500 * age) ** 2)
    assert printed == pytest.approx(78_147_947.93)  # neither the least there is, nor what is printed
    assert found.figures["deviation"] ** 2 * 8 < printed < 89_277_885.32


# Calibrated utility


def pmse_ratio(original: Mixed, synthetic: Mixed) -> float:
    """pMSE of a logistic propensity of main effects over its expectation (k − 1)c(1 − c)²/N, here with c = 1/2."""
    columns = [np.concatenate([cells(a), cells(b)]) for a, b in zip(original.columns, synthetic.columns, strict=True)]
    x = Mixed(tuple(Numbers(np.asarray(c, np.float64)) for c in columns))
    n = len(columns[0])
    t = Categories(np.repeat([0, 1], n // 2).astype(np.int32), 2)
    model = Logistic(pseudo="none").fit(t, x, rng=rng())
    score = 1 / (1 + np.exp(-model.design.times(x, model.scaled)))
    return float(np.mean((score - 0.5) ** 2) / (len(columns) * 0.5 * 0.25 / n))


def copy_of(table: Mixed, r: np.random.Generator, proper: bool = False) -> Mixed:
    """Column after column, each by the regression that its own law is."""
    drawn = [Sample().fit(table.columns[0], Mixed(()), rng=r, proper=proper).draw(table, rng=r)]
    for j, column in enumerate(table.columns[1:], 1):
        step = Normal() if isinstance(column, Numbers) else Logistic()
        before = Mixed(table.columns[:j])
        drawn.append(step.fit(column, before, rng=r, proper=proper).draw(Mixed(tuple(drawn)), rng=r))
    return Mixed(tuple(drawn))


def original(r: np.random.Generator, n: int = 1_000) -> Mixed:
    columns: list[Column] = [Numbers(r.normal(size=n))]
    for j in range(1, 9):
        index = sum(cells(c) * (0.5 if k % 2 else -0.4) for k, c in enumerate(columns))
        if j % 3 == 0:
            columns.append(Categories((index > r.logistic(size=n)).astype(np.int32), 2))
        else:
            columns.append(Numbers(index + r.normal(size=n)))
    return Mixed(tuple(columns))


@pytest.mark.parametrize(("proper", "expected"), [(False, 1.0), (True, 2.0)])
def test_normal_and_logistic_are_calibrated_for_data_of_their_own_law(proper: bool, expected: float) -> None:
    # Nine columns, 120 repetitions: the mean ratio has a standard error of √(2/(9·120)) = 0.043.
    # Drawn parameters double the expectation at c = 1/2: (k − 1)c(1 − c)/N.
    ratios = []
    for seed in range(120):
        r = rng(seed)
        table = original(r)
        ratios.append(pmse_ratio(table, copy_of(table, r, proper)))
    assert 0.9 * expected < np.mean(ratios) < 1.1 * expected
