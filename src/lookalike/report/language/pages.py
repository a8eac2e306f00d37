"""A page with all its texts in another language."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from lookalike.report.html import Page
from lookalike.report.language.catalogue import catalogue
from lookalike.report.language.drawn import drawn
from lookalike.report.language.lookup import Lookup
from lookalike.visible import replaced

AS_THEY_ARE = ("mood", "language", "level", "names")
"""Parts of a page that are no texts."""
DRAWN = ("svg", "pictures")
NAMED = ("rows", "value", "svg", "pictures", "facts")
"""Parts in which a text may be a name and nothing else; elsewhere all texts are ours."""


def translated(page: Page, language: str, *, missing: set[str] | None = None) -> Page:
    """The page in a language; its names of columns and files stay. A text that the catalogue lacks stays English.

    What it lacks joins `missing`.
    """
    if language == "en":
        return page
    # Charts hold names without what turns or breaks a page.
    known = catalogue(language).beside(page.names | frozenset(map(replaced, page.names)))
    lacking: set[str] = set() if missing is None else missing
    said: Page = _walked(page, known, lacking, ours=True)
    return replace(said, frame=replace(said.frame, language=language))


def _walked(thing: Any, known: Lookup, lacking: set[str], *, ours: bool) -> Any:
    """The same with every text said anew."""
    if isinstance(thing, str):
        return _said(thing, known, lacking, ours=ours)
    if isinstance(thing, tuple):
        return tuple(_walked(part, known, lacking, ours=ours) for part in thing)
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    changes = {}
    # Charts last: their tables have in full what a chart had no room for.
    for part in sorted((part.name for part in fields(thing)), key=DRAWN.__contains__):
        value = getattr(thing, part)
        if part in DRAWN:
            changes[part] = _drawn(value, known, lacking)
        elif part not in AS_THEY_ARE:
            changes[part] = _walked(value, known, lacking, ours=part not in NAMED)
    return replace(thing, **changes)


def _said(text: str, known: Lookup, lacking: set[str], *, ours: bool) -> str:
    if not text.strip():
        return text
    said = known.say(text, ours=ours)
    lacking.update({text} if said is None else said.lacking)
    return text if said is None else said.text


def _drawn(value: Any, known: Lookup, lacking: set[str]) -> Any:
    """The words inside charts."""
    if isinstance(value, tuple):
        return tuple(_drawn(part, known, lacking) for part in value)
    return drawn(value, lambda text: _said(text, known, lacking, ours=False))
