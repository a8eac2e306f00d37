"""An assessment as one HTML page: the verdict, the number with its interval, then each measure with its chart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lookalike.evaluate.result import Evaluation
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.attacks import attacks_section
from lookalike.report.assessment.choices import chosen_words, plan_section
from lookalike.report.assessment.file import (
    alike_section,
    drivers_section,
    household_section,
    knowledge_section,
    suda_section,
)
from lookalike.report.assessment.first import FirstScreen, first_screen
from lookalike.report.assessment.meanings import MEANS, TITLES
from lookalike.report.assessment.people import population_sections
from lookalike.report.assessment.sensitive import sensitive_section
from lookalike.report.few import without_few
from lookalike.report.html import Page, Section, write
from lookalike.report.html.facts import facts_of
from lookalike.report.names import assessed_names
from lookalike.report.verdict import cautions

__all__ = ["FirstScreen", "first_screen", "page_of", "sections_of", "write_page"]

_UNSHOWN = ("estimated_frequency_of_uniques", "relative_frequency_of_uniques")


def write_page(evaluation: Evaluation, path: Path, *, force: bool = False) -> Path:
    """The page as a file."""
    return write(page_of(evaluation), path, force=force)


def page_of(evaluation: Evaluation) -> Page:
    """What stands on the page."""
    first, plan = first_screen(evaluation), plan_section(evaluation.plan)
    return Page(
        title=p.TITLE.format(name=evaluation.inputs[0].name),
        says=first.says,
        mood=first.mood,
        headlines=first.headlines,
        figures=first.figures,
        lead=first.lead,
        verdicts=first.verdicts,
        next=first.next,
        notes=notes_of(evaluation),
        sections=(*sections_of(evaluation), plan),
        facts=facts_of(evaluation),
        last=p.LAST,
        names=assessed_names(evaluation) | chosen_words(plan),
    )


def notes_of(evaluation: Evaluation) -> tuple[str, ...]:
    """What was noted on the way, but not what the first screen tells already."""
    told = set(cautions(evaluation))
    return tuple(without_few(note) for note in evaluation.warnings if note not in told)


def sections_of(evaluation: Evaluation) -> Iterator[Section]:
    """The parts of the page, those only that have something to show; what it came from is left to the page."""
    risk = evaluation.risk
    yield attacks_section(evaluation)
    yield from population_sections(evaluation)
    yield drivers_section(evaluation)
    yield knowledge_section(evaluation)
    if risk.sensitive or risk.targets:
        yield sensitive_section(risk)
    if risk.suda is not None:
        yield suda_section(risk, risk.suda)
    if risk.household is not None:
        yield household_section(risk, risk.household)
    yield alike_section(evaluation)
    yield from _not_assessed(evaluation)


def _not_assessed(evaluation: Evaluation) -> Iterator[Section]:
    reasons = {what: why for what, why in evaluation.risk.not_assessed.items() if what not in _UNSHOWN}
    if reasons:
        lines = tuple(without_few(p.REASON.format(what=what, reason=why)) for what, why in reasons.items())
        yield Section(title=TITLES["not_assessed"], means=MEANS["not_assessed"], lines=lines)
