from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data import Kind, Variable
from lookalike.data.hierarchy import (
    KINDS,
    DateParts,
    Groups,
    Hierarchy,
    Intervals,
    OrderedGroups,
    Prefix,
    Rare,
    Table,
    TopBottom,
    as_plain,
    from_plain,
    lay,
    read_folder,
    suggest,
)
from lookalike.errors import BadFile, BadPlan

NOMINAL = Variable(name="job", kind=Kind.NOMINAL)


def levels(hierarchy: Hierarchy, values: list[object]) -> list[list[str | None]]:
    return [cells.to_list() for cells in hierarchy.cells(pl.Series(values))]


def test_a_table_is_read_in_the_form_of_arx_with_either_separator(tmp_path: Path) -> None:
    for sign in ";,":
        path = tmp_path / "hierarchy.csv"
        path.write_text(f"Some college{sign}Higher education{sign}*\n 11th {sign}School{sign}*\n")
        table = Table.read(path)
        assert table.levels == 3
        assert levels(table, ["Some college", "11th"]) == [["Higher education", "School"], ["*", "*"]]


def test_a_table_of_texts_serves_a_column_of_numbers() -> None:
    table = Table(rows=(("1", "0-4"), ("7", "5-9")))
    assert levels(table, [7, 1]) == [["5-9", "0-4"]]
    assert levels(table, [7.0, 1.0]) == [["5-9", "0-4"]]


def test_a_separator_inside_quotes_is_part_of_a_value(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text('"a;b";x;*\nc;x;*\n')
    assert levels(Table.read(path), ["a;b"]) == [["x"], ["*"]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "h.csv is empty: a hierarchy has one line a value."),
        ("a;x;*\nb;x\nc;y;*\n", "h.csv: 1 of 3 lines have another number of levels than 3."),
        ("a\nb\n", "h.csv: It has one level only."),
        ("a;x;*\na;y;*\n", "h.csv: 1 values stand there twice, with different cells."),
        (
            "a;x;1\nb;x;2\nc;y;2\n",
            "h.csv: 1 of 2 groups of level 1 are split at level 2. Values that share a group must share one at every "
            "later level.",
        ),
    ],
)
def test_a_table_that_is_none_is_refused_with_counts(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "h.csv"
    path.write_text(text)
    with pytest.raises((BadFile, BadPlan)) as error:
        Table.read(path)
    assert str(error.value) == told


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"^no.csv: there is no such hierarchy\.$"):
        Table.read(tmp_path / "no.csv")
    with pytest.raises(BadFile, match="is a folder, not a hierarchy"):
        Table.read(tmp_path)


def test_a_folder_is_matched_to_columns_by_the_end_of_file_names(tmp_path: Path) -> None:
    for name in ("adult_hierarchy_marital-status", "age", "Native_Country", "left over"):
        (tmp_path / f"{name}.csv").write_text("a;*\n")
    found = read_folder(tmp_path, ["status", "marital-status", "age", "native-country"])
    assert list(found.hierarchies) == ["native-country", "marital-status", "age"]
    assert found.notes == ("No column fits left over.csv: not used.",)


def test_two_files_for_one_column_and_unreadable_ones_are_told_together(tmp_path: Path) -> None:
    for name, text in (("age", "a;*\n"), ("x_age", "a;*\n"), ("sex", "")):
        (tmp_path / f"{name}.csv").write_text(text)
    with pytest.raises(BadPlan) as error:
        read_folder(tmp_path, ["age", "sex"])
    assert error.value.faults == (
        "Files age.csv, x_age.csv both fit column 'age'. Keep one.",
        "sex.csv is empty: a hierarchy has one line a value.",
    )


def test_a_folder_that_is_missing_or_empty_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no such folder of hierarchies"):
        read_folder(tmp_path / "no", ["age"])
    with pytest.raises(BadPlan, match=r"holds no hierarchy: files must end in \.csv"):
        read_folder(tmp_path, ["age"])


def test_intervals_of_whole_numbers_hold_both_ends() -> None:
    assert levels(Intervals(widths=(5, 10)), [20, 24, 25, -1]) == [
        ["[20;24]", "[20;24]", "[25;29]", "[-5;-1]"],
        ["[20;29]", "[20;29]", "[20;29]", "[-10;-1]"],
        ["*"] * 4,
    ]


def test_a_real_number_on_a_bound_belongs_to_the_interval_above() -> None:
    assert levels(Intervals(widths=(0.1,), everything=False), [0.3, 0.29, 0.35]) == [
        ["[0.3;0.4]", "[0.2;0.3]", "[0.3;0.4]"]
    ]


