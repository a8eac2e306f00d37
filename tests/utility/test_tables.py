"""Grouping, coding, counting and measuring tables of two files."""

from datetime import date, datetime, time, timedelta
from itertools import combinations
from math import isclose

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, mannwhitneyu

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility import tables as counting
from lookalike.utility.grouping import number_groups
from lookalike.utility.levels import codes_of_levels
from lookalike.utility.numbers import as_numbers
from lookalike.utility.pair import CodedPair
from lookalike.utility.relative_differences import relative_differences, relative_differences_of
from lookalike.utility.table_measures import MEASURES, Cells, z_scores
from lookalike.utility.table_nulls import Null
from lookalike.utility.table_utility import table_utility
from lookalike.utility.tables import Table

COUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=12)


@st.composite
def two_tables(draw) -> tuple[np.ndarray, np.ndarray]:
    """Counts of two files over the same cells, each with a record."""
    first = draw(COUNTS.filter(any))
    second = draw(st.lists(st.integers(0, 60), min_size=len(first), max_size=len(first)).filter(any))
    return np.array(first), np.array(second)


def largest_gap(one: np.ndarray, other: np.ndarray) -> float:
    return max(abs((one <= v).mean() - (other <= v).mean()) for v in np.concatenate([one, other]))


def value(name: str, original, release) -> float:
    return float(MEASURES[name](Cells.of(original, release)))


# Measures


def test_measures_by_hand() -> None:
    o, s = [6, 4], [5, 5]
    assert value("VW", o, s) == pytest.approx(1 / 5.5 + 1 / 4.5)
    assert value("FT", o, s) == pytest.approx(4 * ((5**0.5 - 6**0.5) ** 2 + (5**0.5 - 2) ** 2))
    assert value("G", o, s) == pytest.approx(2 * (5 * np.log(5 / 6) + 5 * np.log(5 / 4)))
    assert value("MabsDD", o, s) == pytest.approx(0.2)
    assert value("SPECKS", o, s) == pytest.approx(0.1)
    assert value("PO50", o, s) == pytest.approx(5)
    assert value("dBhatt", o, s) == pytest.approx((1 - 0.3**0.5 - 0.2**0.5) ** 0.5)
    assert z_scores(Cells.of(o, s)) == pytest.approx([-1 / 5.5**0.5, 1 / 4.5**0.5])


def test_sizes_that_differ_are_scaled_and_not_a_difference() -> None:
    assert [value(name, [10, 20, 30], [1, 2, 3]) for name in MEASURES if name not in ("U", "AUC")] == pytest.approx(
        [0] * 10, abs=1e-12
    )
    assert value("AUC", [10, 20, 30], [1, 2, 3]) == pytest.approx(0.5)


def test_files_without_a_cell_in_common_are_as_far_apart_as_can_be() -> None:
    o, s = [4, 4, 0], [0, 0, 8]
    assert [value(name, o, s) for name in ("JSD", "SPECKS", "dBhatt", "AUC")] == [1, 1, 1, 1]
    assert value("G", o, s) == 0  # it sees no cell at all


@given(two_tables())
def test_measures_agree_with_other_ways_to_compute_them(pair) -> None:
    o, s = pair
    n1, n2 = o.sum(), s.sum()
    c = n2 / (n1 + n2)
    some = o + s > 0
    if some.sum() > 1:
        # Pearson's χ² of files by cells is (1 − c) VW.
        pearson = chi2_contingency(np.array([o, s])[:, some], correction=False).statistic
        assert value("VW", o, s) * (1 - c) == pytest.approx(pearson, abs=1e-9)
    # Record by record: the score of a record is the release's share of its cell.
    share = np.divide(s, o + s, out=np.zeros(len(o)), where=some)
    theirs, ours = np.repeat(share, s), np.repeat(share, o)
    assert value("pMSE", o, s) == pytest.approx(((np.concatenate([theirs, ours]) - c) ** 2).mean(), abs=1e-12)
    assert value("SPECKS", o, s) == pytest.approx(largest_gap(theirs, ours), abs=1e-12)
    assert value("U", o, s) == mannwhitneyu(theirs, ours).statistic
    assert value("FT", o, s) == pytest.approx(8 * n2 * value("dBhatt", o, s) ** 2, abs=1e-9)


