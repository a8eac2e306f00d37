"""Pages as one HTML file: no network, no script, every text from outside escaped."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookalike.data import refuse_to_overwrite, whole_file
from lookalike.report.html.frame import Frame
from lookalike.visible import replaced

__all__ = ["Figure", "Frame", "Grid", "Headline", "Page", "Section", "Verdict", "filled", "render", "write"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: its heads and rows as text; the first `names` columns are words, the others figures."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart, what it shows in words, and the same as a table."""

    svg: str
    """Made by us (`report.charts.svg`)."""
    says: str
    """One or two sentences: what the chart shows, for who sees it and who does not."""
    table: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A large figure of the first screen."""

    label: str
    value: str
    note: str = ""
    mood: str = ""
    """good, middling, bad or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a page: what it means, charts, tables, and a fold-out for who wants to know more."""

    title: str
    means: str
    figures: tuple[Figure, ...] = ()
    pictures: tuple[str, ...] = ()
    """SVG made by us whose table is among the grids."""
    grids: tuple[Grid, ...] = ()
    folded: tuple[Grid, ...] = ()
    more: tuple[str, ...] = ()
    """Formula, source and limits, a paragraph each."""
    lines: tuple[str, ...] = ()
    """A list in words."""
    level: int = 2
    """Of its heading: 2, or 3 below the part before it."""


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
    mood: str = ""
    """Of the first sentence: good, middling, bad or none."""
    headlines: tuple[Headline, ...] = ()
    figures: tuple[Figure, ...] = ()
    """Of the first screen."""
    lead: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    next: str = ""
    """What to do next."""
    notes: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Where it came from: files, digests, versions."""
    last: str = ""
    names: frozenset[str] = frozenset()
    """Of columns and files: no language changes them, even if they are words it knows."""
    frame: Frame = field(default_factory=Frame)
    """The words around it, in its language."""


def render(page: Page) -> str:
    """The page as text.

    >>> "&lt;b&gt;" in render(Page(title="<b>", says="Nothing."))
    True
    """
    from markupsafe import Markup

    return filled(Path(__file__).parent / "page.html", page=page, picture=Markup)


def filled(template: Path, **values: Any) -> str:
    """A template with its values; whatever is not marked as ours is escaped, and a name that is lacking is a fault."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template.name).render(**values)


def _harmless(value: Any) -> Any:
    """Texts of our own making (markup) as they are, others without what turns or breaks a page."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else replaced(value)


def write(page: Page, path: Path, *, force: bool = False, language: str = "en") -> Path:
    """The page as a file in a language, whole or not at all."""
    from lookalike.report.language import translated

    refuse_to_overwrite(path, force=force)
    text = render(translated(page, language))
    with whole_file(path) as target:
        target.write_text(text, encoding="utf-8")
    return path
