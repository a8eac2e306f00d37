"""The frame around methods: cells, records that leave, order, engines, what is left out."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize import Asked, Changed, protect
from lookalike.anonymize import rebuilt as rebuilding
from lookalike.anonymize.cells import Done
from lookalike.data import Kind, Microdata
from lookalike.errors import BadPlan

TABLE = pl.DataFrame({"id": [7, 8, 9, 10], "age": [30, 31, 40, None], "pay": [1.0, 2.0, 3.0, 4.0]})


@dataclass(frozen=True)
class Given:
    """A method whose work is written down."""

    name: ClassVar[str] = "given"
    made: Any

    def change(self, asked: Asked) -> Changed:
        made: Changed = self.made
        return made


def file_of(engine: str = "polars") -> Microdata:
    return la.read(TABLE, engine=engine, identifiers=["id"], quasi_identifiers=["age"])


def release(*made: Changed, engine: str = "polars", **choices: Any) -> la.Protected:
    asked = Asked(file=file_of(engine), rng=np.random.default_rng(1))
    return protect(asked, [Given(one) for one in made], **choices)


RANGES = Changed(columns={"age": pl.Series("age", ["[30;31]", "[30;31]", None, None])})
WITHOUT_SECOND = np.array([True, False, True, True])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_cells_are_told_from_file_and_release(engine: str) -> None:
    found = release(RANGES, engine=engine)
    assert found.data.columns == ("age", "pay")
    assert found.left_out == ("id",)
    assert found.cells == {"age": {Done.KEPT: 1, Done.GENERALIZED: 2, Done.SUPPRESSED: 1, Done.PERTURBED: 0}}
    assert found.done("age").tolist() == [Done.GENERALIZED, Done.GENERALIZED, Done.SUPPRESSED, Done.KEPT]
    assert found.data.variable("age").kind is Kind.ORDINAL


def test_records_that_leave_keep_the_others_linked_over_several_steps() -> None:
    gone = Changed(columns={}, stays=WITHOUT_SECOND)
    more = Changed(columns={}, stays=np.array([False, True, True]))
    found = release(RANGES, gone, more)
    assert found.rows is not None
    assert found.rows.tolist() == [2, 3]
    assert found.removed == 2
    assert found.data.head()["pay"].to_list() == [3.0, 4.0]
    assert found.pair("pay")[0].to_list() == found.pair("pay")[1].to_list()


def test_a_method_that_leaves_no_record_is_refused() -> None:
    with pytest.raises(BadPlan, match="given would leave no record"):
        release(Changed(columns={}, stays=np.zeros(4, bool)))


def test_perturbed_columns_hold_other_values_not_coarser_ones() -> None:
    noisy = Changed(columns={"pay": pl.Series("pay", [1.0, 2.5, 3.0, 4.0])}, perturbed=frozenset({"pay"}))
    assert release(noisy).count(Done.PERTURBED) == 1


def test_a_shuffle_changes_the_order_and_keeps_the_link() -> None:
    found = release(RANGES, shuffle=True, index="record")
    shown = found.data.head()
    assert found.rows is not None
    assert (found.rows + 1).tolist() == shown["record"].to_list()
    assert [TABLE["pay"][int(i)] for i in found.rows] == shown["pay"].to_list()


def test_columns_to_leave_out_are_checked() -> None:
    with pytest.raises(BadPlan, match="Did you mean 'pay'"):
        release(RANGES, drop=["pya"])
    with pytest.raises(BadPlan, match="would have no column"):
        release(RANGES, drop=["age", "pay"])
    with pytest.raises(BadPlan, match="index cannot be called 'pay'"):
        release(RANGES, index="pay")


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_large_files_are_rebuilt_on_disk_and_come_out_the_same(
    monkeypatch: pytest.MonkeyPatch, engine: str, shuffle: bool
) -> None:
    gone = Changed(columns={}, stays=WITHOUT_SECOND)
    small = release(RANGES, gone, engine=engine, shuffle=shuffle).data.head()
    monkeypatch.setattr(rebuilding, "IN_MEMORY", 0)
    large = release(RANGES, gone, engine=engine, shuffle=shuffle).data
    assert large.table.engine.name == engine
    assert large.head().equals(small)
