import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.tails import Limits, at_limits, limits_by_count, written
from lookalike.anonymize.perturbing.top_bottom import TopBottom
from lookalike.data import is_generalized
from lookalike.errors import BadPlan


def run(method: TopBottom, table: pl.DataFrame, seed: int = 1) -> Changed:
    return method.change(Asked(file=la.read(table), rng=np.random.default_rng(seed)))


def told(method: TopBottom, table: pl.DataFrame) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table)
    return list(caught.value.faults)


AGES = pl.DataFrame({"age": [2, 4, 4, 30, 41, None, 85, 88, 93]})


def test_values_beyond_the_limits_share_a_code_that_the_house_understands() -> None:
    done = run(TopBottom(columns={"age": (5, 85)}, at_least=3), AGES)
    assert done.columns["age"].to_list() == ["<5", "<5", "<5", "30", "41", None, "85+", "85+", "85+"]
    assert is_generalized("<5")
    assert is_generalized("85+")
    assert done.perturbed == frozenset()
    assert done.figures == {"cells_coded": 6, "fewest_in_a_code": 3}
    assert done.details == {"columns": {"age": {"below": 3, "above": 3}}}
    assert done.caveats[0].startswith("'age': 3 records share the lowest code and 3 the highest.")


def test_the_limit_itself_can_be_released() -> None:
    done = run(TopBottom(columns={"age": (5, 85)}, at_least=3, release="limit"), AGES)
    assert done.columns["age"].to_list() == [5, 5, 5, 30, 41, None, 85, 85, 85]
    assert done.columns["age"].dtype == pl.Int64
    assert done.perturbed == {"age"}


def test_means_keep_the_total_and_whole_numbers() -> None:
    done = run(TopBottom(columns={"age": (None, 85)}, at_least=3, release="mean"), AGES)
    # 85 + 88 + 93 = 266 = 3 · 88 + 2: two of the three get 89.
    assert sorted(done.columns["age"].to_list()[-3:]) == [88, 89, 89]
    assert done.columns["age"].sum() == AGES["age"].sum()
    assert "all but one of the values behind a mean (at least 3)" in done.caveats[-1]


def test_a_mean_of_fractions_keeps_the_total() -> None:
    table = pl.DataFrame({"x": [0.5, 1.25, 7.5, 9.0, None]})
    done = run(TopBottom(columns={"x": (-np.inf, 7.5)}, at_least=2, release="mean"), table)
    assert done.columns["x"].to_list() == [0.5, 1.25, 8.25, 8.25, None]


def test_not_a_number_is_missing_and_lies_beyond_no_limit() -> None:
    cells = pl.Series([1.0, float("nan"), 9.0])
    assert at_limits(cells, Limits(2, 8)).to_list() == [2.0, None, 8.0]
    assert limits_by_count(cells, 0, 1) == Limits(None, 9.0, read=True)


def test_a_share_takes_the_highest_records_and_those_tied_with_them() -> None:
    table = pl.DataFrame({"pay": [*range(990), *([5000] * 7), 6000, 7000, 8000]})
    done = run(TopBottom(shares={"pay": (0, 0.005)}), table)
    # 0.5 % of 1,000 are 5; the fifth highest is 5,000, which seven hold.
    assert done.details["columns"]["pay"] == {"below": 0, "above": 10}
    assert done.columns["pay"][-1] == "5000+"
    assert "the limits were read from the file" in done.caveats[1]


def test_a_count_and_a_share_give_no_code_to_fewer_than_asked_for() -> None:
    table = pl.DataFrame({"pay": np.arange(100)})
    done = run(TopBottom(counts={"pay": (1, 2)}, at_least=5), table)
    assert done.details["columns"]["pay"] == {"below": 5, "above": 5}
    assert done.columns["pay"][0] == "<5"
    done = run(TopBottom(shares={"pay": (0.01, 0)}, at_least=5), table.cast(pl.Float64))
    assert done.columns["pay"].to_list()[4:6] == ["<5", "5.0"]


def test_a_column_with_one_value_has_no_ends() -> None:
    table = pl.DataFrame({"x": [4] * 20, "y": [None] * 20}, schema={"x": pl.Int64, "y": pl.Float64})
    done = run(TopBottom(shares={"x": (0.1, 0.1), "y": (0.1, 0.1)}), table)
    assert done.columns["x"].to_list() == ["4"] * 20
    assert done.columns["y"].to_list() == [None] * 20
    assert done.caveats == ("'x', 'y': no value lies beyond a limit; nothing was changed.",)


