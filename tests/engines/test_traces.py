"""A run leaves no microdata behind, neither in the temporary directory nor where it was started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RUN = """
import sys
import lookalike as la

for file in sys.argv[2:]:
    data = la.read(file, engine=sys.argv[1])
    found = la.assess(data, quasi_identifiers=["age", "zip"], sensitive=["pay"], records=True)
    print(found.risk.records, len(found.records["prosecutor"]))
"""


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("failing", [False, True])
def test_nothing_is_left(engine: str, failing: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n = 50_000
    people = pl.DataFrame(
        {"age": rng.integers(0, 99, n), "zip": rng.integers(0, 999, n), "pay": rng.integers(0, 9999, n)}
    )
    people.write_csv(tmp_path / "people.csv")
    people.write_parquet(tmp_path / "people.parquet")
    temporary, here = tmp_path / "tmp", tmp_path / "here"
    temporary.mkdir()
    here.mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "LOOKALIKE_SCRATCH"} | {"TMPDIR": str(temporary)}
    files = [str(tmp_path / "people.csv"), str(tmp_path / "people.parquet")]
    files += [str(tmp_path / "absent.csv")] if failing else []
    done = subprocess.run(
        [sys.executable, "-c", RUN, engine, *files], env=environment, cwd=here, capture_output=True, text=True
    )
    assert done.returncode == (1 if failing else 0), done.stderr
    assert done.stdout == f"{n} {n}\n" * 2
    if not failing:
        assert done.stderr == ""
    assert list(temporary.iterdir()) == []
    assert list(here.iterdir()) == []
