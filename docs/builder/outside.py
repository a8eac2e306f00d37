"""A page that lives elsewhere in the project and stands on the site too: the benchmarks.

On a code host docs/reference/benchmarks.md is a few lines with a link; the site shows the page itself in their place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = "reference/benchmarks"
THERE = "benchmarks/README.md"


def seen_from_here(text: str) -> str:
    """The page with its links as they are from docs/reference.

    >>> seen_from_here("See [trees](../docs/concepts/trees.md).")
    'See [trees](../concepts/trees.md).'
    """
    return text.replace("](../docs/", "](../")


def move(app: Any, page: str, source: list[str]) -> None:
    """Show the page, or lead links to it."""
    if page == HERE:
        source[0] = seen_from_here((Path(app.srcdir).parent / THERE).read_text(encoding="utf-8"))
    else:
        source[0] = source[0].replace(f"](../../{THERE}", f"](../{HERE}.md")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", move)
    return {"parallel_read_safe": True}
