"""The words inside charts, in another language: lines that belong together as one text, cut names as far as they go."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

Say = Callable[[str], str]
_TEXT = re.compile(r"(<(text|title|desc)\b(?:[^>]*[^/])?>)([^<]+|(?:<tspan[^>]*>[^<]*</tspan>)+)(</\2>)")
_LINE = re.compile(r"(<tspan[^>]*>)([^<]*)(</tspan>)")
_ENTRY = re.compile(
    r'(?P<start><g transform="translate\()(?P<x>[\d.]+)(?P<rest>,[^>]*><path class="background"[^>]*/><g>'
    r'<g class="mark-symbol role-legend-symbol"[^>]*>(?:<path[^>]*/>)?</g>'
    r'<g class="mark-text role-legend-label"[^>]*><text[^>]*>)(?P<words>[^<]+)'
)
_LETTER = 5.5
"""Pixels of a letter of a legend, about."""


def drawn(svg: str, say: Say) -> str:
    """A chart with its words said anew.

    >>> drawn("<svg><text>below</text></svg>", lambda text: {"below": "unter <"}[text])
    '<svg><text>unter &lt;</text></svg>'
    """
    return _TEXT.sub(lambda found: f"{found[1]}{_inner(found[3], say)}{found[4]}", _spaced(svg, say))


def _spaced(svg: str, say: Say) -> str:
    """With entries of legends moved to the right by what those before them in the row are longer now."""
    shift = 0.0

    def moved(found: re.Match[str]) -> str:
        nonlocal shift
        x, words = float(found["x"]), unescape(found["words"])
        shift = 0.0 if x == 0 else shift
        placed = f"{found['start']}{x + shift:g}{found['rest']}{found['words']}"
        shift += max(0.0, _LETTER * (len(say(words)) - len(words)))
        return placed

    return _ENTRY.sub(moved, svg)


def _inner(text: str, say: Say) -> str:
    lines = [unescape(line[1]) for line in _LINE.findall(text)]
    if not lines:
        return escape(say(unescape(text)), quote=False)
    new = iter(broken(say(" ".join(lines)), len(lines)))
    return _LINE.sub(lambda found: f"{found[1]}{escape(next(new), quote=False)}{found[3]}", text)


def broken(text: str, lines: int) -> list[str]:
    """A text in so many lines of about the same length; the last ones are empty if it has fewer words.

    >>> broken("Risiko 1/f des auffälligsten Datensatzes", 2)
    ['Risiko 1/f des', 'auffälligsten Datensatzes']
    """
    if lines == 1:
        return [text]
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if not spaces:
        return [text] + [""] * (lines - 1)
    at = min(spaces, key=lambda place: abs(place - len(text) // lines))
    return [text[:at], *broken(text[at + 1 :], lines - 1)]
