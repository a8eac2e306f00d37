"""Kernels compiled by a second process, so that the first demonstration on a machine need not wait for all of them.

A kernel is compiled when it is first used, and kept beside the code (the cache of Numba). While the demonstration
assesses and protects, the second process draws from a small file and compares: what it compiles, the demonstration
finds. It prints nothing, keeps nothing else, and ends with the demonstration.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RECORDS = 400


@contextmanager
def compiling() -> Iterator[None]:
    """Start the second process, and end it with what is done here; one core alone does one thing after the other."""
    if (os.cpu_count() or 1) < 2:
        yield
        return
    own = [sys.executable, "-m", __name__]
    with subprocess.Popen(own, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            yield
        finally:
            child.terminate()


def compiled() -> bool:
    """Whether the largest kernel was compiled before."""
    from lookalike.models.steps._tree_grow import grow

    return any(Path(grow.stats.cache_path).glob("_tree_grow.grow-*.nbi"))


def draw_and_compare() -> None:
    """Use what the later steps of the demonstration use: a drawn release, and one with a column in ranges."""
    import polars as pl

    import lookalike as la
    from lookalike.cli.demonstration import MODELS, plan_of
    from lookalike.data import demo

    plan = plan_of(20 * RECORDS, seed=1).changed(population=None)
    file = demo.hospital(RECORDS, population_records=20 * RECORDS).file
    decade = pl.col("age") // 10 * 10
    coarse = file.with_columns(age=pl.format("{}-{}", decade, decade + 9))
    drawn = la.synthesize(file, plan=plan)
    la.compare(file, coarse, plan=plan, how="changed", linked=True, models=MODELS)
    la.compare(file, drawn, plan=plan, models=MODELS)


if __name__ == "__main__" and not compiled():
    draw_and_compare()
