"""Guessing: what is right of numbers, dates and gaps, nearest rows by brute force, baselines, faults."""

from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.files import Files
from lookalike.attacks.guessing import Guessing, Naive
from lookalike.attacks.outcome import Reading
from lookalike.attacks.secret import Secret
from lookalike.errors import BadPlan


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def run(original: pl.DataFrame, release: pl.DataFrame, control: pl.DataFrame | None = None, **settings):
    files = Files(original=original, releases=(release,), control=control)
    return Guessing(**settings).attack(files, rng=rng())


def right(secrets, guesses, *, tolerance: float = 0.05, days: float = 1) -> list[bool]:
    secret = Secret.of([pl.Series(secrets), pl.Series(guesses)], [1], tolerance, days)
    return secret.right(0, secret.values[1]).tolist()


def test_a_number_is_right_within_a_share_of_the_secret() -> None:
    assert right([100.0, 100.0, 100.0, 100.0], [95.0, 105.0, 94.9, 105.1]) == [True, True, False, False]


def test_a_negative_guess_is_not_right_by_being_negative() -> None:
    """Anonymeter divides by the guess: any guess below 0 then counts as right."""
    assert right([100.0, -100.0, -100.0, -100.0], [-5.0, -96.0, 100.0, -5.0]) == [False, True, False, False]


def test_a_secret_of_nought_is_guessed_by_nought() -> None:
    assert right([0.0, 0.0, 0.0], [0.0, 1e-6, -1.0]) == [True, False, False]
    assert right([1e-3, 5.0], [0.0, 0.0]) == [False, False]


def test_a_missing_secret_is_guessed_by_a_missing_guess() -> None:
    assert right([None, None, 5.0], [None, 5.0, None]) == [True, False, False]
    assert right([None, None, "a"], [None, "a", None]) == [True, False, False]


def test_dates_are_right_within_days() -> None:
    day = date(2000, 1, 10)
    off = [day + timedelta(days=d) for d in (0, 1, -1, 2)]
    assert right([day] * 4, off) == [True, True, True, False]
    assert right([day] * 4, off, days=0) == [True, False, False, False]
    noon = datetime(1960, 1, 1, 12)
    assert right([noon, noon], [noon + timedelta(hours=23), noon + timedelta(hours=25)]) == [True, False]
    assert right([day, None], [None, day]) == [False, False]


def test_texts_and_truth_values_are_right_by_being_equal() -> None:
    assert right(["a", "a"], ["a", "b"]) == [True, False]
    assert right([True, False], [True, True]) == [True, False]


def test_a_range_is_guessed_by_its_middle() -> None:
    assert right([24.5, 20.0], ["[20;29]", "[20;29]"]) == [True, False]
    assert right(["C50", "C61"], ["C5*", "C61"]) == [False, True]


rows = st.tuples(
    st.sampled_from([-3, 0, 1, 4, None]),
    st.sampled_from(["a", "b", None]),
    st.sampled_from([-2.0, 0.0, 1.0, 1.04, None]),
)
tables = st.lists(rows, min_size=1, max_size=10).map(
    lambda rows: pl.DataFrame(rows, schema={"x": pl.Int64, "g": pl.String, "s": pl.Float64}, orient="row")
)


def is_right(secret, guess) -> bool:
    if secret is None or guess is None:
        return secret is guess
    return abs(guess - secret) <= 0.05 * abs(secret) + 1e-12


@settings(deadline=None, max_examples=80)
@given(original=tables, release=tables, known=st.sampled_from([("x",), ("g",), ("x", "g")]))
def test_chances_are_those_of_brute_force(original, release, known) -> None:
    found = run(original, release, known=known, secret="s")
    values = pl.concat([original, release])["x"].drop_nulls()
    spread = ((values.max() - values.min()) if len(values) else 1) or 1
    for record, chance in zip(found.records, found.chances, strict=True):
        target = original.row(int(record), named=True)
        distances = []
        for row in release.iter_rows(named=True):
            gaps = [(target[c] is None) != (row[c] is None) for c in known if None in (target[c], row[c])]
            both = [c for c in known if None not in (target[c], row[c])]
            apart = [abs(target[c] - row[c]) / spread if c == "x" else target[c] != row[c] for c in both]
            distances.append(round(sum(gaps) + sum(apart), 9))
        nearest = [g for g, d in zip(release["s"], distances, strict=True) if d == min(distances)]
        assert chance == pytest.approx(np.mean([is_right(target["s"], g) for g in nearest]))


