"""A protected file as one HTML page: the verdict on the release, what it cost, the risk before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.anonymize.cells import Done
from lookalike.anonymize.methods import RANDOM
from lookalike.data import refuse_to_overwrite
from lookalike.evaluate.result import Evaluation
from lookalike.report.few import shown, without_few
from lookalike.report.html import Headline, Page, Section, write
from lookalike.report.html.facts import SEED, facts_of
from lookalike.report.language.figures import is_figure
from lookalike.report.names import assessed_names, names_of
from lookalike.report.protection import words
from lookalike.report.protection.columns import columns_section
from lookalike.report.protection.figures import (
    b_figure,
    cell_figure,
    changed_cells,
    loss_figure,
    risk_figure,
    setting,
    step_grid,
    total_grid,
)
from lookalike.report.protection.frontier import buys_figures, frontier_figure
from lookalike.report.protection.level_words import every_level, examples, levels_grid
from lookalike.report.protection.measures import in_words, span_of, value_of
from lookalike.report.protection.next_step import MOODS, decided, is_unchanged, next_of, verdict_of
from lookalike.report.tables import percent
from lookalike.report.told import counted

if TYPE_CHECKING:
    from lookalike.evaluate.protection import ProtectedRun

__all__ = ["MOODS", "decided", "named", "page_of", "risk_sections", "without_seed", "write_page"]

NAMED = 12
"""Names in a sentence; of more, how many."""


def write_page(result: ProtectedRun, path: Path, *, force: bool = False) -> Path:
    """The page as a file."""
    refuse_to_overwrite(path, force=force)  # before the work of drawing it
    return write(page_of(result), path, force=force)


def page_of(result: ProtectedRun) -> Page:
    """What stands on the page."""
    from lookalike.report.assessment.page import first_screen

    file, made = result.inputs[0].name, result.outputs[0].name if result.outputs else None
    how = decided(result.assessed)
    return Page(
        title=words.TITLE.format(file=file, release=made or words.NO_NAME),
        says=verdict_of(result),
        mood=MOODS[how],
        headlines=tuple(_headlines(result, how)),
        figures=(b_figure(result),) if _knows_b(result) else (),
        lead=tuple(_lead(result)),
        verdicts=first_screen(result.assessed).verdicts,
        next=next_of(result),
        notes=tuple(dict.fromkeys(map(without_few, (*result.release.caveats, *result.warnings)))),
        sections=tuple(_sections(result)),
        facts=_facts(result),
        last=words.EXPLAINED,
        names=_names(result),
    )


def _names(result: ProtectedRun) -> frozenset[str]:
    """What the page says in words that are not ours: columns, and settings as a plan says them."""
    taken = result.release.taken
    told = [word for step in taken for name, value in step.settings.items() for word in (name, setting(value))]
    settings = [word for word in told if not is_figure(word)]
    methods = [(step.method, *step.details.get("hierarchies", {}).values(), *examples(step.details)) for step in taken]
    columns = (*result.release.original.columns, *result.release.data.columns)
    assessed = (assessed_names(each) for each in (result.before, result.assessed))
    return names_of(result, columns, settings, *methods, *assessed)


def _facts(result: ProtectedRun) -> tuple[tuple[str, str], ...]:
    """Where it came from, without the seed if it could undo the release."""
    drawn = result.plan.protection.shuffle or any(step.method in RANDOM for step in result.release.taken)
    return without_seed(facts_of(result), words.SECRET_SEED) if drawn else facts_of(result)


def without_seed(facts: Sequence[tuple[str, str]], instead: str) -> tuple[tuple[str, str], ...]:
    """The facts of a page that may leave the house with a release that was drawn.

    >>> without_seed([("file", "a.csv"), ("seed", "7")], "a secret")
    (('file', 'a.csv'), ('seed', 'a secret'))
    """
    return tuple((name, instead if name == SEED else value) for name, value in facts)


def _knows_b(result: ProtectedRun) -> bool:
    """Whether there is anything to draw of B."""
    return result.assessed.risk.population is not None and result.before.risk.population is not None


def _headlines(result: ProtectedRun, how: str) -> Iterator[Headline]:
    release, lost = result.release, result.losses
    if _knows_b(result):
        limit, estimate = result.plan.thresholds.sample_to_population, result.assessed.risk.sample_to_population
        note = words.B_NOTE_ALONE if limit is None else words.B_NOTE
        before = in_words(result.before.risk.sample_to_population)
        yield Headline(
            label=words.B_LABEL,
            value=value_of(estimate),
            note=note.format(span=span_of(estimate), before=before, threshold=f"{limit or 0:g}"),
            mood=MOODS[how] if limit is not None else "",
        )
    counts = {fate: release.count(fate) for fate in Done}
    changed = sum(counts.values()) - counts[Done.KEPT]
    yield Headline(
        label=words.CELLS_LABEL,
        value=shown(changed, max(sum(counts.values()), 1), beside=counts.values()).count,
        note=words.CELLS_UNDER.format(
            generalized=counted(counts[Done.GENERALIZED]),
            suppressed=counted(counts[Done.SUPPRESSED]),
            perturbed=counted(counts[Done.PERTURBED]),
        ),
    )
    yield Headline(
        label=words.RECORDS_LABEL,
        value=_released(result),
        note=words.RECORDS_NOTE.format(all=f"{result.inputs[0].records:,}", removed=counted(release.removed)),
    )
    distance = f"{lost.information_loss:.4f}"
    yield Headline(
        label=words.LOSS_LABEL, value=percent(lost.granularity), note=words.LOSS_NOTE.format(distance=distance)
    )


def _released(result: ProtectedRun) -> str:
    """Records of the release; of a file that lost a few, the number of the file is not told twice."""
    removed = result.release.removed
    return words.ALL_BUT_FEW if counted(removed) != f"{removed:,}" else f"{result.release.data.records:,}"


def _lead(result: ProtectedRun) -> Iterator[str]:
    from lookalike.report.assessment.first import drawn_from, told_cautions

    release, source = result.release, result.inputs[0]
    said = words.NOT_CHANGED if is_unchanged(result) else words.CHANGED
    yield said.format(records=_released(result), all=f"{source.records:,}", file=source.name, method=release.method)
    if not result.plan.protection.shuffle:
        yield words.IN_ORDER
    if release.left_out:
        yield words.LEFT_OUT.format(names=named(release.left_out))
    yield from drawn_from(result.assessed)
    yield from told_cautions(result.assessed)


def named(names: tuple[str, ...]) -> str:
    """The first of many names, and how many more."""
    told = ", ".join(names[:NAMED])
    more = len(names) - NAMED
    return told if more <= 0 else words.MORE_NAMES.format(names=told, count=more)


def _sections(result: ProtectedRun) -> Iterator[Section]:
    release = result.release
    yield Section(title=words.RISK_TITLE, means=words.RISK_MEANS, figures=(risk_figure(result),), more=words.RISK_MORE)
    if changed_cells(result):
        empty = words.CELLS_EMPTIED.format(names=named(release.emptied)) if release.emptied else ""
        yield Section(
            title=words.CELLS_TITLE,
            means=f"{words.CELLS_MEANS} {empty}".strip(),
            figures=(cell_figure(result),),
            more=words.CELLS_MORE,
        )
    else:
        yield Section(title=words.CELLS_TITLE, means=words.CELLS_NONE, more=words.CELLS_MORE)
    yield columns_section(release)
    yield Section(
        title=words.LOSS_TITLE,
        means=words.LOSS_MEANS,
        figures=(loss_figure(result),) if result.losses.columns else (),
        grids=(total_grid(result),),
        more=words.LOSS_MORE,
    )
    for step in release.taken:
        yield from _searched(step.details, result.plan.thresholds.sample_to_population, result.assessed)
    grids = tuple(step_grid(number, step) for number, step in enumerate(release.taken, 1))
    yield Section(title=words.STEPS_TITLE, means=words.STEPS_MEANS, folded=grids, more=words.STEPS_MORE)
    yield from risk_sections(result.assessed, words.RELEASE_RISK, words.RELEASE_RISK_MEANS)


def _searched(details: Mapping[str, Any], limit: float | None, after: Evaluation) -> Iterator[Section]:
    """What a search over levels tells: its frontier, its choice, and what more would buy."""
    points = details.get("frontier", ())
    levels = (levels_grid(details),) if details.get("levels") else ()
    if len(points) > 1:
        by_b = all("sample_to_population" in point["figures"] for point in points)
        yield Section(
            title=words.FRONTIER_TITLE,
            means=words.FRONTIER_MEANS,
            figures=(frontier_figure(details, limit if by_b else None, after),),
            grids=levels,
            folded=(every_level(details),),
            more=words.FRONTIER_MORE,
        )
    if any(details.get("buys", {}).values()):
        yield Section(
            title=words.BUYS_TITLE,
            means=words.BUYS_MEANS,
            figures=buys_figures(details["buys"]),
            more=words.BUYS_MORE,
        )


def risk_sections(evaluation: Evaluation, title: str, means: str) -> Iterator[Section]:
    """The sections of an assessment below one heading."""
    from lookalike.report.assessment.page import sections_of

    yield Section(title=title, means=means)
    yield from (replace(section, level=3) for section in sections_of(evaluation))
