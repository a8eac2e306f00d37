"""What is expected of a table: formulas against draws, and draws against the truth."""

import numpy as np
import pytest
from scipy.stats import kstest

from lookalike.errors import BadPlan
from lookalike.utility.origin import How, Origin
from lookalike.utility.table_bootstrap import DrawnNull, bootstrap_null
from lookalike.utility.table_nulls import Freedom, Null, expectations, p_values, sparse_cells
from lookalike.utility.tables import Table

MEASURED = ["VW", "JSD", "SPECKS", "WMabsDD", "U"]


def one_way(original, release) -> Table:
    o, s = np.asarray(original), np.asarray(release)
    return Table(("v",), (len(o),), np.arange(len(o)), o, s)


def release_of(original: np.ndarray, law: np.ndarray, size: int, null: Null, rng: np.random.Generator) -> np.ndarray:
    shares = original / original.sum()
    if null is Null.PROPER:
        shares = rng.standard_gamma(original)
        shares /= shares.sum()
    elif null is Null.RESAMPLED:
        shares = rng.multinomial(original.sum(), shares) / original.sum()
    elif null is Null.INDEPENDENT:
        shares = law
    return rng.multinomial(size, shares)


@pytest.mark.parametrize("null", Null)
@pytest.mark.parametrize(("n1", "n2", "cells"), [(1000, 1000, 12), (300, 900, 40)])
def test_p_values_by_drawing_are_uniform(null, n1, n2, cells) -> None:
    rng = np.random.default_rng(20)
    found: dict[str, list[float]] = {name: [] for name in MEASURED}
    for _ in range(120):  # 500 in benchmarks/utility_tables.py
        law = rng.dirichlet(np.full(cells, 1.5))
        original = rng.multinomial(n1, law)
        table = one_way(original, release_of(original, law, n2, null, rng))
        drawn = bootstrap_null(table, null, rng=rng, draws=99, measures=MEASURED)
        for name, one in drawn.items():
            # Ties are broken at random: without that p-values are a little too large where a measure has few values.
            found[name].append((one.above + rng.random() * (1 + one.equal)) / (1 + one.draws))
    for name, values in found.items():
        assert kstest(values, "uniform").pvalue > 0.01, name


@pytest.mark.parametrize("null", Null)
@pytest.mark.parametrize(("n1", "n2", "cells"), [(1000, 1000, 2), (2000, 500, 8), (1000, 4000, 20)])
def test_formulas_agree_with_draws(null, n1, n2, cells) -> None:
    rng = np.random.default_rng(3)
    law = rng.dirichlet(np.full(cells, 20.0))
    original = rng.multinomial(n1, law)
    table = one_way(original, release_of(original, law, n2, null, rng))
    drawn = bootstrap_null(table, null, rng=rng, draws=6000)
    expected = expectations(Freedom.of(table), null)
    for name, formula in expected.items():
        assert drawn[name].expected == pytest.approx(formula, rel=0.06), name
    for name in ("VW", "FT", "G"):
        df = cells - 1
        assert drawn[name].deviation == pytest.approx((2 * df) ** 0.5 * null.spread(n1, n2), rel=0.12), name


def test_p_values_by_formula_are_those_of_draws_where_cells_are_full() -> None:
    rng = np.random.default_rng(4)
    original = np.array([300, 200, 400, 100])
    for _ in range(5):
        table = one_way(original, rng.multinomial(500, original / 1000))
        drawn = bootstrap_null(table, Null.IMPROPER, rng=rng, draws=2000)
        found = p_values(Freedom.of(table), {n: d.value for n, d in drawn.items()}, Null.IMPROPER)
        assert set(found) == {"VW", "FT", "G", "JSD", "dBhatt"}
        for name, value in found.items():
            assert drawn[name].p_value == pytest.approx(value, abs=0.04), name


def test_the_right_null_gives_a_ratio_near_one_and_the_wrong_one_does_not() -> None:
    rng = np.random.default_rng(5)
    law = np.full(10, 0.1)
    ratios = []
    for _ in range(400):
        original = rng.multinomial(1000, law)
        table = one_way(original, release_of(original, law, 1000, Null.PROPER, rng))
        value = bootstrap_null(table, Null.PROPER, rng=rng, draws=1, measures=["VW"])["VW"].value
        ratios.append([value / expectations(Freedom.of(table), null)["VW"] for null in (Null.PROPER, Null.IMPROPER)])
    right, wrong = np.mean(ratios, axis=0)
    assert right == pytest.approx(1, abs=0.07)
    assert wrong == pytest.approx(2, abs=0.14)


