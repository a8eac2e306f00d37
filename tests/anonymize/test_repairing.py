"""A few rows changed: coarsened with their neighbours, or drawn from rows near them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.repairing.coarsened import coarsened, moved
from lookalike.anonymize.repairing.gower import Points
from lookalike.anonymize.repairing.redrawn import redrawn
from lookalike.classes.axis import axis_of
from lookalike.errors import NotAssessable

tables = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from("abc"), st.integers(0, 2)),
    min_size=6,
    max_size=25,
)


def file_of(rows) -> la.Microdata:
    return la.read(pl.DataFrame(rows, schema={"age": pl.Int64, "town": pl.String, "ill": pl.Int64}, orient="row"))


@given(tables, st.integers(2, 5), st.sets(st.integers(0, 5), min_size=1))
@settings(max_examples=25, deadline=None)
def test_coarsened_rows_share_their_cells_with_enough_others_(rows, least, chosen) -> None:
    file, at = file_of(rows), np.array(sorted(chosen))
    secrets = np.array([row[2] for row in rows])
    made = coarsened(file, at, ["age", "town"], least=least, secrets=[(secrets, at)])
    after = list(zip(made["age"], made["town"], strict=True))
    for row in at:
        group = [i for i, key in enumerate(after) if key == after[row]]
        assert len(group) >= least
        assert len({rows[i][2] for i in group}) > 1 or len(set(secrets)) == 1


def test_the_nearest_class_joins_first_and_the_rest_stays() -> None:
    file = la.read(pl.DataFrame({"age": [20, 20, 30, 30, 33, 60, 60]}))
    made = coarsened(file, np.array([4]), ["age"])["age"].to_list()
    assert made == ["20", "20", "[30;33]", "[30;33]", "[30;33]", "60", "60"]


def test_a_group_takes_rows_until_it_has_two_values_of_the_target() -> None:
    file = la.read(pl.DataFrame({"age": [30, 30, 31, 31, 40], "ill": ["x", "x", "x", "x", "y"]}))
    secrets = [(np.array([0, 0, 0, 0, 1]), np.array([0, 1]))]
    made = coarsened(file, np.array([0, 1]), ["age"], secrets=secrets)["age"].to_list()
    assert made == ["[30;40]"] * 5


def test_cells_that_are_ranges_already_are_suppressed_where_they_differ() -> None:
    file = la.read(pl.DataFrame({"age": ["[20;29]", "[20;29]", "[30;39]"], "sex": ["F", "F", "F"]}))
    made = coarsened(file, np.array([2]), ["age", "sex"])
    assert made["age"].to_list() == [None, None, None]
    assert made["sex"].to_list() == ["F", "F", "F"]


def test_a_single_row_and_a_constant_column_are_left_as_they_are() -> None:
    one = la.read(pl.DataFrame({"age": [30]}))
    assert coarsened(one, np.array([0]), ["age"])["age"].to_list() == ["30"]
    same = la.read(pl.DataFrame({"age": [30, 30]}))
    assert moved(same, np.array([0]), ["age"])["age"].to_list() == ["30", "30"]


@given(tables, st.sets(st.integers(0, 5), min_size=1))
@settings(max_examples=25, deadline=None)
def test_moved_rows_have_other_keys_wherever_another_row_differs(rows, chosen) -> None:
    file, at = file_of(rows), np.array(sorted(chosen))
    made = moved(file, at, ["age", "town"])
    after = list(zip(made["age"], made["town"], strict=True))
    before = [(None if a is None else str(a), t) for a, t, _ in rows]
    for row in at:
        age, town = before[row]
        if any((age is not None and a != age) or t != town for a, t in before):
            assert after[row] != before[row]
    assert sum(a != b for a, b in zip(after, before, strict=True)) <= 2 * len(at)


def test_gower_counts_a_missing_value_as_far_as_can_be() -> None:
    file = la.read(pl.DataFrame({"age": [0, 10, None], "sex": ["F", "M", None]}))
    points = Points.of([axis_of(file, "age"), axis_of(file, "sex")])
    assert points.to(0).tolist() == [0.0, 1.0, 1.0]
    assert points.to(2).tolist() == [1.0, 1.0, 0.0]


def test_redrawn_cells_come_from_one_near_row_that_is_not_at_risk() -> None:
    table = pl.DataFrame({"age": [*range(100)], "ill": [str(i) for i in range(100)], "pay": [*range(100)]})
    rows = np.arange(40, 50)
    made = redrawn(la.read(table), rows, ["ill", "pay"], ["age"], rng=np.random.default_rng(3))
    drawn = made["pay"].to_numpy()
    assert [str(p) for p in drawn] == made["ill"].to_list()
    assert not np.isin(drawn[rows], rows).any()
    assert (np.abs(drawn[rows] - rows) <= 20).all()
    untouched = np.setdiff1d(np.arange(100), rows)
    assert (drawn[untouched] == untouched).all()


def test_the_same_seed_draws_the_same_cells() -> None:
    file = la.read(pl.DataFrame({"age": [*range(50)], "ill": [*range(50)]}))
    one, other = (redrawn(file, np.arange(9), ["ill"], ["age"], rng=np.random.default_rng(1)) for _ in range(2))
    assert one["ill"].equals(other["ill"])


def test_without_a_row_to_draw_from_it_is_told() -> None:
    file = la.read(pl.DataFrame({"age": [1]}))
    with pytest.raises(NotAssessable, match="there is no other to draw from"):
        redrawn(file, np.arange(1), ["age"], [], rng=np.random.default_rng(1))