@given(two_tables(), st.randoms(use_true_random=False))
def test_measures_do_not_feel_the_order_of_cells_and_keep_their_bounds(pair, random) -> None:
    o, s = pair
    order = list(range(len(o)))
    random.shuffle(order)
    for name in MEASURES:
        assert isclose(value(name, o, s), value(name, o[order], s[order]), rel_tol=1e-9, abs_tol=1e-9)
        assert value(name, o, s) >= 0
    assert all(value(name, o, s) <= 1 + 1e-12 for name in ("JSD", "SPECKS", "dBhatt", "AUC"))
    assert value("AUC", o, s) >= 0.5 - 1e-12
    assert value("JSD", o, s) == pytest.approx(value("JSD", s, o))


@given(two_tables())
def test_many_tables_at_once_are_as_each_alone(pair) -> None:
    o, s = pair
    stacked = Cells.of(np.stack([o, s, o]), np.stack([s, o, o]))
    for name, measure in MEASURES.items():
        alone = [value(name, *each) for each in ((o, s), (s, o), (o, o))]
        assert measure(stacked) == pytest.approx(alone, abs=1e-9)


# Groups of numbers


def test_quantile_groups_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).lognormal(size=1001)
    assert number_groups(values, 4).edges == pytest.approx(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(2, 8))
def test_groups_hold_every_value_and_rise_with_it(values, groups) -> None:
    x = np.array(values)
    cut = number_groups(x, groups)
    codes = cut.codes(x)
    assert ((codes >= 0) & (codes < cut.intervals)).all()
    assert (np.diff(codes[np.argsort(x, kind="stable")]) >= 0).all()
    assert len(cut.labels) == cut.intervals + 1


def test_a_missing_code_and_a_missing_value_have_groups_of_their_own() -> None:
    cut = number_groups(np.array([1.0, 2, 3, 4, 5, 6, -8, -8, np.nan]), 2, missing=(-8,))
    assert cut.codes(np.array([1.0, 6, -8, np.nan])).tolist() == [0, 1, 2, 3]
    assert cut.labels == ["[1, 3.5)", "[3.5, 6]", "-8", "missing"]


def test_infinite_values_are_in_the_outer_groups() -> None:
    cut = number_groups(np.arange(100.0))
    assert cut.codes(np.array([-np.inf, np.inf])).tolist() == [0, 4]


def test_few_distinct_values_stay_apart_however_uneven() -> None:
    values = np.array([0.0] * 95 + [1, 1, 1, 2, 100])
    assert number_groups(values).codes(np.array([0.0, 1, 2, 100])).tolist() == [0, 1, 2, 3]


def test_a_column_of_nothing_but_missing_values_has_one_group() -> None:
    cut = number_groups(np.full(3, np.nan))
    assert cut.codes(np.full(3, np.nan)).tolist() == [0, 0, 0]
    assert cut.labels == ["missing"]


# Columns as numbers and codes


def test_generalized_cells_count_as_what_an_analyst_makes_of_them() -> None:
    column = pl.Series(["[20;30]", "85+", "<5", "*", "", None, " 7 ", "12.5"])
    assert as_numbers(column) == pytest.approx([25, 85, 4, np.nan, np.nan, np.nan, 7, 12.5], nan_ok=True)
    assert as_numbers(pl.Series([date(1970, 1, 2), None])) == pytest.approx([1, np.nan], nan_ok=True)
    assert as_numbers(pl.Series([datetime(1970, 1, 2, 12)])).tolist() == [1.5]
    assert as_numbers(pl.Series([timedelta(hours=6)])).tolist() == [0.25]
    assert as_numbers(pl.Series([time(18)])).tolist() == [0.75]
    assert as_numbers(pl.Series(["7", "seven"])) is None


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1), st.lists(st.sampled_from(["b", "d", None])))
def test_equal_levels_have_equal_codes_and_only_they(one, other) -> None:
    codes, levels = codes_of_levels(pl.Series(one, dtype=pl.String), pl.Series(other, dtype=pl.String))
    cells = [cell if cell is not None else "missing" for cell in one + other]
    assert [levels[int(code)] for code in codes] == cells


