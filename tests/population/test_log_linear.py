from itertools import product

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.models import Counts
from lookalike.models.decomposable import Decomposable
from lookalike.population import LogLinear, Sample
from lookalike.population.misfit import misfit

RNG = np.random.default_rng(0)


def table_of(records: np.ndarray) -> Sample:
    codes, sizes = np.unique(records, axis=0, return_counts=True)
    return Sample.from_codes(codes, sizes)


def chain(n: int, seed: int, levels: int = 4) -> np.ndarray:
    """x0 → x1 → x2, and x3 on its own."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, levels, n)]
    for _ in range(2):
        columns.append(np.where(rng.random(n) < 0.6, columns[-1], rng.integers(0, levels, n)))
    return np.stack([*columns, rng.integers(0, 3, n)], axis=1)


def by_fitting(records: np.ndarray, terms: list[tuple[int, ...]], cells: np.ndarray) -> np.ndarray:
    """Iterative proportional fitting on the whole table: what the closed form must equal."""
    shape = tuple(records.max(axis=0) + 1)
    seen = np.zeros(shape)
    np.add.at(seen, tuple(records.T), 1 / len(records))
    fitted = np.ones(shape) / np.prod(shape)
    for _ in range(200):
        for term in terms:
            others = tuple(j for j in range(len(shape)) if j not in term)
            now = fitted.sum(axis=others, keepdims=True)
            fitted = fitted * seen.sum(axis=others, keepdims=True) / np.where(now > 0, now, 1)
    return fitted[tuple(cells.T)]


@pytest.mark.parametrize(
    "edges", [[], [(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (0, 2)]], ids=str
)
def test_the_closed_form_is_what_proportional_fitting_finds(edges) -> None:
    records = chain(500, 1)
    sample = table_of(records)
    model = Decomposable.main_effects(sample.table)
    for edge in edges:
        assert edge in model.addable(3)
        model = model.joined(*edge)
    terms = [(0, 1, 2), (3,)] if len(edges) == 3 and (0, 2) in edges else [*edges, (0,), (1,), (2,), (3,)]
    assert np.exp(model.log_p) == pytest.approx(by_fitting(records, terms, sample.table.codes), rel=1e-8)
    assert model.on(sample.table).log_p == pytest.approx(model.log_p, abs=1e-10)
    assert model.edges == sorted(edges)


def test_a_circle_of_four_terms_is_not_offered() -> None:
    model = Decomposable.main_effects(table_of(chain(200, 1)).table)
    for edge in [(0, 1), (1, 2), (2, 3)]:
        model = model.joined(*edge)
    assert model.addable(2) == []
    assert model.addable(3) == [(0, 2), (1, 3)]  # not (0, 3): a circle without a chord


def test_a_gain_is_that_of_the_likelihood() -> None:
    sample = table_of(chain(500, 2))
    model = Decomposable.main_effects(sample.table).joined(0, 1)
    gain, parameters = model.gain(1, 2)
    larger = model.joined(1, 2)
    assert gain == pytest.approx(2 * sample.table.counts @ (larger.log_p - model.log_p))
    assert parameters == 9


def test_drawn_cells_follow_the_model() -> None:
    records = chain(400, 3)
    sample = table_of(records)
    model = Decomposable.main_effects(sample.table).joined(0, 1).joined(1, 2)
    cells = np.array(list(product(*(range(k) for k in sample.table.levels))))
    p = by_fitting(records, [(0, 1), (1, 2), (3,)], cells)
    p = p[p > 0]
    drawn = np.exp(model.drawn_log_p(40_000, rng=np.random.default_rng(1)))
    for power in (1, 2):
        error = np.std(drawn**power) / 200
        assert abs((drawn**power).mean() - (p ** (power + 1)).sum()) < 4 * error


def test_misfit_equals_the_sum_over_all_cells() -> None:
    records, people = chain(300, 4), 6000
    sample = table_of(records)
    model = Decomposable.main_effects(sample.table)
    cells = np.array(list(product(*(range(k) for k in sample.table.levels))))
    lam = people * by_fitting(records, [(0,), (1,), (2,), (3,)], cells)
    f = np.array([(records == cell).all(axis=1).sum() for cell in cells])
    pi = 300 / people
    mean, a = pi * lam, (1 - pi) * lam
    r = (1 - np.exp(-a)) / a
    linear = np.exp(-mean) * r - np.exp(-lam)
    square = (np.exp(-mean) * r - np.exp(-lam) * (1 + a / 2)) / mean
    bias = (linear * (f - mean) + square * ((f - mean) ** 2 - f)).sum()
    spread = np.sqrt((linear**2 * mean + 2 * square**2 * mean**2).sum())
    drawn = people * np.exp(model.drawn_log_p(400_000, rng=np.random.default_rng(1)))
    found = misfit(sample.sizes, people * np.exp(model.log_p), drawn, pi, people)
    assert found == pytest.approx(bias / spread, abs=0.05)


def test_tau_of_a_simulated_poisson_table() -> None:
    """A population whose cells are Poisson with independent margins: the truth is known, the margins are not."""
    margins = [np.array(m) / sum(m) for m in ([30, 9, 4, 2, 1, 1], [20, 10, 5, 2, 1], [8, 4, 2, 1, 1], [5, 3, 1])]
    p = np.einsum("i,j,k,l->ijkl", *margins)
    cells = np.argwhere(p > 0)
    off = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        large = rng.poisson(4000 * p[tuple(cells.T)])
        f = rng.binomial(large, 0.1)
        seen = f > 0
        sample = Sample.from_codes(cells[seen], f[seen])
        found = LogLinear(largest_term=1).estimate(sample, int(large.sum()), rng=rng)
        single = f == 1
        off.append(
            [
                found.population_uniques - (large[single] == 1).sum(),
                found.risk[sample.sizes == 1].sum() - (1 / large[single]).sum(),
                found.match_rate.value - (f[seen] / large[seen]).sum() / f.sum(),
            ]
        )
    mean, error = np.mean(off, axis=0), np.std(off, axis=0, ddof=1) / 5
    assert (np.abs(mean) < 4 * error).all()


def test_terms_are_found_where_variables_hang_together() -> None:
    sample = table_of(chain(2000, 5, levels=12))
    model, statistic = LogLinear()._chosen(sample, 40_000, np.random.default_rng(1))
    assert set(model.edges) & {(0, 1), (1, 2)}
    assert (2, 3) not in model.edges
    loose = LogLinear(largest_term=1).estimate(sample, 40_000, rng=np.random.default_rng(1)).match_rate
    assert "fits too loosely" in loose.caveats[0]
    assert statistic < 5


def six_keys(frame: pl.DataFrame) -> la.EquivalenceClasses:
    """Age in steps cut at 19, 29, …, 79, and five others."""
    keys = ["age", "sex", "race", "marital-status", "education", "workclass"]
    return la.EquivalenceClasses.of(la.read(frame.with_columns((pl.col("age") - 20).clip(-1, 60) // 10)), keys)


def test_main_effects_on_adult_agree_with_the_textbook_formula(adult, adult_rows) -> None:
    classes = six_keys(adult[adult_rows])
    sample = Sample.of(classes)
    found = LogLinear(largest_term=1).estimate(sample, adult.height, rng=RNG)
    single = sample.sizes == 1
    assert found.population_uniques == pytest.approx(115.7, abs=0.05)
    assert found.risk[single].sum() == pytest.approx(179.9, abs=0.05)
    # With chosen terms it comes close to the truth, 81 and 148.5.
    better = LogLinear().estimate(sample, adult.height, rng=np.random.default_rng(1))
    assert better.population_uniques == pytest.approx(81, abs=5)
    assert better.risk[single].sum() == pytest.approx(148.5, abs=5)
    truth = (sample.sizes / classes.sizes_in(six_keys(adult))).sum() / sample.records
    assert better.match_rate.value == pytest.approx(truth, abs=0.005)


def test_adult_sample_on_seven_keys(adult_sample) -> None:
    sample, people = adult_sample
    found = LogLinear().estimate(sample, people, rng=np.random.default_rng(1))
    assert found.match_rate.value == pytest.approx(0.368, abs=0.01)


def test_equal_weights_change_nothing_and_unequal_ones_do() -> None:
    sample = table_of(chain(300, 6))
    plain = LogLinear().estimate(sample, 6000, rng=np.random.default_rng(1)).match_rate.value
    codes, sizes = sample.table.codes, sample.sizes
    for weights, same in ((sizes * 20.0, True), (sizes * np.where(codes[:, 0] == 0, 60.0, 5.0), False)):
        weighted = Sample.from_codes(codes, sizes, weights)
        found = LogLinear().estimate(weighted, 6000, rng=np.random.default_rng(1)).match_rate.value
        assert (found == pytest.approx(plain, rel=1e-9)) is same


def test_the_population_mean_is_not_the_sample_mean() -> None:
    # One variable of 100 even values, n = 100, N = 1,000: λ = 10 and not 1. a = 9.
    sample = Sample.from_codes(np.arange(100)[:, None], np.ones(100, int))
    found = LogLinear(largest_term=1).estimate(sample, 1000, rng=RNG)
    assert found.match_rate.value == pytest.approx((1 - np.exp(-9)) / 9)
    assert found.population_uniques == pytest.approx(100 * np.exp(-9))


def test_refusals() -> None:
    one = LogLinear().estimate(Sample.from_codes(np.array([[0]]), np.array([1])), 10, rng=RNG).match_rate
    assert (one.value, one.caveats) == (None, ("one record has no margins to learn from",))
    with pytest.raises(ValueError, match="largest_term is a number of variables, 1 or more, and was 0"):
        LogLinear(largest_term=0)


def test_a_class_without_weight_does_not_break_the_model() -> None:
    sample = Sample.from_codes(np.array([[0, 0], [1, 1], [2, 0]]), np.array([2, 1, 1]), np.array([20.0, 10.0, 0.0]))
    found = LogLinear().estimate(sample, 100, rng=RNG)
    assert np.isfinite(found.risk).all()
    assert Counts.of(sample.table.codes, sample.weights).total == 30
