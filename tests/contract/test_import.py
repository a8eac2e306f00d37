"""`import lookalike` is light: it loads none of the heavy libraries, nor the rooms."""

import json
import subprocess
import sys

import pytest

HEAVY = ("duckdb", "pyspark", "matplotlib", "pandas", "numba", "scipy", "pyarrow", "rich", "typer", "polars")


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_loads_no_heavy_library() -> None:
    assert loaded_after("import lookalike") & set(HEAVY) == set()


def test_measuring_a_small_file_loads_no_engine_that_is_not_used() -> None:
    used = loaded_after(
        "import lookalike as la, polars as pl\n"
        "la.assess(pl.DataFrame({'age': [1, 1, 2]}), quasi_identifiers=['age'], population=10)"
    )
    assert "polars" in used
    assert used & {"duckdb", "pyspark", "matplotlib", "numba"} == set()


def test_every_public_name_can_be_had() -> None:
    import lookalike

    assert all(getattr(lookalike, name) is not None for name in lookalike.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lookalike.nothing
