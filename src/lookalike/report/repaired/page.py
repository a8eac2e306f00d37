"""A repair as one HTML page: what was behind the risks and what changed, then the page of the repaired release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lookalike.evaluate.repair import Repaired
from lookalike.evaluate.result import Outcome
from lookalike.report.comparison.page import page_of as compared_page
from lookalike.report.comparison.words import NEXT, NEXT_REPAIR, decides
from lookalike.report.html import Headline, Page, Section
from lookalike.report.html.facts import facts_of
from lookalike.report.names import names_of
from lookalike.report.repaired import grids, notes, says
from lookalike.report.told import counted

TITLE = "{release} repaired"
TITLE_FINE, TITLE_SAME = "{release}: nothing had to be changed", "{release}: nothing was changed"
SECTION = "Before and after the repair"
MEANS = (
    "Rows behind an attack that gains too much were changed, and both sides were measured again. An attack without "
    "rows of its own, such as membership, is measured and not repaired."
)
MEANS_SAME = (
    "No row was changed, so before and after are the same. An attack without rows of its own, such as membership, is "
    "measured and not repaired."
)
MORE = (
    "Matching: the only row that fits a record is its own. Attribution: all rows that fit a record have its true "
    "value, and this is no common knowledge. Copies: a row equals a record that no other record equals.",
    "The choice of rows looks at the original: a release made with differential privacy loses its guarantee. "
    "docs/concepts/repair.md",
)
DECIDES = (
    "A repair decides by attacks: none with rows behind it may gain more than {threshold}, and the thresholds of the "
    "plan on the release must hold. The other attacks show where to look."
)
CHANGED, DROPPED, OF = "Rows changed", "Rows dropped", "of {rows} rows"
MOODS = {
    Outcome.HOLDS: "good",
    Outcome.FAILS: "bad",
    Outcome.NOT_ASSESSABLE: "middling",
    Outcome.UNDECIDED: "middling",
}


def page_of(result: Repaired) -> Page:
    """What stands on the page."""
    after, means = compared_page(result.after), MEANS if result.rounds else MEANS_SAME
    return replace(
        after,
        title=_title(result).format(release=result.inputs[1].name),
        says=says(result),
        mood=MOODS[result.outcome],
        headlines=(*_headlines(result), *after.headlines),
        lead=(*notes(result), *_lead(result, after)),
        next=NEXT if after.next == NEXT_REPAIR else after.next,
        sections=(Section(title=SECTION, means=means, grids=grids(result), more=MORE), *after.sections),
        facts=facts_of(result),
        names=after.names | names_of(result),
    )


def _title(result: Repaired) -> str:
    if result.rounds:
        return TITLE
    return TITLE_FINE if result.outcome is Outcome.HOLDS else TITLE_SAME


def _lead(result: Repaired, after: Page) -> Iterator[str]:
    """The lead of the comparison; what decides is another matter in a repair."""
    said = decides(result.after)
    for line in after.lead:
        yield DECIDES.format(threshold=f"{result.plan.repair.threshold:g}") if line == said else line


def _headlines(result: Repaired) -> Iterator[Headline]:
    of = OF.format(rows=f"{result.rows:,}")
    yield Headline(label=CHANGED, value=counted(result.rows_changed), note=of)
    if result.rows_dropped:
        yield Headline(label=DROPPED, value=counted(result.rows_dropped), note=of)
