"""A journey as one page: a file assessed, protected, drawn anew, both releases compared, the truth beside all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookalike.evaluate import Evaluation
from lookalike.evaluate.comparison import Compared
from lookalike.evaluate.protection import ProtectedRun
from lookalike.evaluate.result import Outcome
from lookalike.evaluate.synthesis import Synthesized
from lookalike.population.backtest import contains
from lookalike.report.assessment.page import page_of as assessed_page
from lookalike.report.charts import unchecked
from lookalike.report.comparison.page import page_of as compared_page
from lookalike.report.html import Grid, Headline, Page, Section, Verdict, write
from lookalike.report.numbers import digits
from lookalike.report.protection.page import page_of as protected_page
from lookalike.report.simple_charts import Dot, Limit, dots, figure
from lookalike.report.synthesis.page import page_of as synthesized_page

TITLE = "From {file} to two releases"
SAYS = "The protected release meets the threshold; the file as it is must not leave the house."
SAYS_BOTH = "The file and the protected release both meet the threshold."
SAYS_NOT = "The protected release does not meet the threshold: read why below."
TRUTH = "Here all people are known, so the truth stands beside each estimate. With real data it does not."
TRUTH_TITLE = "Estimate and truth"
TRUTH_SAYS = "B estimated from the file and the number of people, its interval, and B counted among all people."
TRUTH_MEANS = (
    "An estimator sees only the file and the size of the population. The interval should hold the truth nearly always."
)
WHAT, ESTIMATE, LOW, HIGH, TRUE, HOLDS = "file", "estimate", "from", "to", "truth", "interval contains it"
YES, NO = "yes", "no"
BEFORE, AFTER = "as it is", "protected"
B_BEFORE = "A record of the file is matched to the right person (B)"
B_AFTER = "A record of the protected release is matched to the right person (B)"
B_TRUE = "{low} to {high}; the truth is {truth}"
CHANCE = "chance of a right match"
LIMIT = "threshold {value}"
PARTS = (
    "1. The file as it is",
    "2. Protected",
    "3. Drawn anew",
    "4. What the protected release keeps",
    "5. What the synthetic release keeps",
)
NEXT = "Open the files beside this page, and try the same with a file of your own: lookalike plan FILE."
NOTE, NOTE_OF_SEVERAL = "Step {number}: {note}", "Steps {steps}: {note}"
FILES = "Each step has its evidence beside this page: {names}."


@dataclass(frozen=True, kw_only=True)
class Journey:
    """All that a journey found."""

    assessed: Evaluation
    protected: ProtectedRun
    synthesized: Synthesized
    compared: tuple[Compared, Compared]
    """Of the protected and of the synthetic release."""
    truth: tuple[float, float]
    """B counted among all people: of the file, and of the protected release."""
    names: tuple[str, ...] = ()
    """The evidence of each step."""


def write_page(journey: Journey, path: Path, *, force: bool = False, language: str = "en") -> Path:
    """The page as a file."""
    return write(page_of(journey), path, force=force, language=language)


@unchecked()
def page_of(journey: Journey) -> Page:
    """What stands on the page."""
    pages = (
        assessed_page(journey.assessed),
        protected_page(journey.protected),
        synthesized_page(journey.synthesized),
        *map(compared_page, journey.compared),
    )
    return Page(
        title=TITLE.format(file=journey.assessed.inputs[0].name),
        says=_says(journey),
        mood=pages[1].mood,  # the sentence is about the protected release
        headlines=tuple(_headlines(journey)),
        lead=(TRUTH, FILES.format(names=", ".join(journey.names))),
        verdicts=tuple(
            Verdict(word=title, mood=_mood(page), says=page.says) for title, page in zip(PARTS, pages, strict=True)
        ),
        next=NEXT,
        notes=tuple(_notes(pages)),
        sections=(
            _truth(journey),
            *(part for name, page in zip(PARTS, pages, strict=True) for part in _part(name, page)),
        ),
        facts=pages[0].facts,
        last=pages[0].last,
        names=frozenset(journey.names).union(*(page.names for page in pages)),
    )


def _says(journey: Journey) -> str:
    """The verdict on the protected release, beside that on the file."""
    if journey.protected.outcome is not Outcome.HOLDS:
        return SAYS_NOT
    return SAYS_BOTH if journey.assessed.outcome is Outcome.HOLDS else SAYS


def _mood(page: Page) -> str:
    """Of a step: that of its verdict; of a comparison that decides nothing, that of what is kept."""
    return page.mood or (page.headlines[0].mood if page.headlines else "") or "middling"


def _notes(pages: Sequence[Page]) -> Iterator[str]:
    """Each note once, with the steps that it belongs to.

    >>> list(_notes([Page(title="", says="", notes=notes) for notes in (("a", "b"), ("a",))]))
    ['Steps 1, 2: a', 'Step 1: b']
    """
    for note in dict.fromkeys(note for page in pages for note in page.notes):
        steps = [f"{number}" for number, page in enumerate(pages, 1) if note in page.notes]
        told = NOTE if len(steps) == 1 else NOTE_OF_SEVERAL
        yield told.format(number=steps[0], steps=", ".join(steps), note=note)


def _headlines(journey: Journey) -> Iterator[Headline]:
    for label, (value, low, high), truth in zip((B_BEFORE, B_AFTER), _estimates(journey), journey.truth, strict=True):
        note = B_TRUE.format(low=digits(low), high=digits(high), truth=digits(truth))
        limit = journey.protected.plan.thresholds.sample_to_population or 0.0
        yield Headline(label=label, value=digits(value), note=note, mood="good" if value <= limit else "bad")


def _estimates(journey: Journey) -> Iterator[tuple[float, float, float]]:
    """B of the file and of the protected release with their intervals."""
    for evaluation in (journey.assessed, journey.protected.assessed):
        found = evaluation.risk.sample_to_population
        assert found.value is not None, "the plan has a population"
        yield found.value, found.low if found.low is not None else 0.0, found.high if found.high is not None else 1.0


def _truth(journey: Journey) -> Section:
    rows, drawn = [], []
    for name, (value, low, high), truth in zip((BEFORE, AFTER), _estimates(journey), journey.truth, strict=True):
        told = [digits(v) for v in (value, low, high, truth)]
        rows.append((name, *told, YES if contains(low, high, truth) else NO))
        drawn.append(Dot(label=name, value=value, low=low, high=high, other=truth, words=told[0]))
    grid = Grid(title=TRUTH_TITLE, heads=(WHAT, ESTIMATE, LOW, HIGH, TRUE, HOLDS), rows=tuple(rows))
    threshold = journey.protected.plan.thresholds.sample_to_population
    limit = None if threshold is None else Limit(value=threshold, words=LIMIT.format(value=f"{threshold:g}"))
    chart = figure(dots(drawn, axis=CHANCE, limit=limit), says=TRUTH_SAYS, table=grid)
    return Section(title=TRUTH_TITLE, means=TRUTH_MEANS, figures=(chart,))


def _part(title: str, page: Page) -> Iterator[Section]:
    """A page as a part of another: its first screen, then its sections one level below."""
    lines = (page.says, *page.lead, *(f"{verdict.word}: {verdict.says}" for verdict in page.verdicts))
    yield Section(title=title, means=" ".join(lines[:1]), lines=lines[1:], figures=page.figures)
    yield from (replace(section, level=3) for section in page.sections)
