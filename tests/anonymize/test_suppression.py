from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.suppressing import blanks_wildcard
from lookalike.anonymize.suppressing.blanks import Cells
from lookalike.anonymize.suppressing.blanks_own import blanks_as_values
from lookalike.anonymize.suppressing.blanks_wildcard import blanks_with_wildcards
from lookalike.anonymize.suppressing.suppression import LocalSuppression
from lookalike.classes import Missing, encode, group
from lookalike.errors import BadPlan

KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]
READINGS = (Missing.OWN, Missing.WILDCARD)


def run(method: LocalSuppression, table: pl.DataFrame, missing: Missing = Missing.OWN, **options: object) -> Changed:
    options = {"quasi_identifiers": table.columns, **options}
    limits = la.Threshold(sample_to_population=None, k_anonymity=3)
    file = la.read(table, **options)  # type: ignore[arg-type]
    return method.change(Asked(file=file, rng=np.random.default_rng(1), missing=missing, until=limits))


def released(table: pl.DataFrame, made: Changed) -> pl.DataFrame:
    return table.with_columns(made.columns[name].alias(name) for name in made.columns)


def lookalikes(table: pl.DataFrame, missing: Missing) -> NDArray[np.int64]:
    """Counted pair by pair, by nothing that the method uses."""
    rows = table.rows()
    wild = missing is Missing.WILDCARD

    def alike(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
        return all(a == b or (wild and None in (a, b)) for a, b in zip(one, other, strict=True))

    return np.array([sum(alike(one, other) for other in rows) for one in rows])


def cells_of(codes: NDArray[np.int32], k: int) -> Cells:
    return Cells(codes=codes, prices=(1.0,) * len(codes), k=k, limit=codes.size)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows, columns = draw(st.integers(3, 24)), draw(st.integers(1, 4))
    value = st.one_of(st.none(), st.integers(0, 3))
    return pl.DataFrame(
        {
            f"q{j}": pl.Series(draw(st.lists(value, min_size=rows, max_size=rows)), dtype=pl.Int64)
            for j in range(columns)
        }
    )


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(2, 4), st.sampled_from(READINGS), st.booleans())
def test_every_record_gets_k_lookalikes_and_no_cell_gets_another_value(
    table: pl.DataFrame, k: int, missing: Missing, others: bool
) -> None:
    if k > table.height:
        return
    made = run(LocalSuppression(k=k, others=others), table, missing)
    new = released(table, made)
    assert lookalikes(new, missing).min() >= k
    assert made.figures["records below k"] == 0
    for name in table.columns:
        assert (new[name].is_null() | new[name].eq_missing(table[name])).all()
        assert made.details["cells"][name] == new[name].null_count() - table[name].null_count()
        assert new[name].dtype == table[name].dtype


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(2, 3))
def test_with_wildcards_no_single_cell_can_come_back(table: pl.DataFrame, k: int) -> None:
    made = run(LocalSuppression(k=k), table, Missing.WILDCARD)
    new = released(table, made)
    for j, name in enumerate(table.columns):
        for i in np.flatnonzero((new[name].is_null() & table[name].is_not_null()).to_numpy()):
            rows = [list(row) for row in new.rows()]
            rows[i][j] = table[name][int(i)]
            again = pl.DataFrame(rows, schema=new.schema, orient="row")
            assert lookalikes(again, Missing.WILDCARD).min() < k


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(2, 4), st.sampled_from(READINGS), st.floats(0, 0.5))
def test_the_limit_of_cells_is_kept_and_the_records_left_are_counted(
    table: pl.DataFrame, k: int, missing: Missing, share: float
) -> None:
    if k > table.height:
        return
    made = run(LocalSuppression(k=k, max_cells=share), table, missing)
    assert made.figures["cells suppressed"] <= share * table.height * table.width
    assert made.figures["records below k"] == (lookalikes(released(table, made), missing) < k).sum()


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(2, 3), st.sampled_from(READINGS))
def test_only_the_columns_named_are_blanked_and_the_records_that_cannot_be_helped_are_counted(
    table: pl.DataFrame, k: int, missing: Missing
) -> None:
    made = run(LocalSuppression(k=k, columns=("q0",)), table, missing)
    assert list(made.columns) == ["q0"]
    new = released(table, made)
    assert made.figures["records below k"] == (lookalikes(new, missing) < k).sum()
    # What cannot be helped is truly without help: not even an empty column gives it k lookalikes.
    empty = table.with_columns(q0=pl.lit(None, pl.Int64))
    assert (lookalikes(new, missing) >= k)[lookalikes(empty, missing) >= k].all() or missing is Missing.OWN


