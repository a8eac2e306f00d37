"""Read a page as a browser would: its headings, charts, tables and references."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "br", "img", "input", "hr"}


@dataclass
class Seen:
    """What a page holds."""

    language: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    charts: list[dict[str, str]] = field(default_factory=list)
    figures: list[list[str]] = field(default_factory=list)
    tables: list[bool] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    labelled: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)


class PageReader(HTMLParser):
    """Collects what the tests ask about; a tag that is closed out of order is a fault."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = Seen()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        seen = self.seen
        seen.tags.add(tag)
        if tag == "html":
            seen.language = given.get("lang", "")
        if tag in ("h1", "h2", "h3", "h4"):
            seen.headings.append((int(tag[1]), ""))
        if tag == "svg" and "svg" not in self.open:
            seen.charts.append({"role": given.get("role", ""), "labelled": given.get("aria-labelledby", "")})
        if tag == "figure":
            seen.figures.append([])
        if seen.figures and "figure" in self.open:
            seen.figures[-1].append(tag)
        if tag == "table":
            seen.tables.append(False)
        if tag == "caption":
            seen.tables[-1] = True
        if "id" in given:
            seen.ids.append(given["id"])
        seen.labelled += given.get("aria-labelledby", "").split()
        seen.references += [given[name] for name in ("src", "href", "xlink:href", "action") if name in given]
        seen.handlers += [name for name in given if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        if self.open and self.open[-1] in ("h1", "h2", "h3", "h4"):
            level, text = self.seen.headings[-1]
            self.seen.headings[-1] = (level, text + data)
        self.seen.text.append(data)


def seen_in(page: str) -> Seen:
    """What a page holds; all tags must be closed."""
    reader = PageReader()
    reader.feed(page)
    reader.close()
    assert not reader.open, reader.open
    return reader.seen


def assert_sound(page: str) -> Seen:
    """The rules of every page: headings in order, charts in words and in figures, nothing from elsewhere, no script."""
    seen = seen_in(page)
    levels = [level for level, _ in seen.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(text.strip() for _, text in seen.headings)
    assert seen.language
    assert all(chart["role"] == "img" and chart["labelled"] for chart in seen.charts)
    assert all("svg" in tags and "title" in tags and "desc" in tags and "table" in tags for tags in seen.figures)
    assert all(seen.tables)
    assert len(set(seen.ids)) == len(seen.ids)
    assert set(seen.labelled) <= set(seen.ids)
    assert all(reference.startswith("#") for reference in seen.references)
    assert {reference[1:] for reference in seen.references} <= set(seen.ids)
    assert not seen.handlers
    assert not seen.tags & {"script", "img", "link", "iframe", "object", "embed", "form", "image", "foreignobject"}
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    return seen
