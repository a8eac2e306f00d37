"""Options of the commands that put a release beside its original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.options import names

Original = Annotated[str, typer.Argument(help="The file that the release was made from.")]
Release = Annotated[str, typer.Argument(help="The release: a file, or a folder of copies.")]
Made = Annotated[Path | None, typer.Option(help="The evidence of the release (protect --json, synthesize --json).")]
How = Annotated[
    str | None,
    typer.Option(
        help="How the release came about: complete, partial, changed, independent, populations, incomplete, nested."
    ),
]
Proper = Annotated[bool | None, typer.Option("--proper/--improper", help="The law was drawn too.")]
Drawn = Annotated[str | None, typer.Option(help="Columns that a partial release drew.")]
Linked = Annotated[bool | None, typer.Option("--linked", help="Row i of the release is row i of the original.")]
Control = Annotated[Path | None, typer.Option(help="Records of the same kind that were not used for the release.")]
Formula = Annotated[list[str] | None, typer.Option(help='A regression to keep, repeatable: "income ~ age + sex".')]
Keys = Annotated[str | None, typer.Option(help="What an attacker knows; the quasi-identifiers if not told.")]
Targets = Annotated[str | None, typer.Option(help="What is to be predicted; the sensitive columns if not told.")]
Columns = Annotated[str | None, typer.Option(help="Columns to compare; all that both have if not told.")]
Models = Annotated[
    str | None,
    typer.Option(help="That tell release from original: logistic, cart, mlp (all); mlp guesses targets too."),
]
Ways = Annotated[str | None, typer.Option(help="Columns of a table: 1,2,3.")]

_LISTS = ("drawn", "keys", "targets", "columns", "models")
_PATHS = ("made", "control")
_PLAIN = ("how", "proper", "linked", "terms", "folds", "draws", "sample", "attacks")


def comparison_of(given: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    """The choices of a comparison from a command's options, by their names; what was not given is None."""
    found: dict[str, Any] = {name: given.get(name) for name in _PLAIN}
    found |= {name: None if given.get(name) is None else str(given[name]) for name in _PATHS}
    found |= {name: names(given.get(name)) for name in _LISTS}
    formulas = given.get("formula")
    return {**found, "formulas": tuple(formulas) if formulas else None, "ways": _ways(given.get("ways"), faults)}


def _ways(text: str | None, faults: list[str]) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        faults.append("--ways must be numbers with commas between them: 1,2.")
        return None
