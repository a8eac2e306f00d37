from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.generalizing.recode import Recode, Recoded
from lookalike.anonymize.method import Asked
from lookalike.data.hierarchy import Intervals, Prefix, Rare, Table
from lookalike.errors import BadFile, BadPlan
from lookalike.threshold import Threshold

NONE = Threshold(sample_to_population=None)


def asked(table: dict[str, Any], until: Threshold = NONE) -> Asked:
    file = la.read(pl.DataFrame(table), quasi_identifiers=list(table))
    return Asked(file=file, rng=np.random.default_rng(1), until=until)


AGES = Recode(columns={"age": Recoded(hierarchy=Intervals(widths=(10,)), level=1)})
JANUARY = {"age": [21, 24, 33, 35, 38], "job": ["nurse", "nurse", "nurse", "nurse", "king"]}
FEBRUARY = {"age": [22, 25, 36, 39], "job": ["nurse", "queen", "nurse", "nurse"]}


def made() -> tuple[Generalization, Recode]:
    given = {"age": Intervals(widths=(10,)), "job": Rare(at_least=(2,))}
    method = Generalization(hierarchies=given, max_suppression=0.2, drop=True)
    return method, method.search(asked(JANUARY, replace(NONE, k_anonymity=2))).recode()


def test_next_month_gets_the_same_recode_without_a_search() -> None:
    _, recode = made()
    assert {name: step.level for name, step in recode.columns.items()} == {"age": 1, "job": 0}
    changed = replace(recode, limits={}).change(asked(FEBRUARY))
    assert changed.columns["age"].to_list() == ["[20;29]", "[20;29]", "[30;39]", "[30;39]"]
    assert changed.stays is None


def test_the_limits_a_recode_was_made_for_suppress_next_month_too() -> None:
    _, recode = made()
    assert dict(recode.limits) == {"k_anonymity": 2}
    february = {name: cells[:1] * 6 + cells[2:] for name, cells in FEBRUARY.items()}
    february["job"][-1] = "queen"
    changed = recode.change(asked(february))
    assert changed.figures["reached"] == 0  # two of eight records fail, and one of five may be suppressed
    changed = replace(recode, max_suppression=0.25).change(asked(february))
    assert changed.stays is not None
    assert changed.stays.tolist() == [True] * 6 + [False] * 2
    asked_for = asked(february, replace(NONE, k_anonymity=1))
    assert recode.change(asked_for).figures["reached"] == 1


def test_what_was_changed_carries_its_recode() -> None:
    method, recode = made()
    changed = method.change(asked(JANUARY, replace(NONE, k_anonymity=2)))
    assert changed.recode == recode
    assert recode.change(asked(JANUARY)).recode == recode


def test_a_recode_survives_its_file(tmp_path: Path) -> None:
    _, recode = made()
    recode.to_json(tmp_path / "recode.json")
    assert Recode.from_json(tmp_path / "recode.json") == recode


def test_a_recode_can_be_made_again_from_the_method_and_the_levels() -> None:
    method, recode = made()
    file = asked(JANUARY).file
    assert Recode.of(file, method, {"age": 1, "job": 0}, {"k_anonymity": 2}) == recode


def test_rare_values_of_next_month_are_those_of_the_first() -> None:
    jobs = Rare(at_least=(2,))
    method = Generalization(hierarchies={"job": jobs}, columns=("job",), levels={"job": 1})
    recode = method.search(asked(JANUARY)).recode()
    changed = recode.change(asked({"job": ["king", "king", "king", "nurse", None]}))
    assert changed.columns["job"].to_list() == ["other", "other", "other", "nurse", None]


def test_unseen_values_are_faults_by_column_and_count_unless_they_are_suppressed() -> None:
    table = Table(rows=(("a", "x"), ("b", "x")))
    recode = Recode(columns={name: Recoded(hierarchy=table, level=1) for name in ("p", "q")})
    with pytest.raises(BadPlan) as error:
        recode.change(asked({"p": ["a", "c"], "q": ["d", "e"]}))
    assert error.value.faults == (
        "Column 'p': its hierarchy lacks 1 of 2 values (1 record). Add them, or let them be suppressed "
        "(--option unseen=suppress).",
        "Column 'q': its hierarchy lacks 2 of 2 values (2 records). Add them, or let them be suppressed "
        "(--option unseen=suppress).",
    )
    changed = replace(recode, unseen="suppress").change(asked({"p": ["a", "c"], "q": ["d", "e"]}))
    assert changed.columns["p"].to_list() == ["x", None]


def test_nothing_is_read_off_the_new_file() -> None:
    codes = Recode(columns={"zip": Recoded(hierarchy=Prefix(keep=(3, 2)), level=2)})
    assert codes.change(asked({"zip": ["93721", "1"]})).columns["zip"].to_list() == ["93***", "1"]


def test_a_column_that_the_new_file_lacks_is_told() -> None:
    with pytest.raises(BadPlan, match="Column 'age' is not in the data"):
        AGES.change(asked({"aged": [1, 2]}))


@pytest.mark.parametrize(
    ("recode", "told"),
    [
        (Recode(columns={}), "The recode names no column."),
        (
            replace(AGES, limits={"k": 2}),
            "Limit 'k' is not known. Limits: sample_to_population, sample_to_population_upper, prosecutor_maximum, "
            "unique_records, attribute_disclosure, t_closeness, k_anonymity, l_diversity.",
        ),
        (replace(AGES, max_suppression=2), "max_suppression must lie between 0 and 1, not 2."),
        (
            Recode(columns={"age": Recoded(hierarchy=Intervals(widths=(0,)), level=1)}),
            "Hierarchy of 'age': The widths of intervals must be numbers above 0.",
        ),
    ],
)
def test_a_recode_that_is_none_is_told(recode: Recode, told: str) -> None:
    assert recode.faults() == [told]
    with pytest.raises(BadPlan):
        recode.change(asked({"age": [1, 2]}))


def test_a_level_that_a_hierarchy_lacks_is_told() -> None:
    recode = Recode(columns={"age": Recoded(hierarchy=Intervals(widths=(10,)), level=5)})
    with pytest.raises(BadPlan, match=r"Column 'age' has levels 0 to 2, not 5\."):
        recode.change(asked({"age": [1, 2]}))


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ([], "This is not a recode of schema 1."),
        ({"schema": 2}, "This is not a recode of schema 1."),
        ({"schema": 1, "columns": {"age": {"level": 1}}}, "Column 'age' of the recode needs a hierarchy and a level."),
        (
            {"schema": 1, "columns": {"age": {"level": 1, "hierarchy": {"kind": "x"}}}, "colums": {}},
            "2 faults:\n- Key 'colums' is not in a recode. Did you mean 'columns'? Keys: schema, columns, "
            "max_suppression, drop, unseen, limits.\n- Column 'age': Kind 'x' is not of a hierarchy. Kinds: table, "
            "intervals, top and bottom, date parts, prefix, ordered groups, groups, rare.",
        ),
        ({"schema": 1, "columns": {}}, "The recode names no column."),
    ],
)
def test_plain_data_that_is_no_recode_is_told(document: Any, told: str) -> None:
    with pytest.raises(BadPlan) as error:
        Recode.from_plain(document)
    assert str(error.value) == told


def test_files_that_are_no_recode_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"no.json: there is no such recode\."):
        Recode.from_json(tmp_path / "no.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(BadFile, match=r"bad.json is not a recode in JSON\."):
        Recode.from_json(tmp_path / "bad.json")
