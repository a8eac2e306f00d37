"""What every method of protection must keep to, run on each of them."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize import Asked, Changed, Method
from lookalike.anonymize.generalizing.recode import Recode, Recoded
from lookalike.anonymize.methods import METHODS, methods_of
from lookalike.data import Microdata
from lookalike.data.hierarchy import Intervals
from lookalike.errors import LookalikeError

QUASI = ["age", "sex", "area"]
SETTINGS: dict[str, dict[str, Any]] = {
    "generalize": {},
    "microaggregate": {"k": 3},
    "mondrian": {"k": 3},
    "mdav": {"k": 3, "columns": ["age", "income"]},
    "t-close": {"k": 3, "confidential": "income"},
    "coarsen": {"resolution": 4},
    "suppress": {"k": 3},
    "safe-harbor": {"order": [{"column": "age", "ranges": [0, 30, 50]}, {"column": "sex"}, {"column": "area"}]},
    "top-bottom": {"columns": {"age": [20, 60]}, "at_least": 1},
    "round": {"base": 5, "columns": ["age"]},
    "noise": {"columns": ["income"]},
    "rank-swap": {"columns": ["income"], "within": 0.2},
    "pram": {"columns": ["sex"]},
    "shift-dates": {"columns": ["admitted"]},
    "local-dp": {"columns": ["sex"], "epsilon": 1.0},
    "rare-people": {},
    "recode": {},
}
SECRET = {"local-dp"}
"""Noise that no seed gives: whoever knew it could take it away."""
LIMITS = la.Threshold(sample_to_population=None, k_anonymity=3)


def table(rows: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    age = pl.Series("age", rng.integers(18, 80, rows))
    return pl.DataFrame(
        {
            "age": age,
            "sex": pl.Series(rng.choice(["F", "M"], rows)),
            "area": pl.Series(rng.choice(["01", "02", "03"], rows)),
            "income": pl.Series(rng.normal(30_000, 8_000, rows).round(0)),
            "admitted": pl.Series([date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 300, rows)]),
        }
    )


def file_of(frame: pl.DataFrame) -> Microdata:
    return la.read(frame, quasi_identifiers=QUASI, sensitive=["income"])


def method_of(name: str) -> Method:
    settings = dict(SETTINGS[name])
    if name == "rare-people":
        people = table().group_by("area", "sex").len("people").with_columns(people=pl.col("people") * 40)
        settings["table"] = people
    if name == "recode":
        tens = Recoded(hierarchy=Intervals(widths=(10,)), level=1)
        return Recode(columns={"age": tens})
    from lookalike.anonymize.choices import Step

    return methods_of([Step(method=name, options=settings)], LIMITS)[0]


def changed(name: str, frame: pl.DataFrame, seed: int = 1) -> Changed:
    asked = Asked(file=file_of(frame), rng=np.random.default_rng(seed), until=LIMITS)
    return method_of(name).change(asked)


@pytest.fixture(params=list(METHODS))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_every_method_has_settings_to_be_tested_with() -> None:
    assert set(SETTINGS) == set(METHODS)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SECRET])
def test_the_same_seed_gives_the_same_columns(name: str) -> None:
    one, other = changed(name, table()), changed(name, table())
    assert one.columns.keys() == other.columns.keys()
    for column, cells in one.columns.items():
        assert cells.equals(other.columns[column], null_equal=True)


def test_columns_are_those_of_the_file_with_a_cell_for_every_record(name: str) -> None:
    frame = table()
    made = changed(name, frame)
    assert set(made.columns) <= set(frame.columns)
    assert {len(cells) for cells in made.columns.values()} <= {frame.height}
    assert made.stays is None or made.stays.shape == (frame.height,)
    assert made.perturbed <= set(made.columns)


def test_the_file_is_not_changed(name: str) -> None:
    frame = table()
    kept = frame.clone()
    changed(name, frame)
    assert frame.equals(kept)


def _with_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    some = pl.int_range(pl.len()) % 7 == 3
    return frame.with_columns(pl.when(~some).then(pl.col(c)).alias(c) for c in frame.columns)


def _one_record(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.head(1)


def _constant(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(age=pl.lit(40, pl.Int64), income=pl.lit(1.0))


def _all_missing(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(sex=pl.lit(None, pl.String))


def _answered(name: str, frame: pl.DataFrame) -> Changed | str:
    """What the method does, or why it refuses."""
    try:
        return changed(name, frame)
    except LookalikeError as error:
        return str(error)


@pytest.mark.parametrize("odd", [_with_nulls, _one_record, _constant, _all_missing])
def test_odd_files_are_answered_or_refused_with_a_reason(
    name: str, odd: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    frame = odd(table())
    answer = _answered(name, frame)
    if isinstance(answer, str):
        assert len(answer) > 20
        return
    assert {len(cells) for cells in answer.columns.values()} <= {frame.height}


def test_missing_values_get_no_value(name: str) -> None:
    frame = _with_nulls(table())
    answer = _answered(name, frame)
    if isinstance(answer, str):
        assert "missing" in answer or "empty" in answer
        return
    for column, cells in answer.columns.items():
        given = cells.filter(frame[column].is_null()).drop_nulls()
        assert given.cast(pl.String).is_in(["*"]).all()


def test_no_cell_is_told(name: str) -> None:
    answer = _answered(name, table().with_columns(area=pl.lit("Zanzibar-7")))
    told = answer if isinstance(answer, str) else str((answer.caveats, answer.figures, answer.details))
    assert "Zanzibar" not in told
