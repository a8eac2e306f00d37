"""The figures of a comparison as tables of text, for a page and for a terminal."""

from __future__ import annotations

from datetime import date, timedelta

from lookalike.attacks.outcome import Outcome
from lookalike.evaluate.comparison import Attacks, Utility
from lookalike.evaluate.comparison.rare import FEWEST, Rare
from lookalike.report.html import Grid
from lookalike.report.numbers import fixed
from lookalike.report.tables import percent
from lookalike.utility.margins import Margin, NumberMargin
from lookalike.utility.regression_overlap import Coefficient, RegressionOverlap
from lookalike.utility.table_utility import TableUtility
from lookalike.utility.train_test import Score

SHOWN = 8
"""Rows of a table in a terminal."""
MOST = 60
"""Rows of a table on a page."""
SIGN_ALONE = "sign kept, size not"
GAINED = (
    "What attackers gain who know {names}; those of record linkage, linkability and singling out know the other "
    "columns too"
)
COARSE = "Columns released in ranges or groups"


def regression_grid(found: RegressionOverlap, rare: Rare) -> Grid:
    """Coefficient beside coefficient, but for those of few records."""
    rows = [
        (
            c.name,
            conclusion(c),
            interval(c.original, c.original_interval),
            interval(c.release, c.release_interval),
            f"{c.overlap:.2f}",
            f"{c.difference:+.2f}",
        )
        for c in rare.told(found)
    ]
    rows += [(name, "not told by all files", "-", "-", "-", "-") for name in rare.untold(found)]
    hidden = len(rare.coefficients[found.formula])
    few = [f"{hidden} coefficients rest on fewer than {FEWEST} records and are not shown."] if hidden else []
    fit = [] if found.lack_of_fit is None else [f"Lack of fit: p = {found.lack_of_fit.p_value:.3g}."]
    return Grid(
        title=f"{found.formula} ({found.family.value}; rule {found.rule.value})",
        heads=("coefficient", "conclusion", "original", "release", "overlap", "difference"),
        rows=tuple(rows),
        names=2,
        note=" ".join([*few, *fit, *found.caveats]),
    )


def conclusion(c: Coefficient) -> str:
    """What is left of what a coefficient tells."""
    if not c.same_conclusion:
        return "lost"
    return SIGN_ALONE if c.size_lost else "kept"


def interval(value: float, ends: tuple[float, float]) -> str:
    """A value with its interval.

    >>> interval(1.25, (1.0, 1.5))
    '1.25 (1 to 1.5)'
    """
    return f"{value:.4g} ({ends[0]:.3g} to {ends[1]:.3g})"


def learned_grid(utility: Utility) -> Grid:
    """What learners do on real records."""
    rows = [
        (name, found.learner.value, score.measure, *_three(score))
        for name, found in utility.learned.items()
        for score in found.scores
    ]
    caveats = dict.fromkeys(caveat for found in utility.learned.values() for caveat in found.caveats)
    tested = "records of the original" if caveats else "records that were not used"
    return Grid(
        title=f"Learned from the release, tested on {tested}",
        heads=("target", "learner", "measure", "from the release", "from the original", "by a guess"),
        rows=tuple(rows),
        names=3,
        note=" ".join(caveats),
    )


def _three(score: Score) -> list[str]:
    return [fixed(value) for value in (score.release, score.original, score.baseline)]


