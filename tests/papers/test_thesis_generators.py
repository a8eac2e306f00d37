"""Worked examples 3.2.3 to 3.2.21 of the thesis (seed 003); where print and formula differ, both are shown."""

import math

import numpy as np
import pytest
from scipy import stats

from lookalike.errors import BadPlan
from lookalike.models import generators as g
from lookalike.models.gaussian_copula import GaussianCopula
from lookalike.models.interpolation import Interpolation
from lookalike.models.mixed import Mixed, Numbers
from lookalike.models.neighbours import Neighbours
from lookalike.models.smote import Smote

N = 200_000


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_example_3_2_3_exponential_by_inverse_transformation() -> None:
    x = g.inverse_transform(lambda u: -np.log(1 - u), N, rng=rng())
    assert stats.kstest(x, "expon").pvalue > 0.001


def test_example_3_2_4_the_quantile_at_one_half_is_0_not_1() -> None:
    cdf = g.cumulated(np.array([0.5, 0.5]))
    # inf{x : F(x) ≥ 1/2} = 0; the example prints Q(1/2) = 1, against the definition of section 3.1.
    assert g.binary_search(cdf, np.array([0.5, 0.51])).places.tolist() == [0, 1]


def test_example_3_2_7_linear_search_takes_2_comparisons() -> None:
    found = g.linear_search(g.cumulated(np.array([0.2, 0.5, 0.3])), np.array([0.6]))
    assert (found.places.tolist(), found.comparisons.tolist()) == ([1], [2])


def test_example_3_2_8_comparisons_of_both_searches() -> None:
    cdf, u = g.cumulated(np.array([0.1, 0.2, 0.3, 0.2, 0.2])), np.array([0.15, 0.75, 0.95])
    linear, binary = g.linear_search(cdf, u), g.binary_search(cdf, u)
    assert linear.comparisons.tolist() == [2, 4, 5]
    assert binary.comparisons.tolist() == [3, 2, 3]
    assert linear.places.tolist() == binary.places.tolist() == [1, 3, 4]


def test_example_3_2_9_poisson_by_growing_the_cdf() -> None:
    x = g.draw_whole_numbers(lambda k: stats.poisson.pmf(k, 3), N, rng=rng())
    seen = np.bincount(x, minlength=12)
    expected = np.append(stats.poisson.pmf(np.arange(11), 3), stats.poisson.sf(10, 3)) * N
    assert stats.chisquare(np.append(seen[:11], seen[11:].sum()), expected).pvalue > 0.001


def test_example_3_2_10_the_second_exponential_has_a_rate_that_follows_the_first() -> None:
    rate, rate2, a = 1.5, 2.0, 3.0
    x = g.conditional_transform(
        [lambda u: -np.log(1 - u) / rate, lambda u, x1: -np.log(1 - u) / (rate2 + a * x1)], N, rng=rng()
    )
    assert stats.kstest(x[:, 0], "expon", args=(0, 1 / rate)).pvalue > 0.001
    # Given x1, (λ2 + α x1) x2 is standard exponential and independent of x1.
    scaled = x[:, 1] * (rate2 + a * x[:, 0])
    assert stats.kstest(scaled, "expon").pvalue > 0.001
    assert abs(np.corrcoef(x[:, 0], scaled)[0, 1]) < 4 / math.sqrt(N)
    # E X2 = E 1/(λ2 + α X1) = (λ1/α) e^(λ1 λ2/α) E1(λ1 λ2/α).
    from scipy.special import exp1

    mean = rate / a * math.exp(rate * rate2 / a) * exp1(rate * rate2 / a)
    assert x[:, 1].mean() == pytest.approx(mean, abs=4 * x[:, 1].std() / math.sqrt(N))


def exponential(n: int, *, rng: np.random.Generator) -> np.ndarray:
    return g.inverse_transform(lambda u: -np.log(1 - u), n, rng=rng)


