"""The result of an attack: intervals, excess, and what may not be read as a small risk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from lookalike.attacks.outcome import Outcome, Reading, Share, excess, pooled, sure
from lookalike.errors import NotAssessable


def share(successes: float, of: int = 1000) -> Share:
    return Share(successes=successes, of=of, what="records")


@given(st.integers(1, 500), st.data())
def test_the_interval_is_wilsons(of: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, of))
    found = share(successes, of)
    low, high = proportion_confint(successes, of, method="wilson")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert found.low <= found.value + 1e-12
    assert found.high >= found.value - 1e-12


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(NotAssessable, match=r"There are no records, so there is no share of them\."):
        share(0, 0)


def test_excess_has_a_sign() -> None:
    assert excess(share(100), share(300)).value == pytest.approx((0.1 - 0.3) / 0.7)
    assert excess(share(300), share(300)).value == 0
    assert excess(share(1000), share(0)).value == 1


def test_nothing_is_left_to_gain_over_a_reference_that_always_succeeds() -> None:
    found = excess(share(1000), sure(1.0, "guesses"))
    assert found.value is None
    assert found.caveats == ("The reference always succeeds, so nothing is left to gain.",)


def test_the_interval_of_the_excess_is_that_of_the_ratio_of_failures() -> None:
    """The ratio of 7 of 34 to 1 of 34 as the R package contingencytables tells it: 7.0000 (1.1537 to 41.9763)."""
    found = excess(share(27, 34), share(33, 34))
    assert (1 - found.high, 1 - found.value, 1 - found.low) == pytest.approx((1.1537, 7, 41.9763), abs=5e-5)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 5000), st.integers(1, 5000))
def test_the_interval_of_the_excess_holds_its_value_and_ends_at_one(a: float, r: float, n: int, m: int) -> None:
    found = excess(share(a * n, n), share(r * m, m))
    if found.value is not None:
        assert np.isfinite([found.low, found.high]).all()
        assert found.low <= found.value <= found.high <= 1 + 1e-12


@given(st.integers(1, 500), st.integers(0, 500), st.floats(0, 0.99))
def test_over_a_sure_reference_the_interval_is_that_of_the_attack(n: int, successes: int, guess: float) -> None:
    attack = share(min(successes, n), n)
    found = excess(attack, sure(guess, "guesses"))
    ends = [(end - guess) / (1 - guess) for end in (attack.low, attack.high)]
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
    assert found.caveats == ()


def test_two_sure_shares_have_an_excess_without_width() -> None:
    found = excess(sure(0.6, "guesses"), sure(0.2, "guesses"))
    assert (found.low, found.value, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_a_reference_that_hardly_fails_is_told() -> None:
    told = (
        "The attack succeeds on all but fewer than 5 of the records it is compared with, so its excess is hardly known "
        "and its interval may be too short."
    )
    assert excess(share(990), share(996)).caveats == (told,)
    assert excess(share(990), share(995)).caveats == ()


@pytest.mark.parametrize(("attack", "control"), [(50, 50), (200, 200), (300, 60)])
@pytest.mark.parametrize("a", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("r", [0.05, 0.5, 0.9, 0.95])
def test_the_interval_of_the_excess_keeps_its_level_over_all_counts(
    attack: int, control: int, a: float, r: float
) -> None:
    """Every pair of counts weighed by its chance; a reference that never fails has no excess."""
    ones, others = (binom.pmf(np.arange(n + 1), n, p) for n, p in ((attack, a), (control, r)))
    truth, held, alarm = (a - r) / (1 - r), 0.0, 0.0
    for i in np.flatnonzero(ones > 1e-6):
        for j in np.flatnonzero(others[:-1] > 1e-6):
            found = excess(share(int(i), attack), share(int(j), control))
            held += ones[i] * others[j] * (found.low <= truth + 1e-12 and truth - 1e-12 <= found.high)
            alarm += ones[i] * others[j] * (found.low > 0)
    assert held / (1 - others[-1]) > 0.93
    if a == r:
        assert alarm < 0.035


@pytest.mark.parametrize(("attack", "control"), [(0.05, 0.05), (0.3, 0.2), (0.9, 0.85), (0.01, 0.0)])
def test_the_interval_of_the_excess_holds_the_truth_as_often_as_it_says(attack: float, control: float) -> None:
    rng, held = np.random.default_rng(7), 0
    truth = (attack - control) / (1 - control)
    for _ in range(1000):
        found = excess(share(rng.binomial(400, attack), 400), share(rng.binomial(400, control), 400))
        held += found.low <= truth <= found.high
    assert held >= 925


def test_below_the_baseline_there_is_no_figure_and_never_zero() -> None:
    outcome = Outcome(attack="cap", measure="DiSCO", main=share(100), baseline=share(100), control=share(50))
    assert outcome.reading is Reading.NOT_INFORMATIVE
    assert outcome.risk.value is None
    assert outcome.risk.caveats == (
        "The attack does no better than its baseline. It failed; that does not show that the release is safe.",
    )


def test_a_little_above_the_baseline_is_unclear_and_far_above_is_informative() -> None:
    near = Outcome(attack="cap", measure="DiSCO", main=share(105), baseline=share(100))
    far = Outcome(attack="cap", measure="DiSCO", main=share(200), baseline=share(100))
    assert (near.reading, far.reading) == (Reading.UNCLEAR, Reading.INFORMATIVE)
    assert far.risk.value == 0.2
    assert far.risk.caveats == (
        "Without a control, what holds for everybody is not told apart from what the release tells of its own records.",
    )


def test_with_a_control_the_figure_is_the_excess() -> None:
    outcome = Outcome(attack="cap", measure="DiSCO", main=share(300), baseline=share(100), control=share(300))
    assert outcome.risk.value == 0
    assert outcome.risk.low < 0 < outcome.risk.high
    assert outcome.risk.method == "cap: DiSCO"


def test_releases_are_pooled_by_record() -> None:
    found = pooled([share(10, 100), share(30, 100)])
    assert (found.value, found.of) == (0.2, 100)