@settings(deadline=None, max_examples=80)
@given(original=tables, release=tables)
def test_baselines_are_those_of_brute_force(original, release) -> None:
    guesses = release["s"].to_list()
    gains = {g: sum(is_right(s, g) for s in guesses) for g in guesses}
    best = run(original, release, known=("x",), secret="s").outcome.baseline.value
    allowed = [g for g in gains if gains[g] == max(gains.values())]
    assert any(best == pytest.approx(np.mean([is_right(s, g) for s in original["s"]])) for g in allowed)
    drawn = run(original, release, known=("x",), secret="s", naive=Naive.RANDOM).outcome.baseline.value
    assert drawn == pytest.approx(np.mean([is_right(s, g) for s in original["s"] for g in guesses]))


def test_rows_that_tie_are_as_likely() -> None:
    release = pl.DataFrame({"g": ["a", "a", "a", "b"], "s": ["p", "p", "q", "q"]})
    original = pl.DataFrame({"g": ["a", "c"], "s": ["p", "p"]})
    assert run(original, release, known=("g",), secret="s").chances.tolist() == [pytest.approx(2 / 3), 1 / 2]


def test_the_nearest_row_may_differ_in_a_category() -> None:
    release = pl.DataFrame({"x": [0, 100, 0], "y": [0, 100, 0], "g": ["a", "a", "b"], "s": ["far", "far", "near"]})
    original = pl.DataFrame({"x": [100], "y": [0], "g": ["b"], "s": ["near"]})
    assert run(original, release, known=("x", "y", "g"), secret="s").chances.tolist() == [1]  # at 1, the others at 2
    both = pl.DataFrame({"x": [0, 100], "y": [0, 100], "g": ["b", "a"], "s": ["p", "q"]})
    asked = pl.DataFrame({"x": [90], "y": [90], "g": ["b"], "s": ["q"]})
    assert run(asked, both, known=("x", "y", "g"), secret="s").chances.tolist() == [1]  # 1 + 0.2 against 1.8


def test_an_attack_worse_than_one_value_for_all_is_not_informative() -> None:
    x, rare = rng().normal(size=400), rng(2).random(400) < 0.1
    people = pl.DataFrame({"x": x, "s": np.where(rare, "yes", "no")})
    found = run(people.head(200), people.tail(200), known=("x",), secret="s").outcome
    assert found.reading is Reading.NOT_INFORMATIVE
    assert found.risk.value is None
    lax = run(people.head(200), people.tail(200), known=("x",), secret="s", naive=Naive.RANDOM).outcome
    assert lax.baseline.value < found.baseline.value


def test_as_many_of_the_control_as_of_the_original() -> None:
    people = pl.DataFrame({"x": rng().normal(size=900), "s": rng(2).choice(list("abcdefgh"), 900)})
    found = run(people.head(500), people.head(500), people.tail(400), known=("x",), secret="s", attacks=300).outcome
    assert (found.main.of, found.control.of, found.main.value, found.original.value) == (300, 300, 1, 1)
    assert found.control.value < 0.25
    assert found.excess.low > 0.7


def test_one_row_and_empty_columns() -> None:
    one = pl.DataFrame({"x": [None], "s": [None]}, schema={"x": pl.Int64, "s": pl.Float64})
    found = run(one, one, known=("x",), secret="s").outcome
    assert (found.main.value, found.baseline.value) == (1, 1)
    assert found.reading is Reading.NOT_INFORMATIVE


def test_the_same_seed_attacks_the_same_records() -> None:
    people = pl.DataFrame({"x": rng().normal(size=200), "s": rng(2).normal(size=200)})
    files = Files(original=people, releases=(people, people[::-1]))
    attack = Guessing(known=("x",), secret="s", attacks=20)
    one, other, third = (attack.attack(files, rng=rng(s)) for s in (5, 5, 6))
    assert one.records.tolist() == other.records.tolist() != third.records.tolist()
    assert one.outcome == other.outcome


def test_all_faults_are_told_at_once() -> None:
    file = pl.DataFrame({"x": [1, 2], "g": ["a", "b"]})
    files = Files(original=file, releases=(file,))
    with pytest.raises(BadPlan) as wrong:
        Guessing(known=("x", "gg"), secret="x", tolerance=1, days=float("nan"), attacks=0).attack(files, rng=rng())
    faults = wrong.value.faults
    assert faults[:4] == (
        "The tolerance must be a share of at least 0 and below 1.",
        "The days a guess of a date may be off must be a number of at least 0.",
        "The number of attacks must be at least 1.",
        "Column 'x' is both known and wanted: nobody guesses what they know. Take it out of one of the two.",
    )
    assert any("Column 'gg' is not in the original. Did you mean 'g'?" in f for f in faults)
    with pytest.raises(BadPlan, match="The attacker knows nothing"):
        Guessing(known=(), secret="g").attack(files, rng=rng())
