"""The models a release can be drawn from, by the name a plan gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from lookalike import models as m
from lookalike.errors import BadPlan, unknown
from lookalike.models.mixed import Joint

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
    """The choice of that name with these settings."""
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
    kinds = get_type_hints(MODELS[name])
    known = [f.name for f in fields(MODELS[name])]
    if options and not known:
        return [f"{name} has no options."]
    faults = [unknown("Option", o, known, where=f"in {name}", listed="Options") for o in options if o not in known]
    faults += [
        f"Option '{option}' of {name} must be {_said(kinds[option])}."
        for option, value in options.items()
        if option in known and not _fits(value, kinds[option])
    ]
    if not faults:
        try:
            MODELS[name](**options)
        except BadPlan as error:
            faults += error.faults
    return faults


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of an annotated type, as far as settings have them."""
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(kind))
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    plain = get_origin(kind) or kind
    return isinstance(value, list | tuple) if plain is tuple else isinstance(value, plain)


def _said(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_said(part) for part in get_args(kind))
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "none"}.get(
        kind, "a list"
    )
