"""Runs a plan: the one orchestrator. Checks the request, asks the rooms, decides."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from numbers import Integral
from pathlib import Path
from time import perf_counter
from typing import Any

from lookalike.data import Microdata
from lookalike.errors import BadPlan, unknown
from lookalike.evaluate.decide import decide
from lookalike.evaluate.digest import source_of
from lookalike.evaluate.measure import Measurement
from lookalike.evaluate.request import Design, Request, prepare
from lookalike.evaluate.result import Evaluation, Outcome, Risk, Source, Verdict
from lookalike.plan import Plan, Roles, Threshold, people_in

_ROLES = tuple(field.name for field in fields(Roles))

__all__ = ["Evaluation", "Outcome", "Risk", "Verdict", "assess", "planned", "run"]


def assess(
    data: Any,
    *,
    population: Any = None,
    threshold: float | Threshold | None = None,
    plan: Plan | None = None,
    records: bool = False,
    **choices: Any,
) -> Evaluation:
    """The risk of a file: every measure that needs the file alone, and those a population file allows.

    `data` is microdata, a frame or a path; `population` its size, a path, a frame or microdata; `choices` are
    roles, as in `read`, and anything else a `Plan` has. With `records`, the risk of each record is kept.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 31], "sex": ["F", "F", "M"]})
    >>> la.assess(table, quasi_identifiers=["age", "sex"], population=1000).risk.k_anonymity
    1
    """
    chosen, people = planned(data, plan, choices, population=population, threshold=threshold)
    return run(data, chosen, people, keep_records=records)


def planned(
    data: Any,
    plan: Plan | None,
    choices: dict[str, Any],
    *,
    population: Any = None,
    threshold: float | Threshold | None = None,
) -> tuple[Plan, Any]:
    """The plan with what was named over it, and the people if they are a frame or microdata."""
    plan = plan or Plan()
    roles = {name: choices.pop(name) for name in _ROLES if name in choices}
    if roles:
        plan = plan.changed(roles=_roles(roles))
    elif isinstance(data, Microdata) and plan.roles == Roles():
        plan = plan.changed(roles=Roles.of(data))
    plan = _chosen(plan, choices)
    if threshold is not None:
        limit = threshold if isinstance(threshold, Threshold) else Threshold(sample_to_population=threshold)
        plan = plan.changed(thresholds=limit)
    size = people_in(population) if isinstance(population, str) else population
    if isinstance(size, Integral):
        return plan.changed(population=int(size)), None
    if isinstance(population, (str, Path)):
        return plan.changed(population_file=str(population)), None
    return plan, population


def run(
    data: Any,
    plan: Plan,
    population: Any = None,
    *,
    keep_records: bool = False,
    released: bool = False,
    design: Design | None = None,
) -> Evaluation:
    """Run a plan on a file: check the whole request, measure, decide.

    `released`: its cells may be suppressed; `design`: how its records were sampled, which it does not show.
    """
    started, clock = datetime.now(UTC), perf_counter()
    request = replace(prepare(data, plan, population, released=released), design=design)
    measurement = Measurement(request)
    risk = measurement.risk()
    return Evaluation(
        command="assess",
        plan=plan,
        engine=request.file.table.engine.name,
        inputs=sources_of(request),
        risk=risk,
        verdicts=decide(plan.thresholds, risk),
        warnings=(*request.file.notes, *measurement.warnings),
        overlooked=request.overlooked,
        undeclared=request.file.undeclared_identifiers,
        records=measurement.records() if keep_records else None,
        started=started,
        seconds=perf_counter() - clock,
    )


def sources_of(request: Request) -> tuple[Source, ...]:
    """The file, the people and the margins as the evidence names them."""
    people = () if request.people is None else (source_of(request.people, "population"),)
    return (source_of(request.file), *people, *(source_of(table, "margins") for table in request.margin_files))


def _roles(named: dict[str, Any]) -> Roles:
    """Roles from keyword arguments; lists become tuples, so that plans can be compared."""
    lists = {k: (v,) if isinstance(v, str) else tuple(v) for k, v in named.items() if k not in ("weight", "household")}
    return Roles(**lists, weight=named.get("weight"), household=named.get("household"))


def _chosen(plan: Plan, choices: dict[str, Any]) -> Plan:
    known = [field.name for field in fields(Plan)]
    faults = [
        unknown("Choice", name, [*_ROLES, *known], where="known", listed="Choices")
        for name in choices
        if name not in known
    ]
    if faults:
        raise BadPlan(faults)
    listed = {k: tuple(v) if isinstance(v, list) else v for k, v in choices.items()}
    for name, what in (("estimators", "names"), ("margins", "paths of tables"), ("keep_words", "names of columns")):
        if name in listed:
            listed[name] = _texts(name, what, listed[name])
    return plan.changed(**listed)


def _texts(name: str, what: str, given: Any) -> tuple[str, ...]:
    """One text or path, or several; anything else is refused by its type, for its text may hold cells."""
    several = (given,) if isinstance(given, (str, Path)) or not isinstance(given, (tuple, set, frozenset)) else given
    wrong = [type(g).__name__ for g in several if not isinstance(g, (str, Path))]
    if wrong:
        raise BadPlan(f"{name} must be {what}, not {wrong[0]}.")
    return tuple(str(g) for g in several)
