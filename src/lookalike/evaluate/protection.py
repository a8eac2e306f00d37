"""Run a plan's protection: open the file, measure it, change it, measure the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

from lookalike.anonymize import Asked, Method, Protected
from lookalike.anonymize import protect as change
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.methods import RANDOM, methods_of, steps_of
from lookalike.classes import Missing
from lookalike.data import Microdata, Role, refuse_to_overwrite, whole_file, write
from lookalike.errors import BadPlan
from lookalike.evaluate import planned, run, sources_of
from lookalike.evaluate.design import design_of
from lookalike.evaluate.digest import step_files
from lookalike.evaluate.doubts import COARSENED_AWAY
from lookalike.evaluate.left_alone import alone_beside, told_beside
from lookalike.evaluate.people import generator
from lookalike.evaluate.recoded_people import recoded_people
from lookalike.evaluate.request import Request, prepare
from lookalike.evaluate.result import Evaluation, Outcome, Run
from lookalike.evaluate.synthesis import SEED, present, secret
from lookalike.plan import Plan, Threshold
from lookalike.utility import Losses, losses

TRIES = 5
"""How often the levels are searched for, each time with a tighter limit of B."""
SLACK = 0.97
LEAST = 1e-6
NONE_LEFT = "The release would have no quasi-identifier left, so no risk could be measured. Keep one."
NO_RECODE = "There is no recode to save: one step of the release must be generalize or recode."
DRAWN_VALUES = (
    "{names}: values were changed at random, so class sizes count values that are not real. What the method says of "
    "its own risk is what counts"
)
NO_MARGINS = (
    "Known margins count the values of the file, not of the release: B of the release was estimated without them."
)
UNTOLD = (
    "The plan in the evidence lacks settings that are no plain data: {names}. The release cannot be verified by "
    "running it again."
)
CODED = "{name}: {count} cells were read as missing, by a code or as empty, and are written empty."
CODED_MANY = "Cells that were read as missing, by a code or as empty, are written empty: {names}."
ONE_BY_ONE = 5
"""Columns with codes up to which each has a note of its own."""
NO_PEOPLE = (
    "B was not decided on: without the size of the population (--population N) it is not known, and another limit was "
    "named. Name both to decide on both."
)


@dataclass(frozen=True, kw_only=True)
class ProtectedRun(Run):
    """A release with where it came from, what it lost, and the risk before and after.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [31, 34, 52, 58]})
    >>> run = la.protect(people, la.Mondrian(k=2), until=la.Threshold(k_anonymity=2), quasi_identifiers=["age"])
    >>> run.before.risk.k_anonymity, run.assessed.risk.k_anonymity, run.outcome.value
    (1, 2, 'holds')
    >>> run.data.head().to_series(0).to_list()
    ['[31;34]', '[31;34]', '[52;58]', '[52;58]']
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run.write(Path(folder, "release.csv")).name
    'release.csv'
    """

    command: str = "protect"
    release: Protected
    losses: Losses
    before: Evaluation
    assessed: Evaluation
    gave_way: tuple[str, ...] = ()
    """Limits that were not asked for and could not be decided on."""

    @property
    def data(self) -> Any:
        """The released file."""
        return self.release.data

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """The released file in the format of the path's ending."""
        return write(self.release.data, path, force=force)

    @property
    def outcome(self) -> Outcome:
        """As the thresholds decide on the release."""
        return self.assessed.outcome


