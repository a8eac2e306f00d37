"""Small pieces of HTML for notebooks: a bold line, and a list below it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def told(title: str, rest: str = "", lines: Iterable[str] = ()) -> str:
    """A title in bold, what follows it, and lines as a list; all of it escaped.

    >>> told("0.04", " (0.03 to 0.06)", ["a <b>"])
    '<p><b>0.04</b> (0.03 to 0.06)</p><ul><li>a &lt;b&gt;</li></ul>'
    """
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p><b>{escape(title)}</b>{escape(rest)}</p>{f'<ul>{items}</ul>' if items else ''}"
