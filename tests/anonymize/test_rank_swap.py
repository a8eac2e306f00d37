from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing._rank_swap import partners
from lookalike.anonymize.perturbing.rank_swap import RankSwap
from lookalike.anonymize.perturbing.rank_windows import Swapped, candidates
from lookalike.errors import BadPlan


def run(method: RankSwap, table: pl.DataFrame, seed: int = 1, **options: object) -> Changed:
    return method.change(Asked(file=la.read(table, **options), rng=np.random.default_rng(seed)))  # type: ignore[arg-type]


def by_the_book(n: int, width: int, rng: Generator) -> list[int]:
    """Moore's procedure with lists: the lowest that is free takes one at random of the free ones in reach."""
    partner = list(range(n))
    free = set(range(n))
    for i in range(n):
        if i in free:
            reach = [j for j in range(i + 1, min(i + width, n - 1) + 1) if j in free]
            if reach:
                j = int(rng.choice(reach))
                partner[i], partner[j] = j, i
                free -= {i, j}
    return partner


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(1, 70), st.integers(0, 1000))
def test_partners_are_pairs_in_reach_and_only_the_far_end_stays_alone(n: int, width: int, seed: int) -> None:
    partner = partners(n, width, np.random.default_rng(seed))
    assert (partner[partner] == np.arange(n)).all()
    assert (np.abs(partner - np.arange(n)) <= width).all()
    lone = np.flatnonzero(partner == np.arange(n))
    assert (np.diff(lone) > width).all()  # two lone ranks in reach would have been a pair
    assert (lone >= n - width).all()  # the w − 1 ranks before one cannot take all w after it


def test_ranks_move_as_far_as_by_the_book() -> None:
    n, width, runs = 60, 12, 400
    ours, book = np.zeros(width + 1), np.zeros(width + 1)
    for seed in range(runs):
        ours += np.bincount(np.abs(partners(n, width, np.random.default_rng(seed)) - np.arange(n)), minlength=width + 1)
        moves = np.array(by_the_book(n, width, np.random.default_rng(10_000 + seed)))
        book += np.bincount(np.abs(moves - np.arange(n)), minlength=width + 1)
    # Pairs are counted twice, so the error of a share is that of half as many.
    assert ours / ours.sum() == pytest.approx(book / book.sum(), abs=6 * np.sqrt(2 * 0.09 / (runs * n / 2)))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 12)), min_size=1, max_size=80),
    st.floats(0.01, 1),
    st.integers(0, 1000),
)
def test_values_stay_as_often_as_before_and_move_only_so_far(
    values: list[int | None], within: float, seed: int
) -> None:
    table = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)})
    done = run(RankSwap(columns=("x",), within=within), table, seed, kinds={"x": "numeric"})
    after = done.columns["x"]
    assert after.sort().equals(table["x"].sort(), null_equal=True)
    assert after.is_null().equals(table["x"].is_null())
    known = [v for v in values if v is not None]
    width = max(1, int(within * len(known)))
    for one, other in zip(values, after.to_list(), strict=True):
        if one is not None:
            low, high = sorted((one, other))
            assert sum(low < v < high for v in known) < width


def test_numbers_dates_and_ordered_texts_are_swapped_and_categories_refused() -> None:
    table = pl.DataFrame(
        {
            "x": [1.5, 2.5, 3.5, 4.5],
            "day": [date(2024, 1, 1), date(2024, 1, 5), date(2024, 3, 1), date(2025, 1, 1)],
            "band": ["<5", "5-9", "10-84", "85+"],
            "sex": ["F", "M", "F", "M"],
        }
    )
    done = run(RankSwap(columns=("x", "day", "band"), within=0.25), table, kinds={"band": "ordinal"})
    # One rank at most: the first two change places, and the last two.
    assert done.columns["x"].to_list() == [2.5, 1.5, 4.5, 3.5]
    assert done.columns["day"].dtype == pl.Date
    assert done.columns["band"].to_list() == ["5-9", "<5", "85+", "10-84"]
    assert done.perturbed == {"x", "day", "band"}
    assert done.caveats[-1] == "Each column was swapped by itself: ties between columns are weakened."
    with pytest.raises(BadPlan) as caught:
        run(RankSwap(columns=("sex", "y"), within=2.0), table)
    assert list(caught.value.faults) == [
        "rank-swap: within must lie in (0, 1], not 2.",
        "Column 'y' is not in the data. Columns: x, day, band, sex.",
        "Column 'sex' does not hold values in an order. Leave it out.",
    ]
    ordered = run(RankSwap(), table, quasi_identifiers=["x", "sex"])
    assert list(ordered.columns) == ["x"]
    with pytest.raises(BadPlan, match="No quasi-identifier holds values in an order"):
        run(RankSwap(), table, quasi_identifiers=["sex"])


