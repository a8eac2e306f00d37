"""Run a plan's comparison: open the original and the release, and ask what analysis keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from lookalike.data import Kind
from lookalike.evaluate import planned, run
from lookalike.evaluate.comparison.attacks import Attacking, Attacks
from lookalike.evaluate.comparison.files import Both, open_both
from lookalike.evaluate.comparison.result import Compared, Utility
from lookalike.evaluate.comparison.utility import Asking, check
from lookalike.evaluate.digest import file_of
from lookalike.evaluate.result import Evaluation, Source
from lookalike.evaluate.synthesis import present
from lookalike.plan import Comparison, Plan

__all__ = ["Attacks", "Compared", "Utility", "compare", "run_comparison"]

SHOWN = "Columns, pairs, learners and pictures are those of copy {copy}, the one in the middle by its tables."
_CHOICES = tuple(field.name for field in fields(Comparison))


def compare(
    data: Any,
    release: Any,
    *,
    control: Any = None,
    population: Any = None,
    seed: int | None = None,
    plan: Plan | None = None,
    **choices: Any,
) -> Compared:
    """Put a release beside the file it came from: what do analyses keep?

    `data` is microdata, a frame or a path; `release` what `protect` or `synthesize` gave, a frame, a path, or several
    of them as copies; `control` records that were not used; `population` its size or a file, to assess the release
    too. `choices` are those of `Comparison` (how, formulas,
    targets, linked and so on), roles as in `read`, and anything else a `Plan` has.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47] * 25, "sex": ["F", "F", "M", "M"] * 25})
    >>> made = la.synthesize(table, "independent", seed=1)
    >>> found = la.compare(table, made, models=["logistic"])
    >>> found.origin.how.value, found.columns, len(found.utility.tables[0].tables)
    ('complete', ('age', 'sex'), 3)
    """
    chosen, people = chosen_of(data, plan, choices, population=population, seed=seed)
    return run_comparison(data, release, chosen, control, people=people)


def chosen_of(
    data: Any, plan: Plan | None, choices: dict[str, Any], *, population: Any, seed: int | None
) -> tuple[Plan, Any]:
    """The plan of what was named in a call, and the population if it is a frame or microdata."""
    named = {k: choices.pop(k) for k in _CHOICES if k in choices and k != "control"}
    if isinstance(named.get("formulas"), str):
        named["formulas"] = (named["formulas"],)
    listed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in named.items()}
    chosen, people = planned(data, plan, choices, population=population)
    chosen = chosen.changed(comparison=replace(chosen.comparison, **listed))
    return chosen if seed is None else chosen.changed(seed=seed), people


def run_comparison(
    data: Any, release: Any, plan: Plan, control: Any = None, *, people: Any = None, known: Sequence[str] = ()
) -> Compared:
    """Run the comparison of a plan; `people` is the population, if it is a frame or microdata."""
    started, clock = datetime.now(UTC), perf_counter()
    both = open_both(data, release, plan, control, known=known)
    check(both, plan)
    return compared(both, plan, people, started=started, clock=clock)


def compared(both: Both, plan: Plan, people: Any, *, started: datetime, clock: float) -> Compared:
    """The comparison of files that are open and checked."""
    found = Asking(both=both, plan=plan).found()
    attacks = Attacking(both=both, plan=plan).found() if plan.comparison.attacks else None
    assessed = _assessed(both, plan, people)
    return Compared(
        plan=plan,
        engine=both.file.table.engine.name,
        started=started,
        inputs=(*both.sources, *_beside(plan, assessed)),
        warnings=(*both.warnings, *([SHOWN.format(copy=found.middle + 1)] if len(both.copies) > 1 else [])),
        origin=both.made.origin,
        origin_from=both.made.told,
        linked=both.made.linked,
        columns=both.columns,
        only_original=both.only_original,
        only_release=both.only_release,
        records=(both.original.height, both.copies[0].height),
        copies=len(both.copies),
        utility=found,
        attacks=attacks,
        assessed=assessed,
        seconds=perf_counter() - clock,
    )


def _beside(plan: Plan, assessed: Evaluation | None) -> tuple[Source, ...]:
    """The evidence that told the origin, and the people."""
    made = plan.comparison.made
    return (*(() if made is None else (file_of(made, "made"),)), *(() if assessed is None else assessed.inputs[1:]))


def _assessed(both: Both, plan: Plan, people: Any) -> Evaluation | None:
    """The risk of the first copy by the plan's roles, as far as they are there; None if it could not be decided on."""
    release = both.releases[0]
    there = present(plan, release.columns)
    if not there.roles.quasi_identifiers or (people is None and plan.population is None and not plan.population_file):
        return None
    coarse = {name: kind for name, kind in there.kinds.items() if release.variable(name).kind is Kind(kind)}
    return run(release.knowing_codes(plan.missing_codes), there.changed(kinds=coarse), people, released=True)
