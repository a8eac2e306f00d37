"""Seed 001's simulation on a file that is itself the population: how far is each estimator off?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.engine import Scratch, stage
from lookalike.errors import BadPlan
from lookalike.evaluate.digest import source_of
from lookalike.evaluate.request import prepare
from lookalike.evaluate.result import Source
from lookalike.evaluate.simulation.answers import Answer, Task
from lookalike.evaluate.simulation.choices import BANDS, WRONG, Point, Study
from lookalike.evaluate.simulation.journal import Journal
from lookalike.evaluate.simulation.people import People
from lookalike.evaluate.simulation.summary import cell_table, error_table, points_table, sensitivity_table
from lookalike.evaluate.simulation.workers import WorkerLost, compute
from lookalike.plan import Plan, Roles
from lookalike.population import ESTIMATORS

__all__ = ["BANDS", "WRONG", "Point", "Studied", "Study", "WorkerLost", "run_study", "study"]


@dataclass(frozen=True)
class Studied:
    """A study that is done: where it lies, what was studied, every answer, and tables of the errors.

    >>> import tempfile
    >>> people = pl.DataFrame({"age": [30 + i % 40 for i in range(1000)], "sex": ["F", "M"] * 500})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = study(people, folder, quasi_identifiers=["age", "sex"], points=20, estimators=["entropy"], workers=1)
    >>> done.points.height, done.variables
    (20, ('age', 'sex'))
    >>> done.table.filter(pl.col("band") == "all").select("estimator", "points", "not_assessable").rows()
    [('entropy', 20, 0)]
    >>> done.cells.columns[:3], done.sensitivity.height
    (['band', 'risk_bin', 'estimator'], 0)
    """

    folder: Path
    source: Source
    variables: tuple[str, ...]
    choices: Study
    points: pl.DataFrame
    """One row a point, estimator and ratio of N."""

    @cached_property
    def table(self) -> pl.DataFrame:
        """Error, coverage and time by band of the fraction and estimator."""
        return error_table(self.points).insert_column(0, pl.lit(self.source.name).alias("data"))

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The error by band, bin of the true risk and estimator."""
        return cell_table(self.points)

    @cached_property
    def sensitivity(self) -> pl.DataFrame:
        """The error by band, estimator and ratio of N; empty if no point was estimated with a wrong N."""
        return sensitivity_table(self.points)


def study(
    data: Any,
    folder: str | Path,
    *,
    quasi_identifiers: Sequence[str] = (),
    plan: Plan | None = None,
    workers: int | None = None,
    force: bool = False,
    **choices: Any,
) -> Studied:
    """Draw samples of a population, estimate their risk, compare with the truth; go on where it stopped.

    `data` is microdata, a frame or a path; `folder` keeps the answers; `choices` are those of `Study`.

    >>> import lookalike as la, polars as pl, tempfile
    >>> people = pl.DataFrame({"age": [30, 30, 31, 32] * 25, "sex": ["F", "M"] * 50})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = la.study(people, folder, quasi_identifiers=["age", "sex"], points=3, estimators=["entropy"])
    >>> done.points["point"].to_list()
    [0, 1, 2]
    """
    plan = plan or Plan()
    if quasi_identifiers:
        plan = plan.changed(roles=Roles(quasi_identifiers=tuple(quasi_identifiers)))
    if "estimators" in choices:
        choices["estimators"] = tuple(choices["estimators"])
    return run_study(data, plan, Study(**choices), Path(folder), workers=workers, force=force)


def run_study(
    data: Any,
    plan: Plan,
    choices: Study,
    folder: Path,
    *,
    workers: int | None = None,
    force: bool = False,
    known: Sequence[str] = (),
) -> Studied:
    """Check the whole request, compute what is missing in the folder, and sum up all that is there."""
    faults = [*known, *choices.faults(), *_faults(plan, workers)]
    request = prepare(data, _about_known(plan), known=faults)
    names, source = request.file.quasi_identifiers, source_of(request.file)
    if late := choices.faults(len(names)):
        raise BadPlan(late)
    scratch = Scratch()
    try:
        people = People.of(request.file, scratch.path)
        settings = _settings(people, names, choices)
        del request
        estimators = {key: repr(ESTIMATORS[key]) for key in choices.keys}
        with Journal(folder, settings, estimators, force=force) as journal:
            done = journal.read()
            tasks = _missing(choices, done, len(names), len(people))
            coming = compute(tasks, scratch.path, names, choices.seed, workers=workers or _cores())
            # Closed at once when the work is interrupted: no worker outlives it.
            with stage("studying", total=sum(len(t.pairs) for t in tasks)) as running, closing(coming):
                for answer in coming:
                    journal.add(answer)
                    running.advance()
            found = journal.read()
    finally:
        scratch.close()
    return Studied(folder, source, names, choices, points_table(found))


def _faults(plan: Plan, workers: int | None) -> list[str]:
    faults = []
    if workers is not None and workers < 1:
        faults.append("A study needs at least 1 worker.")
    if plan.missing != "own":
        faults.append(f"A study reads a missing value as a category of its own; the plan says '{plan.missing}'.")
    return faults


def _about_known(plan: Plan) -> Plan:
    """The plan without what a study does not ask: the file is the population, each record counts once."""
    roles = Roles(quasi_identifiers=plan.roles.quasi_identifiers)
    return plan.changed(roles=roles, population=None, population_file=None, groups={}, targets=())


def _settings(people: People, names: Sequence[str], choices: Study) -> dict[str, Any]:
    """What must be equal for two runs to share a folder."""
    least, most = choices.sizes
    return {
        "population": people.digest,
        "records": len(people),
        "quasi_identifiers": list(names),
        "seed": choices.seed,
        "fractions": list(choices.fractions),
        "sizes": [least, most or len(names)],
    }


def _missing(choices: Study, done: Sequence[Answer], variables: int, population: int) -> list[Task]:
    """The points with the pairs of estimator and ratio that have no answer yet."""
    answered = {(a.point, a.estimator, a.ratio) for a in done}
    tasks = []
    for index in range(choices.points):
        point = choices.point(index, variables=variables, population=population)
        wanted = ((key, ratio) for key in choices.keys for ratio in point.ratios)
        pairs = tuple((key, ratio) for key, ratio in wanted if (index, key, ratio) not in answered)
        if pairs:
            tasks.append(Task(point, pairs))
    return tasks


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