def propensity_grid(utility: Utility) -> tuple[Grid, ...]:
    """How well models tell the files apart, and which columns give the release away."""
    rows = []
    for model in utility.propensity:
        found = utility.shown(model)
        pmse = found.pmse
        scaled = (or_dash(pmse.expected, ".3g"), or_dash(pmse.ratio, ".2f"), or_dash(pmse.z, ".1f"))
        others = (f"{found.specks.value:.3f}", f"{found.po50.value:.1f}", f"{found.auc.value:.3f}")
        rows.append((found.model, f"{pmse.value:.3g}", *scaled, or_dash(pmse.p_value, ".3g"), *others))
    caveats = dict.fromkeys(caveat for model in utility.propensity for caveat in utility.shown(model).caveats)
    models = Grid(
        title="How well models tell the release from the original",
        heads=("model", "pMSE", "expected", "ratio", "z", "p", "SPECKS", "PO50", "AUC"),
        rows=tuple(rows),
        note=" ".join([*_shuffles(utility), *caveats]),
    )
    away = tuple(
        (g.column, percent(max(g.lost, 0.0)), f"{g.alone:.3g}", or_dash(g.p_value, ".3g"))
        for g in utility.giveaways[:SHOWN]
        if g.lost > 0
    )
    if not away:
        return (models,)
    heads = ("column", "share of pMSE that goes with it", "pMSE of it alone", "p")
    return models, Grid(title="What gives the release away", heads=heads, rows=away)


def _shuffles(utility: Utility) -> list[str]:
    """How p-values were found that cannot be as small as one likes."""
    told = [
        f"{found.model}: {found.null}" for m in utility.propensity if "shuffles" in (found := utility.shown(m)).null
    ]
    return [f"How p was found: {'; '.join(told)}. Of n shuffles the smallest p is 1/(n + 1)."] if told else []


def table_grid(utility: Utility, most: int = MOST) -> Grid:
    """The tables that are farthest off."""
    shown = utility.tables[utility.middle]
    scaled = any(one.ratio() is not None for one in shown.tables)
    rows = []
    for one in shown.worst(most):
        drawn = one.drawn.get("VW")
        p = one.p_values.get("VW") if drawn is None else drawn.p_value
        against = (or_dash(one.ratio(), ".2f"), or_dash(p, ".3g")) if scaled else ()
        rows.append((" × ".join(one.variables), f"{one.cells:,}", *against, percent(one.values["SPECKS"])))
    losses = sorted(utility.differences[utility.middle].items())
    said = "; ".join(f"UL of tables of {way} {found.utility_loss:.3f}" for way, found in losses)
    return Grid(
        title="The tables that are farthest off",
        heads=("columns", "cells", *(("VW ratio", "p") if scaled else ()), "total variation"),
        rows=tuple(rows),
        note=" ".join([f"{said}.", *_drawn(shown), *shown.caveats]),
    )


def coarse_grid(utility: Utility) -> Grid:
    """The columns that the release has in ranges or groups: counts of values, no value."""
    rows = tuple(
        (name, found.read.value, f"{found.values:,}", f"{found.classes:,}") for name, found in utility.coarse.items()
    )
    heads = ("column", "compared", "values before", "what is left")
    return Grid(title=COARSE, heads=heads, rows=rows, names=2)


def _drawn(found: TableUtility) -> list[str]:
    draws = {null.draws for table in found.tables for null in table.drawn.values()}
    return [f"p by {n} tables drawn: not below {1 / (n + 1):.2g}." for n in draws]


def column_grid(utility: Utility, most: int = MOST) -> Grid:
    """Each column alone, the farthest first."""
    order = sorted(utility.margins, key=lambda m: -(m.distance or 0.0))[:most]
    rows = [
        (
            m.variable,
            or_dash(m.distance, ".3f"),
            *_means(m),
            *_missing(utility, m),
            *_moved(utility, m),
        )
        for m in order
    ]
    heads = ["column", "distance", "mean", "mean, release", "missing", "missing, release"]
    heads += ["cells changed, as compared", "R²"] if utility.moved else []
    return Grid(title="Each column alone, the farthest first", heads=tuple(heads), rows=tuple(rows))


def _missing(utility: Utility, margin: Margin) -> list[str]:
    """Shares of missing cells; of few in the original how many is not told."""
    few = utility.rare.hides_missing(margin)
    return [f"<{FEWEST} records" if few else percent(margin.missing[0].value), percent(margin.missing[1].value)]


def _means(margin: Margin) -> list[str]:
    """Of both files; of dates the day."""
    if not isinstance(margin, NumberMargin):
        return ["-", "-"]
    if not margin.days:
        return [or_dash(mean, ".4g") for mean in margin.means]
    return ["-" if mean is None else str(date(1970, 1, 1) + timedelta(days=round(mean))) for mean in margin.means]


