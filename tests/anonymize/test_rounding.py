from datetime import date, datetime
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.multiples import to_multiples, to_periods
from lookalike.anonymize.perturbing.rounding import Rounding
from lookalike.errors import BadPlan

DAYS = pl.Series("day", [date(2024, 2, 29), date(2023, 12, 31), None, date(2024, 1, 1)])


def run(method: Rounding, table: pl.DataFrame, seed: int = 1, **roles: list[str]) -> Changed:
    return method.change(Asked(file=la.read(table, **roles), rng=np.random.default_rng(seed)))


def told(method: Rounding, table: pl.DataFrame, **roles: list[str]) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table, **roles)
    return list(caught.value.faults)


@given(st.lists(st.integers(-(10**15), 10**15), min_size=1), st.integers(1, 10**6))
def test_whole_numbers_go_to_the_nearest_multiple_halves_up(values: list[int], base: int) -> None:
    found = to_multiples(pl.Series(values), base)
    assert found.to_list() == [base * int(Fraction(2 * v + base, 2 * base).__floor__()) for v in values]


def test_fractions_go_to_multiples_written_as_the_base() -> None:
    cells = pl.Series([0.05, 0.149, 0.25, -0.3, 2.0, float("nan"), float("inf"), None])
    assert str(to_multiples(cells, 0.1).to_list()) == "[0.1, 0.1, 0.3, -0.3, 2.0, nan, inf, None]"
    assert to_multiples(pl.Series([1.0, 740.0], dtype=pl.Float32), 500).to_list() == [0.0, 500.0]


def test_random_rounding_has_no_bias_and_moves_by_less_than_the_base() -> None:
    # The mean of n values with P(up) = r/b has variance b²·r/b·(1 − r/b)/n: six of its roots.
    for value, n, base in ((1234, 40_000, 500), (-7, 40_000, 5)):
        cells = pl.Series([value] * n)
        found = to_multiples(cells, base, rng=np.random.default_rng(3))
        up = (value % base) / base
        assert sorted(found.unique().to_list()) == [value - value % base, value - value % base + base]
        assert found.mean() == pytest.approx(value, abs=6 * base * (up * (1 - up) / n) ** 0.5)
    found = to_multiples(pl.Series([0.37] * 40_000), 0.1, rng=np.random.default_rng(4))
    assert sorted(found.unique().to_list()) == [0.3, 0.4]
    assert found.mean() == pytest.approx(0.37, abs=6 * 0.1 * (0.21 / 40_000) ** 0.5)


def test_multiples_stay_where_they_are_even_at_random() -> None:
    cells = pl.Series([0.3, 0.6, 0.7, 1.1, 0.0, 5.0])
    assert to_multiples(cells, 0.1, rng=np.random.default_rng(1)).to_list() == cells.to_list()


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("day", [date(2024, 2, 29), date(2023, 12, 31), None, date(2024, 1, 1)]),
        ("week", [date(2024, 2, 26), date(2023, 12, 25), None, date(2024, 1, 1)]),
        ("month", [date(2024, 2, 1), date(2023, 12, 1), None, date(2024, 1, 1)]),
        ("quarter", [date(2024, 1, 1), date(2023, 10, 1), None, date(2024, 1, 1)]),
        ("year", [date(2024, 1, 1), date(2023, 1, 1), None, date(2024, 1, 1)]),
    ],
)
def test_dates_go_to_the_first_day_of_their_period(period: str, expected: list[date | None]) -> None:
    assert to_periods(DAYS, period).to_list() == expected


def test_times_become_days_and_dates_at_random_have_no_bias() -> None:
    assert to_periods(pl.Series([datetime(2024, 5, 1, 23, 59)]), "day").to_list() == [datetime(2024, 5, 1)]
    found = to_periods(pl.Series([date(2024, 1, 11)] * 30_000), "month", rng=np.random.default_rng(1))
    assert set(found.to_list()) == {date(2024, 1, 1), date(2024, 2, 1)}
    # Ten of 31 days have passed.
    assert (found == date(2024, 2, 1)).mean() == pytest.approx(10 / 31, abs=6 * (0.22 / 30_000) ** 0.5)


