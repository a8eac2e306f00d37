"""Algorithm S3 of seed 004: its tables, and every kind of column."""

from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.columns.grid import interval
from lookalike.anonymize.generalizing.coarsening import Coarsening
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import spans
from lookalike.errors import BadPlan

TABLES = {
    4: [(0, 20), (21, 42), (43, 63), (64, 85)],  # the text beside Algorithm S3
    8: [(0, 9), (10, 20), (21, 31), (32, 42), (43, 52), (53, 63), (64, 74), (75, 85)],  # table S8
    16: [  # table S7
        *((0, 4), (5, 9), (10, 15), (16, 20), (21, 25), (26, 31), (32, 36), (37, 42)),
        *((43, 47), (48, 52), (53, 58), (59, 63), (64, 68), (69, 74), (75, 79), (80, 85)),
    ],
}


def changed(cells: Any, method: Coarsening) -> Changed:
    file = la.read(pl.DataFrame({"x": cells}), quasi_identifiers=["x"])
    return method.change(Asked(file=file, rng=np.random.default_rng(1)))


def texts(cells: Any, resolution: int, **choices: Any) -> list[str | None]:
    return changed(cells, Coarsening(resolution=resolution, **choices)).columns["x"].to_list()


@pytest.mark.parametrize("resolution", TABLES)
def test_ages_are_cut_as_in_the_papers_tables(resolution: int) -> None:
    wanted = [f"[{low};{high}]" for low, high in TABLES[resolution] for _ in range(low, high + 1)]
    assert texts(list(range(86)), resolution) == wanted


@given(steps=st.integers(1, 10**20), resolution=st.integers(1, 1000), share=st.floats(0, 1))
def test_intervals_partition_the_steps(steps: int, resolution: int, share: float) -> None:
    step = min(int(steps * share), steps - 1)
    first, last = interval(step, steps, resolution)
    assert first <= step <= last
    assert first == 0 or interval(first - 1, steps, resolution)[1] == first - 1
    assert last == steps - 1 or interval(last + 1, steps, resolution)[0] == last + 1
    # About the same length: no two differ by more than one step.
    assert steps // min(resolution, steps) <= last - first + 1 <= -(-steps // min(resolution, steps))


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), resolution=st.integers(1, 20))
@settings(max_examples=150, deadline=None)
def test_a_number_lies_in_its_interval(values: list[float], resolution: int) -> None:
    found = texts(values, resolution)
    assert len(set(found)) <= resolution or len(set(values)) == len(set(found))
    for value, text in zip(values, found, strict=True):
        assert text is not None
        ends = [float(end) for end in text.strip("[]").split(";")]
        assert ends[0] <= value <= ends[-1]


def test_decimals_are_steps_and_their_intervals_do_not_touch() -> None:
    assert texts([36.5, 37.4, 37.5, 38.4], 2) == ["[36.5;37.4]", "[36.5;37.4]", "[37.5;38.4]", "[37.5;38.4]"]


def test_numbers_off_any_grid_have_touching_intervals() -> None:
    assert texts([0.0, 1 / 3, 2 / 3, 10 / 7], 2) == ["[0.0000;0.7143]"] * 3 + ["[0.7143;1.4286]"]
    assert (
        texts([1e18, 2e18 + 1e3, 3e18], 2)
        == ["[1000000000000000000;2000000000000000000]"] + ["[2000000000000000000;3000000000000000000]"] * 2
    )


def test_dates_are_cut_by_days_and_moments_by_their_coarsest_unit() -> None:
    days = [date(2009, 1, 1), date(2009, 4, 1), date(2009, 4, 2), date(2009, 12, 31)]
    assert texts(days, 4) == ["[2009-01-01;2009-04-01]"] * 2 + ["[2009-04-02;2009-07-01]", "[2009-10-01;2009-12-31]"]
    moments = [datetime(2009, 1, 1, 0), datetime(2009, 1, 1, 23)]  # 24 hours
    assert texts(moments, 2) == [
        "[2009-01-01 00:00:00.000000;2009-01-01 11:00:00.000000]",
        "[2009-01-01 12:00:00.000000;2009-01-01 23:00:00.000000]",
    ]


def test_values_without_sizes_are_cut_by_their_rank() -> None:
    assert texts(["e", "a", "b", "c", "d"], 2) == ["[c;e]", "[a;b]", "[a;b]", "[c;e]", "[c;e]"]
    assert texts([True, False], 2) == ["true", "false"]


def test_codes_keep_their_zeros() -> None:
    assert texts(["00501", "00999", "93722"], 3) == ["[00501;31574]", "[00501;31574]", "[62649;93722]"]


def test_missing_stays_missing_and_one_value_stays_itself() -> None:
    assert texts([None, 1, 2, None], 1) == [None, "[1;2]", "[1;2]", None]
    assert texts([5, 5], 3) == ["5", "5"]
    assert texts([1 / 3], 3) == [str(1 / 3)]
    assert texts([5.0, 7.0], 9) == ["5.0", "7.0"]
    assert texts(pl.Series([None, None], dtype=pl.String), 3) == [None, None]


