"""R-hat and effective sizes against chains whose truth is known."""

import numpy as np
import pytest

from lookalike.population.convergence import effective_size, r_hat


def autoregressive(rho: float, chains: int = 2, draws: int = 4000, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = np.zeros((chains, draws))
    for t in range(1, draws):
        found[:, t] = rho * found[:, t - 1] + rng.standard_normal(chains)
    return found


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_effective_size_is_that_of_the_known_autocorrelation(rho: float) -> None:
    expected = 2 * 40_000 * (1 - rho) / (1 + rho)
    assert effective_size(autoregressive(rho, draws=40_000)) == pytest.approx(expected, rel=0.2)


def test_chains_that_stay_apart_or_drift_have_a_large_r_hat() -> None:
    still = autoregressive(0.3)
    assert r_hat(still) < 1.02
    assert r_hat(still + np.array([[0.0], [3.0]])) > 1.5
    assert r_hat(still + np.linspace(0, 5, 4000)) > 1.5
    assert effective_size(still + np.array([[0.0], [5.0]])) < 50


def test_constant_chains_have_converged() -> None:
    assert r_hat(np.ones((2, 50))) == 1.0
    assert effective_size(np.ones((2, 50))) == 100