def test_levels_of_other_types() -> None:
    def levels(one: pl.Series, other: pl.Series) -> tuple[list[int], list[str]]:
        codes, found = codes_of_levels(one, other)
        return codes.tolist(), found.to_list()

    assert levels(pl.Series([1, 3]), pl.Series([3.0, float("nan")])) == ([0, 1, 1, 2], ["1.0", "3.0", "missing"])
    assert levels(pl.Series([True, None]), pl.Series([False])) == ([1, 2, 0], ["false", "true", "missing"])
    kinds = pl.Series(["x", "y"], dtype=pl.Categorical), pl.Series(["y"], dtype=pl.Enum(["y", "x"]))
    assert levels(*kinds) == ([0, 1, 1], ["x", "y"])
    assert levels(pl.Series([1]), pl.Series(["1"])) == ([0, 0], ["1"])
    assert levels(pl.Series([None, None]), pl.Series([None])) == ([0, 0, 0], ["missing"])


def test_a_level_that_comes_late_in_a_long_column_is_found() -> None:
    column = pl.Series(["a"] * 70_000 + ["b"])
    codes, levels = codes_of_levels(column, pl.Series(["0"]))
    assert (codes[-2:].tolist(), levels.to_list()) == ([2, 0], ["0", "a", "b"])


# Counting


FRAMES = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 3), st.booleans(), st.sampled_from("xyz")),
    min_size=1,
    max_size=40,
)


def frame(rows) -> pl.DataFrame:
    schema = {"t": pl.String, "i": pl.String, "b": pl.Boolean, "s": pl.String}
    return pl.DataFrame([(t, str(i), b, s) for t, i, b, s in rows], schema=schema, orient="row")


@settings(deadline=None, max_examples=40)
@given(FRAMES, FRAMES, st.integers(1, 4))
def test_tables_agree_with_grouping_by_polars(one, other, ways) -> None:
    original, release = frame(one), frame(other)
    pair = CodedPair.of(original, release)
    for names in combinations(original.columns, ways):
        table = Table.of(pair, names)
        found = {}
        for row, o, s in zip(table.codes(), table.original, table.release, strict=True):
            found[tuple(pair[n].labels[int(code)] for n, code in zip(names, row, strict=True))] = (int(o), int(s))
        assert found == expected(original, release, names)


def expected(original: pl.DataFrame, release: pl.DataFrame, names) -> dict:
    both: dict = {}
    for place, file in enumerate((original, release)):
        texts = file.select(pl.col(names).cast(pl.String).fill_null("missing"))
        for *key, count in texts.group_by(names).len().rows():
            both.setdefault(tuple(key), [0, 0])[place] = count
    return {key: tuple(counts) for key, counts in both.items()}


