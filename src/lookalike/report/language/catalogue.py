"""A catalogue: English texts and templates, and what they are in another language.

A key is an English text as the code writes it; `{name}` stands for what is filled in. A new language is one more
file beside `de.toml`, with the same keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from lookalike.errors import BadPlan, unknown
from lookalike.report.language.figures import Figures, is_figure

LANGUAGES = ("en", "de", "fr")
"""Languages a page can be in."""
_PLACE = re.compile(r"\{(\w+)\}")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])")


@dataclass(frozen=True)
class Template:
    """An English text with gaps, and the same in another language."""

    pattern: re.Pattern[str]
    into: str
    weight: int
    """Characters that must be there: of two templates that fit, the one with more is meant."""


@dataclass(frozen=True)
class Catalogue:
    """What texts are called in one language.

    >>> found = Catalogue({"Notes": "Anmerkungen", "{n} records of {file}": "{n} Datensätze aus {file}"}, "de")
    >>> found.say("Notes"), found.say("1,200 records of a.csv"), found.say("Unknown words")
    ('Anmerkungen', '1.200 Datensätze aus a.csv', None)
    """

    texts: Mapping[str, str]
    language: str
    names: Collection[str] = field(default=())
    """Names of columns and files, which stay as they are even if they are words of the catalogue."""

    def say(self, text: str) -> str | None:
        """The text in this language; None if the catalogue lacks it."""
        if text in self.names or not any(c.isalpha() for c in text):
            return self._figures.written(text)
        if text in self.texts:
            return self.texts[text]
        if is_figure(text):
            return self._figures.written(text)
        return self._filled(text) or self._by_sentence(text)

    def _filled(self, text: str) -> str | None:
        fits = [t for t in self._templates if t.pattern.fullmatch(text)]
        if not fits:
            return None
        best = max(fits, key=lambda t: t.weight)
        found = best.pattern.fullmatch(text)
        assert found is not None
        return best.into.format(**{name: self._inside(value) for name, value in found.groupdict().items()})

    def _inside(self, value: str) -> str:
        """What stands in a gap: a figure, words of the catalogue, or a name."""
        return self.say(value) or self._figures.written(value)

    def _by_sentence(self, text: str) -> str | None:
        parts = _SENTENCES.split(text)
        if len(parts) < 2:
            return None
        # Some templates hold several sentences: the longest run from the left that is known is taken first.
        for end in range(len(parts) - 1, 0, -1):
            first, rest = " ".join(parts[:end]), " ".join(parts[end:])
            said = self.texts.get(first) or self._filled(first)
            if said is not None and (more := self.say(rest)) is not None:
                return f"{said} {more}"
        return None

    @cached_property
    def _templates(self) -> tuple[Template, ...]:
        return tuple(_template(english, into) for english, into in self.texts.items() if _PLACE.search(english))

    @cached_property
    def _figures(self) -> Figures:
        return Figures(self.language)


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language.

    >>> catalogue("de").say("Notes")
    'Anmerkungen'
    """
    if language not in LANGUAGES:
        raise BadPlan(unknown("Language", language, LANGUAGES, where="known", listed="Languages"))
    if language == "en":
        return Catalogue({}, "en")
    text = (Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8")
    rooms = tomllib.loads(text)
    return Catalogue({english: into for room in rooms.values() for english, into in room.items()}, language)


def _template(english: str, into: str) -> Template:
    literal = _PLACE.split(english)
    parts = [re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)" for place, part in enumerate(literal)]
    return Template(re.compile("".join(parts), re.DOTALL), into, sum(len(part) for part in literal[::2]))
