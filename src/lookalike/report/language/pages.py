"""A page with all its texts in another language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from html import escape, unescape
from typing import Any

from lookalike.report.html import Page
from lookalike.report.language.catalogue import Catalogue, catalogue

_TEXT = re.compile(r"(<(text|title|desc|tspan)\b[^>]*>)([^<]+)(</\2>)")
AS_THEY_ARE = ("mood", "language", "level", "names", "facts")
"""Parts of a page that are no texts, or names and digests."""

Say = Callable[[str], str]


def translated(page: Page, language: str, *, missing: set[str] | None = None) -> Page:
    """The page in a language; its names of columns and files stay. A text that the catalogue lacks stays English.

    What it lacks joins `missing`.
    """
    if language == "en":
        return page
    found = catalogue(language)
    known = Catalogue(found.texts, language, page.names)

    def say(text: str) -> str:
        said = known.say(text)
        if said is None and missing is not None:
            missing.add(text)
        return text if said is None else said

    said: Page = _walked(page, say)
    return replace(
        said,
        frame=replace(said.frame, language=language),
        facts=tuple((say(name), value) for name, value in page.facts),
    )


def _walked(thing: Any, say: Say) -> Any:
    """The same with every text said anew."""
    if isinstance(thing, str):
        return say(thing) if thing.strip() else thing
    if isinstance(thing, tuple):
        return tuple(_walked(part, say) for part in thing)
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    changes = {}
    for part in fields(thing):
        value = getattr(thing, part.name)
        if part.name in ("svg", "pictures"):
            changes[part.name] = _drawn(value, say)
        elif part.name not in AS_THEY_ARE:
            changes[part.name] = _walked(value, say)
    return replace(thing, **changes)


def _drawn(value: Any, say: Say) -> Any:
    """The words inside charts."""
    if isinstance(value, tuple):
        return tuple(_drawn(part, say) for part in value)
    return _TEXT.sub(lambda found: f"{found[1]}{escape(say(unescape(found[3])))}{found[4]}", value)
