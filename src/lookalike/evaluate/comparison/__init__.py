"""Run a plan's comparison: open the original and the release, and ask what analysis keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from lookalike.evaluate import planned
from lookalike.evaluate.comparison.files import open_both
from lookalike.evaluate.comparison.result import Compared, Utility
from lookalike.evaluate.comparison.utility import Asking, check
from lookalike.plan import Comparison, Plan

__all__ = ["Compared", "Utility", "compare", "run_comparison"]

_CHOICES = tuple(field.name for field in fields(Comparison))


def compare(
    data: Any,
    release: Any,
    *,
    control: Any = None,
    seed: int | None = None,
    plan: Plan | None = None,
    **choices: Any,
) -> Compared:
    """Put a release beside the file it came from: what do analyses keep?

    `data` is microdata, a frame or a path; `release` what `protect` or `synthesize` gave, a frame, a path, or several
    of them as copies; `control` records that were not used. `choices` are those of `Comparison` (how, formulas,
    targets, linked and so on), roles as in `read`, and anything else a `Plan` has.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47] * 25, "sex": ["F", "F", "M", "M"] * 25})
    >>> made = la.synthesize(table, "independent", seed=1)
    >>> found = la.compare(table, made, models=["logistic"])
    >>> found.origin.how.value, found.columns, len(found.utility.tables[0].tables)
    ('complete', ('age', 'sex'), 3)
    """
    named = {k: choices.pop(k) for k in _CHOICES if k in choices and k != "control"}
    if isinstance(named.get("formulas"), str):
        named["formulas"] = (named["formulas"],)
    listed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in named.items()}
    chosen, _ = planned(data, plan, choices)
    chosen = chosen.changed(comparison=replace(chosen.comparison, **listed))
    return run_comparison(data, release, chosen if seed is None else chosen.changed(seed=seed), control)


def run_comparison(data: Any, release: Any, plan: Plan, control: Any = None, *, known: Sequence[str] = ()) -> Compared:
    """Run the comparison of a plan."""
    started, clock = datetime.now(UTC), perf_counter()
    both = open_both(data, release, plan, control, known=known)
    check(both, plan)
    found = Asking(both=both, plan=plan).found()
    return Compared(
        plan=plan,
        engine=both.file.table.engine.name,
        started=started,
        inputs=both.sources,
        warnings=both.warnings,
        origin=both.made.origin,
        origin_from=both.made.told,
        linked=both.made.linked,
        columns=both.columns,
        only_original=both.only_original,
        only_release=both.only_release,
        records=(both.original.height, both.copies[0].height),
        copies=len(both.copies),
        utility=found,
        seconds=perf_counter() - clock,
    )
