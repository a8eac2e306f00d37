"""Example 4.6.1 of the thesis, which gives figures without numbers: simulated as it says, with what follows from it."""

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Law, Mixed, Numbers
from lookalike.models.private import NoisyRegression, NoisyRegressionLaw

N = 1000
RNG = np.random.default_rng


def example_4_5_3(n: int = N) -> np.ndarray:
    rng = RNG(11)
    x1, x3 = rng.exponential(1 / 0.5, n), rng.beta(0.5, 0.5, n)
    return np.column_stack([x1, 2 * x1 + rng.normal(0, 0.1, n), x3, 5 * x3 + rng.normal(0, 0.1, n)])


def fitted(values: np.ndarray, **choices: float) -> NoisyRegressionLaw:
    table = Mixed(tuple(Numbers(column) for column in values.T))
    return NoisyRegression(experimental=True, **choices).fit_mixed(table, rng=RNG(1))


def released(law: NoisyRegressionLaw, n: int = N) -> np.ndarray:
    found = law.release(np.arange(n), rng=RNG(2))
    return np.column_stack([c.values for c in found.columns if isinstance(c, Numbers)])


def test_it_is_off_unless_asked_for() -> None:
    with pytest.raises(BadPlan, match="no differential-privacy guarantee: set experimental = true"):
        NoisyRegression(epsilon=1.0)
    with pytest.raises(BadPlan, match="epsilon must be a number above 0; got 0"):
        NoisyRegression(epsilon=0.0, experimental=True)
    with pytest.raises(BadPlan, match="penalty must be above 0; got 0"):
        NoisyRegression(penalty=0.0, experimental=True)


def test_every_output_says_that_nothing_is_guaranteed() -> None:
    law = fitted(example_4_5_3())
    assert "no differential-privacy guarantee" in law.caveats[0]
    assert law.figures["differential_privacy_guarantee"] == 0
    assert isinstance(law, Law)


def test_the_lasso_finds_the_models_of_example_4_5_4() -> None:
    assert fitted(example_4_5_3()).picked == ((1,), (0,), (3,), (2,))


def test_example_4_6_1_at_epsilon_10() -> None:
    """Where L > d the value gets L, which is positive: about half of the cells, shifted by Δ/ε on average."""
    values = example_4_5_3()
    law = fitted(values, epsilon=10.0)
    made = released(law)
    moved = made - values
    assert law.scale == pytest.approx(np.ptp(values, axis=0) / 10)
    # E and d are small against Δ/ε: P(L > d) is near 1/2, so that the mean moves by nearly Δ/(2ε).
    assert moved.mean(0) == pytest.approx(law.scale / 2, rel=0.25)
    assert ((made - values) > 4 * law.spread).mean(0) == pytest.approx([0.45, 0.45, 0.25, 0.25], abs=0.12)
    tied = np.corrcoef(made.T)
    assert tied[0, 1] > 0.5
    assert tied[2, 3] > 0.9
    assert abs(tied[0, 2]) < 0.1


def test_with_a_very_large_epsilon_it_is_the_regression_alone() -> None:
    values = example_4_5_3()
    made = released(fitted(values, epsilon=1e9))
    assert np.abs(made - values).max() < 10 * 0.15
    assert (made - values).mean(0) == pytest.approx([0, 0, 0, 0], abs=0.02)


def test_why_it_is_not_private_values_that_follow_from_others_come_out_as_they_are() -> None:
    x = RNG(3).normal(size=N)
    values = np.column_stack([x, 3 * x + 1])
    made = released(fitted(values, epsilon=0.1, penalty=1e-6))
    assert (np.abs(made - values) < 1e-9).mean() == pytest.approx(0.5, abs=0.1)


def test_the_same_seed_gives_the_same_records_and_one_row_is_enough() -> None:
    law = fitted(example_4_5_3())
    one, two = (law.sample(50, rng=RNG(5), threads=t) for t in (1, 2))
    assert all((a.values == b.values).all() for a, b in zip(one.columns, two.columns, strict=True))  # type: ignore[union-attr]
    assert fitted(example_4_5_3(1)).sample(3, rng=RNG(1)).records == 3


def test_categories_are_refused() -> None:
    table = Mixed((Numbers(np.arange(3.0)), Categories(np.zeros(3, np.int32), 1)))
    with pytest.raises(BadPlan, match="takes numbers alone; column 2 holds categories"):
        NoisyRegression(experimental=True).fit_mixed(table, rng=RNG(1))
