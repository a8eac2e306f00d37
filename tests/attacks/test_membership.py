"""Membership: scores by hand and against other code, the density against its formula, controls, refusals."""

from math import exp, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from lookalike.attacks import _gower as kernel
from lookalike.attacks.files import Files
from lookalike.attacks.gower import Gower
from lookalike.attacks.kernel_density import KernelDensity
from lookalike.attacks.membership import Membership
from lookalike.attacks.membership_scores import (
    area_under_curve,
    clopper_pearson,
    effective_epsilon,
    hits_at,
    right_guesses,
)
from lookalike.errors import BadPlan


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def people(n: int, draw: np.random.Generator) -> pl.DataFrame:
    age, area = draw.integers(18, 90, n), draw.choice(list("abcdef"), n)
    pay = np.where(draw.random(n) < 0.05, np.nan, age * 10 + draw.normal(0, 100, n))
    return pl.DataFrame({"age": age, "area": area, "pay": pay})


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=30),
    st.lists(st.integers(0, 6), min_size=1, max_size=30),
)
def test_the_area_is_that_of_scikit_learn_and_guesses_are_half(own: list[int], other: list[int]) -> None:
    one, two = np.array(own, float), np.array(other, float)
    found = area_under_curve(one, two)
    assert found.value == pytest.approx(roc_auc_score([1] * len(own) + [0] * len(other), np.concatenate([one, two])))
    assert found.low <= found.value <= found.high
    assert 0 <= right_guesses(one, two).value <= 1
    if len(own) == len(other):
        assert right_guesses(one, two).value == pytest.approx(1 - right_guesses(two, one).value)


def test_delongs_interval_by_hand() -> None:
    """Below 3, 2 and 2 lie 1, 3/4 and 3/4 of the others; above 1 and 2 lie 1 and 2/3 of the own."""
    found = area_under_curve(np.array([3.0, 2.0, 2.0]), np.array([1.0, 2.0]))
    value = (1 + 0.75 + 0.75) / 3
    spread = np.var([1, 0.75, 0.75], ddof=1) / 3 + np.var([1, 2 / 3], ddof=1) / 2
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(value - stats.norm.ppf(0.975) * np.sqrt(spread))


def test_the_interval_of_the_area_covers_the_truth() -> None:
    truth = stats.norm.cdf(0.5 / np.sqrt(2))
    draws = [area_under_curve(rng(s).normal(0.5, 1, 150), rng(s + 999).normal(0, 1, 150)) for s in range(300)]
    covered = sum(d.low <= truth <= d.high for d in draws)
    assert 270 <= covered <= 299


def test_guesses_of_tied_records_count_by_their_part() -> None:
    """Of 8 records 4 are guessed: the first, and 3 of the 7 others by lot."""
    found = right_guesses(np.array([1.0, 0, 0, 0]), np.zeros(4))
    assert found.successes == pytest.approx(1 + 3 * 3 / 7 + 4 * 4 / 7)
    assert right_guesses(np.array([1.0]), np.array([0.0])).value == 1


def test_hits_at_few_alarms_by_hand() -> None:
    own, other = np.array([9.0, 8, 5, 5, 1]), np.array([7.0, 5, 5, 5, 0, 0, 0, 0, 0, 0])
    (found,) = hits_at(own, other, (0.01, 0.2))
    assert found.alarms.value == 0.2
    assert found.hits.value == pytest.approx((2 + 2 / 3) / 5)
    assert (found.hits.low, found.hits.high) == clopper_pearson(2 + 2 / 3, 5)


def test_clopper_pearson_is_that_of_scipy() -> None:
    for successes, of in ((0, 5), (3, 7), (7, 7), (50, 1000)):
        exact = stats.binomtest(successes, of).proportion_ci(0.95, "exact")
        assert clopper_pearson(successes, of) == pytest.approx((exact.low, exact.high))


def test_the_bound_on_epsilon_of_certain_guesses_by_hand() -> None:
    """Half of 400 records are left to count, all guessed right: p of 200 of 200 is 0.025^(1/200)."""
    p = 0.025 ** (1 / 200)
    found = effective_epsilon(np.ones(200), np.zeros(200), rng=rng())
    assert found.value == pytest.approx(log(p / (1 - p)))
    assert found.lower_limit


def test_the_bound_on_epsilon_holds_for_randomized_response() -> None:
    """A release that tells for each person truly with e/(1 + e) whether they are in is private with ε = 1."""
    wrong = 0
    for seed in range(200):
        draw = rng(seed)
        truth = exp(1) / (1 + exp(1))
        own, other = draw.random(500) < truth, draw.random(500) > truth
        wrong += effective_epsilon(own * 1.0, other * 1.0, rng=draw).value > 1
    assert wrong <= 10


def test_kernels_sum_as_brute_force_does() -> None:
    for values in (np.unique(rng().random(50)), np.arange(4.0), np.array([0, 0.1, 0.5, 1, 2]), np.array([0.3])):
        for rate in (1.0, 16.0):
            for zoom in (1.0, 5.0, 150.0):
                exact = np.exp(-rate * np.minimum(1, zoom * np.abs(values[:, None] - values))).sum(axis=1)
                assert kernel.kernel_sums(values, rate, zoom) == pytest.approx(exact)


