from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lookalike as la
from lookalike import risk
from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.groups import Groups
from lookalike.anonymize.grouping.mondrian import Mondrian, parts
from lookalike.anonymize.method import Asked, Changed
from lookalike.errors import BadPlan


def run(method: Mondrian, table: pl.DataFrame, **options: object) -> Changed:
    options = {"quasi_identifiers": table.columns, **options}
    return method.change(Asked(file=la.read(table, **options), rng=np.random.default_rng(1)))  # type: ignore[arg-type]


def axes_of(table: pl.DataFrame) -> list[Axis]:
    return [axis_of(la.read(table), name) for name in table.columns]


def sets(groups: Groups) -> set[frozenset[int]]:
    return {frozenset(part.tolist()) for part in np.split(groups.order, groups.starts[1:])}


def loss(axes: list[Axis], groups: Groups) -> float:
    """Equation 3 of seed 004, written out: the mean distance to the farther end of each range."""
    total = np.zeros(len(groups.order))
    for axis in axes:
        at = axis.positions[axis.codes[groups.order]]
        low, high = (np.repeat(end.reduceat(at, groups.starts), groups.sizes) for end in (np.minimum, np.maximum))
        total += (np.maximum(high - at, at - low) / axis.deviation) ** 2
    return float(np.sqrt(total).mean() / len(axes))


def by_distance_to_zero(axes: list[Axis], k: int) -> Groups:
    """Algorithm S2, written out."""
    squares = sum((axis.positions[axis.codes] / axis.deviation) ** 2 for axis in axes)
    return Groups.cut(np.argsort(squares, kind="stable").astype(np.int32), k)


def by_the_book(values: NDArray[np.float64], k: int) -> set[frozenset[int]]:
    """Strict Mondrian with lists: the widest variable first, cut between two values near the median that leave k."""
    scale = np.where(values.std(axis=0) > 0, values.std(axis=0), 1)
    found, waiting = set(), [list(range(len(values)))]
    while waiting:
        part = waiting.pop()
        inside = values[part]
        width = (inside.max(axis=0) - inside.min(axis=0)) / scale
        for j in np.argsort(-width, kind="stable"):
            middle = np.sort(inside[:, j])[len(part) // 2]
            below, above = int((inside[:, j] < middle).sum()), int((inside[:, j] <= middle).sum())
            half = len(part) // 2
            fine = [c for c in sorted((below, above), key=lambda c: abs(c - half)) if k <= c <= len(part) - k]
            if fine and width[j] > 0 and len(part) >= 2 * k:
                edge = middle if fine[0] == below else np.nextafter(middle, np.inf)
                waiting += [[i for i in part if values[i, j] < edge], [i for i in part if values[i, j] >= edge]]
                break
        else:
            found.add(frozenset(part))
    return found


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows, columns = draw(st.integers(3, 60)), draw(st.integers(1, 4))
    value = st.one_of(st.none(), st.integers(0, 6))
    return pl.DataFrame(
        {
            f"q{j}": pl.Series(draw(st.lists(value, min_size=rows, max_size=rows)), dtype=pl.Int64)
            for j in range(columns)
        }
    )


@settings(max_examples=80, deadline=None)
@given(tables(), st.integers(2, 5), st.booleans())
def test_every_class_has_k_and_every_range_holds_its_value(table: pl.DataFrame, k: int, strict: bool) -> None:
    if k > table.height:
        return
    made = run(Mondrian(k=k, strict=strict), table)
    new = pl.DataFrame(dict(made.columns))
    classes = la.EquivalenceClasses.of(la.read(new), new.columns)
    assert risk.k_anonymity(classes) >= k
    for name in table.columns:
        ends = new[name].str.strip_chars("[]").str.split(";").cast(pl.List(pl.Int64))
        held = ((ends.list.min() <= table[name]) & (table[name] <= ends.list.max())).fill_null(value=True)
        assert held.all()
        assert new[name].filter(table[name].is_null()).null_count() == table[name].null_count()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(1, 3), st.integers(4, 80), st.integers(2, 30), st.integers(0, 10**6))