def test_intervals_end_at_a_bottom_and_a_top() -> None:
    assert levels(Intervals(widths=(10,), bottom=15, top=85), [3, 15, 84, 85, 99])[0] == [
        "<15",
        "[15;19]",
        "[80;84]",
        "85+",
        "85+",
    ]


def test_shares_of_intervals_are_parts_of_the_range_of_the_column() -> None:
    laid = lay(Intervals(widths=(10,)), pl.Series([20, 25, 30, 40]))
    # Of the 21 whole numbers from 20 to 40: [20;29] covers 10, [30;39] 10, [40;49] only 40.
    assert laid.shares[1].tolist() == [9 / 20, 9 / 20, 9 / 20, 0.0]
    assert laid.shares[2].tolist() == [1.0] * 4


def test_shares_of_a_table_count_its_own_leaves_not_the_values_of_the_file() -> None:
    table = Table(rows=(("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")))
    laid = lay(table, pl.Series(["a"]))
    assert [share.tolist() for share in laid.shares] == [[0.0], [1 / 2], [1.0]]


def test_top_and_bottom_coding_leaves_what_lies_between() -> None:
    coding = TopBottom(bottom=(5, 10), top=(85,))
    assert levels(coding, [4, 7, 50, 90]) == [["<5", "7", "50", "85+"], ["<10", "<10", "50", "85+"], ["*"] * 4]
    assert coding.levels == 4


def test_dates_go_from_days_to_decades() -> None:
    parts = DateParts(parts=("day", "month", "quarter", "year", "decade"))
    moment = datetime(2021, 11, 5, 8, 30)
    assert levels(parts, [moment]) == [["2021-11-05"], ["2021-11"], ["2021-Q4"], ["2021"], ["[2020;2029]"], ["*"]]
    assert levels(parts, ["2021-11-05", "n/a"])[1] == ["2021-11", None]


def test_shares_of_dates_are_parts_of_the_days() -> None:
    laid = lay(DateParts(parts=("month",)), pl.Series([date(2021, 1, 1), date(2021, 3, 1)]))
    # 60 days from 1 January to 1 March; January covers 31, March only its first.
    assert laid.shares[1].tolist() == [30 / 59, 0.0]


def test_prefixes_mask_as_many_characters_as_they_hide() -> None:
    assert levels(Prefix(keep=(3, 1)), ["93721", "12"]) == [["937**", "12"], ["9****", "1*"], ["*"] * 2]
    assert levels(Prefix(keep=(3,)), [9372]) == [["937*"], ["*"]]


def test_ordered_groups_take_the_order_of_the_column() -> None:
    variable = Variable(name="size", kind=Kind.ORDINAL, levels=("S", "M", "L"))
    made = OrderedGroups(sizes=(2,)).fitted(variable, pl.Series(["L", "M", "S"]), np.array([1, 1, 1]))
    assert levels(made, ["S", "M", "L"])[0] == ["[S;M]", "[S;M]", "L"]


def test_ranges_in_ordered_groups_are_joined() -> None:
    variable = Variable(name="age", kind=Kind.ORDINAL)
    made = OrderedGroups(sizes=(2,)).fitted(variable, pl.Series(["5-9", "0-4", "10-14"]), np.ones(3, np.int64))
    assert levels(made, ["0-4", "5-9", "10-14"])[0] == ["[0;9]", "[0;9]", "10-14"]


def test_named_groups_have_a_place_for_the_rest() -> None:
    groups = Groups(steps=({"north": ("SE", "NO"), "south": ("IT",)}, {"Europe": ("north", "south")}))
    assert levels(groups, ["SE", "IT", "XX"]) == [["north", "south", None], ["Europe", "Europe", None], ["*"] * 3]
    assert lay(groups, pl.Series(["SE", "XX"])).lacking.tolist() == [False, True]


def test_rare_values_stay_those_of_the_file_they_were_read_from() -> None:
    made = Rare(at_least=(2, 10)).fitted(NOMINAL, pl.Series(["a", "b", "c"]), np.array([20, 5, 1]))
    assert levels(made, ["a", "b", "c", "new"])[:2] == [["a", "b", "other", "other"], ["a", "other", "other", "other"]]
    assert made.fitted(NOMINAL, pl.Series(["c"]), np.array([99])) is made


def test_rare_values_that_are_not_known_are_a_fault() -> None:
    with pytest.raises(BadPlan, match="lay it over a column first"):
        Rare(at_least=(2,)).cells(pl.Series(["a"]))


