"""Copies: counts by hand, uniqueness of stand-ins, chance, controls, refusals."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.copies import Copies
from lookalike.attacks.files import Files
from lookalike.errors import BadPlan


def table(*rows: tuple) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["a", "b"], orient="row")


ORIGINAL = table((1, "x"), (1, "x"), (2, "y"), (3, "z"), (None, "x"))


def test_copies_by_hand_in_all_columns_and_in_the_keys() -> None:
    release = table((1, "x"), (2, "q"), (3, "z"), (None, "x"))
    found = Copies(keys=("a",)).attack(Files(original=ORIGINAL, releases=(release,)))
    assert str(found.whole.every.main) == "4 of 5 records"
    assert str(found.whole.unique.main) == "2 of 5 records"
    assert str(found.whole.unique_in_original) == "3 of 5 records"
    assert str(found.keys.every.main) == "5 of 5 records"
    assert str(found.keys.unique.main) == "3 of 5 records"
    assert found.whole.every.original.value == 1
    assert found.whole.unique.original.value == 3 / 5
    chances = [1 - (1 - w) ** 4 for w in (1 / 8, 1 / 8, 0, 1 / 16, 1 / 8)]
    assert found.whole.every.baseline.value == pytest.approx(sum(chances) / 5)
    assert found.whole.unique.baseline.value == pytest.approx(sum(chances[2:]) / 5)
    assert len(found.outcomes) == 4


def test_a_record_of_the_control_is_unique_as_a_stand_in() -> None:
    """Of (7, w) nobody is equal: 1. (2, y) has one equal in five records: 1/5. (1, x) two: 0. (8, v) is not back."""
    control = table((7, "w"), (2, "y"), (1, "x"), (8, "v"))
    release = table((7, "w"), (2, "y"), (1, "x"))
    found = Copies().attack(Files(original=ORIGINAL, releases=(release,), control=control))
    assert found.whole.unique.control.value == pytest.approx((1 + 1 / 5) / 4)
    variance = 0.3**2 / 5 + (1**2 + (1 / 5) ** 2) / 4**2
    assert found.whole.unique.control.of == int(0.3 * 0.7 / variance)
    assert str(found.whole.every.control) == "3 of 4 records"


def test_several_releases_count_by_their_mean() -> None:
    found = Copies().attack(Files(original=ORIGINAL, releases=(ORIGINAL, table((9, "x")))))
    assert found.whole.every.main.value == 0.5


def test_one_record_and_only_missing_values() -> None:
    gap = pl.DataFrame({"a": pl.Series([None], dtype=pl.Int64)})
    found = Copies().attack(Files(original=gap, releases=(gap,)))
    assert str(found.whole.unique.main) == "1 of 1 records"
    assert found.whole.every.reading.value == "not informative"


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 10**6))
def test_copies_are_those_of_sets(n: int, k: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    one, other = ({"a": draw.integers(0, 4, size), "b": draw.integers(0, 3, size)} for size in (n, k))
    original, release = pl.DataFrame(one), pl.DataFrame(other)
    found = Copies().attack(Files(original=original, releases=(release,))).whole
    rows, records = set(release.rows()), original.rows()
    assert found.every.main.successes == sum(r in rows for r in records)
    assert found.unique.main.successes == sum(r in rows and records.count(r) == 1 for r in records)
    assert 0 <= found.unique.baseline.value <= found.every.baseline.value <= 1


def test_a_recoded_column_is_told() -> None:
    release = ORIGINAL.with_columns(b=pl.lit("other"))
    found = Copies().attack(Files(original=ORIGINAL, releases=(release,)))
    assert found.whole.every.caveats == (
        "No value of column 'b' in the release occurs in the original, so it cannot match as it is. "
        "Group or rename the values of the original in the same way first.",
    )


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(BadPlan) as found:
        Copies(keys=("c", "a"), columns=("a", "d")).attack(Files(original=ORIGINAL, releases=(ORIGINAL,)))
    assert found.value.faults == (
        "Column 'd' is not in the original. Columns: a, b.",
        "Column 'd' is not in the release. Columns: a, b.",
        "Column 'c' is not in the original. Columns: a, b.",
        "Column 'c' is not in the release. Columns: a, b.",
    )
    assert Copies().faults() == []


def test_a_control_of_the_originals_own_records_is_refused() -> None:
    original = pl.DataFrame({"a": range(40)})
    with pytest.raises(BadPlan, match="records of the control are records of the original"):
        Files(original=original, releases=(original,), control=original.tail(20))


def test_other_people_show_no_excess_a_copy_all_and_a_bootstrap_less() -> None:
    found: dict[str, list] = {"other": [], "copy": [], "again": []}
    for seed in range(40):
        draw = np.random.default_rng(seed)
        every = pl.DataFrame({"age": draw.integers(18, 60, 600), "area": draw.integers(0, 12, 600)})
        original, control, other = every[:200], every[200:400], every[400:]
        releases = {"other": other, "copy": original, "again": original[draw.integers(0, 200, 200)]}
        for kind, release in releases.items():
            files = Files(original=original, releases=(release,), control=control)
            found[kind].append([o.excess for o in Copies().attack(files).outcomes])
    assert all(sum(e.low > 0 for e in measure) <= 2 for measure in zip(*found["other"], strict=True))
    assert all(e[i].low > 0 for e in found["copy"] for i in (0, 1))
    mean = {kind: np.mean([e[0].value for e in each]) for kind, each in found.items()}
    assert mean["other"] + 0.2 < mean["again"] < mean["copy"] - 0.2
