"""Unknown cells given known ones: against the true conditional law."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, multivariate_normal, norm

from lookalike.errors import BadPlan
from lookalike.models import GaussianCopula
from lookalike.models._drawing import _start
from lookalike.models._tails import below, between, quantile
from lookalike.models.margin import LevelMargin, Margin
from lookalike.models.margin_parametric import parametric
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.normals import DenseNormals

N = 60_000
LEVELS = np.array([0.2, 0.5, 0.3])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def standard() -> Margin:
    """A number that is z itself, as near as 4,000 values tell a normal law."""
    return parametric(norm.ppf((np.arange(4001) + 0.5) / 4001), np.ones(4001, int))


def law_of(matrix: np.ndarray, *kinds: str) -> MixedCopula:
    margins = tuple(standard() if k == "number" else LevelMargin(LEVELS, np.arange(3)) for k in kinds)
    shape = tuple(Numbers(np.empty(0)) if k == "number" else Categories(np.empty(0, np.int32), 3) for k in kinds)
    return MixedCopula(margins, DenseNormals(matrix), Mixed(shape), 4001, ())


def number(value: float | None) -> Numbers:
    return Numbers(np.full(N, np.nan if value is None else value))


def level(code: int) -> Categories:
    return Categories(np.full(N, code, np.int32), 3)


def scale(law: MixedCopula) -> float:
    """The deviation of the fitted normal margin."""
    return law.margins[0].parameters[1] * law.margins[0].unit  # type: ignore[attr-defined]


def test_the_inverse_and_draws_between_bounds_are_those_of_the_normal_law() -> None:
    p = np.array([1e-200, 1e-12, 0.02, 0.3, 0.5, 0.8, 0.999, 1 - 1e-12])
    assert [quantile(x) for x in p] == pytest.approx(norm.ppf(p), rel=1e-12, abs=1e-12)
    assert below(-1.3) == pytest.approx(norm.cdf(-1.3), rel=1e-13)
    state = np.empty(4, np.uint64)
    _start(np.array([1, 2], np.uint64), 0, state)
    for low, high in [(-0.5, 0.7), (2.0, 2.5), (6.0, np.inf), (-np.inf, -9.0), (-30.0, -29.0)]:
        found = np.array([between(state, low, high) for _ in range(4000)])
        assert found.min() >= low
        assert found.max() <= high
        sign = -1 if low > 0 else 1
        a, b = sorted((sign * low, sign * high))
        u = (norm.cdf(sign * found) - norm.cdf(a)) / (norm.cdf(b) - norm.cdf(a))
        assert kstest(u, "uniform").pvalue > 1e-4


def test_bounds_beyond_any_chance_give_their_nearest_end() -> None:
    state = np.empty(4, np.uint64)
    _start(np.array([1, 2], np.uint64), 0, state)
    assert between(state, 50.0, 60.0) == 50.0
    assert between(state, -60.0, -50.0) == -50.0
    assert between(state, 1.0, 1.0) == 1.0


def test_a_number_given_a_number_is_the_conditional_normal() -> None:
    law = law_of(np.array([[1, 0.8], [0.8, 1.0]]), "number", "number")
    drawn = law.complete(Mixed((number(None), number(1.0))), rng=rng()).columns[0]
    assert isinstance(drawn, Numbers)
    s = scale(law)
    assert kstest(drawn.values / s, norm(0.8 / s, 0.6).cdf).pvalue > 1e-3


def test_a_level_given_a_number_has_the_conditional_shares() -> None:
    law = law_of(np.array([[1, -0.7], [-0.7, 1.0]]), "number", "level")
    drawn = law.complete(Mixed((number(0.9), level(-1))), rng=rng(2)).columns[1]
    assert isinstance(drawn, Categories)
    z = norm.cdf((norm.ppf([0.2, 0.7]) + 0.7 * 0.9 / scale(law)) / np.sqrt(1 - 0.49))
    expected = np.diff(np.concatenate([[0], z, [1]]))
    assert chisquare(np.bincount(drawn.codes, minlength=3), expected * N).pvalue > 1e-3


def test_a_number_given_a_level_is_the_mixture_over_its_stretch() -> None:
    law = law_of(np.array([[1, 0.9], [0.9, 1.0]]), "number", "level")
    drawn = law.complete(Mixed((number(None), level(2))), rng=rng(3)).columns[0]
    assert isinstance(drawn, Numbers)
    # P(z₁ ≤ x, z₂ > c) / 0.3.
    both = multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]])
    cut = norm.ppf(0.7)
    x = np.linspace(-1, 3, 9)
    expected = [(norm.cdf(a) - both.cdf([a, cut])) / 0.3 for a in x]
    found = [(drawn.values / scale(law) <= a).mean() for a in x]
    assert found == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(N))


@pytest.mark.parametrize("known", [(0, 2), (1, 1), (2, 0)], ids=str)
def test_three_levels_given_two_have_the_true_conditional_shares(known: tuple[int, int]) -> None:
    # Two stretches: the Gibbs run is needed. Levels that speak against each other are the hard case.
    matrix = np.array([[1, 0.5, 0.7], [0.5, 1, -0.2], [0.7, -0.2, 1]])
    law = law_of(matrix, "level", "level", "level")
    table = Mixed((level(-1), level(known[0]), level(known[1])))
    drawn = law.complete(table, rng=rng(4)).columns[0]
    assert isinstance(drawn, Categories)
    cuts = np.array([-9, *norm.ppf([0.2, 0.7]), 9])
    whole = multivariate_normal(np.zeros(3), matrix)
    b, c = known
    box = [
        whole.cdf([cuts[a + 1], cuts[b + 1], cuts[c + 1]], lower_limit=[cuts[a], cuts[b], cuts[c]], rng=rng(9))
        for a in range(3)
    ]
    assert chisquare(np.bincount(drawn.codes, minlength=3), np.array(box) / sum(box) * N).pvalue > 1e-3


def test_a_number_given_a_level_and_a_number_is_exact() -> None:
    matrix = np.array([[1, 0.5, 0.6], [0.5, 1, 0.3], [0.6, 0.3, 1]])
    law = law_of(matrix, "number", "level", "number")
    drawn = law.complete(Mixed((number(None), level(0), number(-0.5))), rng=rng(5)).columns[0]
    assert isinstance(drawn, Numbers)
    z3 = -0.5 / scale(law)
    # Given z₃, (z₁, z₂) is normal; the mean of z₁ over z₂ below its cut is that of a truncated normal.
    mean, left = matrix[:2, 2] * z3, matrix[:2, :2] - np.outer(matrix[:2, 2], matrix[:2, 2])
    edge = (norm.ppf(0.2) - mean[1]) / np.sqrt(left[1, 1])
    shift = -norm.pdf(edge) / norm.cdf(edge)
    expected = mean[0] + left[0, 1] / np.sqrt(left[1, 1]) * shift
    assert (drawn.values / scale(law)).mean() == pytest.approx(expected, abs=4 / np.sqrt(N))


def test_known_cells_stay_and_a_whole_record_is_left_alone() -> None:
    law = law_of(np.array([[1, 0.5], [0.5, 1.0]]), "number", "level")
    x, c = np.array([0.5, np.nan, 1.5, np.nan]), np.array([2, 1, -1, -1], np.int32)
    drawn = law.complete(Mixed((Numbers(x), Categories(c, 3))), rng=rng(6))
    first, second = drawn.columns
    assert isinstance(first, Numbers)
    assert isinstance(second, Categories)
    assert first.values[[0, 2]].tolist() == [0.5, 1.5]
    assert second.codes[:2].tolist() == [2, 1]
    assert drawn.columns[0].known.all()
    assert drawn.columns[1].known.all()
    assert np.isnan(x[1])


def test_nothing_known_is_a_draw_of_the_law() -> None:
    matrix = np.array([[1, 0.6], [0.6, 1.0]])
    law = law_of(matrix, "number", "number")
    drawn = law.complete(law.shape.empty(N), rng=rng(7))
    found = np.corrcoef([c.values for c in drawn.columns if isinstance(c, Numbers)])
    assert found[0, 1] == pytest.approx(0.6, abs=4 * (1 - 0.36) / np.sqrt(N))


def test_threads_change_nothing_and_the_seed_does() -> None:
    law = law_of(0.4 + 0.6 * np.eye(4), "number", "level", "level", "number")
    table = law.sample(40_000, rng=rng(8))
    hidden = table.blank([3])
    hidden = Mixed((*hidden.columns[:2], hidden.columns[2].take(np.arange(40_000)), hidden.columns[3]))
    codes = hidden.columns[2].codes.copy()  # type: ignore[union-attr]
    codes[::3] = -1
    hidden = Mixed((*hidden.columns[:2], Categories(codes, 3), hidden.columns[3]))
    one, two = (law.complete(hidden, rng=rng(9), threads=threads) for threads in (1, 2))
    assert np.array_equal(one.columns[3].values, two.columns[3].values)  # type: ignore[union-attr]
    assert np.array_equal(one.columns[2].codes, two.columns[2].codes)  # type: ignore[union-attr]
    other = law.complete(hidden, rng=rng(10))
    assert not np.array_equal(one.columns[3].values, other.columns[3].values)  # type: ignore[union-attr]


def test_another_table_is_refused() -> None:
    law = law_of(np.eye(2), "number", "level")
    with pytest.raises(BadPlan, match="not those the model was fitted to"):
        law.complete(Mixed((number(None),)), rng=rng())


def test_more_than_sixty_four_columns_have_patterns_too() -> None:
    law = law_of(0.5 + 0.5 * np.eye(70), *["number"] * 70)
    full = law.sample(300, rng=rng(11))
    columns = [c.values.copy() for c in full.columns if isinstance(c, Numbers)]
    for j, values in enumerate(columns):
        values[j::7] = np.nan
    drawn = law.complete(Mixed(tuple(Numbers(v) for v in columns)), rng=rng(12))
    assert all(c.known.all() for c in drawn.columns)


def test_columns_that_nearly_repeat_each_other_do_not_blow_up_what_is_drawn() -> None:
    # Body mass index from height and weight, and a rounded copy: normal laws fit these ties only nearly.
    n = 5_000
    height, weight = rng(1).normal(1.7, 0.1, n).round(2), np.exp(rng(2).normal(4.3, 0.3, n)).round()
    bmi = (weight / height**2).round(1)
    pay = np.exp(7 + 0.3 * (bmi - 27) / 6 + rng(3).normal(size=n))
    table = Mixed(tuple(map(Numbers, (height, weight, bmi, (weight / 5).round(), (bmi / 2).round(), pay))))
    law = GaussianCopula().fit_mixed(table, rng=rng())
    drawn = law.complete(table.blank([5]), rng=rng(4)).columns[5]
    assert isinstance(drawn, Numbers)
    assert np.log(drawn.values).std() == pytest.approx(np.log(pay).std(), rel=0.05)
    assert np.log(drawn.values).mean() == pytest.approx(np.log(pay).mean(), abs=0.06)
