from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.date_shift import DateShift
from lookalike.anonymize.perturbing.moved_dates import alone_by_intervals, moved
from lookalike.errors import BadPlan


def run(method: DateShift, table: pl.DataFrame, seed: int = 1, **options: object) -> Changed:
    return method.change(Asked(file=la.read(table, **options), rng=np.random.default_rng(seed)))  # type: ignore[arg-type]


def told(method: DateShift, table: pl.DataFrame, **options: object) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table, **options)
    return list(caught.value.faults)


def visits(n: int = 400, persons: int = 90) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    came = pl.Series(rng.integers(18_000, 19_800, n).astype(np.int32)).cast(pl.Date)
    return pl.DataFrame(
        {
            "id": rng.integers(0, persons, n),
            "came": came,
            "left": came + pl.Series([timedelta(days=int(d)) for d in rng.integers(0, 30, n)]),
        }
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(-400, 0), st.integers(1, 400), st.booleans())
def test_all_dates_of_a_person_move_by_the_same_days(seed: int, low: int, high: int, weeks: bool) -> None:
    table = visits(60, 15)
    if weeks and high < 7 and low > -7:
        high = 7
    done = run(DateShift(person="id", days=(low, high), keep_weekday=weeks), table, seed)
    by = table.select(
        "id",
        came=(done.columns["came"] - table["came"]).dt.total_days(),
        left=(done.columns["left"] - table["left"]).dt.total_days(),
    )
    assert by["came"].equals(by["left"].alias("came"))
    assert by.group_by("id").agg(pl.col("came").n_unique())["came"].max() == 1
    assert by["came"].min() >= low
    assert by["came"].max() <= high
    assert 0 not in by["came"]
    if weeks:
        assert (by["came"] % 7 == 0).all()
        assert (done.columns["came"].dt.weekday() == table["came"].dt.weekday()).all()


def test_every_shift_is_as_likely_and_none_is_left_out() -> None:
    table = pl.DataFrame({"day": [date(2024, 1, 1)] * 30_000})
    shifts = (run(DateShift(days=(-2, 3)), table).columns["day"] - table["day"]).dt.total_days()
    counts = shifts.value_counts().sort("day")
    assert counts["day"].to_list() == [-2, -1, 1, 2, 3]
    assert counts["count"].to_list() == pytest.approx([6000] * 5, abs=6 * np.sqrt(30_000 * 0.16))
    with_zero = (run(DateShift(days=(-2, 3), zero=True), table).columns["day"] - table["day"]).dt.total_days()
    assert 0 in with_zero


def test_the_identifier_tells_the_person_and_records_without_one_are_their_own() -> None:
    table = pl.DataFrame({"id": ["a", "a", None, None, None], "day": [date(2024, 1, d) for d in range(1, 6)]})
    done = run(DateShift(days=(-3000, 3000)), table, identifiers=["id"])
    shift = (done.columns["day"] - table["day"]).dt.total_days().to_list()
    assert shift[0] == shift[1]
    assert len(set(shift)) == 4
    assert done.figures["persons"] == 4
    alone = run(DateShift(days=(-3000, 3000)), table.drop("id"))
    assert alone.figures["persons"] == 5
    nobody = run(DateShift(), table.with_columns(id=pl.lit(None, pl.String)), identifiers=["id"])
    assert nobody.figures["persons"] == 5
    two = table.with_columns(other=pl.lit("x"))
    assert told(DateShift(), two, identifiers=["id", "other"]) == [
        "shift-dates: the file has 2 identifiers. Say which one tells the person (person)."
    ]


def test_times_keep_their_time_of_day_on_the_clock() -> None:
    at = pl.Series([datetime(2024, 3, 30, 2, 30), None]).dt.replace_time_zone("Europe/Berlin")
    # On 31 March 2024 clocks went from 2 to 3: the hour is not there, and the time that has passed counts.
    assert moved(at, np.array([1, 1])).dt.strftime("%F %R").to_list() == ["2024-03-31 03:30", None]
    assert moved(at, np.array([2, 1])).dt.strftime("%F %R").to_list() == ["2024-04-01 02:30", None]
    plain = pl.Series([datetime(2024, 2, 28, 23, 59, 1)], dtype=pl.Datetime("ms"))
    assert moved(plain, np.array([2])).to_list() == [datetime(2024, 3, 1, 23, 59, 1)]
    assert moved(plain, np.array([2])).dtype == pl.Datetime("ms")


