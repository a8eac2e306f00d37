"""Figures as a language writes them: 1,234.5 is 1.234,5 in German and 1 234,5 in French."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?:e[+-]\d+)?(?![\w,]|\.\w)")
_PERCENT = re.compile(r"(?<=\d)%")
_FIGURE = re.compile(r"[\s\d.,%+\-−–±<>≤≥~·×:;/()\[\]⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|[+\-−]?\d+(?:\.\d+)?e[+-]\d+|[+\-−]?(?:nan|inf)")
_MARKS = {"de": (".", ","), "fr": ("\u202f", ",")}
"""Between thousands, and before the decimals."""


@dataclass(frozen=True)
class Figures:
    """How one language writes figures.

    >>> Figures("de").written("1,234 of 5,000 (24.7 %)"), Figures("de").written("version 1.2.3")
    ('1.234 of 5.000 (24,7 %)', 'version 1.2.3')
    """

    language: str

    def written(self, text: str) -> str:
        """The text with its figures as the language writes them."""
        if self.language not in _MARKS:
            return text
        thousands, decimal = _MARKS[self.language]
        marks = str.maketrans({",": thousands, ".": decimal})
        return _PERCENT.sub("\u202f%", _NUMBER.sub(lambda found: found[0].translate(marks), text))


def is_figure(text: str) -> bool:
    """Whether a text is figures and signs alone.

    >>> is_figure("0.09"), is_figure("24.7 %"), is_figure("B")
    (True, True, False)
    """
    return bool(_FIGURE.fullmatch(text))
