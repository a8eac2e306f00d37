"""The D-vine of a mixed table: the same matrix when whole, the windows' correlations when cut off."""

import numpy as np
import pytest

from lookalike.models import DVineCopula, GaussianCopula
from lookalike.models.correlation import vine_correlation
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.normals import DenseNormals, RowNormals, row_partials
from lookalike.models.sampler import new_seed


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def matrix_of(q: int, seed: int = 1) -> np.ndarray:
    a = rng(seed).normal(size=(q, q))
    found = a @ a.T + np.eye(q)
    return np.asarray(found / np.sqrt(np.outer(np.diag(found), np.diag(found))))


def table(n: int = 5_000) -> Mixed:
    z = rng(2).multivariate_normal(np.zeros(5), matrix_of(5), n)
    return Mixed(
        (*(Numbers(z[:, j]) for j in range(3)), *(Categories((z[:, j] > 0.2).astype(np.int32), 2) for j in (3, 4)))
    )


def test_partial_correlations_of_a_row_make_the_matrix_again() -> None:
    matrix = matrix_of(7)
    partials = row_partials(matrix)
    assert vine_correlation(partials) == pytest.approx(matrix, abs=1e-10)
    inverse = np.linalg.inv(matrix[1:5, 1:5])
    assert partials[1, 4] == pytest.approx(-inverse[0, -1] / np.sqrt(inverse[0, 0] * inverse[-1, -1]))


def test_a_whole_vine_is_the_gaussian_copula() -> None:
    vine = DVineCopula(order="dependence").fit_mixed(table(), rng=rng())
    assert isinstance(vine, MixedCopula)
    assert vine.correlation == pytest.approx(GaussianCopula().fit_mixed(table(), rng=rng()).correlation, abs=1e-12)
    deep = RowNormals(matrix_of(6), (3, 1, 0, 5, 2, 4), levels=5)
    assert deep.correlation == pytest.approx(matrix_of(6), abs=1e-10)


def test_a_vine_cut_off_keeps_near_pairs_and_has_no_partial_beyond() -> None:
    matrix, row = matrix_of(7), np.array([2, 0, 1, 6, 5, 3, 4])
    cut = RowNormals(matrix, row, levels=2).correlation[np.ix_(row, row)]
    given = matrix[np.ix_(row, row)]
    i, j = np.indices(given.shape)
    assert cut[abs(i - j) <= 2] == pytest.approx(given[abs(i - j) <= 2], abs=1e-10)
    assert row_partials(cut)[j - i > 2] == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("normals", [RowNormals(matrix_of(5), (4, 2, 0, 1, 3), levels=2), DenseNormals(matrix_of(5))])
def test_draws_have_the_correlations_told(normals: RowNormals | DenseNormals) -> None:
    z, seed = np.empty((5, 200_000)), new_seed(rng(3))
    for k in range(20):
        part = np.empty((5, 10_000))
        normals.fill(seed, k, part)
        z[:, k * 10_000 : (k + 1) * 10_000] = part
    assert np.abs(np.cov(z) - normals.correlation).max() < 5 * np.sqrt(2) / np.sqrt(200_000)


def test_a_cut_is_told() -> None:
    law = DVineCopula(levels=2, order="dependence").fit_mixed(table(), rng=rng())
    assert any("(levels=2)" in caveat for caveat in law.caveats)
    assert not any("levels=" in caveat for caveat in DVineCopula().fit_mixed(table(), rng=rng()).caveats)


def test_conditional_information_finds_a_chain() -> None:
    # 0 and 2 are tied only through 1.
    z = rng(4).normal(size=(3, 20_000))
    x, y = z[0], 0.8 * z[0] + 0.6 * z[1]
    w = 0.8 * y + 0.6 * z[2]
    chain = Mixed(
        tuple(Categories(np.digitize(v, [-0.7, 0, 0.7]).astype(np.int32), 4, ordered=True) for v in (x, y, w))
    )
    law = DVineCopula(correlation="information").fit_mixed(chain, rng=rng())
    assert isinstance(law, MixedCopula)
    assert law.correlation[0, 1] == pytest.approx(0.8, abs=0.03)
    assert law.correlation[0, 2] == pytest.approx(0.64, abs=0.15)