@pytest.mark.parametrize(
    ("hierarchy", "told"),
    [
        (Intervals(widths=(), everything=False), "Intervals need at least one width."),
        (Intervals(widths=(0,)), "The widths of intervals must be numbers above 0."),
        (Intervals(widths=(10, 25)), "Each width of intervals must be a multiple of the one before."),
        (Intervals(widths=(10,), bottom=9, top=5), "The bottom of intervals lies above their top."),
        (TopBottom(), "Top and bottom coding needs a top or a bottom."),
        (TopBottom(bottom=(5, 4)), "A bottom must grow from level to level, and a top fall."),
        (TopBottom(bottom=(50,), top=(5,)), "The bottom 50 lies above the top 5."),
        (DateParts(parts=("week",)), "Part 'week' is not of a date. Parts: day, month, quarter, year, decade."),
        (
            DateParts(parts=("year", "month")),
            "The parts of a date must go from short to long: day, month, quarter, year, decade.",
        ),
        (Prefix(keep=(), everything=False), "A prefix needs the number of characters to keep."),
        (Prefix(keep=(2, 3)), "A prefix must keep fewer characters from level to level."),
        (Prefix(keep=(0,)), "A prefix must keep at least one character; the last level `*` keeps none."),
        (OrderedGroups(sizes=(), everything=False), "Ordered groups need at least one size."),
        (OrderedGroups(sizes=(0,)), "The sizes of ordered groups must be at least 1."),
        (OrderedGroups(sizes=(2, 3)), "Each size of ordered groups must be a multiple of the one before."),
        (OrderedGroups(sizes=(2,), order=("a", "a")), "The order of ordered groups names a value twice."),
        (Groups(steps=(), everything=False), "Groups need at least one level."),
        (Groups(steps=({"x": ("a",), "y": ("a",)},)), "Groups: at level 1 1 members are in more than one group."),
        (
            Rare(at_least=(), everything=False),
            "A hierarchy of rare values needs the fewest records of a value that is kept.",
        ),
        (Rare(at_least=(5, 2)), "The fewest records of a value that is kept must grow from level to level."),
        (Rare(at_least=(2,), kept=((), ())), "A hierarchy of rare values needs one list of kept values a level."),
        (Rare(at_least=(2, 3), kept=((), ("a",))), "A value that is rare at one level must be rare at the next."),
        (Table(rows=()), "The table has no row."),
        (Table(rows=(("a", "*"), ("b",))), "1 rows have another number of levels than the first."),
    ],
)
def test_settings_that_make_no_hierarchy_are_told(hierarchy: Hierarchy, told: str) -> None:
    assert hierarchy.faults() == [told]


EXAMPLES: list[Hierarchy] = [
    Table(rows=(("a", "*"),)),
    Intervals(widths=(5, 10), top=85),
    TopBottom(bottom=(5,)),
    DateParts(parts=("year",), everything=False),
    Prefix(keep=(3,)),
    OrderedGroups(sizes=(2,), order=("a", "b")),
    Groups(steps=({"x": ("a", "b")},), rest="other"),
    Rare(at_least=(2,), kept=(("a",),)),
]


@pytest.mark.parametrize("hierarchy", EXAMPLES, ids=lambda h: h.kind)
def test_every_kind_survives_plain_data(hierarchy: Hierarchy) -> None:
    assert from_plain(as_plain(hierarchy)) == hierarchy


def test_the_examples_name_every_kind() -> None:
    assert {h.kind for h in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"kind": "intervals"}, "A hierarchy of intervals needs widths."),
        (
            {"kind": "prefix", "kep": [3]},
            "2 faults:\n- Setting 'kep' is not in a hierarchy of prefix. Did you mean 'keep'? Settings: keep, "
            "everything.\n- A hierarchy of prefix needs keep.",
        ),
        ({"kind": "prefix", "keep": "x"}, "A hierarchy of prefix has a setting of a wrong type."),
        ({"kind": "prefix", "keep": [2, 3]}, "A prefix must keep fewer characters from level to level."),
        (3, "A hierarchy must be a table with its kind, or the name of a file."),
    ],
)
def test_plain_data_that_is_no_hierarchy_is_told(document: object, told: str) -> None:
    with pytest.raises(BadPlan) as error:
        from_plain(document)
    assert str(error.value) == told


