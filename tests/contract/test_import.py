"""`import lookalike` is light: it loads none of the heavy libraries, nor the rooms."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    "duckdb",
    "pyspark",
    "matplotlib",
    "pandas",
    "numba",
    "scipy",
    "pyarrow",
    "rich",
    "typer",
    "polars",
    "altair",
    "jinja2",
)


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_loads_no_heavy_library() -> None:
    assert loaded_after("import lookalike") & set(HEAVY) == set()


ENGINES = {"duckdb", "pyspark", "matplotlib"}
"""What a small file needs none of."""
ASSESS = (
    "import lookalike as la, polars as pl\nla.assess(pl.DataFrame({'age': [1, 1, 2] * 5}), quasi_identifiers=['age']"
)


def test_measuring_a_small_file_loads_no_engine_that_is_not_used() -> None:
    used = loaded_after(f"{ASSESS})")
    assert "polars" in used
    assert used & {*ENGINES, "numba"} == set()


def test_the_population_risk_loads_what_its_estimator_needs_and_no_engine() -> None:
    used = loaded_after(f"{ASSESS}, population=50)")
    assert "numba" in used
    assert used & ENGINES == set()


def test_a_plan_knows_the_estimators_without_loading_what_they_need() -> None:
    used = loaded_after("from lookalike.plan import Plan\nPlan(estimators=('none',)).faults()")
    assert used & {*ENGINES, "numba", "scipy", "pyarrow", "pandas"} == set()


def test_every_public_name_can_be_had() -> None:
    import lookalike

    assert all(getattr(lookalike, name) is not None for name in lookalike.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lookalike.nothing
