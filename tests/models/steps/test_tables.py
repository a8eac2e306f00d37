"""Joint laws of categories: the saturated table and proportional fitting."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Law, Mixed, Numbers
from lookalike.models.steps.proportional_fit import ProportionalFit
from lookalike.models.steps.tables import SaturatedTable


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def table_of(counts: np.ndarray) -> Mixed:
    rows = np.repeat(np.arange(counts.size), counts.ravel())
    sides = np.unravel_index(rows, counts.shape)
    return Mixed(tuple(Categories(s.astype(np.int32), n) for s, n in zip(sides, counts.shape, strict=True)))


COUNTS = np.array([[[8, 0], [3, 2], [1, 1]], [[2, 5], [0, 4], [6, 0]]])


def random_counts(seed: int = 3) -> np.ndarray:
    return rng(seed).poisson(12, (2, 3, 4)) + 1


def test_the_saturated_table_is_the_counts_and_the_prior() -> None:
    law = SaturatedTable(prior=3.0).fit(table_of(COUNTS), rng=rng())
    assert isinstance(law, Law)
    # n = 32, C = 12, a = 3/12.
    assert law.chances == pytest.approx((COUNTS + 0.25) / 35)
    assert law.figures["empty cells"] == 3
    assert law.figures["in empty cells"] == pytest.approx(32 * 3 * 0.25 / 35)


def test_structural_zeros_get_nothing_and_the_prior_goes_to_the_others() -> None:
    zeros = np.zeros(COUNTS.shape, bool)
    zeros[0, 0, 1] = zeros[1, 1, 0] = True
    law = SaturatedTable(prior=1.0).fit(table_of(COUNTS), rng=rng(), zeros=zeros)
    assert law.chances == pytest.approx(np.where(zeros, 0, (COUNTS + 1 / 10) / 33))
    drawn = law.sample(20_000, rng=rng())
    cells = np.ravel_multi_index([c.codes for c in drawn.columns], COUNTS.shape)
    shares = np.bincount(cells, minlength=12).reshape(COUNTS.shape) / 20_000
    assert shares[zeros].sum() == 0
    assert shares == pytest.approx(law.chances, abs=0.015)


def test_few_records_in_empty_cells_are_told() -> None:
    law = SaturatedTable(prior=0.1).fit(table_of(COUNTS), rng=rng())
    assert "Of 32 records about 0.025 are expected in cells that are empty in the file" in law.caveats[0]
    assert SaturatedTable(prior=100).fit(table_of(COUNTS), rng=rng()).caveats == ()


def test_levels_and_order_are_kept_and_the_same_rng_gives_the_same_records() -> None:
    table = Mixed((Categories(np.array([0, 2], np.int32), 4, True), Categories(np.array([1, 0], np.int32), 2)))
    for law in (SaturatedTable().fit(table, rng=rng()), ProportionalFit().fit(table, rng=rng())):
        one, two = law.sample(50, rng=rng(2), threads=1), law.sample(50, rng=rng(2), threads=2)
        assert [(c.levels, c.ordered) for c in one.columns] == [(4, True), (2, False)]
        assert all(np.array_equal(a.codes, b.codes) for a, b in zip(one.columns, two.columns, strict=True))


def test_proper_tables_are_fitted_to_a_bootstrap_sample() -> None:
    table, r = table_of(COUNTS), rng(4)
    for choice in (SaturatedTable(prior=0.0), ProportionalFit(prior=0.0, ways=3)):
        cell = np.array([choice.fit(table, rng=r, proper=True).chances[0, 0, 0] for _ in range(2_000)])
        assert cell.var() == pytest.approx(8 / 32 * 24 / 32 / 32, rel=0.15)


def test_all_three_way_margins_of_three_columns_are_the_table() -> None:
    counts = random_counts()
    law = ProportionalFit(ways=3, prior=0.0).fit(table_of(counts), rng=rng())
    assert law.chances == pytest.approx(counts / counts.sum())


def test_a_decomposable_model_has_its_closed_form() -> None:
    # Margins AB and BC: p_abc = n_ab. n_.bc / (n_.b. n).
    counts = random_counts()
    law = ProportionalFit(margins=((0, 1), (1, 2)), prior=0.0).fit(table_of(counts), rng=rng())
    ab, bc, b = counts.sum(2), counts.sum(0), counts.sum((0, 2))
    assert law.chances * counts.sum() == pytest.approx(ab[:, :, None] * bc[None] / b[None, :, None])
    assert law.figures["cycles"] <= 3


def test_two_way_margins_are_the_log_linear_model_of_no_three_way_term() -> None:
    counts = random_counts()
    a, b, c = (side.ravel() for side in np.indices(counts.shape))
    dummies = [np.eye(2)[a][:, 1:], np.eye(3)[b][:, 1:], np.eye(4)[c][:, 1:]]
    pairs = [(x[:, :, None] * y[:, None]).reshape(24, -1) for x, y in combinations(dummies, 2)]
    matrix = np.hstack([np.ones((24, 1)), *dummies, *pairs])
    theirs = sm.GLM(counts.ravel(), matrix, family=sm.families.Poisson()).fit()
    law = ProportionalFit(prior=0.0).fit(table_of(counts), rng=rng())
    assert law.chances.ravel() * counts.sum() == pytest.approx(theirs.fittedvalues, abs=1e-5)


def test_margins_are_reached_with_structural_zeros_and_a_prior() -> None:
    counts = random_counts()
    zeros = rng(5).random(counts.shape) < 0.25
    counts[zeros] = 0
    law = ProportionalFit(prior=6.0).fit(table_of(counts), rng=rng(), zeros=zeros)
    smooth = np.where(zeros, 0, counts + 6 / (~zeros).sum())
    assert law.chances[zeros].sum() == 0
    for over in range(3):
        assert law.chances.sum(axis=over) == pytest.approx(smooth.sum(axis=over) / smooth.sum(), abs=1e-8)
    # synthpop sets the zeros after the fit: its margins are then off.
    late = ProportionalFit(prior=6.0).fit(table_of(counts), rng=rng()).chances * ~zeros
    assert np.abs(late.sum(axis=0) / late.sum() - smooth.sum(axis=0) / smooth.sum()).max() > 1e-3


def test_margins_that_are_not_reached_are_told() -> None:
    law = ProportionalFit(steps=1).fit(table_of(random_counts()), rng=rng())
    assert "The margins were not reached in 1 cycles" in law.caveats[-1]


def test_one_record_and_one_column_have_an_answer() -> None:
    one = Mixed((Categories(np.array([1], np.int32), 3),))
    for choice in (SaturatedTable(prior=0.0), ProportionalFit(prior=0.0)):
        assert choice.fit(one, rng=rng()).sample(4, rng=rng()).columns[0].codes.tolist() == [1, 1, 1, 1]


def test_what_cannot_be_a_table_is_refused() -> None:
    code = Categories(np.array([0, 1], np.int32), 2)
    with pytest.raises(BadPlan, match="column 2 holds something else"):
        SaturatedTable().fit(Mixed((code, Numbers(np.zeros(2)))), rng=rng())
    wide = Mixed(tuple(Categories(np.zeros(1, np.int32), 300) for _ in range(3)))
    with pytest.raises(BadPlan, match="27,000,000 cells, at most 20,000,000"):
        ProportionalFit().fit(wide, rng=rng())
    with pytest.raises(BadPlan, match="1 of 2 records lie in cells that are said to be structural zeros"):
        SaturatedTable().fit(Mixed((code,)), rng=rng(), zeros=np.array([True, False]))
    with pytest.raises(BadPlan, match="structural zeros has sides"):
        SaturatedTable().fit(Mixed((code,)), rng=rng(), zeros=np.zeros(3, bool))
    with pytest.raises(BadPlan, match="no margin holds column 2"):
        ProportionalFit(margins=((0,),)).fit(Mixed((code, code)), rng=rng())
    with pytest.raises(BadPlan, match="places of columns, from 0 to 1"):
        ProportionalFit(margins=((0, 2),)).fit(Mixed((code, code)), rng=rng())
    with pytest.raises(BadPlan, match="'prior' must be"):
        SaturatedTable(prior=-1)
    with pytest.raises(BadPlan, match="at least one record"):
        SaturatedTable().fit(Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="'ways' is at least 1"):
        ProportionalFit(ways=0)
