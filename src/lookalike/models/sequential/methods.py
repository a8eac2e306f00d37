"""The steps of a sequence by the name that a plan gives them, and which one a column gets unless told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from lookalike.errors import BadPlan, unknown
from lookalike.models import steps as s
from lookalike.models.mixed import Categories, Column
from lookalike.models.steps import Step

METHODS: dict[str, type[Any]] = {
    "sample": s.Sample,
    "cart": s.Cart,
    "ctree": s.ConditionalTree,
    "rf": s.Forest,
    "bag": s.Bagging,
    "norm": s.Normal,
    "lognorm": s.LogNormal,
    "sqrtnorm": s.SqrtNormal,
    "cubertnorm": s.CubeRootNormal,
    "normrank": s.NormalRank,
    "logreg": s.Logistic,
    "polyreg": s.Multinomial,
    "polr": s.Ordinal,
    "nested": s.Nested,
    "satcat": s.Saturated,
    "constant": s.Constant,
}
"""Methods of one column, in the words of synthpop."""
TREES = ("cart", "ctree", "rf", "bag", "survctree")
REGRESSIONS = ("parametric", "norm", "lognorm", "sqrtnorm", "cubertnorm", "normrank", "logreg", "polyreg", "polr")
BLOCKS = ("catall", "ipf")
"""Methods that draw several categories together, before all others."""
PAIRS = ("survctree",)
"""Methods that draw a time and whether it ended in an event, together."""
DEFAULTS = ("cart", "parametric")
KNOWN = (*METHODS, *BLOCKS, *PAIRS, "parametric")


def check_methods(methods: Mapping[str, Any], default: str, settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is wrong with the names of methods and their settings."""
    faults = [
        unknown("Method", str(m), KNOWN, where="known", listed="Methods")
        for m in dict.fromkeys([default, *(m for m in methods.values() if not isinstance(m, Step))])
        if m not in KNOWN
    ]
    if default in (*BLOCKS, *PAIRS, "nested", "constant"):
        faults.append(f"'{default}' cannot be the method of all columns. Name it for some (methods).")
    for method, given in settings.items():
        if method in (*BLOCKS, *PAIRS):
            continue
        if method not in METHODS:
            faults.append(unknown("In settings: method", method, list(METHODS), where="known", listed="Methods"))
            continue
        known = [f.name for f in fields(METHODS[method])]
        faults += [
            f"In settings of {method}: " + unknown("setting", name, known, where="known", listed="Settings")
            for name in given
            if name not in known
        ]
    return faults


def step_of(method: str | Step, response: Column, settings: Mapping[str, Mapping[str, Any]]) -> Step:
    """The step for a column: by name with its settings, or one given as it is."""
    if isinstance(method, Step):
        return method
    name = parametric(response) if method == "parametric" else method
    found: Step = METHODS[name](**settings.get(name, {}))
    return found


def gap_method(method: str | Step) -> str:
    """What draws where there is no number: a tree for trees, else a regression of levels; a sample for a sample."""
    if isinstance(method, Step):
        return "cart"
    return method if method in ("cart", "ctree", "rf", "bag", "sample") else "parametric"


def parametric(response: Column) -> str:
    """The regression for the kind of a column."""
    if not isinstance(response, Categories):
        return "normrank"
    if len(np.unique(response.codes[response.known])) <= 2:
        return "logreg"
    return "polr" if response.ordered else "polyreg"


def refuse(faults: list[str]) -> None:
    """Raise if there are any."""
    if faults:
        raise BadPlan(faults)
