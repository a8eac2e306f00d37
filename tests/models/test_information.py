"""The fit by mutual information: cells, expected information, the correlation that reproduces it."""

import numpy as np
import pytest
from scipy.stats import binom, multivariate_normal, norm

from lookalike.models import Counts, DVineCopula, GaussianCopula
from lookalike.models import information as info
from lookalike.models._normal import MOST, cells, mean_x_log_x
from lookalike.models.cut_normal import thresholds
from lookalike.models.information import Expectation, Groups, Table

ROWS, COLUMNS = np.array([0.1, 0.25, 0.4, 0.25]), np.array([0.05, 0.6, 0.35])


def table_of(codes: np.ndarray) -> Counts:
    return Counts.of(*np.unique(codes, axis=0, return_counts=True))


def cut(z: np.ndarray, *shares: np.ndarray) -> np.ndarray:
    return np.column_stack([np.searchsorted(thresholds(s), z[:, j]) for j, s in enumerate(shares)])


def plug_in(x: np.ndarray, y: np.ndarray) -> float:
    joint = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(joint, (x, y), 1 / len(x))
    outer = joint.sum(1, keepdims=True) * joint.sum(0)
    return float((joint[joint > 0] * np.log(joint[joint > 0] / outer[joint > 0])).sum())


@pytest.mark.parametrize("rho", [0.0, 0.2, 0.6, 0.85, 0.92, 0.99])
def test_cells_are_rectangles_of_the_bivariate_normal(rho: float) -> None:
    a, b = thresholds(ROWS), thresholds(COLUMNS)
    found = cells(a, np.cumsum(ROWS), b, np.cumsum(COLUMNS), rho)
    law = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    corner = [[law.cdf([x, y]) for y in b] for x in a]
    assert np.cumsum(np.cumsum(found, 0), 1)[:-1, :-1] == pytest.approx(np.array(corner), abs=1e-7)
    assert found.sum(1) == pytest.approx(ROWS, abs=1e-12)
    assert found.sum(0) == pytest.approx(COLUMNS, abs=1e-12)


def test_information_rises_with_the_correlation() -> None:
    a, b, outer = thresholds(ROWS), thresholds(COLUMNS), np.outer(ROWS, COLUMNS)
    found = []
    for rho in np.linspace(0, 0.999, 60):
        p = np.maximum(cells(a, np.cumsum(ROWS), b, np.cumsum(COLUMNS), rho), 1e-300)
        found.append((p * np.log(p / outer)).sum())
    assert found[0] == pytest.approx(0, abs=1e-14)
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize(("m", "p"), [(1, 0.3), (2, 0.3), (7, 0.01), (60, 0.5), (500, 0.2), (10_000, 0.4)])
def test_the_mean_of_x_log_x_is_that_of_the_binomial(m: int, p: float) -> None:
    x = np.arange(1, m + 1)
    assert mean_x_log_x(m, p) == pytest.approx(float(binom.pmf(x, m, p) @ (x * np.log(x))), rel=1e-6)


def test_expected_information_is_the_mean_of_simulated_information() -> None:
    rng, n, rho = np.random.default_rng(1), 80, 0.5
    groups = Groups(np.zeros(1, np.int32), np.array([80.0]), np.array([80.0]), 0.0)
    expectation = Expectation.of(groups)
    p = cells(thresholds(ROWS), np.cumsum(ROWS), thresholds(COLUMNS), np.cumsum(COLUMNS), rho)
    expected = expectation.sum(p.ravel()) - expectation.sum(ROWS) - expectation.sum(COLUMNS) + expectation.constant
    draws = [
        plug_in(*cut(rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n), ROWS, COLUMNS).T) for _ in range(3000)
    ]
    assert expected == pytest.approx(np.mean(draws), abs=4 * np.std(draws) / np.sqrt(3000))


@pytest.mark.parametrize("rho", [-0.8, -0.3, 0.0, 0.4, 0.9])
def test_the_correlation_of_a_copula_is_recovered(rho: float) -> None:
    z = np.random.default_rng(2).multivariate_normal([0, 0], [[1, rho], [rho, 1]], 20_000)
    found = GaussianCopula().fit(table_of(cut(z, ROWS, COLUMNS))).correlation[0, 1]
    assert found == pytest.approx(rho, abs=0.03)