def test_example_3_2_12_normal_by_rejection_with_the_correction() -> None:
    # f = 2φ is the density of |X|, h = e^(−y): f/h = √(2/π) e^(y − y²/2) ≤ √(2e/π) = c, so f/(ch) = e^(−(y−1)²/2).
    c = math.sqrt(2 * math.e / math.pi)
    found = g.accept_reject(
        lambda y: math.sqrt(2 / math.pi) * np.exp(-(y**2) / 2), lambda y: np.exp(-y), exponential, c, N, rng=rng()
    )
    x = 1 + found.values * rng(2).choice([-1, 1], N)
    assert stats.kstest(x, "norm", args=(1, 1)).pvalue > 0.001
    assert found.rate == pytest.approx(1 / c, abs=4 * 0.5 / math.sqrt(N))


def test_example_3_2_12_as_printed_is_no_probability() -> None:
    # Printed: accept when u ≤ e^(y − y²/2)/c with c = e/√(2π); at y = 1 that is √(2π/e) = 1.52 (errata.md).
    assert math.exp(1 - 1 / 2) / (math.e / math.sqrt(2 * math.pi)) == pytest.approx(math.sqrt(2 * math.pi / math.e))
    with pytest.raises(BadPlan, match=r"1\.52 times its envelope"):
        g.accept_reject(
            lambda y: np.exp(-(y**2) / 2),
            lambda y: np.exp(-y),
            exponential,
            math.e / math.sqrt(2 * math.pi),
            N,
            rng=rng(),
        )


def test_example_3_2_13_chi_square_by_squares_of_normals() -> None:
    for k in (1, 4):
        assert stats.kstest(g.chi_square(k)(N, rng=rng()), "chi2", args=(k,)).pvalue > 0.001


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2, 3), (1, 4)])
def test_example_3_2_14_beta_by_conditioning(a: float, b: float) -> None:
    found = g.beta(a, b, N, rng=rng())
    assert stats.kstest(found.values, "beta", args=(a, b)).pvalue > 0.001
    chance = math.gamma(a + 1) * math.gamma(b + 1) / math.gamma(a + b + 1)
    assert found.rate == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / found.tried))


SIGMA = np.array([[1, 0.7], [0.7, 1]])


def test_example_3_2_17_cholesky() -> None:
    root = g.cholesky_root(SIGMA)
    assert root == pytest.approx(np.array([[1, 0], [0.7, math.sqrt(0.51)]]))
    x = g.normal_vectors(np.array([0.0, 1.0]), root, N, rng=rng())
    assert x.mean(axis=0) == pytest.approx(np.array([0, 1]), abs=4 / math.sqrt(N))
    # The last line prints [y1 + 1, 0.7 y1 + 0.714 y2], the mean (1, 0); the example asks for (0, 1).
    assert x.mean(axis=0) != pytest.approx(np.array([1, 0]), abs=0.1)
    assert np.cov(x.T) == pytest.approx(SIGMA, abs=0.02)


def test_example_3_2_19_spectral_and_its_eigenvectors_in_the_wrong_order() -> None:
    root = g.spectral_root(SIGMA)
    assert root @ root.T == pytest.approx(SIGMA)
    assert np.cov(g.normal_vectors(np.array([1.0, 0.0]), root, N, rng=rng()).T) == pytest.approx(SIGMA, abs=0.02)
    q, values = np.array([[-1, 1], [1, 1]]) / math.sqrt(2), np.diag([1.7, 0.3])
    # As printed, 1.7 goes with (−1, 1)/√2: the covariance would be −0.7. The eigenvalues must change places.
    assert q @ values @ q.T == pytest.approx(np.array([[1, -0.7], [-0.7, 1]]))
    assert q @ values[::-1, ::-1] @ q.T == pytest.approx(SIGMA)


POINTS = np.array(
    [
        (0.49671, -0.13826), (0.64769, 0.77997), (-0.23415, -0.23414), (1.57921, 1.54256), (0.76743, 0.96940),
        (-0.46947, 0.54256), (-0.46342, -0.46573), (0.24196, -0.04535), (-1.91328, -1.72492), (0.56229, 1.31425),
    ]
)  # fmt: skip


def table(points: np.ndarray) -> Mixed:
    return Mixed(tuple(Numbers(np.ascontiguousarray(column)) for column in points.T))