def test_a_method_rounds_numbers_and_dates_and_tells_what_is_left() -> None:
    table = pl.DataFrame({"pay": [1240, 1250, 3999, None], "day": DAYS})
    done = run(Rounding(base={"pay": 500, "day": "year"}), table)
    assert done.columns["pay"].to_list() == [1000, 1500, 4000, None]
    assert done.columns["day"].to_list() == [date(2024, 1, 1), date(2023, 1, 1), None, date(2024, 1, 1)]
    assert done.perturbed == {"pay", "day"}
    assert done.figures == {"alone_after": 4}
    assert done.details["columns"]["day"] == {"base": "year", "values_before": 3, "values_after": 2, "alone_after": 1}
    assert done.caveats == (
        "'pay': the true value lies at most 250 from the released one. 3 values became 3; 3 records are alone with "
        "theirs.",
        "'day': the true value lies in the year that begins with the released one. 3 values became 2; 1 records are "
        "alone with theirs.",
    )


def test_random_rounding_says_that_one_release_is_enough() -> None:
    done = run(Rounding(base=5, columns=("age",), random=True), pl.DataFrame({"age": [3, 8]}))
    assert done.caveats[0].startswith("'age': the true value lies less than 5 from the released one.")
    assert "release it once" in done.caveats[-1]
    done = run(Rounding(base="month", columns=("day",), random=True), pl.DataFrame({"day": DAYS}))
    assert done.caveats[0].startswith("'day': the true value lies within one month before or after the released one.")


def test_one_base_goes_to_the_quasi_identifiers_it_fits() -> None:
    table = pl.DataFrame({"age": [31, 32], "day": DAYS[:2], "zip": ["1", "2"], "pay": [7, 8]})
    roles = {"quasi_identifiers": ["age", "day", "zip"]}
    assert list(run(Rounding(base=5), table, **roles).columns) == ["age"]
    assert list(run(Rounding(base="month"), table, **roles).columns) == ["day"]
    assert told(Rounding(base=5), table) == ["No quasi-identifier holds numbers. Name columns that do."]


def test_the_type_stays_and_is_widened_only_where_it_must() -> None:
    table = pl.DataFrame({"a": pl.Series([3, 120], dtype=pl.Int8), "b": pl.Series([3, 124], dtype=pl.Int8)})
    done = run(Rounding(base=10, columns=("a", "b")), table)
    assert done.columns["a"].dtype == pl.Int8
    assert done.columns["b"].dtype == pl.Int8
    done = run(Rounding(base=50, columns=("b",)), table)
    assert done.columns["b"].to_list() == [0, 100]
    done = run(Rounding(base=100, columns=("b",)), pl.DataFrame({"b": pl.Series([-90, 127], dtype=pl.Int8)}))
    assert done.columns["b"].to_list() == [-100, 100]
    done = run(Rounding(base=200, columns=("b",)), pl.DataFrame({"b": pl.Series([-90, 127], dtype=pl.Int8)}))
    assert done.columns["b"].to_list() == [0, 200]


def test_all_faults_are_told_together() -> None:
    table = pl.DataFrame({"age": [31, 32], "day": DAYS[:2], "sex": ["F", "M"]})
    assert told(
        Rounding(base={"age": 0.5, "day": 5, "sex": "month", "x": -1, "age2": "moon"}, columns=("age",)), table
    ) == [
        "round: with a base for each column, leave columns out.",
        "round: base of 'x' must be a number above 0, or a period for dates: day, week, month, quarter, year.",
        "round: base of 'age2' must be a number above 0 or one of day, week, month, quarter, year.",
        "Column 'x' is not in the data. Columns: age, day, sex.",
        "Column 'age2' is not in the data. Did you mean 'age'? Columns: age, day, sex.",
        "Column 'day' does not hold numbers: give a period for dates (day, week, month, quarter, year), or leave it "
        "out.",
        "Column 'sex' does not hold dates: a base of one month does not fit.",
        "Column 'age' holds whole numbers: its base must be whole.",
    ]
    assert Rounding(base=0).faults() == [
        "round: base must be a number above 0, or a period for dates: day, week, month, quarter, year."
    ]
    assert Rounding(base={}).faults() == ["round: base names no column."]


def test_numbers_too_large_to_compute_with_are_refused_without_being_told() -> None:
    table = pl.DataFrame({"x": pl.Series([1, 2, 3, None, 2**63 + 5], dtype=pl.UInt64)})
    assert told(Rounding(columns=("x",)), table) == [
        "Column 'x' holds whole numbers of 16 digits or more, too large to be changed by size. Leave it out."
    ]
