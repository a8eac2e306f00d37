"""The noise cannot be seeded: margins are wide enough to fail once in millions of runs."""

import builtins
import math
import sys

import numpy as np
import pytest

from lookalike.errors import BadPlan, MissingExtra
from lookalike.models.private import Ledger, choose, gaussian, gaussian_once, laplace, randomize, unrandomized

N = 20_000
REPLACE = "replace one record"


def account(epsilon: float = 1e6, adjacency: str = "add or remove one record", delta: float = 1e-6) -> Ledger:
    return Ledger(epsilon=epsilon, delta=delta, adjacency=adjacency)


@pytest.mark.parametrize(("adjacency", "scale"), [("add or remove one record", 2.0), (REPLACE, 4.0)])
def test_laplace_noise_has_its_scale(adjacency: str, scale: float) -> None:
    ledger = account(0.5, adjacency, delta=0.0)
    noise = laplace(np.zeros(N, np.int64), epsilon=0.5, ledger=ledger, what="zeros")
    # E|z| = 2r/(1 − r²), r = exp(−1/scale); the standard deviation of |z| is about the scale.
    r = math.exp(-1 / scale)
    assert np.abs(noise).mean() == pytest.approx(2 * r / (1 - r**2), abs=6 * scale / math.sqrt(N))
    assert noise.mean() == pytest.approx(0, abs=6 * math.sqrt(2) * scale / math.sqrt(N))
    assert ledger.epsilon_spent == pytest.approx(0.5)


@pytest.mark.parametrize(("adjacency", "tables", "sigma"), [("add or remove one record", 1, 5.0), (REPLACE, 2, 10.0)])
def test_normal_noise_has_its_sigma(adjacency: str, tables: int, sigma: float) -> None:
    ledger = account(adjacency=adjacency)
    found = gaussian([np.zeros(N, np.int64)] * tables, rho=1 / 50, ledger=ledger, what="zeros")
    assert len(found) == tables
    for noise in found:
        assert noise.std() == pytest.approx(sigma, rel=6 / math.sqrt(2 * N))
    assert ledger.spends[0].rho == pytest.approx(1 / 50)


def test_one_table_by_the_analytic_calibration() -> None:
    ledger = account(1.0, delta=1e-5)
    noise = gaussian_once(np.zeros((N // 2, 2), np.int64), epsilon=1.0, delta=1e-5, ledger=ledger, what="zeros")
    assert noise.shape == (N // 2, 2)
    assert noise.std() == pytest.approx(3.7306, rel=0.04)
    assert ledger.epsilon_spent == pytest.approx(1.0)


def test_the_exponential_mechanism_chooses_with_its_probabilities() -> None:
    scores, runs, ledger = np.array([0.0, 1.0, 2.0]), 1500, account()
    chosen = [choose(scores, epsilon=2.0, sensitivity=1.0, ledger=ledger, what="it") for _ in range(runs)]
    expected = np.exp(scores) / np.exp(scores).sum()
    assert np.bincount(chosen, minlength=3) / runs == pytest.approx(expected, abs=6 * 0.5 / math.sqrt(runs))
    assert ledger.spends[0].epsilon == pytest.approx(2.0)
    assert ledger.spends[0].rho == pytest.approx(2.0**2 / 8)


def test_randomized_response_is_undone_without_bias() -> None:
    codes, ledger = np.repeat([0, 1, 2], [1400, 400, 200]), account(1.5, REPLACE, delta=0.0)
    seen = randomize(codes, levels=3, epsilon=1.5, ledger=ledger, what="an answer")
    stay, go = math.exp(1.5) / (math.exp(1.5) + 2), 1 / (math.exp(1.5) + 2)
    error = 0.5 / math.sqrt(len(codes)) / (stay - go)
    assert unrandomized(seen, levels=3, epsilon=1.5) == pytest.approx([0.7, 0.2, 0.1], abs=6 * error)
    assert (seen == codes).mean() == pytest.approx(stay, abs=6 * 0.5 / math.sqrt(len(codes)))
    assert ledger.epsilon_spent == pytest.approx(1.5)


def test_randomized_response_refuses_what_it_does_not_protect() -> None:
    with pytest.raises(BadPlan, match="shows how many records there are"):
        randomize(np.zeros(3, np.int64), levels=2, epsilon=1.0, ledger=account(), what="it")
    with pytest.raises(BadPlan, match="at least 2 levels; got 1"):
        randomize(np.zeros(3, np.int64), levels=1, epsilon=1.0, ledger=account(adjacency=REPLACE), what="it")


def test_nothing_is_drawn_on_an_empty_account() -> None:
    ledger = account(0.1, delta=0.0)
    with pytest.raises(BadPlan, match="The privacy budget is spent: with zeros"):
        laplace(np.zeros(3, np.int64), epsilon=0.2, ledger=ledger, what="zeros")
    assert ledger.spends == ()


def test_two_neighbouring_tables_are_as_hard_to_tell_apart_as_promised() -> None:
    """A lower bound of ε from 4,000 runs each; it must not exceed the ε paid, and comes near it."""
    runs, epsilon = 4000, 1.0
    with_, without = (
        laplace(np.full(runs, count), epsilon=epsilon, ledger=account(), what="one cell, many times")
        for count in (1, 0)
    )
    hits, false = (with_ >= 1).mean(), (without >= 1).mean()
    error = 5 * 0.5 / math.sqrt(runs)
    assert math.log((hits - error) / (false + error)) <= epsilon
    assert math.log(hits / false) > 0.6 * epsilon


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name.startswith("opendp"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"Differential privacy needs the extra 'dp': pip install 'lookalike\[dp\]'"):
        laplace(np.zeros(3, np.int64), epsilon=0.2, ledger=account(), what="zeros")


def test_importing_the_package_does_not_load_opendp() -> None:
    import subprocess

    code = "import sys, lookalike.models.private; sys.exit('opendp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
