"""What every report must be, asked of its text: one file, no script, charts that can be read without eyes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HOSTILE = "<script>alert('1')</script>{{7*7}}${x}"
"""A name that is dangerous wherever it is not escaped."""
OUTSIDE = re.compile(r"""(?:src|href)\s*=\s*["']?(?!["'#])|url\((?!#)|@import""")


class Outline(HTMLParser):
    """Tags, headings and what is heard of pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.levels: list[int] = []
        self.figures: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "figure":
            self.figures.append([])
        elif self.figures:
            self.figures[-1].append(tag)


def assert_is_a_report(text: str) -> Outline:
    """One file without script or request, headings in order, every chart with words and a table."""
    found = Outline(text)
    assert "script" not in found.tags
    assert not OUTSIDE.search(re.sub(r"xmlns[:\w]*=\"[^\"]*\"", "", text))
    assert found.levels[0] == 1
    assert found.levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(found.levels, found.levels[1:], strict=False))
    assert found.figures
    for tags in found.figures:
        assert tags.count("svg") == 1
        assert {"title", "desc", "table"} <= set(tags)
    return found
