"""The models a release can be drawn from, by the name a plan gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lookalike import models as m
from lookalike.errors import BadPlan, unknown
from lookalike.models.mixed import Joint

MODELS: dict[str, type[Any]] = {
    "latent-classes": m.DPMPM,
    "gaussian-copula": m.GaussianCopula,
    "d-vine": m.DVineCopula,
    "independent": m.Independent,
    "normal": m.MultivariateNormal,
    "parametric": m.Parametric,
    "interpolation": m.Interpolation,
    "smote": m.Smote,
    "bootstrap": m.Bootstrap,
}
"""Name by name, the class of the choice."""


def model_of(name: str, options: Mapping[str, Any]) -> Joint:
    """The choice of that name with these settings."""
    faults = option_faults(name, options)
    if faults:
        raise BadPlan(faults)
    found: Joint = MODELS[name](**options)
    return found


def name_of(model: Joint) -> str:
    """The name of a choice in a plan; of one that is not known there, of its class."""
    return next((name for name, kind in MODELS.items() if type(model) is kind), type(model).__name__)


def option_faults(name: str, options: Mapping[str, Any]) -> list[str]:
    """Settings that the model does not have.

    >>> option_faults("latent-classes", {"clases": 70})[0][:70]
    "Option 'clases' is not in latent-classes. Did you mean 'classes'? Opti"
    """
    known = [f.name for f in fields(MODELS[name])]
    return [
        unknown("Option", option, known, where=f"in {name}", listed="Options")
        if known
        else f"{name} has no options, but '{option}' is given."
        for option in options
        if option not in known
    ]
