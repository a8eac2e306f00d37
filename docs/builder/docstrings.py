"""Docstrings are plain text with `code`, indented formulas and examples; Sphinx reads reStructuredText.

Signatures are shown as they stand in the source: `NDArray[np.float64]`, not what it is made of.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

CODE = re.compile(r"(`+)(.+?)\1")
SPECIAL = re.compile(r"([\\*_|`])")


def plain(line: str) -> str:
    """A line of prose: what stands in backticks is code, every other sign stands for itself.

    >>> print(plain("the share `a_b` of x_ and |y|"))
    the share ``a_b`` of x\\_ and \\|y\\|
    """
    parts, end = [], 0
    for match in CODE.finditer(line):
        parts += [SPECIAL.sub(r"\\\1", line[end : match.start()]), f"``{match[2]}``\\ "]
        end = match.end()
    return "".join([*parts, SPECIAL.sub(r"\\\1", line[end:])]).replace("``\\  ", "`` ").removesuffix("\\ ")


def blocks(lines: list[str]) -> list[list[str]]:
    """Lines between empty lines."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def rewritten(lines: list[str]) -> Iterator[str]:
    """The docstring for Sphinx: examples and indented formulas as they are, prose with its signs kept.

    >>> list(rewritten(["Mean.", "", "    x̄ = Σ x / n", "", ">>> 1", "1"]))
    ['Mean.', '', '::', '', '    x̄ = Σ x / n', '', '>>> 1', '1', '']
    """
    for block in blocks(lines):
        if block[0].startswith(">>>"):
            yield from block
        elif block[0].startswith((" ", "|")):
            yield from ("::", "", *("    " + line.removeprefix("    ") for line in block))
        else:
            yield from (plain(line) for line in block)
        yield ""


def as_written(signature: str) -> str:
    """A signature without what Python makes of it: quotes around types, factories and members of enums.

    >>> as_written("(x: 'Ints', way: 'Missing' = <Missing.OWN: 'own'>, more: 'dict[str, int]' = <factory>) -> 'Rate'")
    '(x: Ints, way: Missing = Missing.OWN, more: dict[str, int] = ...) -> Rate'
    """
    bare = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)
    return re.sub(r"<[^<>]*>", "...", re.sub(r"<([\w.]+): [^<>]*>", r"\1", bare))


def on_signature(
    app: Any, what: str, name: str, value: Any, options: object, arguments: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    """The signature as written; None, and Sphinx finds its own, where Python knows none."""
    if arguments is None or isinstance(value, property):
        return None
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    if what == "method" and next(iter(signature.parameters), None) == "self":
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    before, _, after = as_written(str(signature)).partition(" -> ")
    return before, (after or None) if what != "class" else None


def on_docstring(app: Any, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Rewrite in place."""
    lines[:] = list(rewritten(lines))


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", on_docstring)
    app.connect("autodoc-process-signature", on_signature)
    return {"parallel_read_safe": True}
