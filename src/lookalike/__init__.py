"""Lookalike: how many people look like each record of a file.

Names are loaded when they are first used, so that `import lookalike` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.classes import EquivalenceClasses, Missing, Spread
    from lookalike.data import Kind, Microdata, Role, Variable, read, write
    from lookalike.errors import BadFile, BadPlan, LookalikeError, NotAssessable, UnknownColumn
    from lookalike.estimate import Estimate, Rate
    from lookalike.evaluate import Evaluation, Outcome, Risk, Verdict, assess
    from lookalike.evaluate.simulation import Studied, Study, study
    from lookalike.plan import Plan, Roles, Target, Threshold, load_plan

__version__ = "0.1.0"

_HOMES = {
    "classes": ("EquivalenceClasses", "Missing", "Spread"),
    "data": ("Kind", "Microdata", "Role", "Variable", "read", "write"),
    "errors": ("BadFile", "BadPlan", "LookalikeError", "NotAssessable", "UnknownColumn"),
    "estimate": ("Estimate", "Rate"),
    "evaluate": ("Evaluation", "Outcome", "Risk", "Verdict", "assess"),
    "evaluate.simulation": ("Studied", "Study", "study"),
    "plan": ("Plan", "Roles", "Target", "Threshold", "load_plan"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BadFile",
    "BadPlan",
    "EquivalenceClasses",
    "Estimate",
    "Evaluation",
    "Kind",
    "LookalikeError",
    "Microdata",
    "Missing",
    "NotAssessable",
    "Outcome",
    "Plan",
    "Rate",
    "Risk",
    "Role",
    "Roles",
    "Spread",
    "Studied",
    "Study",
    "Target",
    "Threshold",
    "UnknownColumn",
    "Variable",
    "Verdict",
    "__version__",
    "assess",
    "load_plan",
    "read",
    "study",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lookalike' has no attribute '{name}'")
    return getattr(import_module(f"lookalike.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
