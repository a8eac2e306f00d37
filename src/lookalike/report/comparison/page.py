"""A comparison as one HTML page: the verdict of each analysis, then pictures and figures, then detail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lookalike.evaluate.comparison import Compared, Utility
from lookalike.evaluate.comparison.grades import Grade, findings
from lookalike.report.comparison import charts
from lookalike.report.comparison.figures import (
    attack_grid,
    column_grid,
    learned_grid,
    loss_grid,
    pair_grid,
    propensity_grid,
    regression_grid,
    share_grid,
    table_grid,
)
from lookalike.report.comparison.meanings import MEANS, MORE
from lookalike.report.comparison.words import (
    ATTACKED,
    EXPLAINED,
    GRADES,
    NO_CONTROL,
    gained,
    origin_in_words,
    overall,
    sentence,
)
from lookalike.report.html import Page, Section, Verdict, write
from lookalike.report.html.facts import facts_of
from lookalike.utility.margins import NumberMargin

MOODS = {Grade.KEPT: "good", Grade.PARTLY: "middling", Grade.LOST: "bad", Grade.OPEN: "middling"}
CURVES = 6
"""Numbers whose distribution functions are drawn: the farthest."""


def write_page(result: Compared, path: Path, *, force: bool = False) -> Path:
    """The page as a file."""
    return write(page_of(result), path, force=force)


def page_of(result: Compared) -> Page:
    """What stands on the page."""
    original, release = result.inputs[0], result.inputs[1]
    copies = f"{result.copies} copies" if result.copies > 1 else release.name
    found = findings(result)
    return Page(
        title=f"What {copies} keep{'' if result.copies > 1 else 's'} of {original.name}",
        says=overall(found),
        lead=(
            *([] if (attacked := gained(result.attacks)) is None else [attacked]),
            f"{result.records[1]:,} records beside {result.records[0]:,}; {len(result.columns)} columns.",
            origin_in_words(result.origin.how.value, proper=result.origin.proper, told=result.origin_from),
        ),
        verdicts=tuple(Verdict(word=GRADES[f.grade], mood=MOODS[f.grade], says=sentence(f)) for f in found),
        notes=result.warnings,
        sections=tuple(_sections(result)),
        facts=facts_of(result),
        last=EXPLAINED,
    )


def _sections(result: Compared) -> Iterator[Section]:
    utility = result.utility
    if utility.regressions:
        yield Section(
            title="Regressions",
            means=MEANS["regression"],
            pictures=tuple(
                charts.svg(charts.coefficient_forest(found, rare=utility.rare.coefficients[found.formula]))
                for found in utility.regressions
            ),
            folded=tuple(regression_grid(found, utility.rare) for found in utility.regressions),
            more=MORE["regression"],
        )
    if utility.learned:
        yield Section(
            title="Learned from the release",
            means=MEANS["learning"],
            grids=(learned_grid(utility),),
            more=MORE["learning"],
        )
    yield _tables(utility)
    yield _columns(utility, result.records[0])
    if utility.dependence:
        yield _pairs(utility, result.records[0])
    if utility.proportions is not None:
        yield _shares(utility, result.records[0])
    yield Section(
        title="Telling the files apart",
        means=MEANS["propensity"],
        grids=propensity_grid(utility),
        more=MORE["propensity"],
    )
    if utility.losses is not None:
        yield Section(title="Cell by cell", means=MEANS["losses"], grids=loss_grid(utility), more=MORE["losses"])
    attacks = result.attacks
    if attacks is not None and attacks.outcomes:
        means = ATTACKED if attacks.control else f"{ATTACKED} {NO_CONTROL}"
        pictures = tuple(
            charts.svg(charts.cap_scatter(found.before, found.after, target=target))
            for target, found in attacks.attribution.items()
        )
        yield Section(
            title="Attacks", means=means, pictures=pictures, grids=(attack_grid(attacks),), more=MORE["attacks"]
        )
    reasons = {**utility.not_assessed, **({} if attacks is None else attacks.not_assessed)}
    if reasons:
        told = tuple(f"{what}: {reason}" for what, reason in reasons.items())
        yield Section(title="Not assessed", means=" ".join(told))


def _tables(utility: Utility) -> Section:
    shown = utility.tables[utility.middle]
    drawn = {"release": [one for copy in utility.differences for one in copy.values()]}
    pictures = [charts.svg(charts.difference_curves(drawn))]
    if any(len(table.variables) == 2 for table in shown.tables):
        pictures.insert(0, charts.svg(charts.heat_map(shown)))
    return Section(
        title="Tables",
        means=MEANS["tables"],
        pictures=tuple(pictures),
        folded=(table_grid(utility),),
        more=MORE["tables"],
    )


def _columns(utility: Utility, records: int) -> Section:
    numbers = [m for m in utility.margins if isinstance(m, NumberMargin) and m.ecdf is not None]
    far = sorted(numbers, key=lambda m: -(m.distance or 0.0))[:CURVES]
    pictures = []
    for margin in far:
        assert margin.ecdf is not None
        known = records - margin.missing[0].count
        pictures.append(charts.svg(charts.ecdf_curves(margin.ecdf, margin.variable, records=known, dates=margin.days)))
        if margin.histogram is not None:
            pictures.append(charts.svg(charts.histogram_bars(margin.histogram, margin.variable, dates=margin.days)))
    return Section(
        title="Each column alone",
        means=MEANS["columns"],
        pictures=tuple(pictures),
        folded=(column_grid(utility),),
        more=MORE["columns"],
    )


def _pairs(utility: Utility, records: int) -> Section:
    pictures = tuple(
        charts.svg(charts.contour_lines(found, names, records=records)) for names, found in utility.densities.items()
    )
    return Section(
        title="Pairs of columns",
        means=MEANS["pairs"],
        pictures=pictures,
        folded=(pair_grid(utility),),
        more=MORE["pairs"],
    )


def _shares(utility: Utility, records: int) -> Section:
    assert utility.proportions is not None
    return Section(
        title="Shares of values",
        means=MEANS["shares"],
        pictures=(charts.svg(charts.proportion_forest(utility.proportions, records=records)),),
        folded=(share_grid(utility),),
        more=MORE["shares"],
    )