def test_one_record_and_a_column_without_values_stay_as_they_are() -> None:
    table = pl.DataFrame({"x": [4], "y": pl.Series([None], dtype=pl.Float64)})
    done = run(RankSwap(columns=("x", "y")), table, kinds={"x": "numeric", "y": "numeric"})
    assert done.columns["x"].to_list() == [4]
    assert done.columns["y"].to_list() == [None]
    assert done.columns["y"].dtype == pl.Float64
    assert done.figures["unchanged"] == 1.0


def test_same_seed_same_swaps() -> None:
    table = pl.DataFrame({"x": np.arange(300) % 40})
    method = RankSwap(columns=("x",))
    assert run(method, table, 4).columns["x"].equals(run(method, table, 4).columns["x"])
    assert not run(method, table, 4).columns["x"].equals(run(method, table, 5).columns["x"])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 3), st.integers(0, 1000))
def test_candidates_are_those_that_comparing_all_records_finds(n: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    swaps = []
    for _ in range(columns):
        codes = np.unique(rng.integers(-1, 9, n), return_inverse=True)[1].astype(np.int32) - 1
        known = rng.permutation(np.flatnonzero(codes >= 0))
        order = known[np.argsort(codes[known], kind="stable")]
        after, width = codes.copy(), max(1, len(order) // 6)
        after[order] = codes[order[partners(len(order), width, rng)]]
        swaps.append(Swapped(codes, after, width))
    found = candidates(swaps, rng=np.random.default_rng(1))
    persons = [i for i in range(n) if any(s.before[i] >= 0 for s in swaps)]
    if not persons:
        assert found is None
        return
    assert found is not None
    assert found.tolist() == [sum(_may_be(swaps, person, j) for j in range(n)) for person in persons]
    assert (found >= 1).all()


def _may_be(swaps: list[Swapped], person: int, record: int) -> bool:
    """Whether in every column known of a person the record's value is in reach, by counting what lies between."""
    for swap in swaps:
        one, other = swap.before[person], swap.after[record]
        if one < 0:
            continue
        low, high = min(one, other), max(one, other)
        between = int(((swap.before > low) & (swap.before < high)).sum())
        if other < 0 or between >= swap.width:
            return False
    return True


def test_several_columns_swapped_alone_give_records_away() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"x{j}": rng.normal(size=500) for j in range(5)})
    done = run(RankSwap(columns=tuple(table.columns), within=0.02), table)
    # A window of 2 · 10 + 1 of 500 ranks in five columns leaves 500 · 0.04⁵ others: nobody.
    assert done.figures["found_alone"] > 0.95
    assert "and with one, the right one, in" in done.caveats[5]
    one = run(RankSwap(columns=("x0",), within=0.02), table)
    assert one.figures["candidates_in_the_middle"] == 21
    assert one.figures["found_alone"] == 0


def test_adult_keeps_its_margins_and_most_of_its_correlation(shared: Path) -> None:
    adult = pl.read_csv(shared / "data" / "adult.csv", columns=["age", "hours_per_week"]).drop_nulls()
    done = run(RankSwap(columns=tuple(adult.columns), within=0.05), adult)
    for name in adult.columns:
        assert done.columns[name].sort().equals(adult[name].sort())
    before = np.corrcoef(adult["age"], adult["hours_per_week"])[0, 1]
    after = np.corrcoef(done.columns["age"], done.columns["hours_per_week"])[0, 1]
    assert after == pytest.approx(before, abs=0.03)
