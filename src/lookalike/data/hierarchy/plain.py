"""Hierarchies as plain data, for JSON and TOML, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from lookalike.data.hierarchy.dates import DateParts
from lookalike.data.hierarchy.grouped import Groups, OrderedGroups
from lookalike.data.hierarchy.hierarchy import Hierarchy
from lookalike.data.hierarchy.intervals import Intervals, TopBottom
from lookalike.data.hierarchy.prefix import Prefix
from lookalike.data.hierarchy.rare import Rare
from lookalike.data.hierarchy.table import Table
from lookalike.errors import BadPlan, unknown

KINDS: dict[str, type[Any]] = {
    kind.kind: kind for kind in (Table, Intervals, TopBottom, DateParts, Prefix, OrderedGroups, Groups, Rare)
}
"""Every kind by its name."""


def as_plain(hierarchy: Hierarchy) -> dict[str, Any]:
    """A hierarchy as lists, texts and numbers; what is as it is without saying is left out.

    >>> as_plain(Intervals(widths=(5, 10), top=85))
    {'kind': 'intervals', 'widths': [5, 10], 'top': 85}
    """
    found = {f.name: (getattr(hierarchy, f.name), f.default) for f in fields(hierarchy)}  # type: ignore[arg-type]
    return {"kind": hierarchy.kind} | {name: _listed(value) for name, (value, usual) in found.items() if value != usual}


def from_plain(document: Any) -> Hierarchy:
    """A hierarchy from plain data: `kind` and its settings, or `file` alone for a table in a file.

    >>> from_plain({"kind": "intervals", "widths": [5, 10]}).levels
    4
    >>> from_plain({"kind": "interval"})
    Traceback (most recent call last):
    ...
    lookalike.errors.BadPlan: Kind 'interval' is not of a hierarchy. Did you mean 'intervals'? Kinds: table, ...
    """
    if isinstance(document, Hierarchy):
        return document
    if isinstance(document, (str, Path)):
        return Table.read(document)
    if not isinstance(document, Mapping):
        raise BadPlan("A hierarchy must be a table with its kind, or the name of a file.")
    if set(document) == {"file"}:
        return Table.read(document["file"])
    kind = str(document.get("kind", ""))
    if kind not in KINDS:
        raise BadPlan(unknown("Kind", kind, list(KINDS), where="of a hierarchy", listed="Kinds"))
    return _made(KINDS[kind], {name: value for name, value in document.items() if name != "kind"})


def _made(kind: type[Any], settings: Mapping[str, Any]) -> Hierarchy:
    known = {f.name: f for f in fields(kind)}
    where = f"in a hierarchy of {kind.kind}"
    faults = [unknown("Setting", s, list(known), where=where, listed="Settings") for s in settings if s not in known]
    faults += [
        f"A hierarchy of {kind.kind} needs {name}."
        for name, field in known.items()
        if field.default is MISSING and field.default_factory is MISSING and name not in settings
    ]
    if faults:
        raise BadPlan(faults)
    try:
        made: Hierarchy = kind(**{name: _frozen(value) for name, value in settings.items()})
        faults = made.faults()
    except (TypeError, ValueError, AttributeError):
        raise BadPlan(f"A hierarchy of {kind.kind} has a setting of a wrong type.") from None
    if faults:
        raise BadPlan(faults)
    return made


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _listed(inner) for name, inner in value.items()}
    return [_listed(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _frozen(inner) for name, inner in value.items()}
    return tuple(_frozen(inner) for inner in value) if isinstance(value, (list, tuple)) else value
