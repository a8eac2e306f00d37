"""Singling out, linkability, guessing: nothing beyond the control in other people, all in a copy, a bootstrap between.

Few repetitions of few records; `benchmarks/attack_controls.py` runs a hundred on real data."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.files import Files
from lookalike.attacks.guessing import Guessing
from lookalike.attacks.linkability import Linkability
from lookalike.attacks.outcome import Outcome
from lookalike.attacks.singling_out import SinglingOut

ATTACKS = {
    "predicates of one column": SinglingOut(conditions=1, attacks=300),
    "predicates of three columns": SinglingOut(conditions=3, attacks=300),
    "linkability": Linkability(first=("age", "sex"), second=("area", "pay"), k=3, attacks=300),
    "guessing a category": Guessing(known=("age", "sex", "area"), secret="ill", attacks=300),
    "guessing a number": Guessing(known=("age", "sex", "area"), secret="pay", attacks=300),
}
REPEATS = 60
RECORDS = 300


def people(n: int, rng: np.random.Generator) -> pl.DataFrame:
    age, sex, area = rng.integers(18, 60, n), rng.integers(0, 2, n), rng.integers(0, 12, n)
    ill = (age // 14 + sex + rng.integers(0, 3, n)) % 4
    pay = np.round(rng.normal(0, 500, n) + 40 * age - 1500)
    return pl.DataFrame(
        {"age": age, "sex": sex.astype(str), "area": area.astype(str), "ill": ill.astype(str), "pay": pay}
    )


Release = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]


def outcome(attack, release: Release, seed: int, controls: int = RECORDS) -> Outcome:
    rng = np.random.default_rng(seed)
    original, control = people(RECORDS, rng), people(controls, rng)
    files = Files(original=original, releases=(release(original, rng),), control=control)
    return attack.attack(files, rng=rng).outcome


def excesses(attack, release: Release, seeds: range, controls: int = RECORDS) -> np.ndarray:
    found = [outcome(attack, release, seed, controls).excess for seed in seeds]
    return np.array([(e.low, e.value) for e in found])


@pytest.mark.parametrize("name", ATTACKS)
def test_excess_over_the_control_is_none_of_others_all_of_a_copy_and_between_for_a_bootstrap(name: str) -> None:
    attack = ATTACKS[name]
    other = excesses(attack, lambda _, rng: people(RECORDS, rng), range(REPEATS))
    same = excesses(attack, lambda original, _: original, range(100, 105))
    again = excesses(attack, lambda original, rng: original[rng.integers(0, RECORDS, RECORDS)], range(200, 205))
    assert np.count_nonzero(other[:, 0] > 0) <= REPEATS * 0.05
    assert abs(other[:, 1].mean()) < 0.02
    assert (same[:, 0] > 0).all()
    assert other[:, 1].mean() + 0.05 < again[:, 1].mean() < same[:, 1].mean() - 0.05


@pytest.mark.parametrize("controls", [RECORDS // 2, 2 * RECORDS])
@pytest.mark.parametrize("name", ["predicates of one column", "predicates of three columns"])
def test_a_control_of_another_size_shows_no_excess_either(name: str, controls: int) -> None:
    other = excesses(ATTACKS[name], lambda _, rng: people(RECORDS, rng), range(20), controls)
    assert np.count_nonzero(other[:, 0] > 0) <= 20 * 0.05
    assert abs(other[:, 1].mean()) < 0.04
