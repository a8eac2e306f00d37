"""The sidebar is made from the tables of contents people read: docs/index.md and the pages of docs/contents/.

A line that begins with a link, in a list or a table, is an entry; on the index the heading above it is the caption.
So a page stands in one place, on a code host and on the site alike.

>>> sections("# All\\n## Start\\n- [One](one.md): first\\n## Then\\n| [Two](a/two.md) | see [x](x.md) |")
[('Start', ['one.md']), ('Then', ['a/two.md'])]
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

HEADING = re.compile(r"#{1,6} +(.+)")
ENTRY = re.compile(r"(?:- |\d+\. |\| )\[[^\]]+\]\(([^()#\s]+\.md)\)")


def sections(text: str) -> list[tuple[str, list[str]]]:
    """The entries of a table of contents by the heading above them; headings without entries are left out."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        if heading := HEADING.match(line):
            found.append((heading[1], []))
        elif entry := ENTRY.match(line):
            found[-1][1].append(entry[1])
    return [(title, entries) for title, entries in found if entries]


def is_contents(page: str) -> bool:
    """Whether a page, named without its ending, is a table of contents."""
    return page == "index" or PurePosixPath(page).parent.name == "contents"


def toctree(title: str, entries: list[str]) -> str:
    """A tree that shows in the sidebar alone.

    >>> print(toctree("Start", ["one.md"]))
    ```{toctree}
    :hidden:
    :caption: Start
    one.md
    ```
    """
    caption = [f":caption: {title}"] if title else []
    return "\n".join(["```{toctree}", ":hidden:", *caption, *entries, "```"])


def grow(app: Any, page: str, source: list[str]) -> None:
    """Add the trees to the text of a table of contents."""
    if is_contents(page):
        trees = [toctree(title if page == "index" else "", entries) for title, entries in sections(source[0])]
        source[0] = "\n\n".join([source[0], *trees, ""])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", grow)
    return {"parallel_read_safe": True}