def test_example_3_2_20_the_two_nearest_neighbours_by_distance() -> None:
    distances = np.hypot(*(POINTS - POINTS[0]).T)
    found = Neighbours.of(table(POINTS), scale=False).nearest(np.array([0]), 2, rng=rng())[0]
    assert found.tolist() == np.argsort(distances)[1:3].tolist() == [7, 2]
    # The example names (0.64769, 0.77997) and (0.76743, 0.96940) (errata.md).
    assert distances[[7, 2]] == pytest.approx([0.27116, 0.73712], abs=5e-6)
    assert distances[[1, 4]].min() > distances[2]


def test_example_3_2_20_the_point_between() -> None:
    new = POINTS[0] + 0.65 * (POINTS[4] - POINTS[0])
    assert new == pytest.approx([0.672678, 0.581719], abs=1e-6)
    assert new != pytest.approx([0.67276, 0.58526], abs=5e-5)  # printed, against its own arithmetic


def test_example_3_2_20_every_point_lies_on_a_segment_to_one_of_two_neighbours() -> None:
    drawn = Smote(neighbours=2, scale=False).fit_mixed(table(POINTS), rng=rng()).sample(5_000, rng=rng(2))
    new = np.column_stack([column.values for column in drawn.columns])
    near = np.argsort(np.hypot(*(POINTS[:, None] - POINTS[None]).transpose(2, 0, 1)), axis=1)[:, 1:3]
    pairs = [(i, j) for i in range(10) for j in near[i]]
    gaps = np.stack([_gap(new, POINTS[i], POINTS[j]) for i, j in pairs])
    assert gaps.min(axis=0).max() < 1e-12
    # Every line is drawn on; a segment and its way back are one.
    assert {frozenset(pairs[k]) for k in gaps.argmin(axis=0)} == {frozenset(pair) for pair in pairs}


def _gap(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    part = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.hypot(*(x - a - part[:, None] * (b - a)).T)


@pytest.mark.parametrize("rho", [0.0, 0.7, -0.9])
def test_example_3_2_21_margins_and_dependence_are_kept(rho: float) -> None:
    x = g.normal_vectors(np.zeros(2), g.cholesky_root(np.array([[1, rho], [rho, 1]])), 1_000, rng=rng())
    law = Interpolation().fit_mixed(table(x), rng=rng(2))
    drawn = np.column_stack([column.values for column in law.sample(N, rng=rng(3)).columns])
    for j in range(2):
        # At each point of the file the cdf is the empirical one, but for the smallest: its 1/n lies above it.
        assert stats.ks_2samp(drawn[:, j], x[:, j]).statistic < 1 / 1_000 + 1.63 / math.sqrt(N)
        assert x[:, j].min() <= drawn[:, j].min()
        assert drawn[:, j].max() <= x[:, j].max()
    assert stats.spearmanr(drawn).statistic == pytest.approx(stats.spearmanr(x).statistic, abs=0.01)
    # Normal scores draw back the same dependence, for the file is normal: both agree.
    scores = stats.norm.ppf((stats.rankdata(x, axis=0) - 0.5) / 1_000)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(np.corrcoef(scores.T)[0, 1], abs=0.03)


@pytest.mark.parametrize("rho", [-0.5, 0.7])
def test_example_3_2_21_by_a_gaussian_copula(rho: float) -> None:
    x = g.normal_vectors(np.zeros(2), g.cholesky_root(np.array([[1, rho], [rho, 1]])), 1_000, rng=rng())
    law = GaussianCopula().fit_mixed(table(x), rng=rng(2))
    drawn = np.column_stack([column.values for column in law.sample(N, rng=rng(3)).columns])
    for j in range(2):
        assert stats.ks_2samp(drawn[:, j], x[:, j]).statistic < 2 / 1_000 + 1.63 / math.sqrt(N)
    assert stats.spearmanr(drawn).statistic == pytest.approx(stats.spearmanr(x).statistic, abs=0.02)


def test_example_3_2_21_equation_3_1_by_its_letter_loses_the_dependence() -> None:
    x = rng().standard_normal((1_000, 2))
    # The same l in every coordinate: boxes along the diagonal of the ranks, whatever the file.
    ranks = np.arange(999)
    boxes = np.sort(x, axis=0)[ranks]
    assert stats.spearmanr(boxes).statistic == pytest.approx(1)
    assert abs(stats.spearmanr(x).statistic) < 0.1
