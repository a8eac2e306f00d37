"""Pages as one HTML file: no network, no script, every text from outside escaped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.data import refuse_to_overwrite, whole_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: its heads and rows as text; the first `names` columns are words, the others figures."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a page: what it means, pictures, tables, and a fold-out for who wants to know more."""

    title: str
    means: str
    pictures: tuple[str, ...] = ()
    """SVG made by us."""
    grids: tuple[Grid, ...] = ()
    folded: tuple[Grid, ...] = ()
    more: tuple[str, ...] = ()
    """Formula, source and limits, a paragraph each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A line of the first screen: a word that is coloured, and a sentence."""

    word: str
    mood: str
    """good, middling or bad."""
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page from its first screen to its last line."""

    title: str
    says: str
    lead: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Where it came from: files, digests, versions."""
    last: str = ""


def render(page: Page) -> str:
    """The page as text."""
    from markupsafe import Markup

    return filled(Path(__file__).parent / "page.html", page=page, picture=Markup)


def filled(template: Path, **values: Any) -> str:
    """A template with its values; whatever is not marked as ours is escaped, and a name that is lacking is a fault."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template.name).render(**values)


def write(page: Page, path: Path, *, force: bool = False) -> Path:
    """The page as a file, whole or not at all."""
    refuse_to_overwrite(path, force=force)
    text = render(page)
    with whole_file(path) as target:
        target.write_text(text, encoding="utf-8")
    return path