def test_a_table_by_hand_as_a_value_of_its_own() -> None:
    table = pl.DataFrame({"age": [30, 30, 30, 61, 62], "sex": ["F", "F", "M", "M", "M"]})
    made = run(LocalSuppression(k=2), table)
    # 30 F is safe; the three men have nothing but their sex in common: 3 cells.
    assert made.columns["age"].to_list() == [30, 30, None, None, None]
    assert made.figures["cells suppressed"] == 3
    assert made.figures["share of cells"] == pytest.approx(3 / 10)
    assert made.figures["records changed"] == 3
    assert made.details == {"k": 2, "cells": {"age": 3, "sex": 0}}
    assert made.caveats == ()


def test_the_same_table_by_hand_with_wildcards() -> None:
    table = pl.DataFrame({"age": [30, 30, 30, 61, 62], "sex": ["F", "F", "M", "M", "M"]})
    made = run(LocalSuppression(k=2), table, Missing.WILDCARD)
    # One man without an age looks like every man: one cell serves all three.
    assert made.figures["cells suppressed"] == 1
    # Who knows all that was blanked: the man himself is still told apart, the other two fit two records each.
    assert made.figures["records that fit fewer than k"] == 1
    assert made.caveats == (
        "Blank cells count as any value here. Who knows all quasi-identifiers of the person can still narrow 1 record "
        "to fewer than 2; with missing values as a value of their own nobody can.",
    )
    alone = run(LocalSuppression(k=2, others=False), table, Missing.WILDCARD)
    assert alone.figures["cells suppressed"] == 3


def test_importance_decides_which_column_is_blanked() -> None:
    table = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    for kept, given_up in (("a", "b"), ("b", "a")):
        for missing in READINGS:
            made = run(LocalSuppression(k=2, importance={kept: 5}), table, missing)
            assert made.details["cells"][kept] == 0
            assert made.details["cells"][given_up] > 0


def test_k_is_the_limit_asked_for_if_none_is_set() -> None:
    table = pl.DataFrame({"a": [1, 1, 2, 2, 2]})
    assert run(LocalSuppression(), table).details["k"] == 3


def test_a_file_that_holds_already_is_left_as_it_is() -> None:
    table = pl.DataFrame({"a": [1, 1, None, None], "b": ["x", "x", None, None]})
    for missing in READINGS:
        made = run(LocalSuppression(k=2), table, missing)
        assert made.figures["cells suppressed"] == 0
        assert released(table, made).equals(table)


def test_a_limit_of_no_cells_changes_nothing_and_says_so() -> None:
    table = pl.DataFrame({"a": [1, 1, 2]})
    for missing in READINGS:
        made = run(LocalSuppression(k=2, max_cells=0), table, missing)
        assert made.columns["a"].to_list() == [1, 1, 2]
        assert made.figures["records below k"] == 1
        assert made.caveats[0] == (
            "Still with fewer than 2 lookalikes: 1 record. The limit of cells or the columns named do not allow more. "
            "Allow more, or generalize first."
        )


