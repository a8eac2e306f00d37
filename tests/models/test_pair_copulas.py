"""Other pair copulas than Gaussian ones: refused clearly without the package, fitted with it."""

import sys

import numpy as np
import pytest

from lookalike.errors import BadPlan, LookalikeError
from lookalike.models import DVineCopula
from lookalike.models.mixed import Categories, Law, Mixed, Numbers

CHOICE = DVineCopula(pair_families=("gaussian", "clayton", "indep"))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def clayton(n: int, theta: float = 3.0) -> Mixed:
    """A Clayton pair, and a level that follows the second."""
    u, w = rng(2).random((2, n))
    v = (u**-theta * (w ** (-theta / (1 + theta)) - 1) + 1) ** (-1 / theta)
    return Mixed((Numbers(u), Numbers(np.exp(v)), Categories((v > 0.6).astype(np.int32), 2)))


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is how Python itself says: not importable.
    monkeypatch.setitem(sys.modules, "pyvinecopulib", None)
    with pytest.raises(LookalikeError, match=r"pip install .lookalike\[vines\]"):
        CHOICE.fit_mixed(clayton(100), rng=rng())


def test_a_clayton_pair_keeps_its_lower_tail() -> None:
    table = clayton(4_000)
    law = CHOICE.fit_mixed(table, rng=rng())
    assert isinstance(law, Law)
    one, two = (law.sample(40_000, rng=rng(3), threads=threads) for threads in (1, 2))
    x, y = (c.values for c in one.columns[:2] if isinstance(c, Numbers))
    assert np.array_equal(x, two.columns[0].values)  # type: ignore[union-attr]
    both = ((x < np.quantile(x, 0.05)) & (y < np.quantile(y, 0.05))).mean() / 0.05
    # P(V < q | U < q) of the Clayton copula: (2 q^−θ − 1)^(−1/θ) / q.
    assert both == pytest.approx((2 * 0.05**-3 - 1) ** (-1 / 3) / 0.05, abs=0.06)


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(BadPlan, match="Did you mean 'clayton'"):
        DVineCopula(pair_families=("claytn",)).fit_mixed(clayton(50), rng=rng())
