"""The rows behind an attack."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.behind import Behind, behind_attribution, behind_copies, behind_matches
from lookalike.attacks.files import Files
from lookalike.attacks.matching import Matching
from lookalike.errors import NotAssessable

cells = st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.sampled_from("xyz"))
tables = st.lists(cells, min_size=1, max_size=14)


def frame(rows: list[tuple[int, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String, "ill": pl.String}, orient="row")


@given(tables, st.integers(2, 4), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_record_is_behind_a_match_if_fewer_than_k_rows_fit_it_and_its_own_does(rows, least, random) -> None:
    original = frame(rows)
    changed = [(random.randint(0, 3), s, i) if random.random() < 0.3 else (a, s, i) for a, s, i in rows]
    release = frame(changed)
    found = Matching(known=("age", "sex")).attack(Files(original=original, releases=(release,), linked=True))
    expected = [
        i
        for i, row in enumerate(rows)
        if changed[i][:2] == row[:2] and sum(other[:2] == row[:2] for other in changed) < least
    ]
    assert behind_matches(found.releases[0], least).rows.tolist() == expected


@given(tables, tables)
@settings(max_examples=60, deadline=None)
def test_rows_behind_an_attribution_are_those_of_keys_with_one_target_which_is_right(rows, released) -> None:
    files = Files(original=frame(rows), releases=(frame(released),))
    try:
        attacked = Attribution(known=("age", "sex"), target="ill").attack(files)
    except NotAssessable:
        return
    found = behind_attribution(files, attacked, ["age", "sex"], {})

    def targets(key: tuple[int, str]) -> set[str]:
        return {t for a, s, t in released if (a, s) == key}

    flagged = attacked.flags[0].records
    people = [i for i, (a, s, t) in enumerate(rows) if targets((a, s)) == {t} and not flagged[i]]
    keys = {rows[i][:2] for i in people}
    assert found.records.tolist() == people
    assert found.rows.tolist() == [i for i, row in enumerate(released) if row[:2] in keys]
    theirs = [[j for j in found.rows if released[j][:2] == rows[i][:2]] for i in people]
    assert found.rows_of_records.first.tolist() == [fitting[0] for fitting in theirs]
    assert found.rows_of_records.count.tolist() == [len(fitting) for fitting in theirs]
    ours = [[i for i in people if rows[i][:2] == released[j][:2]] for j in found.rows]
    assert found.records_of_rows.first.tolist() == [fitting[0] for fitting in ours]
    assert found.records_of_rows.count.tolist() == [len(fitting) for fitting in ours]


@given(tables, tables)
@settings(max_examples=60, deadline=None)
def test_rows_behind_copies_equal_a_record_that_no_other_equals(rows, released) -> None:
    found = behind_copies(frame(rows), frame(released), ["age", "sex", "ill"])
    alone = {row for row in rows if rows.count(row) == 1 and row in released}
    assert found.records.tolist() == [i for i, row in enumerate(rows) if row in alone]
    assert found.rows.tolist() == [i for i, row in enumerate(released) if row in alone]
    assert found.rows_of_records.first.tolist() == [released.index(rows[i]) for i in found.records]
    assert found.rows_of_records.count.tolist() == [released.count(rows[i]) for i in found.records]
    assert found.records_of_rows.first.tolist() == [rows.index(released[i]) for i in found.rows]
    assert found.records_of_rows.count.tolist() == [1] * len(found.rows)


def test_a_record_without_a_row_has_none() -> None:
    none = np.empty(0, np.int64)
    found = Behind(records=np.array([3]), rows=none, of_records=np.array([1]), of_rows=none)
    assert (found.rows_of_records.first.tolist(), found.rows_of_records.count.tolist()) == ([-1], [0])
    other = Behind(records=np.array([3]), rows=np.array([0]), of_records=np.array([5]), of_rows=np.array([4]))
    assert (other.rows_of_records.first.tolist(), other.rows_of_records.count.tolist()) == ([-1], [0])


def test_missing_values_are_values_of_their_own() -> None:
    original = pl.DataFrame({"age": [None, 1], "ill": ["x", None]})
    assert behind_copies(original, original.head(1), ["age", "ill"]).rows.tolist() == [0]


def test_rows_of_a_file_with_ranges_that_is_not_linked_are_not_told_apart() -> None:
    original = pl.DataFrame({"age": [30, 31, 40, 41], "ill": ["x", "x", "y", "y"]})
    release = pl.DataFrame({"age": ["[30;31]", "[30;31]", "[40;41]", "[40;41]"], "ill": ["x", "x", "y", "y"]})
    files = Files(original=original, releases=(release,))
    attacked = Attribution(known=("age",), target="ill").attack(files)
    with pytest.raises(NotAssessable, match="the rows behind an attribution are not told apart"):
        behind_attribution(files, attacked, ["age"], {})
    linked = Files(original=original, releases=(release,), linked=True)
    assert behind_attribution(linked, attacked, ["age"], {}).rows.tolist() == [0, 1, 2, 3]


def test_common_knowledge_has_no_rows_behind_it() -> None:
    original = pl.DataFrame({"age": np.arange(60), "beard": ["n"] * 60})
    files = Files(original=original, releases=(original,))
    attacked = Attribution(known=("age",), target="beard").attack(files)
    assert attacked["DiSCO"].main.value == 1
    assert not len(behind_attribution(files, attacked, ["age"], {}).rows)
