"""Correlation matrices: the nearest, and those of a D-vine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.models import DVineCopulaModel
from lookalike.models.correlation import nearest_correlation, partial_correlation, proper_partials, vine_correlation


def symmetric(seed: int, q: int) -> np.ndarray:
    half = np.triu(np.random.default_rng(seed).uniform(-1, 1, (q, q)), 1)
    return half + half.T + np.eye(q)


@given(seed=st.integers(0, 10_000), q=st.integers(2, 8))
def test_the_nearest_is_a_correlation_matrix(seed: int, q: int) -> None:
    found = nearest_correlation(symmetric(seed, q))
    assert np.diag(found) == pytest.approx(np.ones(q))
    assert (found == found.T).all()
    assert np.linalg.eigvalsh(found)[0] > 1e-7
    assert np.linalg.cholesky(found).shape == (q, q)


@given(seed=st.integers(0, 10_000), q=st.integers(3, 6))
def test_no_other_correlation_matrix_is_nearer(seed: int, q: int) -> None:
    given_matrix = symmetric(seed, q)
    found = nearest_correlation(given_matrix)
    other = nearest_correlation(symmetric(seed + 1, q))
    for step in (1e-3, 0.1, 1.0):
        moved = found + step * (other - found)
        assert np.linalg.norm(moved - given_matrix) >= np.linalg.norm(found - given_matrix) - 1e-4


def test_a_correlation_matrix_is_left_as_it_is() -> None:
    matrix = np.array([[1, 0.5, 0.2], [0.5, 1, -0.3], [0.2, -0.3, 1]])
    assert (nearest_correlation(matrix) == matrix).all()


@given(seed=st.integers(0, 10_000), q=st.integers(2, 9))
def test_a_vine_has_the_partial_correlations_it_was_made_of(seed: int, q: int) -> None:
    partial = np.triu(np.random.default_rng(seed).uniform(-0.95, 0.95, (q, q)), 1) + np.eye(q)
    matrix = vine_correlation(partial)
    assert np.linalg.eigvalsh(matrix)[0] > 0
    for i in range(q):
        for j in range(i + 1, q):
            inverse = np.linalg.inv(matrix[i : j + 1, i : j + 1])
            direct = -inverse[0, -1] / np.sqrt(inverse[0, 0] * inverse[-1, -1])
            assert direct == pytest.approx(partial[i, j], abs=1e-6)


@pytest.mark.parametrize("q", [5, 11, 40])
def test_partial_correlations_near_one_are_shrunk_until_they_can_be_drawn(q: int) -> None:
    partial = np.triu(np.random.default_rng(1).choice([-0.9999, 0.9999], (q, q)), 1) + np.eye(q)
    found = proper_partials(partial)
    assert np.linalg.cholesky(vine_correlation(found)).shape == (q, q)
    assert (np.sign(found) == np.sign(partial)).all()


def test_what_the_others_determine_has_no_partial_correlation() -> None:
    same = np.array([[1, 0.3, 1], [0.3, 1, 0.3], [1, 0.3, 1]])
    assert partial_correlation(same, 0, 1) == 0


def test_recursion_and_matrix_draw_from_the_same_law() -> None:
    q = 6
    partial = np.triu(np.random.default_rng(7).uniform(-0.8, 0.8, (q, q)), 1) + np.eye(q)
    model = DVineCopulaModel(tuple([np.full(4, 0.25)] * q), partial, (2, 0, 1, 5, 4, 3))
    by_recursion = model.sample_normals_by_recursion(400_000, rng=np.random.default_rng(8))
    by_matrix = model.law.normals(400_000, rng=np.random.default_rng(9))
    one, other = np.corrcoef(by_recursion.T), np.corrcoef(by_matrix.T)
    assert np.abs(one - other).max() < 0.005
    assert np.abs(one - model.correlation).max() < 0.005
    assert np.abs(by_recursion.std(axis=0) - 1).max() < 0.005
