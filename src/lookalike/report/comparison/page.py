"""A comparison as one HTML page: the verdict of each analysis, then pictures and figures, then detail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lookalike.data import refuse_to_overwrite
from lookalike.evaluate.comparison import Attacks, Compared, Utility
from lookalike.evaluate.comparison.grades import Finding, Grade, findings
from lookalike.report.assessment.first import drawn_from
from lookalike.report.comparison import charts
from lookalike.report.comparison.captions import captioned
from lookalike.report.comparison.chart_tables import (
    contour_grid,
    difference_grid,
    ecdf_grid,
    heat_grid,
    histogram_grid,
    scatter_grid,
    sweep_grid,
)
from lookalike.report.comparison.figures import (
    COARSE,
    attack_grid,
    coarse_grid,
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
    B_LABEL,
    B_NOTE,
    B_NOTE_ALONE,
    EXPLAINED,
    GAIN_LABEL,
    GAIN_NO_CONTROL,
    GAIN_NOTE,
    GRADES,
    KEPT_LABEL,
    KEPT_NOTE,
    NO_CONTROL,
    NOT_ASSESSED,
    OF,
    OPEN_GAIN,
    copied,
    decides,
    gained,
    next_step,
    origin_in_words,
    overall,
    sentence,
    verdict_of,
)
from lookalike.report.few import without_few
from lookalike.report.html import Figure, Headline, Page, Section, Verdict, write
from lookalike.report.html.facts import facts_of
from lookalike.report.names import compared_names
from lookalike.report.protection.measures import span_of, value_of
from lookalike.report.protection.page import MOODS as RISK_MOODS
from lookalike.report.protection.page import decided, risk_sections
from lookalike.report.words import risk_title
from lookalike.utility.margins import NumberMargin
from lookalike.utility.origin import How
from lookalike.utility.relative_differences import RelativeDifferences

MOODS = {Grade.KEPT: "good", Grade.PARTLY: "middling", Grade.LOST: "bad", Grade.OPEN: "middling"}
RELEASE = "release"
"""What the curve of differences is called."""
CURVES = 6
"""Numbers whose distribution functions are drawn: the farthest."""


def write_page(result: Compared, path: Path, *, force: bool = False) -> Path:
    """The page as a file."""
    refuse_to_overwrite(path, force=force)  # before the work of drawing it
    return write(page_of(result), path, force=force)


def page_of(result: Compared) -> Page:
    """What stands on the page."""
    original, release = result.inputs[0], result.inputs[1]
    copies = f"{result.copies} copies" if result.copies > 1 else release.name
    found, verdict = findings(result), verdict_of(result)
    says, mood = verdict or (overall(found), "")
    return Page(
        title=f"What {copies} keep{'' if result.copies > 1 else 's'} of {original.name}",
        says=says,
        mood=mood,
        headlines=tuple(_headlines(result, found)),
        next=next_step(result, found),
        lead=(
            *(() if verdict is None else (overall(found),)),
            *(s for s in (gained(result.attacks), copied(result.attacks), decides(result)) if s is not None),
            *(() if result.assessed is None else drawn_from(result.assessed)),
            f"{result.records[1]:,} records beside {result.records[0]:,}; {len(result.columns)} columns.",
            origin_in_words(result.origin.how.value, proper=result.origin.proper, told=result.origin_from),
        ),
        verdicts=tuple(Verdict(word=GRADES[f.grade], mood=MOODS[f.grade], says=sentence(f)) for f in found),
        notes=tuple(map(without_few, result.warnings)),
        sections=tuple(_sections(result)),
        facts=facts_of(result),
        last=EXPLAINED,
        names=compared_names(result),
    )


def _headlines(result: Compared, found: Sequence[Finding]) -> Iterator[Headline]:
    """Analyses kept, attacks that gain, B of the release."""
    counts = {grade: sum(f.grade is grade for f in found) for grade in Grade}
    mood = "bad" if counts[Grade.LOST] else "middling" if counts[Grade.PARTLY] + counts[Grade.OPEN] else "good"
    yield Headline(
        label=KEPT_LABEL,
        value=OF.format(count=counts[Grade.KEPT], of=len(found)),
        note=KEPT_NOTE.format(partly=counts[Grade.PARTLY], lost=counts[Grade.LOST], open=counts[Grade.OPEN]),
        mood=mood if found else "",
    )
    attacks = result.attacks
    if attacks is not None and attacks.outcomes:
        tried, gain = len(attacks.outcomes), len(attacks.beyond)
        yield Headline(
            label=GAIN_LABEL,
            value=OF.format(count=gain, of=tried) if attacks.control else OPEN_GAIN,
            note=GAIN_NOTE if attacks.control else GAIN_NO_CONTROL.format(tried=tried),
            mood=("bad" if gain else "good") if attacks.control else "middling",
        )
    if result.assessed is not None and result.assessed.risk.population is not None:
        how, estimate = decided(result.assessed), result.assessed.risk.sample_to_population
        limit = result.plan.thresholds.sample_to_population
        said = B_NOTE_ALONE if limit is None else B_NOTE
        note = said.format(span=span_of(estimate), threshold="" if limit is None else f"{limit:g}")
        yield Headline(label=B_LABEL, value=value_of(estimate), note=note, mood=RISK_MOODS[how])


def _sections(result: Compared) -> Iterator[Section]:
    utility = result.utility
    if utility.regressions:
        yield Section(
            title="Regressions",
            means=MEANS["regression"],
            figures=tuple(
                captioned(
                    charts.coefficient_forest(found, rare=utility.rare.coefficients[found.formula]),
                    regression_grid(found, utility.rare),
                )
                for found in utility.regressions
            ),
            more=MORE["regression"],
        )
    if utility.learned:
        yield Section(
            title="Learned from the release",
            means=MEANS["learning"],
            grids=(learned_grid(utility),),
            more=MORE["learning"],
        )
    yield _tables(utility, result.origin.how)
    if utility.coarse:
        yield Section(title=COARSE, means=MEANS["coarse"], grids=(coarse_grid(utility),), more=MORE["coarse"])
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
        yield _attacks(attacks)
    reasons = {**utility.not_assessed, **({} if attacks is None else attacks.not_assessed)}
    if reasons:
        told = tuple(NOT_ASSESSED.format(what=what, reason=reason) for what, reason in reasons.items())
        yield Section(title="Not assessed", means=MEANS["not_assessed"], lines=told)
    if result.assessed is not None:
        yield from risk_sections(result.assessed, risk_title(result.copies), MEANS["risk"])


def _tables(utility: Utility, how: How) -> Section:
    """The tables, in words that fit how the release was made: what was not drawn has nothing that is expected of it."""
    shown = utility.tables[utility.middle]
    scaled = any(table.ratio() is not None for table in shown.tables)
    means = "tables_changed" if not scaled else "tables_sampled" if how is How.INDEPENDENT else "tables"
    by_ways: dict[int, list[RelativeDifferences]] = {}
    for copy in utility.differences:
        for one in copy.values():
            by_ways.setdefault(one.ways, []).append(one)
    figures = [
        captioned(charts.difference_curves({RELEASE: found}), difference_grid(ways, found))
        for ways, found in sorted(by_ways.items())
    ]
    if any(len(table.variables) == 2 for table in shown.tables):
        figures.insert(0, captioned(charts.heat_map(shown), heat_grid(shown)))
    return Section(
        title="Tables",
        means=MEANS[means],
        figures=tuple(figures),
        folded=(table_grid(utility),),
        more=MORE["tables" if scaled else "tables_changed"],
    )


def _columns(utility: Utility, records: int) -> Section:
    numbers = [m for m in utility.margins if isinstance(m, NumberMargin) and m.ecdf is not None]
    far = sorted(numbers, key=lambda m: -(m.distance or 0.0))[:CURVES]
    return Section(
        title="Each column alone",
        means=MEANS["columns"],
        figures=tuple(figure for margin in far for figure in _number(margin, records)),
        folded=(column_grid(utility),),
        more=MORE["columns"],
    )


def _number(margin: NumberMargin, records: int) -> Iterator[Figure]:
    """The distribution functions of a number, and its histograms."""
    assert margin.ecdf is not None
    known, name, days = records - margin.missing[0].count, margin.variable, margin.days
    curves = charts.ecdf_curves(margin.ecdf, name, records=known, dates=days)
    yield captioned(curves, ecdf_grid(curves, name, dates=days))
    if margin.histogram is not None:
        bars = charts.histogram_bars(margin.histogram, name, dates=days)
        yield captioned(bars, histogram_grid(bars, name, dates=days))


def _pairs(utility: Utility, records: int) -> Section:
    figures = tuple(
        captioned(charts.contour_lines(found, names, records=records), contour_grid(found, names))
        for names, found in utility.densities.items()
    )
    return Section(
        title="Pairs of columns",
        means=MEANS["pairs"],
        figures=figures,
        folded=(pair_grid(utility),),
        more=MORE["pairs"],
    )


def _shares(utility: Utility, records: int) -> Section:
    assert utility.proportions is not None
    return Section(
        title="Shares of values",
        means=MEANS["shares"],
        figures=(captioned(charts.proportion_forest(utility.proportions, records=records), share_grid(utility)),),
        more=MORE["shares"],
    )


def _attacks(attacks: Attacks) -> Section:
    figures = []
    for target, found in attacks.attribution.items():
        scatter = charts.cap_scatter(found.before, found.after, target=target)
        figures.append(captioned(scatter, scatter_grid(scatter, target)))
    figures += [
        captioned(charts.swept(frame, target), sweep_grid(frame, target, "release"))
        for target, frame in attacks.sweeps.items()
    ]
    return Section(
        title="Attacks",
        means=ATTACKED if attacks.control else f"{ATTACKED} {NO_CONTROL}",
        figures=tuple(figures),
        grids=(attack_grid(attacks),),
        more=MORE["attacks"],
    )