def test_dates_kept_as_text_move_if_they_are_iso_and_are_refused_if_not() -> None:
    table = pl.DataFrame({"day": ["2024-02-28T10:00Z", "2023-12-31", None], "odd": ["1.3.2024", "2024-13-01", None]})
    done = run(DateShift(columns=("day",), days=(1, 1)), table, kinds={"day": "date"})
    assert done.columns["day"].to_list() == ["2024-02-29T10:00Z", "2024-01-01", None]
    assert told(DateShift(columns=("day", "odd")), table, kinds={"day": "date", "odd": "nominal"}) == [
        "Column 'odd' does not hold dates. If its texts are dates (YYYY-MM-DD), give it the kind 'date'; else read it "
        "as dates."
    ]
    assert told(DateShift(), table, kinds={"day": "date", "odd": "date"}) == [
        "Column 'odd': 2 texts are no dates of the form YYYY-MM-DD. Read it as dates."
    ]


def test_the_risk_statement_counts_months_and_patterns() -> None:
    table = visits()
    done = run(DateShift(person="id", days=(-30, 60)), table)
    same = [a.month == b.month for c in ("came", "left") for a, b in zip(table[c], done.columns[c], strict=True)]
    assert done.figures["in_the_same_month"] == pytest.approx(np.mean(same))
    patterns = _patterns(table)
    alone = sum(list(patterns.values()).count(p) == 1 for p in patterns.values())
    assert done.figures["alone_by_intervals"] == alone
    assert done.figures["persons_with_intervals"] == len(patterns)
    assert done.figures["possible_shifts"] == 90
    assert done.caveats == (
        "A true date is one of 90 days, from 60 before to 30 after the released one. Who knows one true date of a "
        "person knows all of them.",
        f"{np.mean(same):.1%} of the dates stay in the same month of the year (8.3% by chance): seasons are hidden as "
        "far as the shift goes, no further.",
        f"Order and intervals of a person's dates are as they were: {alone} of {len(patterns)} persons with two dates "
        "or more are alone with theirs, and can be found by them.",
        "Columns that follow from dates (an age, a year, a weekday) were not changed and may tell the shift.",
    )
    part = run(DateShift(columns=("came",), person="id"), table)
    assert part.caveats[3] == "'left': dates that stayed; beside those that moved they may tell the shift."


def _patterns(table: pl.DataFrame) -> dict[int, tuple[tuple[int, str], ...]]:
    """Each person's dates as days since the first, one by one."""
    found: dict[int, list[tuple[date, str]]] = {}
    for row in table.iter_rows(named=True):
        found.setdefault(row["id"], []).extend([(row["came"], "came"), (row["left"], "left")])
    return {
        person: tuple(sorted(((day - min(dates)[0]).days, which) for day, which in dates))
        for person, dates in found.items()
        if len(dates) > 1
    }


def test_files_without_dates_have_no_pattern() -> None:
    assert alone_by_intervals(np.array([0, 1]), [np.array([np.nan, np.nan])]) == (0, 0)
    table = pl.DataFrame({"day": pl.Series([None, None], dtype=pl.Date)})
    done = run(DateShift(), table)
    assert done.columns["day"].to_list() == [None, None]
    assert done.perturbed == {"day"}


def test_all_faults_are_told_together() -> None:
    table = pl.DataFrame({"x": [1, 2]})
    assert told(DateShift(columns=("x", "y"), person="z", days=(5, 1)), table) == [
        "shift-dates: days must be two whole numbers, the least and the most.",
        "Column 'y' is not in the data. Columns: x.",
        "Column 'x' does not hold dates. If its texts are dates (YYYY-MM-DD), give it the kind 'date'; else read it "
        "as dates.",
        "Column 'z' is not in the data. Columns: x.",
    ]
    assert told(DateShift(), table) == ["The file has no column of dates. Name columns, or read them as dates."]
    nothing = "shift-dates: no shift is left to choose from. Widen days, or allow 0 (zero)."
    assert DateShift(days=(0, 0)).faults() == [nothing]
    assert DateShift(days=(1, 6), keep_weekday=True).faults() == [nothing]
    assert len(DateShift(days=("a", 1)).faults()) == 1  # type: ignore[arg-type]
