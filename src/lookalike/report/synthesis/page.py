"""A synthetic release as one HTML page: what it repeats of the file, how it was drawn, its risk as if it were real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.data import refuse_to_overwrite
from lookalike.report.few import without_few
from lookalike.report.html import Grid, Headline, Page, Section, write
from lookalike.report.html.facts import facts_of
from lookalike.report.names import assessed_names, names_of
from lookalike.report.protection.measures import span_of, value_of
from lookalike.report.protection.page import MOODS, risk_sections, without_seed
from lookalike.report.synthesis import words
from lookalike.report.synthesis.likeness import by_chance, equal_figure, like_figure, most, single_grid
from lookalike.report.synthesis.models import (
    domain_grid,
    few,
    fit_grid,
    ledger_figure,
    sequence_figure,
    trace_figures,
)
from lookalike.report.synthesis.said import how_of, name_of, next_of, verdict_of
from lookalike.report.told import counted, shared
from lookalike.report.words import risk_title
from lookalike.synthesis import Release

if TYPE_CHECKING:
    from lookalike.evaluate.synthesis import Synthesized


def write_page(result: Synthesized, path: Path, *, force: bool = False) -> Path:
    """The page as a file."""
    refuse_to_overwrite(path, force=force)  # before the work of drawing it
    return write(page_of(result), path, force=force)


def page_of(result: Synthesized) -> Page:
    """What stands on the page."""
    from lookalike.report.assessment.page import first_screen

    release, assessed = result.release, result.assessed
    how, file, copies = how_of(result), result.inputs[0].name, f"{len(release.copies):,}"
    title = words.TITLE_MANY if len(release.copies) > 1 else words.TITLE_ONE
    return Page(
        title=title.format(file=file, copies=copies, release=name_of(result) or words.NO_NAME),
        says=verdict_of(result),
        mood=MOODS.get(how, "middling"),
        headlines=tuple(_headlines(result, how)),
        lead=tuple(_lead(result)),
        verdicts=() if assessed is None else first_screen(assessed).verdicts,
        next=next_of(result),
        notes=tuple(dict.fromkeys(map(without_few, (*release.caveats, *result.warnings)))),
        sections=tuple(_sections(result)),
        facts=without_seed(facts_of(result), words.SECRET_SEED),
        last=words.EXPLAINED,
        names=_names(result),
    )


def _names(result: Synthesized) -> frozenset[str]:
    release = result.release
    columns = (*release.drawn, *release.kept, *release.left_out, *release.given, *release.details.get("columns", ()))
    methods = release.details.get("methods", {}).values()
    return names_of(result, columns, methods, (release.model,), assessed_names(result.assessed))


def _headlines(result: Synthesized, how: str) -> Iterator[Headline]:
    release = result.release
    repeated, uniques = most(release, "repeated"), most(release, "repeated_uniques")
    assert repeated is not None, "every copy has records"
    yield Headline(
        label=words.REPEATED_LABEL,
        value=shared(repeated),
        note=words.REPEATED_NOTE,
        mood="middling" if repeated.count else "good",
    )
    yield Headline(
        label=words.UNIQUES_LABEL,
        value=words.NO_UNIQUES if uniques is None else shared(uniques),
        note=words.UNIQUES_NOTE.format(chance=by_chance(release)),
        mood="middling" if uniques is not None and uniques.count else "good",
    )
    if result.assessed is not None and result.assessed.risk.population is not None:
        limit, estimate = result.plan.thresholds.sample_to_population, result.assessed.risk.sample_to_population
        yield Headline(
            label=words.B_LABEL,
            value=value_of(estimate),
            note=(words.B_NOTE_ALONE if limit is None else words.B_NOTE).format(
                span=span_of(estimate), threshold=f"{limit or 0:g}"
            ),
            mood=MOODS[how] if limit is not None else "",
        )
    yield Headline(
        label=words.COPIES_LABEL,
        value=f"{len(release.copies):,}",
        note=words.COPIES_NOTE.format(records=f"{release.data.records:,}", model=release.model),
    )


def _lead(result: Synthesized) -> Iterator[str]:
    release, source = result.release, result.inputs[0]
    repeated, uniques = most(release, "repeated"), most(release, "repeated_uniques")
    if uniques is not None:
        yield words.NOT_SAFE_UNIQUES.format(uniques=shared(uniques), chance=by_chance(release))
    elif repeated is not None:
        yield words.NOT_SAFE.format(repeated=shared(repeated))
    yield (words.MADE if len(release.copies) > 1 else words.MADE_ONE).format(
        copies=f"{len(release.copies):,}",
        records=f"{release.data.records:,}",
        model=release.model,
        file=source.name,
        all=f"{source.records:,}",
    )
    if result.assessed is not None:
        yield whose(release)


def whose(release: Release) -> str:
    """Whose risk it is."""
    if not release.linked:
        return words.NOBODY
    drawn = [name for name in release.data.quasi_identifiers if name in release.drawn]
    return words.PARTLY.format(drawn=few(drawn)) if drawn else words.REAL


def _sections(result: Synthesized) -> Iterator[Section]:
    release = result.release
    single = single_grid(release)
    linked = (equal_figure(release),) if release.linked and release.likeness[0].equal_cells else ()
    yield Section(
        title=words.LIKE_TITLE,
        means=words.LIKE_MEANS,
        figures=(like_figure(release), *linked),
        folded=() if single is None else (single,),
        more=words.LIKE_MORE,
    )
    yield Section(
        title=words.COLUMNS_TITLE,
        means=words.COLUMNS_MEANS,
        grids=(_columns(release),),
        more=words.COLUMNS_MORE,
    )
    yield from _model(release)
    yield from _rules(result)
    yield Section(
        title=words.COMBINING_TITLE,
        means=words.COMBINING_MEANS,
        lines=(words.COMBINING[release.combining.name],),
        more=words.COMBINING_MORE,
    )
    if result.assessed is not None:
        yield from risk_sections(result.assessed, risk_title(len(release.copies)), whose(release))


def _columns(release: Release) -> Grid:
    fates = (("drawn", release.drawn), ("given", release.given), ("kept", release.kept), ("left_out", release.left_out))
    rows = tuple((name, words.BECAME[fate]) for fate, names in fates for name in names)
    return Grid(title=words.COLUMNS_GRID, heads=words.COLUMNS_HEADS, rows=rows, names=2)


def _model(release: Release) -> Iterator[Section]:
    """The model's own figures, its sequence and its privacy budget, where it has them."""
    fit, details = fit_grid(release), release.details
    learns = words.LEARNS.get(release.model, words.LEARNS_OTHER)
    yield Section(
        title=words.MODEL_TITLE,
        means=words.MODEL_MEANS.format(model=release.model, learns=learns),
        figures=trace_figures(release),
        grids=() if fit is None else (fit,),
        more=words.MODEL_MORE,
    )
    if len(details.get("columns", ())) > 1 and "predictors_used" in details:
        ordered = "order" in details
        yield Section(
            title=words.SEQUENCE_TITLE if ordered else words.OTHERS_TITLE,
            means=words.SEQUENCE_MEANS if ordered else words.OTHERS_MEANS,
            figures=(sequence_figure(details),),
            more=words.SEQUENCE_MORE,
        )
    if "ledger" in details:
        account = details["ledger"]
        yield Section(
            title=words.LEDGER_TITLE,
            means=words.LEDGER_MEANS,
            figures=(ledger_figure(account),),
            folded=(domain_grid(account),) if account["domains"] else (),
            lines=(words.NEIGHBOURS.format(adjacency=account["adjacency"]),),
            more=words.LEDGER_MORE,
        )


def _rules(result: Synthesized) -> Iterator[Section]:
    """The rules of the plan and how often one was broken; conditions are told as they stand in the plan."""
    choices, redrawn = result.plan.synthesis, result.release.redrawn
    if not (choices.rules or choices.impossible or redrawn):
        return
    rows = [
        (words.RULES_WHEN.format(when=rule.when), words.RULES_THEN.format(columns=few(list(rule.then))))
        for rule in choices.rules
    ]
    rows += [(condition, words.RULES_IMPOSSIBLE) for condition in choices.impossible]
    yield Section(
        title=words.RULES_TITLE,
        means=words.RULES_MEANS,
        lines=(words.RULES_REDRAWN.format(count=counted(redrawn)),),
        grids=(Grid(title=words.RULES_GRID, heads=words.RULES_HEADS, rows=tuple(rows), names=2),) if rows else (),
        more=words.RULES_MORE,
    )
