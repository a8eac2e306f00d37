"""The names that stand on a page and are not ours: of files and columns, of values, and what a plan says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lookalike.evaluate.comparison import Compared
from lookalike.evaluate.result import Evaluation, Run
from lookalike.plan import as_document
from lookalike.report.language.figures import is_figure

OURS = frozenset({"intercept", "missing", "data"})
"""Words among names of coefficients, values and files that are ours."""
NAMED = ("kinds", "codes", "groups", "given", "computed", "then")
"""Tables of a plan whose keys are names."""


def names_of(run: Run, *more: Iterable[str]) -> frozenset[str]:
    """Names of files, all texts of the plan, and `more`: no language changes them."""
    files = (source.name for source in (*run.inputs, *run.outputs))
    told = {*files, *_texts(as_document(run.plan)), *(name for some in more for name in some)}
    return frozenset(told - OURS)


def assessed_names(evaluation: Evaluation | None) -> frozenset[str]:
    """Of an assessment: its own and those of the columns that it found."""
    if evaluation is None:
        return frozenset()
    found = evaluation.risk.estimates
    margins = () if found is None else found.margins
    return names_of(
        evaluation,
        evaluation.overlooked,
        evaluation.undeclared,
        (driver.variable for driver in evaluation.risk.drivers),
        (margin.name for margin in margins),
    )


def compared_names(result: Compared) -> frozenset[str]:
    """Of a comparison: columns, values with a share of their own, formulas and coefficients."""
    utility = result.utility
    rows = () if utility.proportions is None else utility.proportions.rows
    return names_of(
        result,
        result.columns,
        result.only_original,
        result.only_release,
        () if result.attacks is None else result.attacks.keys,
        (row.level for row in rows if not is_figure(row.level)),
        (found.formula for found in utility.regressions),
        (c.name for found in utility.regressions for c in found.coefficients),
        (name for found in utility.regressions for name in found.untold),
        assessed_names(result.assessed),
    )


def _texts(value: Any, *, keys: bool = False) -> Iterator[str]:
    """Every text of a plan, and the keys of those of its tables that the user names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value if keys else ()
        for key, inner in value.items():
            yield from _texts(inner, keys=key in NAMED)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)