def test_strict_parts_are_those_by_the_book(k: int, columns: int, rows: int, values: int, seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, values, (rows, columns))
    table = pl.DataFrame({f"q{j}": drawn[:, j] for j in range(columns)})
    assert sets(parts(axes_of(table), k, strict=True)) == by_the_book(drawn.astype(float), k)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(10, 200), st.integers(0, 10**6))
def test_parts_are_smaller_than_2k_unless_all_their_records_are_equal(k: int, rows: int, seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, 4, (rows, 3))
    table = pl.DataFrame({f"q{j}": drawn[:, j] for j in range(3)})
    for part in sets(parts(axes_of(table), k)):
        assert len(part) < 2 * k or len(np.unique(drawn[sorted(part)], axis=0)) == 1


def test_a_table_by_hand() -> None:
    table = pl.DataFrame({"age": [30, 61, 33, 60, 35], "sex": ["F", "M", "F", "M", "M"]})
    made = run(Mondrian(k=2), table)
    # σ of age is 13.8, of sex 0.49: the range of age is 2.3 of its σ, that of sex 2.04. Cut at 35, two below it.
    assert made.columns["age"].to_list() == ["[30;33]", "[35;61]", "[30;33]", "[35;61]", "[35;61]"]
    assert made.columns["sex"].to_list() == ["F", "M", "F", "M", "M"]
    assert made.figures == {"groups": 2, "mean size": 2.5}


def test_strict_keeps_equal_records_together_and_relaxed_may_part_them() -> None:
    table = pl.DataFrame({"age": [1, 2, 2, 2, 2, 2]})
    assert sets(parts(axes_of(table), 2, strict=True)) == {frozenset(range(6))}
    # 1 alone is no part, so equal values are parted: at 2 of 6, then the four equal ones are left together.
    assert sorted(map(len, sets(parts(axes_of(table), 2)))) == [2, 4]


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(20, 120), st.integers(0, 10**6), st.booleans())
def test_l_and_t_hold_on_the_release_as_they_are_measured(k: int, rows: int, seed: int, strict: bool) -> None:
    rng = np.random.default_rng(seed)
    pay = [None if x == 7 else int(x) for x in rng.integers(0, 8, rows)]
    table = pl.DataFrame(
        {
            "age": rng.integers(0, 20, rows),
            "area": rng.integers(0, 4, rows),
            "pay": pay,
            "ill": rng.choice(["a", "b", "c"], rows),
        }
    )
    roles = {"quasi_identifiers": ["age", "area"], "sensitive": ["pay", "ill"]}
    made = run(Mondrian(k=k, l=2, t=0.3, strict=strict), table, **roles)
    classes = la.EquivalenceClasses.of(la.read(table.with_columns(**made.columns)), ["age", "area"])
    pays, ills = la.Spread.of(classes, "pay"), la.Spread.of(classes, "ill")
    assert min(risk.distinct_diversity(pays).minimum, risk.distinct_diversity(ills).minimum) >= 2
    assert risk.earth_mover_closeness(pays).t <= 0.3 + 1e-9
    assert risk.total_variation_closeness(ills).t <= 0.3 + 1e-9
    assert risk.k_anonymity(classes) >= k


def test_a_stricter_limit_gives_fewer_groups() -> None:
    rng = np.random.default_rng(4)
    table = pl.DataFrame({"age": rng.integers(0, 80, 2_000), "pay": rng.integers(0, 50, 2_000)})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["pay"]}
    groups = [run(Mondrian(k=2, t=t), table, **roles).figures["groups"] for t in (1.0, 0.3, 0.1, 0.02)]
    assert groups == sorted(groups, reverse=True)
    assert groups[0] > groups[-1] >= 1


