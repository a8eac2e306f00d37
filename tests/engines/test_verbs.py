"""The verbs of the engine room give the same answers on every engine, from memory and from files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.engine import (
    ROW,
    SIZE,
    Engine,
    Table,
    class_sizes,
    column,
    count_by,
    count_repeated,
    group_records,
    head,
    height,
    histogram_by,
    look_up,
    map_partitions,
    rows_of,
    sample_rows,
    write,
)

Opened = Callable[[pl.DataFrame], Table]

FILE = pl.DataFrame(
    {
        "text": ["a", "", None, "a", "é", "a", None, "", "a b", "a"],
        "whole": pl.Series([1, -1, None, 1, 1, 2, None, -1, 2, 1], dtype=pl.Int8),
        "wide": pl.Series([2**63 - 1, -(2**63), None, 2**63 - 1, 0, 0, None, -(2**63), 1, 2**63 - 1], dtype=pl.Int64),
        "real": [0.0, -0.0, None, 0.1, 0.1, 1e300, None, 0.0, -1.5, 0.0],
        "day": [date(1900, 1, 1), date(1969, 12, 31), None, date(1900, 1, 1), date(2024, 2, 29)] * 2,
        "moment": [datetime(1950, 1, 1, 1, 2, 3, 456), None, datetime(2024, 1, 1), None, None] * 2,
        "flag": [True, False, None, True, True, False, None, False, True, True],
        "price": pl.Series(["1.25", "1.25", None, "0.10", "0.10"] * 2).cast(pl.Decimal(9, 2)),
        "same": ["x"] * 10,
        "nothing": pl.Series([None] * 10, dtype=pl.Int32),
    }
)
WANTED = [*([c] for c in FILE.columns), ["text", "whole", "day", "flag"], ["whole", "nothing", "real"]]


def counted(table: pl.DataFrame, keys: Sequence[str], value: str = SIZE) -> dict[Any, Any]:
    """A table of counts as a dictionary from keys to the value."""
    assert table.select(keys).is_duplicated().sum() == 0
    return {row[:-1]: row[-1] for row in table.select(*keys, value).rows()}


def by_hand(frame: pl.DataFrame, keys: Sequence[str]) -> Counter[Any]:
    return Counter(frame.select(keys).rows())


def in_rows(pieces: list[pl.DataFrame]) -> pl.DataFrame:
    table = pl.concat(pieces)
    return table.sort(ROW).drop(ROW) if ROW in table.columns else table


@pytest.mark.parametrize("keys", WANTED, ids="+".join)
def test_records_that_share_their_keys_are_counted(opened: Opened, keys: list[str]) -> None:
    wanted = sum(size for size in by_hand(FILE, keys).values() if size > 1)
    assert count_repeated(opened(FILE), keys) == wanted
    assert count_repeated(opened(FILE), keys, ignored=wanted) == 0


def test_columns_beyond_those_numbered_at_a_time_count_too(opened: Opened) -> None:
    """Ten columns tell no record from another; the eleventh tells all but two."""
    frame = pl.DataFrame({**{f"c{i}": [0] * 6 for i in range(10)}, "last one": [1, 1, 2, 3, 4, 5]})
    assert count_repeated(opened(frame), frame.columns) == 2


def test_records_are_counted_by_keys_of_every_type(opened: Opened) -> None:
    table = opened(FILE)
    for keys in WANTED:
        assert counted(count_by(table, keys), keys) == by_hand(FILE, keys), keys


def test_every_record_gets_its_class_size_in_order(opened: Opened) -> None:
    table = opened(FILE)
    for keys in (["text", "whole"], ["real"], ["moment", "flag"], FILE.columns):
        hand = by_hand(FILE, keys)
        assert class_sizes(table, keys).tolist() == [hand[row] for row in FILE.select(keys).rows()], keys


def test_records_grouped_have_keys_sizes_and_sums_that_belong_together(opened: Opened) -> None:
    found = group_records(opened(FILE), ["text", "flag"], sums=["whole", "real"])
    assert dict(zip(found.keys.rows(), found.sizes.tolist(), strict=True)) == by_hand(FILE, ["text", "flag"])
    sums = dict(zip(found.keys.rows(), found.sums["whole"].tolist(), strict=True))
    assert sums[("a", True)] == 1 + 1 + 1
    assert sums[(None, None)] == 0
    if found.index is not None:
        assert found.keys[found.index].rows() == FILE.select("text", "flag").rows()


def test_sums_and_distinct_values_per_class(opened: Opened) -> None:
    large = 2**31 - 1
    table = pl.DataFrame(
        {
            "key": [1, 1, 1, 2, 2],
            "small": pl.Series([large, large, None, large, -large], dtype=pl.Int32),
            "flag": [True, True, None, None, False],
            "real": pl.Series([0.5, None, 0.25, None, None], dtype=pl.Float32),
            "price": pl.Series([Decimal("1.25"), Decimal("2.50"), None, Decimal("-0.75"), None]),
            "word": ["x", "x", "", None, None],
        }
    )
    found = count_by(opened(table), ["key"], sums=["small", "flag", "real", "price"], distinct=["word"])
    assert found.columns == ["key", SIZE, "small", "flag", "real", "price", "word"]
    # The sum of two large 32-bit numbers needs 64 bits; a null adds nothing, and is one of the distinct values.
    assert sorted(found.rows()) == [
        (1, 3, 2 * large, 2, 0.5 + 0.25, 1.25 + 2.5, 2),
        (2, 2, 0, 0, 0.0, -0.75, 1),
    ]
    assert found.schema["small"] == found.schema["flag"] == pl.Int64
    assert found.schema["price"] == pl.Float64


def test_a_histogram_counts_values_in_each_class(opened: Opened) -> None:
    found = histogram_by(opened(FILE), ["flag"], "text")
    assert counted(found, ["flag", "text"]) == by_hand(FILE, ["flag", "text"])


def test_a_histogram_of_a_key_is_the_count_of_the_key(opened: Opened) -> None:
    found = histogram_by(opened(FILE), ["flag", "text"], "text")
    assert counted(found, ["flag", "text"]) == by_hand(FILE, ["flag", "text"])


def test_a_value_per_class_is_looked_up_for_every_record_nulls_included(opened: Opened) -> None:
    keys = ["text", "whole", "real", "moment", "price"]
    classes = FILE.select(keys).unique(maintain_order=True).with_row_index("value")
    numbers = {row[:-1]: row[-1] for row in classes.select(*keys, "value").rows()}
    found = look_up(opened(FILE), keys, classes, "value")
    assert found.tolist() == [numbers[row] for row in FILE.select(keys).rows()]


def test_looking_up_keys_that_are_not_there_is_refused(opened: Opened) -> None:
    classes = pl.DataFrame({"text": ["a", None], "value": [1, 2]})
    with pytest.raises(ValueError, match="keys are not in the class table"):
        look_up(opened(FILE), ["text"], classes, "value")


def test_height_head_and_column(opened: Opened) -> None:
    table = opened(FILE)
    assert table.columns == FILE.columns
    assert height(table) == 10
    assert head(table, 4).rows() == FILE.head(4).rows()
    assert head(table, 99).rows() == FILE.rows()
    assert column(table, "text").to_list() == FILE["text"].to_list()


def test_all_rows_come_in_pieces(opened: Opened) -> None:
    found = in_rows(list(rows_of(opened(FILE), ["day", "text"])))
    assert found.rows() == FILE.select("day", "text").rows()


def test_a_seed_draws_the_same_records_everywhere(opened: Opened) -> None:
    frame = pl.DataFrame({"id": range(1000)})
    drawn = np.random.default_rng(7).random(1000) < 0.3
    assert sample_rows(opened(frame), 0.3, seed=7)["id"].to_list() == np.flatnonzero(drawn).tolist()


def test_a_function_is_applied_to_all_records(opened: Opened) -> None:
    def longer(piece: pl.DataFrame) -> pl.DataFrame:
        assert piece.columns == FILE.columns
        return piece.select(pl.col("text") + "!")

    found = in_rows(list(map_partitions(opened(FILE), longer)))
    assert found["text"].to_list() == (FILE["text"] + "!").to_list()


def test_records_are_written_in_order(opened: Opened, tmp_path: Path) -> None:
    target = tmp_path / "written" / "out.parquet"
    target.parent.mkdir()
    write(opened(FILE), target)
    written = pl.read_parquet(target)
    assert written.columns == FILE.columns
    assert written.rows() == FILE.rows()


def test_names_with_odd_letters(engine: Engine) -> None:
    names = ["a b", 'say "x"', "it's", "select", "é;--", "x\ny", "%s", "{0}", "$1"]
    frame = pl.DataFrame({name: [1, 1, None, i % 3] for i, name in enumerate(names)})
    table = Table(engine.adopt(frame), engine)
    assert counted(count_by(table, frame.columns), frame.columns) == by_hand(frame, frame.columns)
    assert class_sizes(table, frame.columns).tolist() == [2, 2, 1, 1]
    assert head(table, 9).rows() == frame.rows()


def test_a_large_file_keeps_its_order(engine: Engine, tmp_path: Path) -> None:
    # DuckDB gives the first 24,000 rows or so in order even from a window; only more of them show the fault.
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"key": rng.integers(0, 50_000, 200_000), "id": np.arange(200_000)})
    file = tmp_path / "large.parquet"
    frame.write_parquet(file, row_group_size=20_000)
    table = Table(engine.scan_parquet([file]), engine)
    times = np.bincount(frame["key"].to_numpy())
    assert (class_sizes(table, ["key"]) == times[frame["key"].to_numpy()]).all()
    classes = pl.DataFrame({"key": np.flatnonzero(times), "value": times[times > 0]})
    assert (look_up(table, ["key"], classes, "value") == times[frame["key"].to_numpy()]).all()
    write(table, tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["id"].equals(frame["id"])


def test_not_a_number_and_null_are_two_classes(engine: Engine) -> None:
    nan = float("nan")
    table = Table(engine.adopt(pl.DataFrame({"x": [nan, None, nan, 0.0, -0.0, nan]})), engine)
    assert class_sizes(table, ["x"]).tolist() == [3, 1, 3, 2, 2, 3]
    assert sorted(count_by(table, ["x"])[SIZE].to_list()) == [1, 2, 3]


def test_moments_a_nanosecond_apart_and_times_of_day(engine: Engine) -> None:
    moments = pl.Series([0, 0, 1, None, -1]).cast(pl.Datetime("ns"))
    table = Table(
        engine.adopt(pl.DataFrame({"moment": moments, "clock": [time(1), time(2), time(1), None, None]})), engine
    )
    assert class_sizes(table, ["moment"]).tolist() == [2, 2, 1, 1, 1]
    assert class_sizes(table, ["clock"]).tolist() == [2, 1, 2, 2, 2]


def test_unsigned_numbers_at_their_ends(engine: Engine) -> None:
    types = {8: pl.UInt8, 16: pl.UInt16, 32: pl.UInt32, 64: pl.UInt64}
    ends = {
        str(bits): pl.Series([2**bits - 1, 2**bits - 2, 0, 2**bits - 1, None], dtype=dtype)
        for bits, dtype in types.items()
    }
    table = Table(engine.adopt(pl.DataFrame(ends)), engine)
    for bits in ends:
        assert class_sizes(table, [bits]).tolist() == [2, 1, 1, 2, 1], bits