@dataclass(frozen=True, kw_only=True)
class Asking:
    """A request for protection, checked: the file, the limits that can be decided on, the seed of all draws."""

    request: Request
    plan: Plan
    """With the seed of all draws."""
    seed_drawn: bool = False
    """Whether nobody gave that seed."""
    gave_way: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=perf_counter)

    @cached_property
    def before(self) -> Evaluation:
        """The risk of the file."""
        return run(self.request.file, self.plan, self.request.people)

    def for_step(self, number: int = 0) -> Asked:
        """What all methods are asked, or one by its number, with the stream that it would have among several."""
        rng = generator(self.plan.seed, "protect", 0)
        return Asked(
            file=_without_known(self.request.file, self.plan.protection.drop),
            rng=rng if not number else rng.spawn(number)[-1],
            until=searched_for(self.plan.thresholds),
            population=self.request.population,
            missing=Missing(self.plan.missing),
            targets=self.plan.targets,
        )

    def by(self, methods: Sequence[Method | str]) -> Asking:
        """The same with these methods as steps of the plan, so that the evidence tells them."""
        steps, untold = steps_of(methods)
        named = self.plan.changed(protection=replace(self.plan.protection, steps=steps))
        told = [UNTOLD.format(names=", ".join(untold))] if untold else []
        return replace(self, plan=named, warnings=(*self.warnings, *told))


def _without_known(file: Microdata, names: Sequence[str]) -> Microdata:
    """The file with none of these columns known: what is left out needs no protection."""
    gone = {name for name in names if name in file.quasi_identifiers}
    if gone == set(file.quasi_identifiers):
        raise BadPlan(NONE_LEFT)
    variables = tuple(replace(v, role=Role.OTHER) if v.name in gone else v for v in file.variables)
    return replace(file, variables=variables)


def protect(
    data: Any,
    *methods: Method | str,
    until: Threshold | float | None = None,
    population: Any = None,
    seed: int | None = None,
    plan: Plan | None = None,
    **choices: Any,
) -> ProtectedRun:
    """Change the records of a file until the limits hold, and measure it before and after.

    `data` is microdata, a frame or a path; `methods` are choices such as `la.Generalization()` or their names, taken
    one after another; `until` the limits; `population` its size or a file; `choices` are roles, as in `read`, and
    anything else a `Plan` has.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47], "sex": ["F", "F", "M", "M"]})
    >>> limit = la.Threshold(k_anonymity=2)
    >>> made = la.protect(table, la.Microaggregation(k=2), until=limit, quasi_identifiers=["age", "sex"])
    >>> made.data.head()["age"].to_list(), made.outcome.value
    (['[30;31]', '[30;31]', '[45;47]', '[45;47]'], 'holds')
    """
    chosen, people = planned(data, plan, choices, population=population, threshold=until)
    chosen = chosen if seed is None else chosen.changed(seed=seed)
    return run_protection(data, chosen, people, methods=methods, seed_given=seed is not None)


def run_protection(
    data: Any,
    plan: Plan,
    population: Any = None,
    *,
    methods: Sequence[Method | str] = (),
    seed_given: bool = False,
    seed_drawn: bool = False,
    b_given: bool = False,
    known: Sequence[str] = (),
) -> ProtectedRun:
    """Run the protection of a plan; `b_given`: the limit of B was asked for, not only left as it is.

    `seed_drawn`: the seed is one that an earlier run drew; it is taken as it is, and nobody is told to keep it.
    """
    request = prepare(data, plan, population, known=known)
    steps = methods_of(methods or plan.protection.steps, plan.thresholds)
    drawn = any(step.name in RANDOM for step in steps) or plan.protection.shuffle
    asking = asked_of(request, b_given=b_given, drawn=drawn, seed_given=seed_given, seed_drawn=seed_drawn)
    asking = asking if not methods else asking.by(methods)
    limits = searched_for(asking.plan.thresholds)
    for _ in range(TRIES):
        release = _changed(asking, steps, limits)
        result = finished(asking, release)
        tighter = _tightened(limits, result) if _searched(steps) else None
        if tighter is None:
            break
        limits = tighter
    return result


def _changed(asking: Asking, steps: Sequence[Method], limits: Threshold) -> Protected:
    choices = asking.plan.protection
    asked = replace(asking.for_step(), until=limits)
    return change(asked, steps, drop=choices.drop, index=choices.index, shuffle=choices.shuffle)


def _searched(steps: Sequence[Method]) -> bool:
    return any(isinstance(step, Generalization) and step.levels is None for step in steps)