def test_a_table_of_more_cells_than_records_is_counted_alike(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    original, release = (pl.DataFrame({n: rng.integers(0, 30, 500).astype(str) for n in "abc"}) for _ in range(2))
    pair = CodedPair.of(original, release)
    laid_out = Table.of(pair, "abc")
    monkeypatch.setattr(counting, "FEW", 0)
    listed = Table.of(pair, "abc")
    assert (laid_out.places == listed.places).all()
    assert (laid_out.original == listed.original).all()
    assert (laid_out.release == listed.release).all()


def test_a_column_with_a_hundred_thousand_levels_is_counted() -> None:
    ids = pl.DataFrame({"id": [str(i) for i in range(100_000)], "sex": ["F", "M"] * 50_000})
    table = Table.of(CodedPair.of(ids, ids.head(10)), ["id", "sex"])
    assert len(table) == 100_000
    assert table.release.sum() == 10


# The door


def test_all_faults_of_two_files_are_told_together() -> None:
    with pytest.raises(BadPlan) as told:
        CodedPair.of(pl.DataFrame({"a": [], "b": []}), pl.DataFrame({"a": [1], "c": [1]}), groups=1)
    assert told.value.faults == (
        "The original has no records.",
        "The original lacks columns of the other file: 'c'. Name the columns to compare.",
        "The release lacks columns of the other file: 'b'. Name the columns to compare.",
        "At least 2 groups are needed.",
    )


def test_columns_that_do_not_exist_are_told_with_the_nearest_name() -> None:
    file = pl.DataFrame({"age": [1], "sex": ["F"]})
    with pytest.raises(BadPlan) as told:
        CodedPair.of(file, file.drop("sex"), columns=["ages", "sex"])
    assert told.value.faults == (
        "Column 'ages' is not in the original. Did you mean 'age'? Columns: age, sex.",
        "Column 'ages' is not in the release. Did you mean 'age'? Columns: age.",
        "Column 'sex' is not in the release. Columns: age.",
    )
    with pytest.raises(BadPlan, match=r"No column is named to compare"):
        CodedPair.of(file, file, columns=[])
    with pytest.raises(BadPlan, match=r"A column is named twice"):
        CodedPair.of(file, file, columns=["age", "age"])
    with pytest.raises(BadPlan, match=r"Column 'pay' is not compared. Columns: age, sex."):
        Table.of(CodedPair.of(file, file), ["pay"])
    with pytest.raises(BadPlan, match=r"A table needs different variables, one at least."):
        Table.of(CodedPair.of(file, file), ["sex", "sex"])


def test_kinds_that_differ_are_told_without_a_value() -> None:
    original = pl.DataFrame({"age": [30], "born": [date(2000, 1, 1)]})
    release = pl.DataFrame({"age": ["secret"], "born": ["2000"]})
    with pytest.raises(BadPlan) as told:
        CodedPair.of(original, release)
    assert told.value.faults == (
        "Column 'age' holds numbers in the original and something else in the release.",
        "Column 'born' holds dates in the original and something else in the release.",
    )


def test_dates_and_points_in_time_can_be_compared() -> None:
    days = pl.DataFrame({"born": [date(2000, 1, day) for day in range(1, 31)]})
    points = days.with_columns(pl.col("born").cast(pl.Datetime("ms")))
    assert table_utility(CodedPair.of(days, points), ways=(1,)).tables[0].values["SPECKS"] == 0


def test_a_column_empty_in_the_release_is_compared_whatever_its_type() -> None:
    original = pl.DataFrame({"age": [30, 40], "born": [date(2000, 1, 1)] * 2})
    for dtype in (pl.String, pl.Null, pl.Float64):
        release = pl.DataFrame({name: pl.Series([None, None], dtype=dtype) for name in ("age", "born")})
        found = table_utility(CodedPair.of(original, release), ways=(1,))
        assert [table.values["SPECKS"] for table in found.tables] == [1, 1]


def test_a_kind_decides_whether_whole_numbers_are_levels() -> None:
    file = pl.DataFrame({"code": list(range(20))})
    assert CodedPair.of(file, file)["code"].levels == 6  # five groups and missing
    nominal = [Variable(name="code", kind=Kind.NOMINAL)]
    assert CodedPair.of(file, file, variables=nominal)["code"].levels == 20


def test_missing_codes_of_a_variable_are_groups() -> None:
    file = pl.DataFrame({"pay": [*range(100), -8, -8]})
    pair = CodedPair.of(file, file, variables=[Variable(name="pay", kind=Kind.NUMERIC, missing=("-8",))])
    table = Table.of(pair, ["pay"])
    assert table.original.tolist() == [20, 20, 20, 20, 20, 2]


def test_a_generalized_number_is_grouped_with_the_original_numbers() -> None:
    original = pl.DataFrame({"age": list(range(100))})
    release = pl.DataFrame({"age": [f"[{10 * (i // 10)};{10 * (i // 10) + 9}]" for i in range(100)]})
    found = table_utility(CodedPair.of(original, release), ways=(1,), null=None)
    assert found.tables[0].values["SPECKS"] == pytest.approx(0.0)


# All tables


def toy(seed: int = 1, n: int = 400) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(seed)

    def file(shift: float) -> pl.DataFrame:
        x = rng.normal(size=n)
        return pl.DataFrame(
            {"x": x, "y": x + rng.normal(shift, 1, n), "sex": rng.choice(["F", "M"], n), "one": ["k"] * n}
        )

    return file(0.0), file(1.0)


def test_all_tables_are_there_and_the_worst_are_first() -> None:
    found = table_utility(CodedPair.of(*toy()), ways=(1, 2, 3))
    assert len(found.tables) == 4 + 6 + 4
    worst = found.worst(3)
    assert worst[0].variables == ("y",)
    ratios = [table.ratio() for table in found.worst(14) if table.ratio() is not None]
    assert ratios == sorted(ratios, reverse=True)
    with pytest.raises(BadPlan, match=r"Measure 'VM' is not known. Measures: VW, FT"):
        found.worst(by="VM")


def test_a_constant_column_expects_nothing_and_has_no_ratio() -> None:
    found = table_utility(CodedPair.of(*toy()), ways=(1,))
    table = next(t for t in found.tables if t.variables == ("one",))
    assert (table.cells, table.df, table.values["VW"], table.expected["VW"], table.ratio()) == (1, 0, 0, 0, None)
    assert table.p_values == {}


def test_the_heat_map_is_symmetric_with_single_variables_on_its_diagonal() -> None:
    found = table_utility(CodedPair.of(*toy()), ways=(1, 2))
    names, heat = found.heat()
    assert names == ("x", "y", "sex", "one")
    assert np.allclose(heat, heat.T, equal_nan=True)
    single = {table.variables[0]: table.ratio() for table in found.tables if len(table.variables) == 1}
    assert heat[1, 1] == single["y"]
    assert np.isnan(heat[3, 3])


def test_the_worst_cells_are_positions_and_counts_by_size_of_z() -> None:
    original = pl.DataFrame({"v": ["a"] * 50 + ["b"] * 50 + ["c"] * 100})
    release = pl.DataFrame({"v": ["a"] * 20 + ["b"] * 80 + ["c"] * 100})
    pair = CodedPair.of(original, release)
    first, second = table_utility(pair, ways=(1,), worst_cells=2).tables[0].worst
    assert (first.codes, first.original, first.release) == ((0,), 50, 20)
    assert first.z == pytest.approx(-30 / 35**0.5)
    assert second.z == pytest.approx(30 / 65**0.5)
    assert pair["v"].labels[first.codes[0]] == "a"  # for the custodian alone
    assert len(table_utility(pair, ways=(1,), worst_cells=0).tables[0].worst) == 0
    assert len(table_utility(pair, ways=(1,), worst_cells=9).tables[0].worst) == 3


def test_the_frame_has_a_row_a_table_with_values_expectations_and_ratios() -> None:
    found = table_utility(CodedPair.of(*toy()), ways=(1, 2), draws=50, rng=np.random.default_rng(1)).frame()
    assert found.height == 10
    assert {"variables", "df", "VW", "E_VW", "S_VW", "p_VW", "SD_VW", "p_U"} <= set(found.columns)
    assert found.row(0, named=True)["variables"] == "x"


def test_same_seed_same_draws_and_threads_do_not_matter() -> None:
    pair = CodedPair.of(*toy())
    one, other = (table_utility(pair, ways=(1, 2), draws=20, rng=np.random.default_rng(5)).frame() for _ in range(2))
    assert one.equals(other)


def test_one_record_against_one_record() -> None:
    one = pl.DataFrame({"a": [1], "b": ["x"]})
    found = table_utility(CodedPair.of(one, one), ways=(1, 2))
    assert [table.values["SPECKS"] for table in found.tables] == [0, 0, 0]


def test_columns_without_any_value_are_one_cell() -> None:
    empty = pl.DataFrame({"a": [None, None], "b": ["x", "y"]}, schema={"a": pl.Float64, "b": pl.String})
    found = table_utility(CodedPair.of(empty, empty), ways=(1, 2))
    assert [table.cells for table in found.tables] == [1, 2, 2]


def test_sparse_tables_are_told_and_so_is_a_release_that_was_not_drawn() -> None:
    rng = np.random.default_rng(1)
    file = pl.DataFrame({n: rng.integers(0, 20, 100).astype(str) for n in "ab"})
    found = table_utility(CodedPair.of(file, file), ways=(2,))
    assert found.tables[0].caveats == ("In 100% of the cells fewer than 5 records are expected: draw tables instead.",)
    assert found.caveats == ("1 of 1 tables are sparse: draw their null, formulas are off.",)
    changed = table_utility(CodedPair.of(file, file), ways=(2,), null=None)
    assert changed.tables[0].expected == {}
    assert changed.worst(1)[0].ratio() is None
    assert changed.caveats == (
        "The release was not drawn from a law, so nothing is expected of it: read distances alone.",
    )


def test_faults_of_a_request_for_tables_are_told_together() -> None:
    pair = CodedPair.of(*toy())
    with pytest.raises(BadPlan) as told:
        table_utility(pair, ways=(1, 4), kept=["sx", "y"], draws=10)
    assert told.value.faults == (
        "Ways must be different numbers of 1, 2 and 3.",
        "To draw tables give how many, above 0, and a random generator.",
        "Kept column 'sx' is not compared. Did you mean 'sex'? Columns: x, y, sex, one.",
        "Column 'y' is said to be kept, and its levels are not as frequent in the release.",
    )


def test_kept_columns_take_away_degrees_of_freedom() -> None:
    original = pl.DataFrame({"sex": ["F", "M"] * 100, "ill": ["no", "no", "yes", "yes"] * 50})
    release = original.with_columns(pl.Series("ill", ["no", "yes", "yes", "no"] * 50))
    pair = CodedPair.of(original, release)
    free = {t.variables: t.df for t in table_utility(pair, null=Null.IMPROPER).tables}
    kept = {t.variables: t.df for t in table_utility(pair, null=Null.IMPROPER, kept=["sex"]).tables}
    assert free == {("sex",): 1, ("ill",): 1, ("sex", "ill"): 3}
    assert kept == {("sex",): 0, ("ill",): 1, ("sex", "ill"): 2}


# Relative differences


def test_relative_differences_by_hand() -> None:
    original = pl.DataFrame({"v": ["a"] * 8 + ["b"] * 2})
    release = pl.DataFrame({"v": ["a"] * 12 + ["b"] * 6 + ["c"] * 2})
    found = relative_differences(CodedPair.of(original, release))
    assert sorted(found.differences) == pytest.approx([0.6 / 0.8 - 1, 0.3 / 0.2 - 1])
    assert found.utility_loss == pytest.approx((0.25 + 0.5) / 2)
    assert str(found.new) == "1 of 3 cells"
    assert found.caveats[1] == "1 of 3 cells are new in the release and not in the mean."


@given(two_tables())
def test_relative_differences_weighted_by_the_original_are_the_new_cells_share(pair) -> None:
    o, s = pair
    found = relative_differences_of(o, s)
    assert (found * (o[o > 0] / o.sum())).sum() == pytest.approx(-s[o == 0].sum() / s.sum(), abs=1e-9)


def test_tables_that_do_not_exist_have_no_relative_differences() -> None:
    pair = CodedPair.of(*toy())
    with pytest.raises(NotAssessable, match=r"1 columns have no table of 2."):
        relative_differences(pair, 2, columns=["x"])
    with pytest.raises(BadPlan, match=r"Ways must be 1 at least."):
        relative_differences(pair, 0)