def test_thin_levels_overstate_the_correlation_as_the_paper_does() -> None:
    # 200 × 100 levels and 2,000 records. The simulated file draws its margins anew from those observed, which lowers
    # their entropy a second time; the fit makes up for it with a correlation above the true 0.5.
    rng, n = np.random.default_rng(3), 2_000
    codes = np.floor(norm.cdf(rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n)) * [200, 100]).astype(int)
    table = table_of(codes)
    rho = GaussianCopula().fit(table).correlation[0, 1]
    assert rho > 0.7
    shares = Table.of(table).shares
    simulated = [plug_in(*cut(rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n), *shares).T) for _ in range(40)]
    assert plug_in(*codes.T) == pytest.approx(np.mean(simulated), abs=4 * np.std(simulated) / np.sqrt(40))


def test_a_vine_recovers_its_partial_correlations() -> None:
    # Fine margins of the middle variable are needed: the paper conditions on its levels, not on the normal itself.
    true = np.array([[1, 0.5, 0.55], [0.5, 1, 0.5], [0.55, 0.5, 1]])
    z = np.random.default_rng(4).multivariate_normal(np.zeros(3), true, 50_000)
    codes = np.floor(norm.cdf(z) * [6, 40, 6]).astype(int)
    model = DVineCopula().fit(table_of(codes))
    assert model.partials[0, 1] == pytest.approx(0.5, abs=0.02)
    assert model.partials[1, 2] == pytest.approx(0.5, abs=0.02)
    assert model.partials[0, 2] == pytest.approx((0.55 - 0.25) / 0.75, abs=0.06)


def test_information_out_of_reach_gives_the_ends_of_the_range() -> None:
    same = np.repeat(np.arange(5), 200)
    assert GaussianCopula().fit(table_of(np.column_stack([same, same]))).pairwise[0, 1] == MOST
    crossed = np.column_stack([np.repeat(np.arange(5), 40), np.tile(np.arange(5), 40)])
    assert GaussianCopula().fit(table_of(crossed)).pairwise[0, 1] == 0


def test_weights_count_like_copies_of_records() -> None:
    codes, rng = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.random.default_rng(5)
    sizes = rng.integers(50, 200, 4)
    weighted = GaussianCopula().fit(Counts.of(codes, sizes * 1.0), records=sizes)
    assert weighted.correlation == pytest.approx(GaussianCopula().fit(Counts.of(codes, sizes)).correlation)


def test_a_row_of_weight_zero_changes_nothing() -> None:
    codes, sizes = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]), np.array([80, 20, 30, 70, 0.0])
    with_zero, without = Counts.of(codes, sizes), Counts.of(codes[:4], sizes[:4])
    for copula in (GaussianCopula(), DVineCopula()):
        assert copula.fit(with_zero).correlation == pytest.approx(copula.fit(without).correlation)
    assert copula.fit(with_zero).sample_codes(1000, rng=np.random.default_rng(1)).max() == 1


def test_levels_beyond_the_widest_are_merged_with_their_neighbours() -> None:
    codes = np.column_stack([np.arange(10_000), np.arange(10_000) % 3])
    table = Table.of(table_of(codes))
    assert table.counts.levels == (info.WIDEST, 3)
    assert (np.diff(table.counts.codes[:, 0]) >= 0).all()
    assert table.shares[0].max() <= 2 / info.WIDEST


def test_the_vine_can_follow_dependence() -> None:
    rng = np.random.default_rng(6)
    x = rng.integers(0, 4, 2_000)
    noise = rng.integers(0, 4, 2_000)
    near = np.where(rng.random(2_000) < 0.8, x, rng.integers(0, 4, 2_000))
    model = DVineCopula(order="dependence").fit(table_of(np.column_stack([x, noise, near])))
    places = model.order
    assert abs(places.index(0) - places.index(2)) == 1
    assert model.correlation[0, 2] > 0.7
    assert abs(model.correlation[0, 1]) < 0.1
