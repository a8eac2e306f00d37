"""The models a release can be drawn from, by the name a plan gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike import models as m
from lookalike.errors import BadPlan
from lookalike.models.mixed import Joint
from lookalike.settings import setting_faults

MODELS: dict[str, type[Any]] = {
    "latent-classes": m.DPMPM,
    "gaussian-copula": m.GaussianCopula,
    "d-vine": m.DVineCopula,
    "sequential": m.Sequential,
    "all-others": m.AllOthers,
    "private-tree": m.PrivateTree,
    "independent": m.Independent,
    "normal": m.MultivariateNormal,
    "parametric": m.Parametric,
    "interpolation": m.Interpolation,
    "smote": m.Smote,
    "bootstrap": m.Bootstrap,
    "noisy-regression": m.NoisyRegression,
}
"""Name by name, the class of the choice."""


def model_of(name: str, options: Mapping[str, Any]) -> Joint:
    """The choice of that name with these settings.

    >>> model_of("sequential", {"most_predictors": 5}).most_predictors
    5
    """
    faults = option_faults(name, options)
    if faults:
        raise BadPlan(faults)
    found: Joint = MODELS[name](**{k: tuple(v) if isinstance(v, list) else v for k, v in options.items()})
    return found


def name_of(model: Joint) -> str:
    """The name of a choice in a plan; of one that is not known there, of its class."""
    return next((name for name, kind in MODELS.items() if type(model) is kind), type(model).__name__)


def option_faults(name: str, options: Mapping[str, Any]) -> list[str]:
    """Settings that the model does not have.

    >>> option_faults("latent-classes", {"clases": 70})[0][:70]
    "Option 'clases' is not in latent-classes. Did you mean 'classes'? Opti"
    """
    faults = setting_faults(MODELS[name], name, options)
    if not faults:
        try:
            MODELS[name](**options)
        except BadPlan as error:
            faults += error.faults
    return faults
