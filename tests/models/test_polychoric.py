"""Correlation by likelihood: by hand for two by two, against a search of the likelihood itself, and recovered."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtri

from lookalike.models._normal import MOST, cells
from lookalike.models._polychoric import correlation
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.margin import cumulated
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.polychoric import likelihood_correlations


def fitted(table: np.ndarray) -> float:
    rows, columns = cumulated(table.sum(axis=1)), cumulated(table.sum(axis=0))
    return float(correlation(table, table.sum(), ndtri(rows[:-1]), rows, ndtri(columns[:-1]), columns))


def ordered(codes: np.ndarray) -> Categories:
    return Categories(codes.astype(np.int32), int(codes.max()) + 1, ordered=True)


@pytest.mark.parametrize("share", [0.05, 0.25, 0.3, 0.4, 0.49])
def test_tetrachoric_with_halves_has_a_closed_form(share: float) -> None:
    # P(both low) = 1/4 + arcsin(ρ)/2π, so ρ = sin(2π (share − 1/4)).
    table = 1e9 * np.array([[share, 0.5 - share], [0.5 - share, share]])
    assert fitted(table) == pytest.approx(np.sin(2 * np.pi * (share - 0.25)), abs=2e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_largest_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rho = rng.uniform(-0.95, 0.95)
    z = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], 500)
    x, y = np.digitize(z[:, 0], [-1, 0.2, 1.5]), np.digitize(z[:, 1], [-0.5, 0.1, 0.3, 2.0])
    table = np.zeros((4, 5))
    np.add.at(table, (x, y), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    rows, columns = cumulated(table.sum(axis=1)), cumulated(table.sum(axis=0))

    def loss(r: float) -> float:
        # Negative ρ: one variable turned around.
        counts, c = (table, columns) if r >= 0 else (table[:, ::-1], cumulated(table.sum(axis=0)[::-1]))
        p = cells(ndtri(rows[:-1]), rows, ndtri(c[:-1]), c, abs(r))
        return -float((counts * np.log(np.maximum(p, 1e-300))).sum()) - np.log(1 - r * r)

    best = minimize_scalar(loss, bounds=(-0.999, 0.999), method="bounded", options={"xatol": 1e-8}).x
    assert fitted(table) == pytest.approx(best, abs=1e-5)


def test_turning_a_column_around_turns_the_sign() -> None:
    table = np.array([[30.0, 20, 5], [4, 18, 40]])
    assert fitted(table[:, ::-1].copy()) == pytest.approx(-fitted(table), abs=2e-6)


def test_rare_values_that_do_not_meet_say_little() -> None:
    # 1 % each among 1,000: 0.1 are expected together and none is seen. Without a prior ρ would be −1.
    assert -0.6 < fitted(np.array([[980.0, 10], [10, 0]])) < 0


def test_perfect_agreement_is_near_one_and_never_beyond() -> None:
    assert 0.99 < fitted(np.diag([400.0, 300, 300])) <= MOST


def test_correlations_of_all_kinds_of_pairs_are_recovered() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(size=(6, 6))
    matrix = a @ a.T + 2 * np.eye(6)
    matrix /= np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
    n = 40_000
    z = rng.multivariate_normal(np.zeros(6), matrix, n)
    table = Mixed(
        (
            Numbers(np.exp(z[:, 0])),
            Numbers(z[:, 1] ** 3),
            Numbers(np.maximum(z[:, 2], 0.3)),  # 62 % at one value
            Numbers(np.rint(2 * z[:, 3])),
            ordered(np.digitize(z[:, 4], [-1, 0, 0.5])),
            ordered(np.digitize(z[:, 5], [0.8])),
        )
    )
    found = likelihood_correlations(GroupedTable.of(table))
    # A cut at one end leaves about half of the information: 4 deviations of 1.5/√n.
    assert np.abs(found - matrix).max() < 4 * 1.5 / np.sqrt(n)


def test_unknown_cells_are_left_out_pair_by_pair() -> None:
    rng = np.random.default_rng(4)
    z = rng.multivariate_normal([0, 0, 0], 0.6 + 0.4 * np.eye(3), 30_000)
    x, y, c = z[:, 0].copy(), z[:, 1].copy(), np.digitize(z[:, 2], [0.0]).astype(np.int32)
    x[:10_000], y[10_000:20_000], c[20_000:] = np.nan, np.nan, -1
    found = likelihood_correlations(GroupedTable.of(Mixed((Numbers(x), Numbers(y), Categories(c, 2)))))
    assert np.abs(found - (0.6 + 0.4 * np.eye(3))).max() < 0.05


def test_a_pair_never_known_together_has_no_correlation() -> None:
    x, c = np.array([1.0, 2.0, np.nan, np.nan]), np.array([-1, -1, 0, 1], np.int32)
    assert likelihood_correlations(GroupedTable.of(Mixed((Numbers(x), Categories(c, 2)))))[0, 1] == 0


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    columns = tuple(Categories(rng.integers(0, 4, 300).astype(np.int32), 4) for _ in range(20))
    grouped = GroupedTable.of(Mixed(columns))
    one, two = (likelihood_correlations(grouped, threads=threads) for threads in (1, 2))
    assert np.array_equal(one, two)
