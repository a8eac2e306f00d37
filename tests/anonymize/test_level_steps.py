"""What each level of a hierarchy does, as data and in words; columns of which nothing is left."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.cells import Done
from lookalike.anonymize.generalizing.level_steps import level_steps
from lookalike.data.hierarchy import DateParts, Groups, Intervals, OrderedGroups, Prefix, Table, TopBottom, lay
from lookalike.report.protection.level_words import level_words, raised, step_words

WORDS = [
    (Intervals(widths=(5, 10)), [21, 30], ["intervals of 5", "intervals of 10"]),
    (TopBottom(bottom=(5,), top=(85,)), [3, 91], ["all below 5 as one, all from 85 on as one"]),
    (Prefix(keep=(3, 1)), ["93721", "93801"], ["first 3 characters", "first character"]),
    (DateParts(parts=("quarter", "year")), [date(2020, 3, 15), date(2021, 1, 1)], ["by quarter", "by year"]),
    (OrderedGroups(sizes=(2,), order=("low", "medium", "high")), ["low", "high"], ["groups of 2 neighbours"]),
    (Groups(steps=({"Nordic": ("SE", "NO")},)), ["SE", "NO"], ["1 group, Nordic"]),
    (Table(rows=(("SE", "Nordic", "*"), ("NO", "Nordic", "*"))), ["SE", "NO"], ["1 group, Nordic"]),
]


@pytest.mark.parametrize(("hierarchy", "values", "words"), WORDS, ids=lambda v: getattr(v, "kind", None))
def test_every_level_is_told_in_words_and_the_last_is_removed(hierarchy, values, words: list[str]) -> None:
    laid = lay(hierarchy, pl.Series(values))
    said = [step_words(step) for step in level_steps(laid)]
    assert said[: len(words)] == words
    assert set(said[len(words) :]) <= {"removed (every cell is *)"}
    assert len(said) == hierarchy.levels - 1


def test_a_group_that_is_called_like_a_value_of_the_file_is_no_example() -> None:
    table = Table(rows=(("SE", "NO", "*"), ("NO", "NO", "*"), ("FR", "South", "*"), ("ES", "South", "*")))
    steps = level_steps(lay(table, pl.Series(["SE", "NO", "FR"])))
    assert steps[0] == {"by": "groups", "groups": 2, "example": "South"}
    lonely = Table(rows=(("SE", "SE", "*"), ("NO", "NO", "*")))
    assert "example" not in level_steps(lay(lonely, pl.Series(["SE", "NO"])))[0], "a group of one value is a value"


def test_the_levels_of_a_release_are_told_and_a_version_in_words() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"age": rng.integers(20, 80, 200), "zip": rng.integers(10000, 10100, 200).astype(str)})
    made = la.protect(
        table,
        la.Generalization(hierarchies={"age": Intervals(widths=(10, 30)), "zip": Prefix(keep=(3,))}),
        until=la.Threshold(sample_to_population=None, k_anonymity=5),
        quasi_identifiers=["age", "zip"],
    )
    details = made.release.taken[0].details
    assert [len(steps) for steps in details["level_steps"].values()] == list(details["highest_levels"].values())
    assert level_words(details, "age", 2) == "intervals of 30"
    assert raised({"age": 0, "zip": 0}) == "none"


def test_a_column_without_a_value_left_is_named_and_one_that_was_empty_is_not() -> None:
    table = pl.DataFrame(
        {"age": [30, 31, None, 40], "sex": ["F", "M", "F", "M"], "none": pl.Series([None] * 4, dtype=str)}
    )
    made = la.protect(
        table,
        la.Generalization(hierarchies={"age": Intervals(widths=(2,)), "sex": Prefix(keep=())}),
        until=la.Threshold(sample_to_population=None, k_anonymity=4),
        quasi_identifiers=["age", "sex"],
    )
    release = made.release
    assert release.emptied == ("age", "sex")
    assert release.cells["age"][Done.KEPT] == 1, "the cell that was missing already"
    assert "removed (every cell is *)" in release._repr_html_()
