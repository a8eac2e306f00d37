"""Settings of a choice by name, as a plan or a command gives them: checked against what the choice has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from lookalike.errors import BadPlan, unknown


def setting_faults(kind: type[Any], name: str, options: Mapping[str, Any]) -> list[str]:
    """Settings that the choice does not have, or that are of another type.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Choice:
    ...     k: int = 2
    >>> setting_faults(Choice, "cluster", {"K": 3, "k": "x"})
    ["Option 'K' is not in cluster. Did you mean 'k'? Options: k.", "Option 'k' of cluster must be a whole number."]
    """
    kinds = get_type_hints(kind)
    known = [f.name for f in fields(kind)]
    if options and not known:
        return [f"{name} has no options."]
    faults = [unknown("Option", o, known, where=f"in {name}", listed="Options") for o in options if o not in known]
    faults += [
        f"Option '{option}' of {name} must be {_said(kinds[option])}."
        for option, value in options.items()
        if option in known and not _fits(value, kinds[option])
    ]
    return faults


def made(kind: type[Any], name: str, options: Mapping[str, Any]) -> Any:
    """The choice with these settings; raises with all that is wrong with them."""
    faults = setting_faults(kind, name, options)
    if faults:
        raise BadPlan(faults)
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in options.items()})


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of an annotated type, as far as settings have them."""
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(kind))
    if kind is Any:
        return True
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
        return " or ".join(dict.fromkeys(_said(part) for part in get_args(kind)))
    if (get_origin(kind) or kind) is Mapping:
        return "a table"
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "none"}.get(
        kind, "a list"
    )
