"""How a finished English text is said in another language: whole, by template, sentence by sentence, word by word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from lookalike.report.language.figures import Figures, is_figure
from lookalike.report.language.templates import Templates

FIRM = 16
"""Fixed characters from which a template is known by them alone; below, what stands in its gaps must be known too."""
VERBATIM = frozenset({"command", "digest", "engine", "lookalike", "python", "rule", "started"})
"""Gaps that hold digests, versions, times and formulas: neither words nor quantities."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_LISTS = ("; ", ", ", " × ", " + ", " and ")
_PAIR = ": "
_CODE = re.compile(r"[A-Za-z0-9]+(?:[-_./=][A-Za-z0-9]+)+|--[a-z-]+|\w²?|p?[A-Z]{2,}\d*")
"""Words of the command and of plans, and symbols: private-tree, roles.sensitive, docs/concepts/suda.md, ε, R², AUC."""
CUT = "…"
"""At the end of a name for which a chart had no room."""


class Said(NamedTuple):
    """A text in another language, and what in it stayed English because the catalogue lacks it."""

    text: str
    lacking: frozenset[str] = frozenset()


class Lookup:
    """Texts of one language beside names that stay as they are; each text is looked up once."""

    def __init__(self, texts: Mapping[str, str], templates: Templates, language: str, names: Collection[str]) -> None:
        self.texts, self.templates, self.names = texts, templates, names
        self.figures = Figures(language)
        self._said: dict[tuple[str, bool], Said | None] = {}
        self._strict: dict[str, Said | None] = {}

    def say(self, text: str, *, ours: bool = False) -> Said | None:
        """The text said; None if it is not known. `ours` says that it is no name by itself."""
        key = text, ours
        if key not in self._said:
            self._said[key] = None  # a text is never looked up inside itself
            self._said[key] = self._found(text, ours=ours)
        return self._said[key]

    def _found(self, text: str, *, ours: bool) -> Said | None:
        if not ours and self._is_name(text):
            return Said(text)
        if text in self.texts:
            return Said(self.texts[text])
        if is_figure(text):
            return Said(self.figures.written(text))
        if _CODE.fullmatch(text):
            return Said(text)
        return (
            self._filled(text)
            or self._bare(text)
            or self._by_sentence(text)
            or self._list(text)
            or self._by_sentence(text, loose=True)
            or self._filled(text, loose=True)
            or self._cut(text)
        )

    def _is_name(self, text: str) -> bool:
        """Whether a text is a name, in quotes or not, or the beginning of one that was cut."""
        bare = text[1:-1] if text[:1] == text[-1:] == "'" else text
        return bare in self.names or (text[-1:] == CUT and any(name.startswith(text[:-1]) for name in self.names))

    def _filled(self, text: str, *, loose: bool = False) -> Said | None:
        """By the template with most fixed characters; `loose`: even if something in its gaps is not known."""
        if not loose and text in self._strict:
            return self._strict[text]
        found = None
        for template, gaps in self.templates.fitting(text):
            if loose and template.weight < FIRM:
                break
            said = self._gaps(gaps, loose=loose)
            if said is not None:
                lacking = frozenset().union(*(part.lacking for part in said.values()))
                found = Said(template.into.format(**{name: part.text for name, part in said.items()}), lacking)
                break
        if not loose:
            self._strict[text] = found
        return found

    def _gaps(self, gaps: Mapping[str, str], *, loose: bool) -> dict[str, Said] | None:
        """What stands in gaps, said: figures, words of the catalogue, or names; None if one is not known."""
        found = {}
        for name, gap in gaps.items():
            said = Said(gap) if name in VERBATIM else self.say(gap)
            if said is None and loose:
                said = Said(self.figures.written(gap), frozenset({gap}))
            if said is None or (said.lacking and not loose):
                return None
            found[name] = said
        return found

    def _by_sentence(self, text: str, *, loose: bool = False) -> Said | None:
        """Some templates hold several sentences: the longest run from the left that is known is taken first."""
        parts = _SENTENCES.split(text)
        ends = range(1, len(parts)) if loose else range(len(parts) - 1, 0, -1)
        for end in ends:
            first, rest = " ".join(parts[:end]), " ".join(parts[end:])
            said = self._known(first) or (self._filled(first, loose=True) if loose else None)
            if said is not None and (more := self.say(rest)) is not None:
                return _joined((said, more), " ")
        return None

    def _known(self, text: str) -> Said | None:
        return Said(self.texts[text]) if text in self.texts else self._filled(text) or self._bare(text)

    def _bare(self, text: str) -> Said | None:
        """A sentence whose key is written without its full stop, or begins with a small letter."""
        bare = text.removesuffix(".")
        for form in dict.fromkeys((bare, text[:1].lower() + text[1:], bare[:1].lower() + bare[1:])):
            said = None if form in ("", text) else self._whole(form)
            if said is not None:
                begun = said.text if form[0] == text[0] else said.text[:1].upper() + said.text[1:]
                return Said(begun + text[len(form) :], said.lacking)
        return None

    def _whole(self, text: str) -> Said | None:
        return Said(self.texts[text]) if text in self.texts else self._filled(text)

    def _list(self, text: str) -> Said | None:
        """Names or words side by side; all of them must be known."""
        for between in _LISTS:
            parts = text.split(between)
            if len(parts) > 1:
                said = [found for part in parts if (found := self.say(part)) is not None and not found.lacking]
                if len(said) == len(parts):
                    return _joined(said, self.texts.get(between, between))
        name, _, level = text.rpartition(" ")
        if name in self.names and is_figure(level):
            return Said(text)
        first, _, rest = text.partition(_PAIR)
        pair = [found for part in (first, rest) if part and (found := self.say(part)) is not None]
        return _joined(pair, _PAIR) if len(pair) == 2 else None

    def _cut(self, text: str) -> Said | None:
        """A text of ours for which a chart had no room: what it was, said, and cut as far."""
        start = text.removesuffix(CUT)
        if start == text:
            return None
        whole = [full for full, _ in self._said if full.startswith(start) and full != text]
        said = next((found for full in (*whole, *self._ended(start)) if (found := self.say(full)) is not None), None)
        if said is None or len(said.text) <= len(text):
            return said
        return Said(said.text[: len(text) - 1] + CUT)

    def _ended(self, start: str) -> Iterator[str]:
        """The text with the end of any template whose beginning it has."""
        for end in (template.fixed[-1] for template in self.templates if len(template.names) == 1):
            for place in range(len(end) - 1, 0, -1):
                if start.endswith(end[:place]):
                    yield start + end[place:]


def _joined(parts: Iterable[Said], between: str) -> Said:
    parts = tuple(parts)
    return Said(between.join(part.text for part in parts), frozenset().union(*(part.lacking for part in parts)))