def test_kept_variables_are_held_fixed() -> None:
    # Sex is kept; the illness is drawn within it. K = 6 cells, 2 of them lost: df = 4.
    rng = np.random.default_rng(6)
    original, values, p = np.array([30, 40, 30, 200, 100, 100]), [], []
    for _ in range(300):
        release = np.concatenate([rng.multinomial(100, original[:3] / 100), rng.multinomial(400, original[3:] / 400)])
        table = Table(("sex", "ill"), (2, 3), np.arange(6), original, release, known=("sex",))
        assert Freedom.of(table).df == 4
        drawn = bootstrap_null(table, Null.IMPROPER, rng=rng, draws=99, measures=["VW", "SPECKS"])
        values.append([drawn["VW"].value, drawn["SPECKS"].value])
        p.append(drawn["VW"].p_value)
    expected = expectations(Freedom.of(table), Null.IMPROPER)
    assert np.mean(values, axis=0) == pytest.approx([expected["VW"], expected["SPECKS"]], rel=0.08)
    assert kstest(p, "uniform").pvalue > 0.01


def test_a_drawn_size_loses_no_degree_of_freedom() -> None:
    rng = np.random.default_rng(7)
    original, values = np.array([300, 200, 500]), []
    for _ in range(2000):
        s = rng.poisson(original * 0.5)
        e = original * 0.5
        values.append(((s - e) ** 2 / e).sum())
    table = one_way(original, s)
    assert Freedom.of(table, size_drawn=True).df == 3
    assert np.mean(values) == pytest.approx(3, rel=0.06)


def test_cells_of_the_release_alone_are_impossible_under_the_null() -> None:
    table = one_way([50, 50, 0], [48, 48, 4])
    drawn = bootstrap_null(table, Null.IMPROPER, rng=np.random.default_rng(8), draws=199, measures=["VW", "G"])
    assert drawn["VW"].p_value < 0.02  # (4 − 0)²/2 alone is 8, where 1 is expected of two cells
    assert drawn["G"].value == 0  # new cells are not seen by it
    smooth = bootstrap_null(table, Null.PROPER, rng=np.random.default_rng(8), draws=199, prior=5.0, measures=["VW"])
    assert smooth["VW"].p_value > drawn["VW"].p_value


def test_a_prior_spreads_the_law_to_cells_the_original_lacks() -> None:
    table = one_way([50, 50, 0], [48, 48, 4])
    prior, none = (
        bootstrap_null(table, Null.PROPER, rng=np.random.default_rng(9), draws=500, prior=a, measures=["SPECKS"])
        for a in (5.0, 0.0)
    )
    assert prior["SPECKS"].expected > none["SPECKS"].expected


def test_one_cell_has_no_spread_and_no_ratio() -> None:
    found = bootstrap_null(one_way([5], [7]), Null.IMPROPER, rng=np.random.default_rng(1), draws=9)["VW"]
    assert (found.value, found.expected, found.ratio, found.z, found.p_value) == (0, 0, None, None, 1.0)


def test_p_value_ratio_and_z_by_hand() -> None:
    found = DrawnNull(value=3.0, expected=1.5, deviation=0.5, above=3, equal=1, draws=99)
    assert (found.p_value, found.ratio, found.z) == (0.05, 2.0, 3.0)


def test_the_ratio_of_an_area_is_that_of_what_is_above_one_half() -> None:
    table = one_way([30, 40, 30], [33, 38, 29])
    drawn = bootstrap_null(table, Null.IMPROPER, rng=np.random.default_rng(1), draws=200, measures=["U", "AUC"])
    assert drawn["AUC"].ratio == pytest.approx((drawn["AUC"].value - 0.5) / (drawn["AUC"].expected - 0.5))
    assert drawn["U"].ratio == pytest.approx(drawn["AUC"].ratio)


def test_large_tables_are_drawn_in_parts(monkeypatch) -> None:
    from lookalike.utility import table_bootstrap

    table = one_way([10, 20, 30], [12, 18, 30])
    monkeypatch.setattr(table_bootstrap, "AT_ONCE", 9)
    found = bootstrap_null(table, Null.IMPROPER, rng=np.random.default_rng(1), draws=50, measures=["VW"])["VW"]
    assert found.draws == 50


def test_null_of_an_origin() -> None:
    assert Null.of(Origin()) is Null.IMPROPER
    assert Null.of(Origin(proper=True)) is Null.PROPER
    assert Null.of(Origin(how=How.INDEPENDENT)) is Null.INDEPENDENT
    assert Null.of(Origin(how=How.CHANGED)) is None
    assert Null.of(Origin(how=How.POPULATIONS, proper=True)) is Null.PROPER


def test_sparse_cells_are_those_below_five_expected() -> None:
    assert sparse_cells(one_way([100, 4, 5], [100, 4, 6])) == pytest.approx(1 / 3)


def test_faults_are_told_together() -> None:
    table = Table(("a", "b"), (1, 2), np.arange(2), np.array([1, 2]), np.array([2, 1]), known=("a",))
    with pytest.raises(BadPlan) as told:
        bootstrap_null(table, Null.INDEPENDENT, rng=np.random.default_rng(1), draws=0, prior=-1)
    assert told.value.faults == (
        "At least 1 table must be drawn.",
        "The prior of a table cannot be below 0.",
        "A release that is another sample has kept no variable: leave out the known ones.",
    )
