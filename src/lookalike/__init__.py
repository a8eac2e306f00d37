"""Lookalike: how many people look like each record of a file.

Names are loaded when they are first used, so that `import lookalike` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.anonymize import (
        Protected,
    )
    from lookalike.anonymize.methods import (
        Coarsening,
        DateShift,
        Generalization,
        LocalPrivacy,
        LocalSuppression,
        Mdav,
        Microaggregation,
        Mondrian,
        Noise,
        Pram,
        RankSwap,
        RarePeople,
        Recode,
        Rounding,
        SafeHarbor,
        TClose,
        TopBottom,
    )
    from lookalike.classes import EquivalenceClasses, Missing, Spread
    from lookalike.data import Kind, Microdata, Role, Variable, read, write
    from lookalike.errors import BadFile, BadPlan, LookalikeError, NotAssessable, UnknownColumn
    from lookalike.estimate import Estimate, Rate
    from lookalike.evaluate import Evaluation, Outcome, Risk, Verdict, assess
    from lookalike.evaluate.comparison import Compared, compare
    from lookalike.evaluate.protection import (
        ProtectedRun,
        protect,
    )
    from lookalike.evaluate.repair import Repaired, repair
    from lookalike.evaluate.session import (
        Look,
        Session,
    )
    from lookalike.evaluate.simulation import Studied, Study, study
    from lookalike.evaluate.synthesis import Synthesized, synthesize
    from lookalike.models import (
        DPMPM,
        AllOthers,
        Bootstrap,
        DVineCopula,
        GaussianCopula,
        Independent,
        Interpolation,
        MultivariateNormal,
        NoisyRegression,
        Parametric,
        PrivateTree,
        Sequential,
        Smote,
    )
    from lookalike.plan import Comparison, Plan, Repair, Roles, Target, Threshold, load_plan
    from lookalike.synthesis import Release, Rule, Synthesis

    LatentClasses = DPMPM

__version__ = "0.1.0"

_HOMES = {
    "anonymize": ("Protected",),
    "anonymize.methods": (
        "Coarsening",
        "DateShift",
        "Generalization",
        "LocalPrivacy",
        "LocalSuppression",
        "Mdav",
        "Microaggregation",
        "Mondrian",
        "Noise",
        "Pram",
        "RankSwap",
        "RarePeople",
        "Recode",
        "Rounding",
        "SafeHarbor",
        "TClose",
        "TopBottom",
    ),
    "evaluate.comparison": ("Compared", "compare"),
    "evaluate.protection": ("ProtectedRun", "protect"),
    "evaluate.repair": ("Repaired", "repair"),
    "evaluate.session": ("Look", "Session"),
    "classes": ("EquivalenceClasses", "Missing", "Spread"),
    "data": ("Kind", "Microdata", "Role", "Variable", "read", "write"),
    "errors": ("BadFile", "BadPlan", "LookalikeError", "NotAssessable", "UnknownColumn"),
    "estimate": ("Estimate", "Rate"),
    "evaluate": ("Evaluation", "Outcome", "Risk", "Verdict", "assess"),
    "evaluate.simulation": ("Studied", "Study", "study"),
    "evaluate.synthesis": ("Synthesized", "synthesize"),
    "models": (
        "AllOthers",
        "Bootstrap",
        "DVineCopula",
        "GaussianCopula",
        "Independent",
        "Interpolation",
        "LatentClasses",
        "MultivariateNormal",
        "NoisyRegression",
        "Parametric",
        "PrivateTree",
        "Sequential",
        "Smote",
    ),
    "plan": ("Comparison", "Plan", "Repair", "Roles", "Target", "Threshold", "load_plan"),
    "synthesis": ("Release", "Rule", "Synthesis"),
}
_CALLED = {"LatentClasses": "DPMPM"}
"""Names that a room has under another: of its two latent-class models the one that makes files."""
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AllOthers",
    "BadFile",
    "BadPlan",
    "Bootstrap",
    "Coarsening",
    "Compared",
    "Comparison",
    "DVineCopula",
    "DateShift",
    "EquivalenceClasses",
    "Estimate",
    "Evaluation",
    "GaussianCopula",
    "Generalization",
    "Independent",
    "Interpolation",
    "Kind",
    "LatentClasses",
    "LocalPrivacy",
    "LocalSuppression",
    "Look",
    "LookalikeError",
    "Mdav",
    "Microaggregation",
    "Microdata",
    "Missing",
    "Mondrian",
    "MultivariateNormal",
    "Noise",
    "NoisyRegression",
    "NotAssessable",
    "Outcome",
    "Parametric",
    "Plan",
    "Pram",
    "PrivateTree",
    "Protected",
    "ProtectedRun",
    "RankSwap",
    "RarePeople",
    "Rate",
    "Recode",
    "Release",
    "Repair",
    "Repaired",
    "Risk",
    "Role",
    "Roles",
    "Rounding",
    "Rule",
    "SafeHarbor",
    "Sequential",
    "Session",
    "Smote",
    "Spread",
    "Studied",
    "Study",
    "Synthesis",
    "Synthesized",
    "TClose",
    "Target",
    "Threshold",
    "TopBottom",
    "UnknownColumn",
    "Variable",
    "Verdict",
    "__version__",
    "assess",
    "compare",
    "load_plan",
    "protect",
    "read",
    "repair",
    "study",
    "synthesize",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lookalike' has no attribute '{name}'")
    return getattr(import_module(f"lookalike.{_HOME[name]}"), _CALLED.get(name, name))


def __dir__() -> list[str]:
    return __all__