def test_columns_that_are_constant_or_missing_throughout() -> None:
    table = pl.DataFrame({"a": [1, 1, 1], "b": pl.Series([None] * 3, dtype=pl.String), "c": ["x", "y", "z"]})
    for missing in READINGS:
        made = run(LocalSuppression(k=3), table, missing)
        assert (lookalikes(released(table, made), missing) >= 3).all()
        assert made.details["cells"]["a"] == 0


def by_trying(codes: NDArray[np.int32], k: int, missing: Missing) -> int:
    """The fewest cells that do, found by trying all sets of cells."""
    columns, rows = codes.shape
    marks = np.array(list(product([False, True], repeat=codes.size))).reshape(-1, columns, rows)
    cost = (marks & (codes >= 0)).sum(axis=(1, 2))
    new = np.where(marks, -1, codes)
    one, other = new[:, :, :, None], new[:, :, None, :]
    equal = one == other
    if missing is Missing.WILDCARD:
        equal |= (one < 0) | (other < 0)
    enough = (equal.all(axis=1).sum(axis=2) >= k).all(axis=1)
    return int(cost[enough].min())


@pytest.mark.parametrize(("missing", "bar"), [(Missing.OWN, 1.10), (Missing.WILDCARD, 1.20)])
def test_few_more_cells_than_the_fewest_that_do(missing: Missing, bar: float) -> None:
    """Judged on tables that nothing was tuned on; measured: 1.06 in classes, 1.13 with wildcards."""
    rng = np.random.default_rng(2024)
    ours = fewest = 0
    for case in range(60):
        shape = [(2, 6), (3, 4), (2, 5)][case % 3]
        codes = rng.integers(0, 3, shape).astype(np.int32)
        codes[rng.random(shape) < 0.1] = -1
        cells = cells_of(codes, 2 + case % 2)
        found = blanks_as_values(cells) if missing is Missing.OWN else blanks_with_wildcards(cells)
        ours += int(found.cells.sum())
        fewest += by_trying(codes, cells.k, missing)
    assert fewest <= ours <= bar * fewest


