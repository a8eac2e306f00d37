"""The steps of a sequence by the name that a plan gives them, and which one a column gets unless told."""

from __future__ import annotations

import re
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
        faults += _setting_faults(method, given) if set(given) <= set(known) else []
    return faults


def _setting_faults(method: str, given: Mapping[str, Any]) -> list[str]:
    """What the method itself says against its settings."""
    try:
        METHODS[method](**given)
    except BadPlan as error:
        return [f"In settings of {method}: {fault}" for fault in error.faults]
    except TypeError:
        return [f"In settings of {method}: a value is not of its type."]
    return []


def shape_faults(spikes: Mapping[str, Any], predictors: Mapping[str, Any]) -> list[str]:
    """Lists that are none."""
    faults = [
        f"spikes of '{name}' must be a list of numbers."
        for name, values in spikes.items()
        if not isinstance(values, list | tuple) or not all(type(value) in (int, float) for value in values)
    ]
    return faults + [
        f"predictors of '{name}' must be a list of columns."
        for name, some in predictors.items()
        if not isinstance(some, list | tuple) or not all(isinstance(other, str) for other in some)
    ]


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


def in_plan_words(said: str) -> str:
    """A sentence with methods called as in a plan, not as classes.

    >>> in_plan_words("Logistic draws two levels. Take Multinomial.")
    'logreg draws two levels. Take polyreg.'
    """
    for name, kind in METHODS.items():
        said = re.sub(rf"\b{kind.__name__}\b", name, said)
    return said


def refuse(faults: list[str]) -> None:
    """Raise if there are any."""
    if faults:
        raise BadPlan(faults)
