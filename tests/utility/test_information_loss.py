"""Information loss: seed 004's equations 2 to 4 against a literal sum, and the losses other tools report."""

from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.generalizing.coarsening import Coarsening
from lookalike.anonymize.method import Asked
from lookalike.classes.axis import axis_of
from lookalike.data import Microdata
from lookalike.utility import Covers, average_class_size, discernibility, granularity, information_loss, losses


def file_of(table: pl.DataFrame, **choices: Any) -> Microdata:
    return la.read(table, quasi_identifiers=table.columns, **choices)


def literal(original: pl.DataFrame, released: pl.DataFrame) -> float:
    """Equations 2 to 4 for numbers and ranges, record by record."""
    total = 0.0
    for before, after in zip(original.rows(), released.rows(), strict=True):
        square = 0.0
        for name, a, text in zip(original.columns, before, after, strict=True):
            column = original[name].drop_nulls().to_numpy()
            low, high = (column.min(), column.max()) if text is None else _ends(text)
            other = high if high - a > a - low else low
            square += ((a - other) / column.std()) ** 2 if column.std() else 0
        total += np.sqrt(square)
    return float(total / (original.height * original.width))


def _ends(text: str) -> tuple[float, float]:
    ends = [float(end) for end in text.strip("[]").split(";")]
    return ends[0], ends[-1]


NUMBERS = st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 3)), min_size=1, max_size=20)


@given(rows=NUMBERS, wide=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=20))
@settings(max_examples=30, deadline=None)
def test_it_is_the_sum_as_printed(rows: list[tuple[int, int]], wide: list[tuple[int, int, bool]]) -> None:
    original = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    ranges = [None if gone else f"[{a - x};{a + y}]" for (a, _), (x, y, gone) in zip(rows, wide, strict=False)]
    released = pl.DataFrame({"a": ranges, "b": [str(b) for _, b in rows]}, schema={"a": pl.String, "b": pl.String})
    found = information_loss(file_of(original), file_of(released))
    assert found == pytest.approx(literal(original, released))


def test_nothing_lost_is_0_and_all_lost_is_the_farther_end_of_the_domain() -> None:
    table = pl.DataFrame({"age": [0, 2, 4]})  # σ² = 8/3
    assert information_loss(file_of(table), file_of(table)) == 0
    gone = file_of(pl.DataFrame({"age": ["*", None, "*"]}))
    assert information_loss(file_of(table), gone) == pytest.approx((4 + 2 + 4) / 3 / np.sqrt(8 / 3))


def covers(cells: Any, released: list[str | None]) -> list[tuple[float, float]]:
    """The range that each record's cell stands for."""
    file = la.read(pl.DataFrame({"x": cells}))
    low, high = Covers.of(axis_of(file, "x"), pl.Series(released, dtype=pl.String)).ends()
    return list(zip(low.tolist(), high.tolist(), strict=True))


def test_cells_are_read_as_they_are_written() -> None:
    assert covers([3, 40, 90], ["<5", "[18;64]", "85+"]) == [(3, 4), (18, 64), (85, 90)]
    assert covers([3, 40, 90], ["4", "*", " [ 1 ; 2 ] "]) == [(4, 4), (3, 90), (1, 2)]
    assert covers(["93722", "10115"], ["937**", "10115"]) == [(93700, 93799), (10115, 10115)]
    assert covers([0.5, 1.5], ["[0,5;1,5]", "1.5"]) == [(0.5, 1.5), (1.5, 1.5)]
    assert covers([date(1970, 1, 2), date(1970, 1, 9)], ["[1970-01-02;1970-01-05]", None]) == [(1, 4), (1, 8)]
    moments = [datetime(1970, 1, 2), datetime(1970, 1, 3, 12)]
    assert covers(moments, ["[1970-01-02 00:00:00;1970-01-03 12:00:00]", "1970-01-03 12:00:00"]) == [
        (1, 2.5),
        (2.5, 2.5),
    ]


def test_values_without_sizes_lie_at_their_rank() -> None:
    assert covers(["a", "b", "c", "d"], ["a", "[b;d]", "[b;d]", None]) == [(0, 0), (1, 3), (1, 3), (0, 3)]