def test_no_more_intervals_than_values_so_codes_of_few_values_are_kept() -> None:
    assert texts([1, 2, 3, 4, 5, 6], 8) == ["1", "2", "3", "4", "5", "6"]


def test_a_domain_gives_the_ends() -> None:
    assert texts([30, 40, 50], 4, domain={"x": (0, 85)}) == ["[21;42]", "[21;42]", "[43;63]"]
    year = {"x": ("2009-01-01", date(2009, 12, 31))}
    assert texts([date(2009, 5, 5)], 4, domain=year) == ["[2009-04-02;2009-07-01]"]


def test_a_release_of_file_ends_is_told_and_one_of_a_domain_is_not() -> None:
    assert changed([1, 9], Coarsening(resolution=2)).caveats == (
        "The outer ends of the ranges are the smallest and the largest value of the file, which may be one person's. "
        "Give a domain to choose them.",
    )
    assert changed([1, 9], Coarsening(resolution=2, domain={"x": (0, 10)})).caveats == ()


def test_a_column_in_one_interval_counts_as_suppressed() -> None:
    made = changed([1, None, 9], Coarsening(resolution=1))
    assert made.suppressed["x"].tolist() == [True, False, True]
    assert changed([1, 9], Coarsening(resolution=2)).suppressed == {}


def test_each_column_may_have_its_resolution() -> None:
    table = pl.DataFrame({"age": [0, 85], "sex": ["F", "M"], "area": ["x", "y"]})
    file = la.read(table, quasi_identifiers=["age", "sex", "area"])
    made = Coarsening(resolution={"age": 4, "sex": 1}).change(Asked(file=file, rng=np.random.default_rng(1)))
    assert {name: cells.to_list() for name, cells in made.columns.items()} == {
        "age": ["[0;20]", "[64;85]"],
        "sex": ["[F;M]", "[F;M]"],
    }
    assert made.details == {"intervals": {"age": 2, "sex": 1}}


def test_coarser_cells_hold_the_same_boxes_as_the_risk_measures_read() -> None:
    low, high = spans(pl.Series(texts(list(range(86)), 8)))
    assert sorted(set(zip((low - low.min()).tolist(), (high - low.min()).tolist(), strict=True))) == TABLES[8]


@pytest.mark.parametrize(
    ("cells", "method", "told"),
    [
        ([1, 2], Coarsening(resolution=0), "The resolution must lie between 1 and 1,000,000, not 0."),
        (
            [1, 2],
            Coarsening(resolution={}),
            "No column has a resolution. Give one for each column, or one number for all.",
        ),
        ([1, 2], Coarsening(resolution={"x": 0}), "The resolution of x must lie between 1 and 1,000,000, not 0."),
        (
            [1, 2],
            Coarsening(resolution={"x": 2}, columns=("x",)),
            "Resolutions by column name the columns already: leave `columns` out.",
        ),
        ([1, 2], Coarsening(resolution={"y": 2}), "Column 'y' is not in the data. Columns: x."),
        (
            [1, 2],
            Coarsening(resolution=2, domain={"y": (0, 9)}),
            "Column 'y' has a domain, but it is not one of the columns that are coarsened.",
        ),
        ([1, 2], Coarsening(resolution=2, domain={"x": (1,)}), "The domain of 'x' must have two ends."),  # type: ignore[dict-item]
        (
            [1, 90],
            Coarsening(resolution=2, domain={"x": (0, 85)}),
            "Column 'x' has values outside its domain (1 distinct ones).",
        ),
        ([1, 2], Coarsening(resolution=2, domain={"x": (9, 0)}), "Column 'x' has a domain that ends before it starts."),
        (
            ["a", "b"],
            Coarsening(resolution=2, domain={"x": (0, 1)}),
            "Column 'x' has no sizes, so it has no domain; its values are divided by their ranks.",
        ),
        (
            [1, 2],
            Coarsening(resolution=2, domain={"x": ("2009-01-01", "2009-12-31")}),
            "Column 'x' has numbers, so the ends of its domain must be numbers.",
        ),
        (
            [date(2009, 1, 1)],
            Coarsening(resolution=2, domain={"x": (0, 1)}),
            "Column 'x' has dates, so the ends of its domain must be dates.",
        ),
        (
            [date(2009, 1, 1)],
            Coarsening(resolution=2, domain={"x": ("soon", "later")}),
            "Column 'x' has dates, so the ends of its domain must be dates.",
        ),
    ],
)
def test_it_refuses(cells: list[Any], method: Coarsening, told: str) -> None:
    with pytest.raises(BadPlan) as caught:
        changed(cells, method)
    assert str(caught.value) == told