def test_plain_data_may_name_a_file(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text("1;*\n")
    assert from_plain({"file": str(path)}) == from_plain(str(path)) == Table(rows=(("1", "*"),))


@pytest.mark.parametrize(
    ("kind", "cells", "made"),
    [
        (Kind.NUMERIC, list(range(17, 91)), "intervals"),
        (Kind.NUMERIC, [0.5, 2.5, 9.75], "intervals"),
        (Kind.DATE, [date(2020, 1, 1), date(2021, 5, 2)], "date parts"),
        (Kind.TEXT_CODE, ["93721", "93722"], "prefix"),
        (Kind.ORDINAL, ["low", "high", "medium"], "ordered groups"),
        (Kind.NOMINAL, ["a", "b"], "rare"),
        (Kind.NUMERIC, ["5-9", "10+"], "ordered groups"),
    ],
)
def test_a_hierarchy_is_suggested_by_the_kind_of_a_column(kind: Kind, cells: list[object], made: str) -> None:
    found = suggest(Variable(name="x", kind=kind), pl.Series("x", [*cells, None]))
    laid = lay(found, pl.Series("x", cells).unique().sort())
    assert found.kind == made
    assert found.faults() == []
    assert laid.split == 0
    assert not laid.lacking.any()
    assert laid.cells[-1].unique().to_list() == ["*"]


@pytest.mark.parametrize("kind", list(Kind))
def test_a_column_without_values_and_one_with_a_single_value_have_a_hierarchy(kind: Kind) -> None:
    for cells in (pl.Series("x", [None], dtype=pl.String), pl.Series("x", ["7", "7"])):
        values = cells.drop_nulls().unique()
        laid = lay(suggest(Variable(name="x", kind=kind), cells), values)
        assert laid.levels >= 2
        assert all(len(codes) == len(values) for codes in laid.codes)


def test_suggested_widths_are_round_and_double() -> None:
    ages = suggest(Variable(name="age", kind=Kind.NUMERIC), pl.Series(range(91)))
    pay = suggest(Variable(name="pay", kind=Kind.NUMERIC), pl.Series([1000.0 * i for i in range(500)]))
    assert isinstance(ages, Intervals)
    assert isinstance(pay, Intervals)
    assert ages.widths == (5, 10, 20, 40, 80)
    assert pay.widths == (50_000, 100_000, 200_000, 400_000)


def test_rare_categories_are_suggested_only_where_some_are() -> None:
    jobs = pl.Series("job", ["a"] * 500 + ["b"] * 490 + ["c"] * 6 + ["d"] * 4)
    found = suggest(NOMINAL, jobs)
    assert isinstance(found, Rare)
    assert (found.at_least, found.kept) == ((10,), (("a", "b"),))


@st.composite
def built(draw: st.DrawFn) -> tuple[Hierarchy, pl.Series]:
    numbers = pl.Series("x", draw(st.lists(st.integers(-200, 200), min_size=1, max_size=30, unique=True)))
    factor = st.integers(2, 4)
    widths = np.cumprod([draw(st.integers(1, 9)), *draw(st.lists(factor, max_size=3))])
    tens = numbers.cast(pl.Float64) / 10
    texts = numbers.cast(pl.String)
    return draw(
        st.sampled_from(
            [
                (Intervals(widths=tuple(widths.tolist()), origin=3, bottom=-50, top=60), numbers),
                (Intervals(widths=tuple((widths / 10).tolist())), tens),
                (TopBottom(bottom=(-9, 3), top=(50, 20)), numbers),
                (Prefix(keep=(3, 2, 1)), texts),
                (OrderedGroups(sizes=tuple(widths.tolist()), order=tuple(texts.to_list())), texts),
                (DateParts(), pl.Series("x", [date.fromordinal(730_000 + 9 * int(i)) for i in numbers.to_list()])),
                (
                    Rare(at_least=(2, 5, 9)).fitted(NOMINAL, texts, (numbers.to_numpy() % 11).astype(np.int64)),
                    texts,
                ),
            ]
        )
    )


@given(built())
def test_built_hierarchies_are_monotone_and_lose_more_from_level_to_level(pair: tuple[Hierarchy, pl.Series]) -> None:
    hierarchy, values = pair
    laid = lay(hierarchy, values)
    assert hierarchy.faults() == [] or hierarchy.kind == "ordered groups"
    assert laid.split == 0
    assert not laid.lacking.any()
    assert laid.levels == hierarchy.levels
    for below, above in zip(laid.shares, laid.shares[1:], strict=False):
        assert (above >= below - 1e-12).all()
        assert above.min(initial=0.0) >= 0
        assert above.max(initial=0.0) <= 1


def test_real_hierarchies_cover_the_real_file(shared: Path) -> None:
    table = pl.read_csv(shared / "data" / "adult_arx.csv")
    found = read_folder(shared / "data" / "hierarchies", table.columns)
    assert sorted(found.hierarchies) == sorted(table.columns)
    for name, hierarchy in found.hierarchies.items():
        laid = lay(hierarchy, table[name].unique())
        assert not laid.lacking.any()
        assert laid.split == 0
