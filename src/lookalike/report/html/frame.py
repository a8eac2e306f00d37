"""The words that stand around every report, in one place, so that another language can take it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The fixed words of a page and the language they are in.

    >>> Frame().language, Frame().notes
    ('en', 'Notes')
    """

    language: str = "en"
    """As HTML names it: en, de, fr."""
    skip: str = "Skip to the report"
    contents: str = "On this page"
    next: str = "What to do next"
    notes: str = "Notes"
    figures: str = "The figures of this chart"
    more: str = "Formula, source, limits"
    facts: str = "Where this came from"