def test_each_by_its_own_cells_is_the_fewest_there_are() -> None:
    """Without the blanks of others every record is a problem of its own: all its sets of cells are tried."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (4, 60)).astype(np.int32)
    found = blanks_with_wildcards(cells_of(codes, 3), others=False)
    fewest = 0
    for record in codes.T:
        agree = codes == record[:, None]
        sets = [list(s) for s in product([False, True], repeat=4)]
        fewest += min(sum(s) for s in sets if (agree | np.array(s)[:, None]).all(axis=0).sum() >= 3)
    assert found.cells.sum() == fewest


def test_in_blocks_every_record_still_gets_k(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({f"q{j}": rng.integers(0, 6, 600) for j in range(4)})
    whole = run(LocalSuppression(k=3), table, Missing.WILDCARD)
    monkeypatch.setattr(blanks_wildcard, "WORK", 1e4)
    monkeypatch.setattr(blanks_wildcard, "BLOCK", 100)
    parts = run(LocalSuppression(k=3), table, Missing.WILDCARD)
    assert lookalikes(released(table, parts), Missing.WILDCARD).min() >= 3
    assert parts.figures["cells suppressed"] >= whole.figures["cells suppressed"]
    assert parts.caveats[-1].startswith("The file was looked at in ")


REFUSALS: list[tuple[Mapping[str, object], Missing, list[str]]] = [
    (
        {"k": 9, "columns": ("aa",)},
        Missing.OWN,
        [
            "Column 'aa' is not in the data. Did you mean 'a'? Columns: a, b, other.",
            "k = 9 is more than the 3 records of the file. Choose a smaller k.",
        ],
    ),
    (
        {"k": 1, "max_cells": 1.5, "importance": {"a": 0, "c": 1}, "columns": ("other",)},
        Missing.CONSERVATIVE,
        [
            "suppress: k must be at least 2, not 1.",
            "suppress: max_cells is a share and must lie in [0, 1], not 1.5.",
            "suppress: the importance of 'a' must be a number above 0.",
            "suppress: where a missing cell matches nothing, a suppressed one cannot give lookalikes. Read missing "
            "values as a value of their own, or as wildcards.",
            "suppress: column 'other' is not a quasi-identifier: blanking it gives no lookalikes.",
            "Column 'c' is not a quasi-identifier (importance). Quasi-identifiers: a, b.",
        ],
    ),
]


@pytest.mark.parametrize(("options", "missing", "faults"), REFUSALS)
def test_what_does_not_fit_is_refused_all_at_once(
    options: dict[str, object], missing: Missing, faults: list[str]
) -> None:
    table = pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, 1], "other": [1, 2, 3]})
    with pytest.raises(BadPlan) as told:
        run(LocalSuppression(**options), table, missing, quasi_identifiers=["a", "b"])  # type: ignore[arg-type]
    assert list(told.value.faults) == faults


def test_without_k_or_quasi_identifiers_or_with_too_many_columns_it_is_refused() -> None:
    wide = pl.DataFrame({f"q{j}": [1, 2] for j in range(17)})
    file = la.read(wide, quasi_identifiers=wide.columns)
    with pytest.raises(BadPlan) as told:
        LocalSuppression().change(Asked(file=file, rng=np.random.default_rng(1)))
    assert list(told.value.faults) == [
        "suppress: k is not given. Set k, or a limit of k-anonymity.",
        "suppress: at most 16 columns can be weighed against each other, and there are 17. Name those in which cells "
        "may be suppressed (columns).",
    ]
    with pytest.raises(BadPlan, match="There is no quasi-identifier to change"):
        LocalSuppression(k=2).change(Asked(file=la.read(wide), rng=np.random.default_rng(1)))
    # Named columns stand for the quasi-identifiers where there are none; of many, some may be named.
    assert run(LocalSuppression(k=2, columns=("q1",)), wide).figures["records below k"] == 2
    named = LocalSuppression(k=2, columns=("q1",)).change(Asked(file=la.read(wide), rng=np.random.default_rng(1)))
    assert named.columns["q1"].to_list() == [None, None]


@pytest.mark.parametrize(("keys", "theirs"), [(KEY7, 11_273), (KEY7[:5], 5_101)])
def test_adult_takes_fewer_cells_than_sdcmicro(shared: Path, keys: list[str], theirs: int) -> None:
    """sdcMicro 5.8.1, kAnon, k = 3: 11,273 and 5,101 cells. The end is counted by the classes, not by it."""
    table = pl.read_csv(shared / "data" / "adult_arx.csv").select(keys)
    made = run(LocalSuppression(k=3), table, Missing.WILDCARD)
    assert made.figures["cells suppressed"] < theirs
    new = la.read(released(table, made))
    assert la.EquivalenceClasses.of(new, keys, missing=Missing.WILDCARD).lookalikes.min() == 3


def test_adult_in_classes_is_near_the_least_that_any_release_needs(shared: Path) -> None:
    """Each record by its own cells is a lower bound: 11,832. Measured: 13,482 cells."""
    table = pl.read_csv(shared / "data" / "adult_arx.csv").select(KEY7)
    made = run(LocalSuppression(k=3), table)
    sizes = np.bincount(group(encode(column) for column in released(table, made)))
    assert sizes.min() == 3
    least = run(LocalSuppression(k=3, others=False), table, Missing.WILDCARD).figures["cells suppressed"]
    assert least == 11_832
    assert least <= made.figures["cells suppressed"] <= 1.16 * least


def test_the_same_file_gives_the_same_blanks() -> None:
    table = pl.DataFrame({f"q{j}": np.random.default_rng(j).integers(0, 5, 300) for j in range(4)})
    for missing in READINGS:
        one, other = (run(LocalSuppression(k=3), table, missing) for _ in range(2))
        assert released(table, one).equals(released(table, other))
