"""Linkability: chances by hand and by trying every choice, distances by brute force, every kind of cell, faults."""

from datetime import date
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.files import Files
from lookalike.attacks.linkability import Linkability, by_chance
from lookalike.attacks.outcome import Reading
from lookalike.errors import BadPlan


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def run(original: pl.DataFrame, release: pl.DataFrame, control: pl.DataFrame | None = None, **settings):
    files = Files(original=original, releases=(release,), control=control)
    return Linkability(**settings).attack(files, rng=rng())


def distances(target: dict, release: pl.DataFrame, names, whole: pl.DataFrame) -> list[float]:
    """Gower's distance of a target from each row, one cell at a time."""
    found = []
    for row in release.iter_rows(named=True):
        total = 0.0
        for name in names:
            a, b = target[name], row[name]
            if a is None or b is None:
                total += (a is None) != (b is None)
            elif isinstance(a, str):
                total += a != b
            else:
                values = whole[name].drop_nulls()
                total += abs(a - b) / ((values.max() - values.min()) or 1)
        found.append(round(total, 9))
    return found


def choices(found: list[float], k: int) -> list[set[int]]:
    """Every choice of the k nearest that ties allow."""
    last = sorted(found)[k - 1]
    sure = {i for i, d in enumerate(found) if d < last}
    tied = [i for i, d in enumerate(found) if d == last]
    return [sure | set(c) for c in combinations(tied, k - len(sure))]


SPLITS = [(("x",), ("g", "y")), (("x", "g"), ("y",)), (("g",), ("y",))]
rows = st.tuples(st.sampled_from([-3, 0, 1, 4, None]), st.sampled_from(["a", "b", None]), st.sampled_from([1.5, 2.0]))
tables = st.lists(rows, min_size=3, max_size=8).map(
    lambda rows: pl.DataFrame(rows, schema={"x": pl.Int64, "g": pl.String, "y": pl.Float64}, orient="row")
)


@settings(deadline=None, max_examples=60)
@given(original=tables, release=tables, k=st.integers(1, 3), split=st.sampled_from(SPLITS))
def test_chances_are_those_of_trying_every_choice(original, release, k, split) -> None:
    first, second = split
    found = run(original, release, first=first, second=second, k=k)
    whole = pl.concat([original, release])
    for record, chance in zip(found.records, found.chances, strict=True):
        target = original.row(int(record), named=True)
        one, other = (choices(distances(target, release, names, whole), k) for names in split)
        assert chance == pytest.approx(np.mean([bool(a & b) for a in one for b in other]))
    assert found.outcome.main.value == pytest.approx(found.chances.mean())


def test_a_row_must_be_near_on_both_sides() -> None:
    original = pl.DataFrame({"age": [20, 40, 60], "pay": [3, 1, 2]})
    release = pl.DataFrame({"age": [20, 40, 60], "pay": [3, 2, 1]})
    found = run(original, release, first=("age",), second=("pay",))
    assert found.chances.tolist() == [1, 0, 0]
    assert found.outcome.baseline.value == pytest.approx(1 / 3)


def test_ties_are_as_likely() -> None:
    release = pl.DataFrame({"a": ["x", "x", "y"], "b": ["p", "q", "p"]})
    found = run(release, release, first=("a",), second=("b",))
    assert found.chances.tolist() == pytest.approx([1 / 4, 1 / 2, 1 / 2])  # one of two, one of two, and the same
    assert run(release, release, first=("a",), second=("b",), k=2).chances.tolist() == [1, 1, 1]


def test_signs_and_dates_count() -> None:
    original = pl.DataFrame({"when": [date(1950, 1, 1), date(2000, 1, 1)], "x": [-5.0, 5.0]})
    release = pl.DataFrame({"when": [date(1951, 1, 1), date(1999, 1, 1)], "x": [-4.0, 4.0]})
    assert run(original, release, first=("when",), second=("x",)).outcome.main.value == 1
    turned = release.with_columns(x=-pl.col("x"))
    assert run(original, turned, first=("when",), second=("x",)).outcome.main.value == 0


def test_a_missing_value_is_near_to_a_missing_value() -> None:
    original = pl.DataFrame({"x": [None, 4], "g": ["a", None]}, schema={"x": pl.Int64, "g": pl.String})
    assert run(original, original, first=("x",), second=("g",)).chances.tolist() == [1, 1]


def test_a_range_holds_its_values() -> None:
    original = pl.DataFrame({"age": [21, 35], "pay": [1, 9]})
    release = pl.DataFrame({"age": ["[20;29]", "[30;39]"], "pay": [2, 8]})
    assert run(original, release, first=("age",), second=("pay",)).outcome.main.value == 1


@pytest.mark.parametrize(("k", "rows"), [(1, 7), (2, 6), (3, 7), (4, 7)])
def test_chance_by_trying_every_choice(k: int, rows: int) -> None:
    sets = [set(c) for c in combinations(range(rows), k)]
    expected = np.mean([bool(a & b) for a in sets for b in sets])
    assert by_chance(k, rows).value == pytest.approx(expected)
    assert by_chance(k, rows).low == by_chance(k, rows).value


def test_as_many_of_the_control_as_of_the_original() -> None:
    people = pl.DataFrame({"x": rng().normal(size=900), "y": rng(2).normal(size=900)})
    found = run(people.head(500), people.head(500), people.tail(400), first=("x",), second=("y",), attacks=300)
    assert (found.outcome.main.of, found.outcome.control.of) == (300, 300)
    assert (found.outcome.main.value, found.outcome.original.value) == (1, 1)
    assert found.outcome.control.value < 0.1
    assert found.outcome.excess.low > 0.8
    assert found.outcome.reading is Reading.INFORMATIVE


def test_one_row_links_everybody_and_tells_nothing() -> None:
    one = pl.DataFrame({"x": [3], "y": [4]})
    found = run(one, one, first=("x",), second=("y",)).outcome
    assert (found.main.value, found.baseline.value) == (1, 1)
    assert found.reading is Reading.NOT_INFORMATIVE


def test_the_same_seed_attacks_the_same_records() -> None:
    people = pl.DataFrame({"x": rng().normal(size=200), "y": rng(2).normal(size=200)})
    files = Files(original=people, releases=(people, people[::-1]))
    attack = Linkability(first=("x",), second=("y",), attacks=20)
    one, other, third = (attack.attack(files, rng=rng(s)) for s in (5, 5, 6))
    assert one.records.tolist() == other.records.tolist() != third.records.tolist()
    assert one.outcome == other.outcome


def test_all_faults_are_told_at_once() -> None:
    file = pl.DataFrame({"x": [1, 2], "g": ["a", "b"]})
    files = Files(original=file, releases=(file,))
    with pytest.raises(BadPlan) as wrong:
        Linkability(first=("x", "x", "gg"), second=("x",), k=3, attacks=0).attack(files, rng=rng())
    faults = wrong.value.faults
    assert faults[:3] == (
        "Column 'x' is in both sets: it would join them by itself. Take it out of one of the two.",
        "Column 'x' is named twice in the first set.",
        "The number of attacks must be at least 1.",
    )
    assert any("Column 'gg' is not in the release. Did you mean 'g'?" in f for f in faults)
    assert "The release has 2 rows, fewer than k = 3. Ask for fewer nearest rows." in faults
    with pytest.raises(BadPlan) as wrong:
        Linkability(first=(), second=(), k=0).attack(files, rng=rng())
    assert wrong.value.faults == (
        "The first set of columns is empty: name at least one.",
        "The second set of columns is empty: name at least one.",
        "The number of nearest rows, k, must be at least 1.",
    )