def searched_for(limits: Threshold) -> Threshold:
    """The limits as a search of levels reads them: it knows values of B, no intervals.

    >>> searched_for(Threshold(sample_to_population_upper=0.05)).sample_to_population
    0.05
    """
    both = [v for v in (limits.sample_to_population, limits.sample_to_population_upper) if v is not None]
    return replace(limits, sample_to_population=min(both, default=None), sample_to_population_upper=None)


def _tightened(limits: Threshold, result: ProtectedRun) -> Threshold | None:
    """Limits for another search: B of the release, or its upper end, came out above its limit though the search held
    the value to be below, or a doubt could put it there."""
    asked, reached = limits.sample_to_population, all(s.figures.get("reached", 1) for s in result.release.taken)
    above = _above(result.plan.thresholds, result.assessed)
    if asked is None or above <= 1 or not reached:
        return None
    return replace(limits, sample_to_population=max(asked / above * SLACK, LEAST))


def _above(limits: Threshold, assessed: Evaluation) -> float:
    """How many times B of the release is above its limit: by its value, its upper end or a doubt; the worst."""
    found = assessed.risk.sample_to_population
    doubts = (doubt for verdict in assessed.verdicts for doubt in verdict.doubts if doubt.name in COARSENED_AWAY)
    doubted = max((doubt.value for doubt in doubts), default=None)
    pairs = (
        (found.value, limits.sample_to_population),
        (doubted, limits.sample_to_population),
        (found.high, limits.sample_to_population_upper),
    )
    return max((value / limit for value, limit in pairs if value is not None and limit is not None), default=0.0)


def asked_of(
    request: Request,
    *,
    b_given: bool = False,
    drawn: bool = True,
    seed_given: bool = False,
    seed_drawn: bool = False,
) -> Asking:
    """The request with the limits that can be decided on, and a seed: secret where values are drawn."""
    _refuse_names(request)
    plan, warnings = _decided_on(request, b_given)
    gave_way = ("sample_to_population",) if warnings else ()
    seed_given = (seed_given or plan.seed != Plan().seed) and not seed_drawn
    if drawn and seed_given:
        warnings = (*warnings, SEED)
    draws_seed = drawn and not seed_given
    plan = plan.changed(seed=secret()) if draws_seed and not seed_drawn else plan
    return Asking(request=request, plan=plan, seed_drawn=draws_seed, gave_way=gave_way, warnings=warnings)


def _refuse_names(request: Request) -> None:
    """Raise if a column that looks like a name of persons would leave with the release."""
    drop = request.plan.protection.drop
    doubtful = [f"'{n}'" for n in request.file.undeclared_identifiers if n not in drop]
    if doubtful:
        raise BadPlan(
            f"{', '.join(doubtful)}: looks like something that names a person, and would be released. Name it an "
            "identifier (--id), or leave it out (--drop); if it is none, give it a role (--sensitive, --qi)."
        )


def finished(asking: Asking, release: Protected) -> ProtectedRun:
    """The release measured beside the file it came from."""
    request, plan = asking.request, asking.plan
    assessed = after(release, plan, request)
    assessed = replace(assessed, risk=replace(assessed.risk, repeated=asking.before.risk.repeated))
    return ProtectedRun(
        plan=plan,
        engine=request.file.table.engine.name,
        started=asking.started,
        inputs=(*sources_of(request), *step_files(plan)),
        release=release,
        losses=losses(release.original, release.data, release.cells, rows=release.rows),
        before=asking.before,
        assessed=assessed,
        warnings=(
            *request.file.notes,
            *asking.warnings,
            *([NO_MARGINS] if plan.margins else []),
            *alone_beside(release),
            *told_beside(release, seed=plan.seed),
            *written_empty(release),
        ),
        seconds=perf_counter() - asking.clock,
        seed_drawn=asking.seed_drawn,
        gave_way=asking.gave_way,
    )