def test_the_name_of_a_group_reaches_over_the_values_that_became_it() -> None:
    assert covers(["a", "b", "c", "d"], ["west", "b", "west", "east"]) == [(0, 2), (1, 1), (0, 2), (3, 3)]
    assert covers([1, 2, 9], ["young", "young", "old"]) == [(1, 2), (1, 2), (9, 9)]


def test_missing_and_constant_values_lose_nothing() -> None:
    table = pl.DataFrame({"age": [1, None, 3], "one": [7, 7, 7], "none": pl.Series([None] * 3, dtype=pl.String)})
    gone = pl.DataFrame({"age": ["1", None, "3"], "one": ["*"] * 3, "none": pl.Series([None] * 3, dtype=pl.String)})
    assert information_loss(file_of(table), file_of(gone)) == 0


def test_records_and_columns_that_are_not_released_count_as_suppressed() -> None:
    table = pl.DataFrame({"age": [0, 2, 4], "sex": ["F", "M", "M"]})
    part = la.read(pl.DataFrame({"age": [4, 0]}))
    found = losses(file_of(table, kinds={"age": "numeric"}), part, rows=np.array([2, 0]))
    whole = losses(
        file_of(table, kinds={"age": "numeric"}),
        la.read(pl.DataFrame({"age": [0, None, 4], "sex": pl.Series([None] * 3, dtype=pl.String)})),
    )
    assert (found.information_loss, found.granularity) == (whole.information_loss, whole.granularity)
    assert found.columns["age"].suppressed == pytest.approx(1 / 3)
    assert found.suppressed == pytest.approx(4 / 6)
    assert (found.removed, found.discernibility) == (1, 1 + 1 + 3)


def test_granularity_is_the_share_of_the_column_a_cell_stands_for() -> None:
    file = la.read(pl.DataFrame({"age": [0, 10, 50, 100], "area": ["a", "b", "c", "d"]}), kinds={"age": "numeric"})
    age = Covers.of(axis_of(file, "age"), pl.Series(["[0;10]", "[0;10]", None, "[0;200]"]))
    assert granularity(file.variable("age"), age) == pytest.approx((0.1 + 0.1 + 1 + 1) / 4)
    area = Covers.of(axis_of(file, "area"), pl.Series(["x", "x", "c", None]))
    assert granularity(file.variable("area"), area) == pytest.approx((1 / 3 + 1 / 3 + 0 + 1) / 4)
    # A range stands for all between its ends, whoever was released as it.
    ranges = Covers.of(axis_of(file, "area"), pl.Series(["[a;d]", "b", "c", "[a;d]"]))
    assert granularity(file.variable("area"), ranges) == pytest.approx(2 / 4)


def test_a_perturbed_column_is_not_read_as_a_coarser_one() -> None:
    table = pl.DataFrame({"area": ["a", "b", "a", "b"]})
    swapped = pl.DataFrame({"area": ["b", "b", "a", "a"]})
    assert losses(file_of(table), file_of(swapped)).granularity == 1
    assert losses(file_of(table), file_of(swapped), {"area": {3: 2}}).granularity == 0
    assert losses(file_of(table), file_of(swapped), {"area": {3: 2}}).information_loss == pytest.approx(2 / 4 / 0.5)


def test_class_sizes() -> None:
    classes = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F"] * 6 + ["M"] * 4})), ["sex"])
    assert average_class_size(classes, 5) == 1
    assert discernibility(classes) == 36 + 16


def test_coarser_is_never_less_lost() -> None:
    rng = np.random.default_rng(2)
    file = file_of(pl.DataFrame({"age": rng.integers(0, 86, 200), "zip": rng.integers(90000, 96000, 200)}))
    found = []
    for resolution in (64, 32, 16, 8, 4, 2, 1):
        made = Coarsening(resolution=resolution).change(Asked(file=file, rng=rng))
        lost = losses(file, la.read(pl.DataFrame(dict(made.columns))))
        found.append((lost.information_loss, lost.granularity))
    assert found == sorted(found)
    assert found[-1][1] == 1
