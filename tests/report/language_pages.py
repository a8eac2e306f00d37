"""Pages of many runs on a small simulated file, made once for all tests of languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import lookalike as la
from lookalike.anonymize.methods import METHODS
from lookalike.evaluate.result import Run
from lookalike.evaluate.synthesis import run_synthesis
from lookalike.plan import Plan, Roles, Target, Threshold
from lookalike.population import ESTIMATORS
from lookalike.report.html import Page
from lookalike.report.pages import page_of
from lookalike.synthesis import Rule, Synthesis

KNOWN = ["age", "sex", "Notes"]
ROLES = {"quasi_identifiers": KNOWN, "sensitive": ["records"]}
K_ONLY = Threshold(sample_to_population=None, k_anonymity=3)


def people(rows: int = 200, seed: int = 1) -> pl.DataFrame:
    """A column is called like a heading of the page, another like the head of a table; values are words of ours too."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], rows),
            "Notes": rng.choice(["none", "yes", "west"], rows, p=[0.6, 0.3, 0.1]),
            "records": rng.choice(["flu", "cold", "gout"], rows),
            "house": rng.integers(0, rows // 2, rows),
            "pay": age * 10 + rng.integers(0, 300, rows),
            "weight": rng.integers(5, 20, rows),
        }
    )


def _assessed(**choices: Any) -> Run:
    return la.assess(people(), **{**ROLES, "backtest": False, **choices})


def _protected(method: Any, **choices: Any) -> Run:
    options = {"population": 500, "backtest": False, "estimators": ["entropy"], **ROLES, **choices}
    return la.protect(people(), method, **options)


def _drawn(model: str, roles: Roles | None = None, **choices: Any) -> Run:
    plan = Plan(roles=roles or Roles(), population=4000, backtest=False, estimators=("entropy",))
    return run_synthesis(people(), plan.changed(synthesis=Synthesis(model=model, **choices)))


def _compared(release: pl.DataFrame, **choices: Any) -> Run:
    options = {"formulas": ("pay ~ age + sex",), "models": ("logistic", "cart"), "draws": 3, "backtest": False}
    return la.compare(la.read(people(), **ROLES), release, **{**options, **choices})


def _in_ranges() -> pl.DataFrame:
    """Ranges apart, ranges that overlap, and groups."""
    frame = people()
    decade = pl.col("age") // 10 * 10
    wide = [f"[{pay - 40 * (i % 2)};{pay + 60}]" for i, pay in enumerate(frame["pay"])]
    return frame.with_columns(
        age=pl.format("[{};{}]", decade, decade + 9),
        pay=pl.Series(wide),
        Notes=pl.col("Notes").replace({"none": "all", "yes": "all"}),
    )


def _repaired() -> Run:
    options = {"models": ("logistic",), "draws": 0, "ways": (1,), "control": people(150, 9)}
    return la.repair(la.read(people(), **ROLES), people(), **options)


def _all_known() -> Run:
    frame = people()
    crowd = pl.concat([frame.select(KNOWN), people(2000, 2).select(KNOWN)])
    return _assessed(
        population=crowd,
        household="house",
        groups={"person": ["age", "sex"], "place": ["Notes"]},
        targets=[Target(variable="records", equals=("flu",)), Target(variable="pay", above=600)],
        estimators=["entropy", "chao"],
        backtest=True,
        threshold=Threshold(sample_to_population=0.09, k_anonymity=5),
    )


RUNS: dict[str, Callable[[], Run]] = {
    "assess with the number of people": lambda: _assessed(population=20_000, household="house", backtest=True),
    "assess with a population file": _all_known,
    "assess with all estimators": lambda: _assessed(population=20_000, estimators=list(ESTIMATORS)),
    "assess without the number of people": _assessed,
    "assess with weights": lambda: _assessed(weight="weight", estimators=["posterior"]),
    "protect by generalization": lambda: _protected(la.Generalization(), until=Threshold()),
    "protect by Mondrian": lambda: _protected(la.Mondrian(k=5)),
    "protect by suppression": lambda: _protected(METHODS["suppress"](), until=K_ONLY, population=None),
    "protect by noise": lambda: _protected(METHODS["noise"](), quasi_identifiers=["pay"]),
    "synthesize twice by latent classes": lambda: _drawn("latent-classes", copies=2),
    "synthesize one column after another": lambda: _drawn(
        "sequential",
        Roles(quasi_identifiers=tuple(KNOWN)),
        columns=("records", "sex", "pay"),
        rules=(Rule(when="pay < 0", then={"sex": "F"}),),
    ),
    "synthesize with differential privacy": lambda: _drawn("private-tree", options={"epsilon": 2.0}),
    "compare a changed file": lambda: _compared(
        people().with_columns(age=pl.col("age") // 5 * 5), how="changed", linked=True, population=2000
    ),
    "compare a file in ranges": lambda: _compared(
        _in_ranges(), how="changed", linked=True, models=("logistic",), ways=(1, 2)
    ),
    "compare a synthetic file": lambda: _compared(people(200, 7), how="complete", attacks=False),
    "compare with a control": lambda: _compared(people(200, 7), how="complete", ways=(1,), control=people(150, 9)),
    "repair": _repaired,
    "repair where nothing is to be changed": lambda: la.repair(
        la.read(people(), **ROLES), people(200, 7), models=("logistic",), draws=0, ways=(1,), threshold=0.99
    ),
}


@cache
def page(name: str) -> Page:
    """The page of a run."""
    return page_of(RUNS[name]())
