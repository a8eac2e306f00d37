"""Pages of docs/reference/api get, on the site, the signature and docstring of every name of their room."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

TITLE = re.compile(r"# `([\w.]+)`")


def directive(name: str, value: Any) -> list[str]:
    """The directive that describes a name.

    >>> directive("sum", sum)
    ['.. autofunction:: sum']
    """
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:", "   :exclude-members: __init__, __new__"]
    return [f".. autofunction:: {name}"] if inspect.isroutine(value) else [f".. py:data:: {name}"]


def own_names(module: Any, shared: Any) -> list[str]:
    """The public names of a room whose values the package itself does not show.

    >>> import lookalike, lookalike.classes
    >>> own_names(lookalike.classes, lookalike)[:3]
    ['Codes', 'earth_mover', 'encode']
    """
    shown = {} if module is shared else {name: getattr(shared, name) for name in shared.__all__}
    names = [name for name in module.__all__ if not name.startswith("__")]
    return [name for name in names if shown.get(name) is not getattr(module, name)]


def describe(app: Any, page: str, source: list[str]) -> None:
    """Add the descriptions to a page of the reference."""
    if not page.startswith("reference/api/"):
        return
    if not (title := TITLE.match(source[0])):
        raise ValueError(f"{page}: the first line must be '# `module`'.")
    module = import_module(title[1])
    names = own_names(module, import_module("lookalike"))
    lines = [f".. currentmodule:: {title[1]}", ""]
    for name in names:
        lines += [*directive(name, getattr(module, name)), ""]
    source[0] += "\n".join(["", "## Every name", "", "```{eval-rst}", *lines, "```", ""])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", describe)
    return {"parallel_read_safe": True}
