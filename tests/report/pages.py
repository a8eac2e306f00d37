"""What every report must be, asked of its text: one file, no script, charts that can be read without eyes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HOSTILE = "<script>alert('1')</script>{{7*7}}${x}"
"""A name that is dangerous wherever it is not escaped."""
OUTSIDE = re.compile(r"url\((?!#)|@import|//")
"""In styles and attributes: what would be fetched."""


class Outline(HTMLParser):
    """Tags, headings, what would be fetched or run, and what is heard of pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.levels: list[int] = []
        self.figures: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [f"{tag} {name}={value}" for name, value in attrs if _is_outside(name, value or "")]
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "figure":
            self.figures.append([])
        elif self.figures:
            self.figures[-1].append(tag)

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style" and OUTSIDE.search(data):
            self.outside.append("style")


def _is_outside(name: str, value: str) -> bool:
    """Whether an attribute fetches something or runs something."""
    if name.startswith("on") or name in ("src", "srcset", "srcdoc", "action", "formaction", "data", "poster"):
        return True
    if name.endswith("href"):
        return not value.startswith("#")
    return not name.startswith("xmlns") and OUTSIDE.search(value) is not None


def assert_is_a_report(text: str) -> Outline:
    """One file without script or request, headings in order, every chart with words and a table."""
    found = Outline(text)
    assert "script" not in found.tags
    assert found.outside == []
    assert found.levels[0] == 1
    assert found.levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(found.levels, found.levels[1:], strict=False))
    assert found.figures
    for tags in found.figures:
        assert tags.count("svg") == 1
        assert {"title", "desc", "table"} <= set(tags)
    return found
