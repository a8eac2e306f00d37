"""A catalogue: English texts and templates, and what they are in another language.

A key is an English text as the code writes it; `{name}` stands for what is filled in. A new language is one more
file beside `de.toml`, with the same keys.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from lookalike.errors import BadPlan, unknown
from lookalike.report.language.lookup import Lookup
from lookalike.report.language.templates import Templates

LANGUAGES = ("en", "de", "fr")
"""Languages a page can be in."""


@dataclass(frozen=True)
class Catalogue:
    """What texts are called in one language.

    >>> found = Catalogue({"Notes": "Anmerkungen", "{n} records of {file}": "{n} Datensätze aus {file}"}, "de")
    >>> found.say("Notes"), found.say("1,200 records of a.csv"), found.say("Unknown words")
    ('Anmerkungen', '1.200 Datensätze aus a.csv', None)
    """

    texts: Mapping[str, str]
    language: str

    def say(self, text: str) -> str | None:
        """The text in this language; None if the catalogue lacks it."""
        said = self.beside(()).say(text)
        return None if said is None else said.text

    def beside(self, names: Collection[str]) -> Lookup:
        """For one page: `names` of columns and files stay as they are even if they are words of the catalogue."""
        return Lookup(self.texts, self._templates, self.language, names)

    @cached_property
    def _templates(self) -> Templates:
        return Templates(self.texts)


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
    return Catalogue(
        {english: into for part in parts_of(language).values() for english, into in part.items()}, language
    )


def parts_of(language: str) -> Mapping[str, Mapping[str, str]]:
    """The file of a language, part by part.

    >>> parts_of("de")["frame"]["Notes"]
    'Anmerkungen'
    """
    return tomllib.loads((Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8"))