def test_a_limit_too_large_for_a_short_type_widens_it() -> None:
    table = pl.DataFrame({"x": pl.Series([1, 2, 3, 4, 5], dtype=pl.UInt8)})
    done = run(TopBottom(columns={"x": (300, None)}, release="limit"), table)
    assert done.columns["x"].to_list() == [300] * 5


def test_a_code_that_few_would_share_is_refused() -> None:
    assert told(TopBottom(columns={"age": (3, 90)}, at_least=2), AGES) == [
        "Column 'age': only 1 record would share a code, fewer than 2. Move the limit inward.",
        "Column 'age': only 1 record would share a code, fewer than 2. Move the limit inward.",
    ]


def test_ends_that_meet_and_limits_between_whole_numbers_are_refused() -> None:
    table = pl.DataFrame({"x": [1, 1, 1, 2, 2, 3]})
    assert told(TopBottom(counts={"x": (4, 3)}, at_least=1), table) == [
        "Column 'x': the lowest and the highest values meet. Ask for smaller shares or counts."
    ]
    assert told(TopBottom(columns={"x": (None, 1.5)}), table) == [
        "Column 'x' holds whole numbers: its limits must be whole."
    ]


def test_all_faults_of_the_settings_are_told_together() -> None:
    wrong = TopBottom(
        columns={"age": (9, 5), "agee": (1, 2), "sex": (1, 2)},
        shares={"age": (0.6, 0.6)},
        counts={"b": (-1, 2)},
        at_least=0,
        release="codes",  # type: ignore[arg-type]
    )
    assert told(wrong, AGES.with_columns(sex=pl.lit("F"))) == [
        "top-bottom: at_least must be at least 1, not 0.",
        "top-bottom: release must be one of code, limit, mean.",
        "top-bottom: 'age' is named twice. Give limits, a share or a count.",
        "top-bottom: 'age' has a lower limit above the upper one.",
        "top-bottom: 'age' needs two shares from 0 to below 1, together below 1: of the lowest, of the highest.",
        "top-bottom: 'b' needs two numbers of records: of the lowest, of the highest.",
        "Column 'agee' is not in the data. Did you mean 'age'? Columns: age, sex.",
        "Column 'b' is not in the data. Columns: age, sex.",
        "Column 'sex' does not hold numbers. Round or shift dates; generalize other values.",
    ]
    assert TopBottom().faults() == ["top-bottom: name the columns with their limits (columns), shares or counts."]
    bad = TopBottom(columns={"age": 5})  # type: ignore[dict-item]
    assert bad.faults() == ["top-bottom: 'age' needs two limits, the lower and the upper one."]


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=60),
    st.floats(0, 0.45),
    st.floats(0, 0.45),
    st.integers(1, 5),
    st.integers(0, 99),
)
def test_by_shares_no_code_is_rare_and_totals_stay(
    values: list[int], low: float, high: float, at_least: int, seed: int
) -> None:
    table = pl.DataFrame({"x": values})
    method = TopBottom(shares={"x": (low, high)}, at_least=at_least, release="mean")
    try:
        done = run(method, table, seed)
    except BadPlan as error:
        assert "meet" in str(error)  # noqa: PT017
        return
    below, above = done.details["columns"]["x"].values()
    assert done.columns["x"].sum() == sum(values)
    assert below == 0 or below >= max(at_least, low * len(values))
    assert above == 0 or above >= max(at_least, high * len(values))
    coded = run(TopBottom(shares={"x": (low, high)}, at_least=at_least), table).columns["x"]
    assert int(coded.str.starts_with("<").sum()) == below
    assert int(coded.str.ends_with("+").sum()) == above


@pytest.mark.parametrize(
    ("number", "text"), [(1e6, "1000000"), (0.25, "0.25"), (-3.5, "-3.5"), (10**15, "1" + 15 * "0")]
)
def test_limits_are_written_without_powers_of_ten(number: float, text: str) -> None:
    assert written(number) == text


def test_numbers_too_large_to_compute_with_are_refused_without_being_told() -> None:
    table = pl.DataFrame({"x": pl.Series([1, 2, 3, None, 2**63 + 5], dtype=pl.UInt64)})
    assert told(TopBottom(columns={"x": (None, 5)}), table) == [
        "Column 'x' holds whole numbers of 16 digits or more, too large to be changed by size. Leave it out."
    ]