def test_missing_values_part_from_known_ones_and_a_mixed_part_gives_the_value_up() -> None:
    table = pl.DataFrame({"age": [30, 31, None, None, 32, 33]})
    made = run(Mondrian(k=2), table)
    assert made.columns["age"].to_list() == ["[30;31]", "[30;31]", None, None, "[32;33]", "[32;33]"]
    lone = run(Mondrian(k=2), pl.DataFrame({"age": [30, 31, None, 32]}))
    assert lone.columns["age"].to_list() == [None, "[31;32]", None, "[31;32]"]


def test_dates_levels_constants_and_empty_columns() -> None:
    table = pl.DataFrame(
        {
            "day": [date(2024, 1, d) for d in (1, 2, 30, 31)],
            "band": ["<5", "5-9", "10-14", "15+"],
            "same": ["x"] * 4,
            "none": pl.Series([None] * 4, dtype=pl.String),
        }
    )
    made = run(Mondrian(k=2), table)
    assert made.columns["day"].to_list() == ["[2024-01-01;2024-01-02]"] * 2 + ["[2024-01-30;2024-01-31]"] * 2
    assert made.columns["band"].to_list() == ["[<5;5-9]"] * 2 + ["[10-14;15+]"] * 2
    assert made.columns["same"].to_list() == ["x"] * 4
    assert made.columns["none"].null_count() == 4


def test_fewer_than_2k_records_are_one_group() -> None:
    made = run(Mondrian(k=3), pl.DataFrame({"age": [1, 2, 3, 4, 5]}))
    assert made.columns["age"].to_list() == ["[1;5]"] * 5


def test_columns_left_out_are_told_and_not_changed() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "sex": ["F", "M", "F", "M"]})
    made = run(Mondrian(k=2, columns=("age",)), table)
    assert list(made.columns) == ["age"]
    assert made.caveats == ("k holds on the columns that were changed; with sex known, it may not.",)


def test_what_does_not_fit_is_refused_all_at_once() -> None:
    table = pl.DataFrame({"age": [1, 2, 3], "pay": [1, 1, 2], "none": pl.Series([None] * 3, dtype=pl.Int64)})
    with pytest.raises(BadPlan) as told:
        run(Mondrian(k=1, l=0.5, t=0.0), table, quasi_identifiers=["age"])
    assert list(told.value.faults) == [
        "mondrian: k must be at least 2, not 1.",
        "mondrian: l must be at least 1, not 0.5.",
        "mondrian: t must lie in (0, 1], not 0.",
        "mondrian: l and t are about sensitive variables, and none is named. Name them.",
    ]
    with pytest.raises(BadPlan) as told:
        run(Mondrian(k=4, l=3), table, quasi_identifiers=["age"], sensitive=["pay", "none"])
    assert list(told.value.faults) == [
        "mondrian: 'none' is missing in all records: l and t have no answer.",
        "mondrian: l = 3 cannot be reached: 'pay' has 2 different values.",
        "k = 4 is more than the 3 records of the file. Choose a smaller k.",
    ]


@pytest.mark.parametrize("k", [2, 5, 10])
def test_adult_loses_less_than_with_algorithm_s2(shared: Path, k: int) -> None:
    axes = axes_of(pl.read_csv(shared / "data" / "adult_arx.csv"))
    assert loss(axes, parts(axes, k)) < loss(axes, by_distance_to_zero(axes, k)) / 3
    assert loss(axes, parts(axes, k, strict=True)) < loss(axes, by_distance_to_zero(axes, k)) / 3


def test_infinite_numbers_are_refused_by_column_and_count() -> None:
    with pytest.raises(BadPlan) as told:
        run(Mondrian(k=2), pl.DataFrame({"x": [1.0, float("inf"), 2.0, float("nan")], "y": [1, 2, 3, 4]}))
    assert str(told.value) == ("Column 'x' holds infinite numbers (records: 1). Make them missing, or top-code them.")
