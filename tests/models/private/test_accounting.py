import math

import numpy as np
import pytest
from scipy.integrate import quad

from lookalike.errors import BadPlan
from lookalike.models.private import (
    delta_of,
    discrete_delta,
    discrete_sigma,
    epsilon_of,
    gaussian_delta,
    gaussian_sigma,
    rho_of,
    rho_of_gaussian,
)

BUDGETS = [(1.0, 1e-5, 3.7306), (0.5, 1e-6, 8.0576), (0.1, 1e-5, 30.75), (3.0, 1e-6, 1.5439)]


@pytest.mark.parametrize(("epsilon", "delta", "sigma"), BUDGETS)
def test_sigma_by_the_analytic_calibration(epsilon: float, delta: float, sigma: float) -> None:
    assert gaussian_sigma(epsilon, delta) == pytest.approx(sigma, rel=5e-5)
    assert gaussian_sigma(epsilon, delta, sensitivity=2.0) == pytest.approx(2 * sigma, rel=5e-5)
    assert gaussian_delta(gaussian_sigma(epsilon, delta), epsilon) <= delta


@pytest.mark.parametrize(("epsilon", "delta", "_"), BUDGETS)
def test_the_guarantee_holds_by_numeric_integration_and_is_not_loose(epsilon: float, delta: float, _: float) -> None:
    sigma = gaussian_sigma(epsilon, delta)

    def excess(x: float) -> float:
        p, q = (math.exp(-((x - m) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) for m in (1.0, 0.0))
        return max(0.0, p - math.exp(epsilon) * q)

    crossing = epsilon * sigma**2 + 0.5
    found, _error = quad(excess, crossing, crossing + 30 * sigma, epsabs=0, epsrel=1e-10, limit=500)
    assert found == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta", "_"), BUDGETS)
def test_discrete_noise_keeps_its_delta_by_a_sum_over_whole_numbers(
    epsilon: float, delta: float, _: float, moved: int
) -> None:
    sigma = discrete_sigma(epsilon, delta, moved=moved)
    assert discrete_delta(sigma, epsilon, moved=moved) <= delta
    assert sigma < 1.1 * gaussian_sigma(epsilon, delta, sensitivity=math.sqrt(moved))
    if moved == 1:
        x = np.arange(-2000, 2001.0)
        p, q = (np.exp(-((x - m) ** 2) / (2 * sigma**2)) for m in (1.0, 0.0))
        brute = np.maximum(0, p / p.sum() - math.exp(epsilon) * q / q.sum()).sum()
        assert brute == pytest.approx(discrete_delta(sigma, epsilon), rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta", "simple", "tight"),
    [(1.0, 1e-5, 0.02082, 0.03056), (1.0, 1e-9, 0.01178, 0.01497), (3.0, 1e-6, 0.14726, 0.18507)],
)
def test_rho_that_a_budget_allows(epsilon: float, delta: float, simple: float, tight: float) -> None:
    assert rho_of(epsilon, delta, tight=False) == pytest.approx(simple, abs=5e-6)
    assert rho_of(epsilon, delta) == pytest.approx(tight, abs=5e-6)
    assert epsilon_of(rho_of(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-6)
    assert epsilon_of(rho_of(epsilon, delta, tight=False), delta, tight=False) == pytest.approx(epsilon, rel=1e-9)
    assert delta_of(rho_of(epsilon, delta), epsilon) <= delta


def test_concentrated_privacy_is_never_better_than_the_exact_gaussian() -> None:
    for sigma in (1.0, 3.0, 10.0, 40.0):
        for epsilon in (0.1, 1.0, 3.0):
            assert delta_of(rho_of_gaussian(sigma), epsilon) >= gaussian_delta(sigma, epsilon)


def test_nothing_spent_costs_nothing_and_no_delta_means_no_epsilon() -> None:
    assert epsilon_of(0.0, 1e-6) == 0
    assert delta_of(0.0, 1.0) == 0
    assert epsilon_of(0.1, 0.0) == math.inf


def test_a_budget_that_is_none_is_refused() -> None:
    with pytest.raises(BadPlan, match=r"2 faults:\n- epsilon must be a number above 0; got 0\.\n- delta must be"):
        gaussian_sigma(0.0, 1.0)
