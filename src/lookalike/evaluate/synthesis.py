"""Run a plan's synthesis: open the file, draw the release, measure its risk."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from lookalike.data import Microdata
from lookalike.errors import BadPlan, unknown
from lookalike.evaluate import run
from lookalike.evaluate.digest import source_of
from lookalike.evaluate.people import generator
from lookalike.evaluate.request import open_file
from lookalike.evaluate.result import Evaluation, Outcome, Run
from lookalike.models.mixed import Joint
from lookalike.plan import Plan, Roles
from lookalike.synthesis import Release, Synthesis
from lookalike.synthesis import synthesize as draw
from lookalike.synthesis.models import name_of

SEED = "The seed was given. Whoever knows it can compute real values back from the release: keep it secret."


@dataclass(frozen=True, kw_only=True)
class Synthesized(Run):
    """A release with where it came from and its risk.

    >>> import polars as pl
    >>> from lookalike import Plan, Synthesis
    >>> people = pl.DataFrame({"age": [34, 35, 51, 52] * 20, "sex": ["F", "M", "M", "F"] * 20})
    >>> run = run_synthesis(people, Plan(synthesis=Synthesis(model="independent", rows=10)))
    >>> run.release.data.records, run.assessed, run.outcome.value
    (10, None, 'holds')
    """

    command: str = "synthesize"
    release: Release
    assessed: Evaluation | None
    """The risk of the first copy; None if the plan names no quasi-identifier that it has."""

    @property
    def outcome(self) -> Outcome:
        """As the thresholds decide on the release; without quasi-identifiers nothing is decided on."""
        return Outcome.HOLDS if self.assessed is None else self.assessed.outcome


def synthesize(
    data: Any,
    model: Joint | str | None = None,
    *,
    seed: int | None = None,
    plan: Plan | None = None,
    **choices: Any,
) -> Release:
    """Draw a new file from a model of the old one.

    `data` is microdata, a frame or a path; `model` a choice such as `la.GaussianCopula()` or its name; `choices` are
    those of `Synthesis`: columns, rows, copies, proper, given, rules and so on.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 31] * 10, "sex": ["F", "F", "M"] * 10})
    >>> la.synthesize(table, "independent", copies=2, rows=4).copies[1].records
    4
    """
    plan = plan or Plan()
    known = [field.name for field in fields(Synthesis)]
    faults = [unknown("Choice", name, known, where="known", listed="Choices") for name in choices if name not in known]
    if faults:
        raise BadPlan(faults)
    named: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in choices.items()}
    if isinstance(model, str):
        named["model"] = model
    plan = plan.changed(synthesis=replace(plan.synthesis, **named), **({} if seed is None else {"seed": seed}))
    given = seed is not None or plan.seed != Plan().seed
    plan = plan if given else plan.changed(seed=secret())
    chosen = None if isinstance(model, str) else model
    return _draw(_open(data, plan), plan, chosen, seed_given=given)


def run_synthesis(
    data: Any,
    plan: Plan,
    *,
    seed_given: bool = False,
    seed_drawn: bool = False,
    known: Sequence[str] = (),
    into: Path | None = None,
) -> Synthesized:
    """Run the synthesis of a plan and measure the risk of what it drew; `into` is where its copies must find room.

    The seed is a secret: whoever knows it can draw the same random numbers and compute real values back. So a plan
    with the seed that all plans begin with gets a random one, unless the seed was given on purpose; `seed_drawn`: it
    is one that an earlier run drew.
    """
    started, clock = datetime.now(UTC), perf_counter()
    seed_given = (seed_given or plan.seed != Plan().seed) and not seed_drawn
    plan = plan if seed_given or seed_drawn else plan.changed(seed=secret())
    file = _open(data, plan, known)
    _check_population(file, plan)
    if into is not None and file.files:
        _check_space(file, plan.synthesis, into)
    release = _draw(file, plan, None, seed_given=seed_given)
    assessed = _assessed(release, plan)
    return Synthesized(
        plan=plan,
        engine=file.table.engine.name,
        started=started,
        seconds=perf_counter() - clock,
        inputs=(source_of(file), *(() if assessed is None else assessed.inputs[1:])),
        release=release,
        assessed=assessed,
        warnings=file.notes,
        seed_drawn=not seed_given,
    )


def _open(data: Any, plan: Plan, known: Sequence[str] = ()) -> Microdata:
    """The file with its roles; codes that mean missing stay as they are, where they are numbers."""
    faults = [*known, *plan.faults()]
    return open_file(data, plan, faults)


def _draw(file: Microdata, plan: Plan, model: Joint | None, *, seed_given: bool) -> Release:
    name = plan.synthesis.model if model is None else name_of(model)
    release = draw(file, plan.synthesis, model=model, rng=generator(plan.seed, "synthesize", name))
    return replace(release, caveats=(*release.caveats, SEED)) if seed_given else release


def secret() -> int:
    """A seed that nobody knows."""
    return secrets.randbits(62)


def _assessed(release: Release, plan: Plan) -> Evaluation | None:
    """The risk of the first copy by the plan's roles, as far as they are there."""
    plan = present(plan, release.data.columns)
    return run(release.data, plan) if plan.roles.quasi_identifiers else None


def present(plan: Plan, columns: Sequence[str]) -> Plan:
    """The plan for a release that has these columns of the file alone."""
    return plan.changed(
        roles=_present(plan.roles, columns),
        targets=tuple(t for t in plan.targets if t.variable in columns),
        groups={k: v for k, v in plan.groups.items() if set(v) <= set(columns)},
        missing_codes={k: v for k, v in plan.missing_codes.items() if k in columns},
        kinds={k: v for k, v in plan.kinds.items() if k in columns},
        cluster=plan.cluster if plan.cluster in columns else None,
    )


def _present(roles: Roles, columns: Sequence[str]) -> Roles:
    def some(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns)

    one: Mapping[str, str | None] = {"weight": roles.weight, "household": None}
    return Roles(
        identifiers=some(roles.identifiers),
        quasi_identifiers=some(roles.quasi_identifiers),
        sensitive=some(roles.sensitive),
        **{k: v if v in columns else None for k, v in one.items()},
    )


def _check_population(file: Microdata, plan: Plan) -> None:
    """Raise if the risk of the release could not be measured: more records than people."""
    rows = plan.synthesis.rows or file.records
    if plan.roles.quasi_identifiers and plan.population is not None and rows > plan.population:
        raise BadPlan(
            f"A release of {rows:,} records of {plan.population:,} people has no risk that could be measured. Ask for "
            "fewer rows, or name no quasi-identifiers to measure nothing."
        )


def _check_space(file: Microdata, choices: Synthesis, folder: Path) -> None:
    """Raise if the copies would hardly fit on the disk; a record is taken to need what it does in the file."""
    each = sum(part.stat().st_size for part in file.files) / file.records
    need = each * (choices.rows or file.records) * choices.copies
    free = shutil.disk_usage(folder).free
    if need > free:
        raise BadPlan(
            f"{choices.copies:,} {'copies need' if choices.copies > 1 else 'copy needs'} about {need / 2**30:,.1f} GB, "
            f"and {free / 2**30:,.1f} GB are free there. Ask for fewer copies or rows, or write elsewhere."
        )