def _moved(utility: Utility, margin: Margin) -> list[str]:
    """What became of the cells of linked files."""
    found = next((m for m in utility.moved if m.variable == margin.variable), None)
    if found is None:
        return []
    coarse = utility.coarse.get(margin.variable)
    changed = percent(found.changed.value) if found.changed.count or coarse is None else coarse.read.value
    return [changed, or_dash(found.determination, ".3f")]


def pair_grid(utility: Utility, most: int = MOST) -> Grid:
    """Pairs of columns, those that moved most first."""
    order = sorted(utility.dependence, key=lambda pair: -abs(pair.association.difference or 0.0))[:most]
    rows = tuple(
        (
            " × ".join(pair.variables),
            pair.method,
            or_dash(pair.association.original, ".3f"),
            or_dash(pair.association.release, ".3f"),
            or_dash(pair.information.original, ".4f"),
            or_dash(pair.information.release, ".4f"),
        )
        for pair in order
    )
    heads = ("columns", "measure", "original", "release", "bits, original", "bits, release")
    return Grid(title="Pairs of columns, those that moved most first", heads=heads, rows=rows, names=2)


def share_grid(utility: Utility, most: int = MOST) -> Grid:
    """Shares of values, those that overlap least first."""
    assert utility.proportions is not None
    order = sorted(utility.rare.shares(utility.proportions), key=lambda row: row.overlap)[:most]
    rows = tuple(
        (
            row.column,
            row.level,
            interval(row.original, row.original_interval),
            interval(row.release, row.release_interval),
            f"{row.overlap:.2f}",
        )
        for row in order
    )
    hidden = len(utility.rare.values)
    note = (
        f"{hidden:,} values of fewer than {FEWEST} records, or that would tell them, are not shown." if hidden else ""
    )
    heads = ("column", "value", "original", "release", "overlap")
    return Grid(title="Shares of values, those that overlap least first", heads=heads, rows=rows, names=2, note=note)


def loss_grid(utility: Utility) -> tuple[Grid, ...]:
    """What cells lost."""
    losses = utility.losses
    assert losses is not None
    rows = (
        ("mean standardized distance (information loss)", f"{losses.information_loss:.4f}"),
        ("share of its column a cell stands for", percent(losses.granularity)),
        ("cells suppressed", percent(losses.suppressed)),
        ("records removed", f"{losses.removed:,}"),
    )
    return (Grid(title="What was lost, cell by cell", heads=("measure", "value"), rows=rows),)


def attack_grid(attacks: Attacks) -> Grid:
    """Every attack with its control, its baseline, and what it would gain from the original itself."""
    rows = tuple(
        (
            outcome.attack,
            outcome.measure,
            percent(outcome.main.value),
            "-" if outcome.control is None else percent(outcome.control.value),
            percent(outcome.baseline.value),
            "-" if outcome.original is None else percent(outcome.original.value),
            _risk(outcome),
        )
        for outcome in attacks.outcomes
    )
    caveats = dict.fromkeys(caveat for outcome in attacks.outcomes for caveat in outcome.caveats)
    return Grid(
        title=GAINED.format(names=", ".join(attacks.keys)),
        heads=("attack", "success", "release", "control", "guess", "original released", "risk"),
        rows=rows,
        names=2,
        note=" ".join([*attacks.notes, *caveats]),
    )


def _risk(outcome: Outcome) -> str:
    """The figure to judge with its interval, or why there is none."""
    risk = outcome.risk
    if risk.value is None or risk.low is None or risk.high is None:
        return outcome.reading.value
    return f"{risk.value:.3f} ({risk.low:.3f} to {risk.high:.3f})"


def or_dash(value: float | None, form: str) -> str:
    """A figure, or a dash where there is none.

    >>> or_dash(0.5, ".2f"), or_dash(None, ".2f")
    ('0.50', '-')
    """
    return "-" if value is None else format(value, form)
