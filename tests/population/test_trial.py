"""What the posterior learns from trying itself on samples of the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.population.interval import left
from lookalike.population.trial import DOUBT_IF_UNTESTED, MOST_DOUBT, Attempt, Trial

share = st.floats(0.01, 0.99)


def test_the_weight_goes_to_the_answer_that_was_nearer() -> None:
    corrected = Trial.of([Attempt(plain=0.60, corrected=0.50, truth=0.50, most=0.9, sd=0.01, records=100)], 1000).trust
    plain = Trial.of([Attempt(plain=0.60, corrected=0.50, truth=0.60, most=0.9, sd=0.01, records=100)], 1000).trust
    assert corrected == pytest.approx(1.0)
    assert plain == pytest.approx(10 / (10 + 10 * 10))


def test_the_weight_never_goes_beyond_the_trusted_answer() -> None:
    assert Trial.of([Attempt(plain=0.60, corrected=0.58, truth=0.10, most=0.9, sd=0.001, records=100)], 1000).trust == 1


def test_answers_that_agree_say_nothing_of_the_weight() -> None:
    assert Trial.of([Attempt(plain=0.5, corrected=0.5, truth=0.4, most=0.9, sd=0.01, records=100)], 1000).trust == 1


def test_the_doubt_is_the_error_as_a_share_of_what_was_left() -> None:
    attempts = [
        Attempt(plain=0.5, corrected=0.5, truth=0.48, most=1.0, sd=0.01, records=100),
        Attempt(plain=0.5, corrected=0.5, truth=0.51, most=1.0, sd=0.01, records=100),
    ]
    room = left(0.5, 1.0)
    expected = ((0.02 / room) ** 2 + (0.01 / room) ** 2) / 2 * 0.25
    assert Trial.of(attempts, 400).doubt == pytest.approx(expected**0.5)


def test_a_sample_of_nearly_all_uniques_does_not_blow_up_the_doubt() -> None:
    alone = Attempt(plain=0.99999, corrected=0.99999, truth=0.99, most=1.0, sd=1e-5, records=100)
    assert Trial.of([alone], 1000).doubt == MOST_DOUBT


def test_an_error_where_nothing_was_left_to_the_model_is_the_largest_doubt() -> None:
    at_the_limit = Attempt(plain=0.9, corrected=0.9, truth=0.8, most=0.9, sd=0.01, records=100)
    right = Attempt(plain=0.9, corrected=0.9, truth=0.9, most=0.9, sd=0.01, records=100)
    assert Trial.of([at_the_limit, right], 1000).doubt == MOST_DOUBT
    assert Trial.of([right], 1000).doubt == 0


@given(share, share, share, st.floats(1e-6, 0.1))
def test_weight_and_doubt_stay_inside_their_range(plain: float, corrected: float, truth: float, sd: float) -> None:
    found = Trial.of([Attempt(plain=plain, corrected=corrected, truth=truth, most=1.0, sd=sd, records=100)], 200)
    assert 0 <= found.trust <= 1
    assert 0 <= found.doubt <= MOST_DOUBT


def test_a_file_too_small_to_be_tried_on_parts_of_it_is_doubted() -> None:
    assert Trial.of([], 30).doubt == DOUBT_IF_UNTESTED
