"""Equivalence classes, spreads and a whole assessment are the same on every engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.engine import Engine
from lookalike.plan import Plan, Target

Reading = Mapping[str, Any]

HAND = pl.DataFrame(
    {
        "age": [30, 30, 31, None, 30, None, None, 30],
        "sex": ["F", "F", "M", "M", None, "M", None, None],
        "result": ["+", "-", "+", None, "+", "-", None, "-"],
    }
)
OWN = [2, 2, 1, 2, 2, 2, 1, 2]
# A record is alike to those it agrees with wherever neither is missing, itself included.
WILDCARD = [
    len({0, 1, 4, 6, 7}),
    len({0, 1, 4, 6, 7}),
    len({2, 3, 5, 6}),
    len({2, 3, 4, 5, 6, 7}),
    len({0, 1, 3, 4, 5, 6, 7}),
    len({2, 3, 4, 5, 6, 7}),
    len({0, 1, 2, 3, 4, 5, 6, 7}),
    len({0, 1, 3, 4, 5, 6, 7}),
]
CONSERVATIVE = [2, 2, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("missing", "expected"),
    [(la.Missing.OWN, OWN), (la.Missing.WILDCARD, WILDCARD), (la.Missing.CONSERVATIVE, CONSERVATIVE)],
)
def test_lookalikes_with_missing_values(reading: Reading, missing: la.Missing, expected: list[int]) -> None:
    data = la.read(HAND, quasi_identifiers=["age", "sex"], **reading)
    classes = la.EquivalenceClasses.of(data, missing=missing)
    assert classes.records == 8
    assert classes.size_per_record().tolist() == expected
    assert classes.per_record(1 / classes.lookalikes).tolist() == [1 / f for f in expected]
    assert sorted(np.repeat(classes.lookalikes, classes.sizes).tolist()) == sorted(expected)


def test_a_record_with_a_missing_value_finds_its_population(reading: Reading) -> None:
    people = pl.DataFrame({"age": [30, 30, 30, None, None, 31], "sex": ["F", "F", None, "M", "M", "M"]})
    population = la.EquivalenceClasses.of(la.read(people, **reading), ["age", "sex"])
    sample = la.EquivalenceClasses.of(la.read(HAND, **reading), ["age", "sex"])
    found = sample.per_record(sample.sizes_in(population))
    # The record with both missing has nobody in the population.
    assert found.tolist() == [2, 2, 1, 2, 1, 2, 0, 1]


@pytest.mark.parametrize("missing", list(la.Missing))
def test_the_spread_of_a_sensitive_variable(reading: Reading, missing: la.Missing) -> None:
    data = la.read(HAND, quasi_identifiers=["age", "sex"], **reading)
    spread = la.Spread.of(la.EquivalenceClasses.of(data, missing=missing), "result")
    assert spread.values.to_list() == ["+", "-"]
    assert spread.whole.tolist() == [3, 3]
    # (30, F): + and -; (31, M): +; (null, M): -, its other record has no result; (30, null): + and -.
    split = {"+": 1, "-": 1}
    expected = [split, {"+": 1}, {"-": 1}, split]
    if missing is la.Missing.CONSERVATIVE:  # every incomplete record stands alone
        expected = [split, {"+": 1}, {"-": 1}, {"+": 1}, {"-": 1}]
    assert sorted(map(str, contents(spread))) == sorted(map(str, expected))


def contents(spread: la.Spread) -> Iterator[dict[str, int]]:
    """What each class holds."""
    for start, end in zip(spread.starts, spread.starts[1:], strict=False):
        values = spread.values.gather(spread.codes[start:end]).to_list()
        yield dict(zip(values, spread.counts[start:end].tolist(), strict=True))


def test_codes_are_read_as_missing(reading: Reading) -> None:
    frame = pl.DataFrame({"age": [30, 99, 99, None], "sex": ["F", "?", "", "?"], "pay": [1.5, -9.0, 2.5, None]})
    data = la.read(frame, **reading).recode_missing({"age": ["99"], "sex": ["?", "n/a"], "pay": ["-9"]})
    assert data.head(9).rows() == [(30, "F", 1.5), (None, None, None), (None, "", 2.5), (None, None, None)]
    assert la.EquivalenceClasses.of(data, ["age", "sex"]).size_per_record().tolist() == [1, 2, 1, 2]


def test_not_a_number_is_read_as_missing(reading: Reading) -> None:
    data = la.read(pl.DataFrame({"pay": [1.0, float("nan"), None, 1.0]}), **reading)
    assert data.head(9)["pay"].to_list() == [1.0, None, None, 1.0]
    assert la.EquivalenceClasses.of(data, ["pay"]).size_per_record().tolist() == [2, 2, 2, 2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file of 3,000 records in two parts, and its population of 9,000 of which they are the first."""
    rng = np.random.default_rng(11)
    n = 9000

    def some(values: pl.Series, share: float) -> pl.Series:
        return pl.select(pl.when(pl.Series(rng.random(n) >= share)).then(values)).to_series()

    people = pl.DataFrame(
        {
            "age": some(pl.Series(rng.integers(18, 90, n)), 0.02),
            "sex": some(pl.Series(rng.choice(["F", "M"], n)), 0.01),
            "zip": pl.Series(rng.integers(0, 40, n)).cast(pl.String).str.zfill(5),
            "born": pl.Series(rng.integers(-9000, 9000, n) // 3000 * 3000, dtype=pl.Int32).cast(pl.Date),
            "income": some(pl.Series(rng.lognormal(10, 1, n).round(-3)), 0.05),
            "band": pl.Series(rng.choice(["<5", "5-9", "10-19", "20+"], n)),
            "weight": rng.integers(1, 9, n) / 2 + 2,
            "house": rng.integers(0, 1500, n),
        }
    )
    folder = tmp_path_factory.mktemp("people")
    (folder / "file").mkdir()
    people[:1000].write_parquet(folder / "file" / "a.parquet")
    people[1000:3000].write_parquet(folder / "file" / "b.parquet")
    people.write_parquet(folder / "people.parquet")
    return folder / "file", folder / "people.parquet"


@pytest.fixture(scope="module")
def on_polars(files: tuple[Path, Path]) -> la.Evaluation:
    return assessed(files, {"engine": "polars"})


def assessed(files: tuple[Path, Path], reading: Reading) -> la.Evaluation:
    file, people = files
    plan = Plan(
        kinds={"band": "ordinal"},
        targets=(Target(variable="income", above=30_000), Target(variable="band", equals=("<5",))),
    )
    data = la.read(
        file,
        quasi_identifiers=["age", "sex", "zip", "born"],
        sensitive=["income", "band"],
        weight="weight",
        household="house",
        **reading,
    )
    return la.assess(data, population=la.read(people, **reading), plan=plan, records=True)


def test_an_assessment_gives_the_same_figures(
    files: tuple[Path, Path], on_polars: la.Evaluation, reading: Reading, engine: Engine
) -> None:
    found = assessed(files, reading)
    assert found.engine == engine.name
    assert found.risk.records == 3000
    same_figures(found.risk, on_polars.risk)
    assert found.records is not None
    assert on_polars.records is not None
    assert set(found.records) == set(on_polars.records)
    for name, values in on_polars.records.items():
        assert found.records[name] == pytest.approx(values, rel=1e-9), name


def same_figures(one: la.Risk, other: la.Risk) -> None:
    """Equal to the last digits, which follow the order of a sum."""
    ours, theirs = dict(leaves(dataclasses.asdict(one))), dict(leaves(dataclasses.asdict(other)))
    assert list(ours) == list(theirs)
    assert len(ours) > 100
    for path, value in theirs.items():
        # Times differ; the risk of each class is compared by record, for classes have no order.
        if path.endswith("/seconds") or isinstance(value, np.ndarray):
            continue
        assert ours[path] == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value), path


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The figures of nested results, each with its path."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}/{key}")
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{path}/{i}")
    else:
        yield path, value
