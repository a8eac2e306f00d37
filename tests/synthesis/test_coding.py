"""From cells to a model and back: nothing is lost that the model does not draw."""

from datetime import date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data import Kind, Variable
from lookalike.models.mixed import Categories, Numbers
from lookalike.synthesis.coding import AsCategory, AsNumber, coding_of
from lookalike.synthesis.rounding import step_of

SERIES = [
    (pl.Series("x", [1, None, 3, -8]), Kind.NUMERIC),
    (pl.Series("x", [200, 255], dtype=pl.UInt8), Kind.NUMERIC),
    (pl.Series("x", [1.25, None, 3.5]), Kind.NUMERIC),
    (pl.Series("x", [1.25, 3.5], dtype=pl.Float32), Kind.NUMERIC),
    (pl.Series("x", ["1.25", "3.50"]).cast(pl.Decimal(10, 2)), Kind.NUMERIC),
    (pl.Series("x", [date(2020, 1, 1), None, date(1901, 5, 5)]), Kind.DATE),
    (pl.Series("x", [datetime(2020, 1, 1, 5), datetime(2021, 1, 1, 6, 30, 1)]), Kind.DATE),
    (pl.Series("x", [time(5), time(6, 30)]), Kind.DATE),
    (pl.Series("x", [timedelta(hours=1), timedelta(minutes=1)]), Kind.NUMERIC),
    (pl.Series("x", ["b", None, "a", "b"]), Kind.NOMINAL),
    (pl.Series("x", [True, False, None]), Kind.NOMINAL),
    (pl.Series("x", [3, 1, 2]), Kind.ORDINAL),
    (pl.Series("x", ["001", "01"]), Kind.TEXT_CODE),
    (pl.Series("x", [None, "a"]), Kind.NOMINAL),
    (pl.Series("x", ["2024-03-11T00:16:05.000000", None, "2024-03-12T01:16:05.500000"]), Kind.NOMINAL),
    (pl.Series("x", ["2024-03-11 00:16", "2024-03-12 01:16"]), Kind.DATE),
]


@pytest.mark.parametrize(("cells", "kind"), SERIES, ids=[f"{s.dtype} {k}" for s, k in SERIES])
def test_what_is_encoded_comes_back_with_its_type(cells: pl.Series, kind: Kind) -> None:
    coding = coding_of(Variable(name="x", kind=kind, missing=("-8",)), cells)
    columns = coding.encode(cells)
    assert len(columns) == coding.places
    back = coding.decode(columns)
    assert back.dtype == cells.dtype
    assert back.equals(cells, null_equal=True)


def test_a_number_with_codes_and_gaps_takes_two_columns() -> None:
    cells = pl.Series("pay", [100, -8, None, -9, 200])
    coding = coding_of(Variable(name="pay", kind=Kind.NUMERIC, missing=("-8", "-9")), cells)
    numbers, which = coding.encode(cells)
    assert isinstance(numbers, Numbers)
    assert isinstance(which, Categories)
    assert numbers.known.tolist() == [True, False, False, False, True]
    assert which.codes.tolist() == [0, 2, 3, 1, 0]  # values, then the codes from low to high, then missing


def test_missing_values_to_impute_are_not_known_to_the_model() -> None:
    cells = pl.Series("pay", [100, -8, None])
    (numbers,) = AsNumber.of(Variable(name="pay", kind=Kind.NUMERIC, missing=("-8",)), cells, impute=True).encode(cells)
    assert numbers.known.tolist() == [True, False, False]
    text = pl.Series("sex", ["F", None])
    (codes,) = AsCategory.of(Variable(name="sex", kind=Kind.NOMINAL), text, impute=True).encode(text)
    assert isinstance(codes, Categories)
    assert (codes.codes.tolist(), codes.levels) == ([0, -1], 1)


def test_ordinal_levels_keep_the_order_of_the_variable() -> None:
    cells = pl.Series("size", ["large", "small", "medium"])
    said = Variable(name="size", kind=Kind.ORDINAL, levels=("small", "medium", "large"))
    (codes,) = coding_of(said, cells).encode(cells)
    assert isinstance(codes, Categories)
    assert codes.codes.tolist() == [2, 0, 1]
    assert codes.ordered


def test_drawn_numbers_are_rounded_as_the_file_is() -> None:
    pay = pl.Series("pay", [500.0, 1500.0, 2000.0])
    coding = coding_of(Variable(name="pay", kind=Kind.NUMERIC), pay)
    assert coding.decode([Numbers(np.array([749.0, 751.0]))]).to_list() == [500.0, 1000.0]
    price = pl.Series("price", [0.25, 3.5, 7.01])
    coding = coding_of(Variable(name="price", kind=Kind.NUMERIC), price)
    assert coding.decode([Numbers(np.array([0.0312, 2.675001]))]).to_list() == [0.03, 2.68]


def test_times_written_as_text_are_drawn_as_times() -> None:
    cells = pl.Series("when", ["2024-01-01 10:00:00", "2024-01-01 10:00:30", "2024-01-03 10:00:00"])
    coding = coding_of(Variable(name="when", kind=Kind.NOMINAL), cells)
    (times,) = coding.encode(cells)
    assert isinstance(times, Numbers)
    between = Numbers(np.array([times.values[1] + 50e6]))
    assert coding.decode([between]).to_list() == ["2024-01-01 10:01:30"]  # all times are multiples of 30 seconds


def test_a_draw_beyond_its_type_stays_inside() -> None:
    cells = pl.Series("age", [1, 120], dtype=pl.UInt8)
    coding = coding_of(Variable(name="age", kind=Kind.NUMERIC), cells)
    assert coding.decode([Numbers(np.array([-5.0, 300.0]))]).to_list() == [0, 255]


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=50), st.integers(1, 1000))
def test_every_number_is_a_multiple_of_the_step(numbers: list[int], factor: int) -> None:
    values = np.array(numbers, float) * factor
    step = step_of(values, whole=True)
    assert np.allclose(np.rint(values / step) * step, values, rtol=0, atol=1e-3)