def written_empty(release: Protected) -> tuple[str, ...]:
    """A warning of columns whose codes for missing are not in the release: their cells are empty there.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47], "pay": [-8, 20, -8, 20]})
    >>> choices = {"quasi_identifiers": ["age"], "missing_codes": {"pay": ("-8",)}}
    >>> written_empty(la.protect(table, "mondrian", until=la.Threshold(k_anonymity=2), **choices).release)
    ('pay: 2 of 4 cells were read as missing, by a code or as empty, and are written empty.',)
    """
    coded = [v.name for v in release.original.variables if v.missing and v.name in release.data.columns]
    empty = {name: _empty(release, name) for name in coded if name not in release.emptied}
    found = {name: count for name, count in empty.items() if count}
    if len(found) > ONE_BY_ONE:
        return (CODED_MANY.format(names=", ".join(found)),)
    of = f"{release.data.records:,}"
    return tuple(CODED.format(name=name, count=f"{count:,} of {of}") for name, count in found.items())


def _empty(release: Protected, name: str) -> int:
    """Cells of a column that are missing in the file as it was read, and in the release."""
    before, after = release.pair(name)
    return int((before.is_null() & after.is_null()).sum())


def _decided_on(request: Request, b_given: bool) -> tuple[Plan, tuple[str, ...]]:
    """The plan with the limits that can be decided on: B needs people, and gives way if another limit is named."""
    plan = request.plan
    limits = plan.thresholds
    if limits.k_anonymity == 1:
        raise BadPlan("k of 1 asks for nothing: every record is one. Ask for at least 2 (--k).")
    others = [name for name, _ in limits if name != "sample_to_population"]
    b_given = b_given or limits.sample_to_population_upper is not None
    if limits.sample_to_population is None or request.population is not None or b_given or not others:
        return plan, ()
    return plan.changed(thresholds=replace(limits, sample_to_population=None)), (NO_PEOPLE,)


def after(release: Protected, plan: Plan, request: Request) -> Evaluation:
    """The risk of the release by the plan's roles, as far as they are there."""
    data, design = release.data, design_of(request, release.rows)
    there = present(plan, data.columns)
    known = there.roles.quasi_identifiers
    if not known:
        raise BadPlan(NONE_LEFT)
    kinds = {k: v for k, v in there.kinds.items() if k not in release.cells}
    chosen = there.changed(kinds=kinds, missing_codes={}, population_file=None, margins=())
    people = None if request.people is None else recoded_people(request.people, release, known)
    if people is not None:
        return _as_drawn(run(data, chosen, people, released=True, design=design), release)
    weighted = data.weight is not None and plan.population is None and request.people is None
    chosen = chosen if weighted else chosen.changed(population=request.population)
    return _as_drawn(run(data, chosen, released=True, design=design), release)


def _as_drawn(evaluation: Evaluation, release: Protected) -> Evaluation:
    """A limit that holds only because cells hold drawn values has not been shown to hold."""
    drawn = any(step.method in RANDOM and step.settings.get("random", True) for step in release.taken)
    changed = [n for n in release.data.quasi_identifiers if n in release.perturbed]
    if not drawn or not changed:
        return evaluation
    reason = DRAWN_VALUES.format(names=", ".join(changed))
    verdicts = tuple(
        replace(v, outcome=Outcome.NOT_ASSESSABLE, value=None, reason=reason) if v.outcome is Outcome.HOLDS else v
        for v in evaluation.verdicts
    )
    return replace(evaluation, verdicts=verdicts, warnings=(*evaluation.warnings, reason))


def save_recode(release: Protected, path: Path, *, force: bool = False) -> None:
    """The recode of a release as a file for the next one; for the house, as it may hold values of the data."""
    found = [step.recode for step in release.taken if step.recode is not None]
    if len(found) != 1:
        raise BadPlan(NO_RECODE)
    refuse_to_overwrite(path, force=force)
    with whole_file(path) as target:
        found[0].to_json(target)
