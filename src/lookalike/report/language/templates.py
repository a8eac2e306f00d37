"""Templates: English texts with gaps, and how a finished text is taken apart by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_PLACE = re.compile(r"\{(\w+)\}")
_KEYED = 3
"""Letters at the start or the end of a text by which templates are looked up."""


@dataclass(frozen=True)
class Template:
    """An English text with gaps, and the same in another language.

    >>> told = Template("{n} records of {file}", "{n} Datensätze aus {file}")
    >>> told.gaps("1,200 records of a.csv"), told.gaps("no records of") is None
    ({'n': '1,200', 'file': 'a.csv'}, True)
    """

    english: str
    into: str

    def gaps(self, text: str) -> dict[str, str] | None:
        """What stands in the gaps, each as short as can be; None if the text is another one.

        The first place where a fixed part fits is always a right one, as in patterns of file names: no going back.
        """
        start, *rest = self.fixed
        if not text.startswith(start):
            return None
        found, place = {}, len(start)
        for number, (name, part) in enumerate(zip(self.names, rest, strict=True), 1):
            last = number == len(rest)
            end = len(text) - len(part) if last else text.find(part, place + 1)
            if end <= place or (last and not text.endswith(part)):
                return None
            found[name] = text[place:end]
            place = end + len(part)
        return found

    @cached_property
    def fixed(self) -> tuple[str, ...]:
        """The parts around the gaps; the first and the last may be empty."""
        return tuple(_PLACE.split(self.english)[::2])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the gaps."""
        return tuple(_PLACE.split(self.english)[1::2])

    @cached_property
    def longest(self) -> str:
        """The longest fixed part: most texts that lack the template lack this."""
        return max(self.fixed, key=len)

    @cached_property
    def weight(self) -> int:
        """Characters that must be there: of two templates that fit, the one with more is meant."""
        return sum(map(len, self.fixed))


class Templates:
    """Many templates, found by how a text begins or ends.

    >>> known = Templates({"{n} records": "{n} Datensätze", "below {k}": "unter {k}", "Notes": "Anmerkungen"})
    >>> [template.english for template, _ in known.fitting("below 5")]
    ['below {k}']
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._starts: dict[str, list[Template]] = {}
        self._ends: dict[str, list[Template]] = {}
        self._others: list[Template] = []
        for english, into in texts.items():
            if has_gaps(english):
                self._add(Template(english, into))

    def _add(self, template: Template) -> None:
        start, end = template.fixed[0], template.fixed[-1]
        if len(start) >= _KEYED:
            self._starts.setdefault(start[:_KEYED], []).append(template)
        elif len(end) >= _KEYED:
            self._ends.setdefault(end[-_KEYED:], []).append(template)
        else:
            self._others.append(template)

    def __iter__(self) -> Iterator[Template]:
        for some in (*self._starts.values(), *self._ends.values(), self._others):
            yield from some

    def fitting(self, text: str) -> list[tuple[Template, dict[str, str]]]:
        """The templates that a text may be made from, the most telling one first, with what stands in their gaps."""
        near: Iterable[Template] = (
            *self._starts.get(text[:_KEYED], ()),
            *self._ends.get(text[-_KEYED:], ()),
            *self._others,
        )
        found = [(t, gaps) for t in near if t.longest in text and (gaps := t.gaps(text)) is not None]
        return sorted(found, key=lambda pair: -pair[0].weight)


def has_gaps(text: str) -> bool:
    """Whether a text is a template.

    >>> has_gaps("{n} records"), has_gaps("records")
    (True, False)
    """
    return bool(_PLACE.search(text))


def gap_names(text: str) -> tuple[str, ...]:
    """The names of the gaps of a text.

    >>> gap_names("{n} records of {file}")
    ('n', 'file')
    """
    return tuple(_PLACE.findall(text))