def test_the_density_is_a_law_and_that_of_its_formula() -> None:
    file = pl.DataFrame({"n": [1, 1, 2, 5, None] * 3, "c": ["x", "y", "x", "z", None] * 3})
    rows = Gower().points([file], file.columns)[0]
    law = KernelDensity.fit(rows, [rows], [True, False], rng=rng())
    grid = np.array([[a, b] for a in np.unique(rows[:, 0]) for b in np.unique(rows[:, 1])], np.float32)
    assert np.exp(law.log_density(grid, rows)).sum() == pytest.approx(1, rel=1e-5)

    def factor(x: float, s: float, j: int) -> float:
        zoom, values = (law.zoom, 1.0)[j], np.unique(rows[:, j])
        return (
            exp(-law.rate * min(1, zoom * abs(x - s)))
            / np.exp(-law.rate * np.minimum(1, zoom * np.abs(values - s))).sum()
        )

    by_hand = np.mean([factor(rows[0, 0], s[0], 0) * factor(rows[0, 1], s[1], 1) for s in rows])
    assert exp(law.log_density(rows[:1], rows)[0]) == pytest.approx(by_hand, rel=1e-5)


def test_a_row_is_left_out_of_its_own_density() -> None:
    rows = np.array([[0.0], [1.0], [1.0]], np.float32)
    law = KernelDensity.fit(rows, [rows], [False], rng=rng())
    whole, without = (np.exp(law.log_density(rows, rows, itself=i)) for i in (False, True))
    assert without[0] < whole[0] / 10
    assert without[1] == pytest.approx(whole[1] / 2, rel=0.05)


def test_sharper_kernels_are_sharper() -> None:
    rows = Gower().points([people(100, rng())], ["age", "area", "pay"])[0]
    one, four = (KernelDensity.fit(rows, [rows], [True, False, True], rng=rng(), sharper=s) for s in (1, 4))
    assert four.rate == 4 * one.rate
    assert four.zoom == one.zoom


def test_one_record_in_each_file_and_one_row() -> None:
    def line(x: float) -> pl.DataFrame:
        return pl.DataFrame({"x": [x]})

    found = Membership().attack(Files(original=line(1), releases=(line(1),), control=line(2)), rng=rng())
    for told in (found.distance[0], found.density[0]):
        assert told.outcome.main.value == 1
        assert told.epsilon.value == 0
        assert told.hits == ()


def test_a_seed_repeats_parts_are_told_and_releases_are_kept_apart() -> None:
    draw = rng()
    files = Files(original=people(80, draw), releases=(people(90, draw), people(70, draw)), control=people(50, draw))
    one, again = (Membership(most=40).attack(files, rng=rng(7)) for _ in range(2))
    assert one == again
    assert len(one.distance) == len(one.density) == 2
    assert one.outcomes[0].main.of == 80
    assert one.outcomes[0].caveats == ("A random part of 40 records of each file was looked for.",)


def test_every_fault_is_told_at_once() -> None:
    file = pl.DataFrame({"x": [1, 2]})
    with pytest.raises(BadPlan) as found:
        Membership(columns=("x", "y"), most=0, most_rows=0).attack(Files(original=file, releases=(file,)), rng=rng())
    assert found.value.faults == (
        "most must be at least 1.",
        "most_rows must be at least 1.",
        "Membership inference needs a control: it asks whether records that were used can be told from records that "
        "were not. Keep some records out before the release is made.",
        "Column 'y' is not in the original. Columns: x.",
        "Column 'y' is not in the release. Columns: x.",
    )


def test_others_are_not_told_apart_copies_are_and_a_bootstrap_lies_between() -> None:
    found: dict[str, list] = {"other": [], "copy": [], "again": []}
    for seed in range(60):
        draw = rng(seed)
        original, control, other = (people(200, draw) for _ in range(3))
        releases = {"other": other, "copy": original, "again": original[draw.integers(0, 200, 200)]}
        for kind, release in releases.items():
            if kind != "other" and seed >= 10:
                continue
            files = Files(original=original, releases=(release,), control=control)
            found[kind].append(Membership().attack(files, rng=draw))
    for score in range(2):
        excess = {kind: [m.outcomes[score].excess for m in each] for kind, each in found.items()}
        assert sum(e.low > 0 for e in excess["other"]) <= 5
        assert all(e.low > 0 for e in excess["copy"])
        mean = {kind: np.mean([e.value for e in each]) for kind, each in excess.items()}
        assert mean["other"] + 0.3 < mean["again"] < mean["copy"] - 0.2
    assert np.median([m.distance[0].epsilon.value for m in found["copy"]]) > 3
    assert np.median([m.distance[0].epsilon.value for m in found["other"]]) == 0


def test_what_the_release_of_the_original_reaches_is_told() -> None:
    draw = rng()
    files = Files(original=people(100, draw), releases=(people(100, draw),), control=people(100, draw))
    for outcome in Membership().attack(files, rng=draw).outcomes:
        assert outcome.original.value > 0.95 > 0.6 > outcome.main.value
