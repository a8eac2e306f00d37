"""What the copies of a release repeat of the file, as charts with tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.estimate import Rate
from lookalike.report.chart_parts import NAMES, WIDTH, axis, folded, legend, named
from lookalike.report.charts import GREY, ORIGINAL, RELEASE
from lookalike.report.few import FEWEST
from lookalike.report.html import Figure, Grid
from lookalike.report.simple_charts import figure
from lookalike.report.synthesis import words
from lookalike.report.tables import percent
from lookalike.report.told import counted, shared
from lookalike.synthesis import Likeness, Release

SIDE_BY_SIDE = 3
"""Copies that a table shows one by one; of more, the lowest and the highest."""
MOST = 40
"""Columns of a chart; the table has all."""


def most(release: Release, measure: str) -> Rate | None:
    """The rate of the copy that repeats most; None if there is none."""
    rates = [rate for found in release.likeness if (rate := getattr(found, measure)) is not None]
    return max(rates, key=lambda rate: rate.value, default=None)


def like_figure(release: Release) -> Figure:
    """Records that each copy repeats, and what chance would give."""
    measures = [m for m in words.LIKE_NAMES if release.data.quasi_identifiers or not m.startswith("known")]
    says = words.LIKE_SAYS.format(told="; ".join(_part(release, m) for m in measures))
    heads = (words.LIKE_HEAD, *_heads(len(release.likeness)))
    rows = [row for m in measures for row in _rows(release.likeness, m)]
    table = Grid(title=words.LIKE_CHART, heads=heads, rows=tuple(rows), note=words.LIKE_NOTE)
    return figure(_chart(release.likeness, measures), says=says, table=table)


def _part(release: Release, measure: str) -> str:
    found = most(release, measure)
    share = words.NO_UNIQUES if found is None else shared(found)
    return words.LIKE_PART.format(what=words.LIKE_NAMES[measure], share=share)


def _heads(copies: int) -> list[str]:
    if copies > SIDE_BY_SIDE:
        return [words.LOWEST, words.HIGHEST]
    return [words.COPY.format(number=number) for number in range(1, copies + 1)]


def _rows(found: Sequence[Likeness], measure: str) -> list[tuple[str, ...]]:
    rows = [(words.LIKE_NAMES[measure], *_told([getattr(like, measure) for like in found]))]
    if measure in words.LIKE_CHANCE:
        rates = [getattr(like, f"{measure}_by_chance") for like in found]
        rows.append((words.LIKE_CHANCE[measure], *_told(rates)))
    return rows


def _told(rates: Sequence[Rate | None]) -> list[str]:
    """Side by side, or the lowest and the highest of many."""
    if len(rates) > SIDE_BY_SIDE:
        ordered = sorted(rates, key=lambda rate: -1 if rate is None else rate.count)
        rates = [ordered[0], ordered[-1]]
    return [words.NO_UNIQUES if rate is None else shared(rate) for rate in rates]


def _chart(found: Sequence[Likeness], measures: Sequence[str]) -> Any:
    import altair as alt

    marks = [
        {
            "what": folded(words.LIKE_NAMES[m]),
            "share": _drawn(rate),
            "kind": words.CHANCE if chance else words.EQUAL,
        }
        for m, name in ((m, words.LIKE_NAMES[m]) for m in measures)
        for like in found
        for chance in (False, True)
        if (rate := getattr(like, f"{m}_by_chance" if chance else m, None)) is not None
    ]
    scale = alt.Scale(type="sqrt", domain=[0, 1])
    ticks = axis(values=[0, 0.02, 0.1, 0.3, 0.6, 1], format="~%")
    kinds = [words.EQUAL, words.CHANCE]
    top = legend()
    base = alt.Chart(alt.InlineData(values=marks), width=WIDTH, height=alt.Step(32))
    point = base.mark_point(filled=True, opacity=0.9, size=60).encode(
        y=named("what", [folded(name) for name in words.LIKE_NAMES.values()], limit=NAMES + 30),
        x=alt.X("share:Q", title=words.LIKE_AXIS, scale=scale, axis=ticks),
        color=alt.Color("kind:N", legend=top, scale=alt.Scale(domain=kinds, range=[RELEASE, GREY])),
        shape=alt.Shape("kind:N", legend=top, scale=alt.Scale(domain=kinds, range=["circle", "diamond"])),
    )
    return alt.layer(point)


def _drawn(rate: Rate) -> float:
    """Where a share is drawn; one of a few where five would be."""
    return min(FEWEST / rate.of, 1.0) if 0 < rate.count < FEWEST else rate.value


def equal_figure(release: Release) -> Figure:
    """Drawn cells that equal the real ones, beside what guessing gives; for a release whose rows are the file's."""
    like = release.likeness[0]
    order = sorted(like.equal_cells, key=lambda name: -_drawn(like.equal_cells[name]))
    first = order[0]
    says = words.EQUAL_SAYS.format(
        name=first, share=shared(like.equal_cells[first]), guess=percent(like.most_frequent[first])
    )
    rows = tuple((name, shared(like.equal_cells[name]), percent(like.most_frequent[name])) for name in order)
    table = Grid(title=words.EQUAL_CHART, heads=words.EQUAL_HEADS, rows=rows)
    return figure(_equal_chart(like, order[:MOST]), says=says, table=table)


def _equal_chart(like: Likeness, names: Sequence[str]) -> Any:
    import altair as alt

    rows = [{"name": n, "equal": _drawn(like.equal_cells[n]), "guess": like.most_frequent[n]} for n in names]
    points = [
        {"name": row["name"], "kind": kind, "share": row[key]}
        for row in rows
        for kind, key in ((words.EQUAL, "equal"), (words.GUESS, "guess"))
    ]
    kinds = [words.EQUAL, words.GUESS]
    ticks = axis(format="~%", tickCount=5)
    y = named("name", names)
    scale = alt.Scale(domain=[0, 1])
    top = legend()
    line = alt.Chart(alt.InlineData(values=rows), width=WIDTH, height=alt.Step(24)).mark_rule(color=GREY)
    line = line.encode(y=y, x=alt.X("equal:Q", title=words.EQUAL_AXIS, scale=scale, axis=ticks), x2="guess:Q")
    point = alt.Chart(alt.InlineData(values=points)).mark_point(filled=True, opacity=1, size=70)
    point = point.encode(
        y=y,
        x=alt.X("share:Q", title=words.EQUAL_AXIS, scale=scale, axis=ticks),
        color=alt.Color("kind:N", legend=top, scale=alt.Scale(domain=kinds, range=[RELEASE, ORIGINAL])),
        shape=alt.Shape("kind:N", legend=top, scale=alt.Scale(domain=kinds, range=["circle", "diamond"])),
    )
    return alt.layer(line, point)


def single_grid(release: Release) -> Grid | None:
    """Columns of which values of one record alone stand in the first copy; None if there is no such value."""
    found: dict[str, Any] = {name: rate for name, rate in release.likeness[0].single_values.items() if rate.count}
    if not found:
        return None
    order = sorted(found, key=lambda name: -found[name].count)
    rows = tuple((name, shared(found[name])) for name in order)
    return Grid(title=words.SINGLE_GRID, heads=words.SINGLE_HEADS, rows=rows, note=words.SINGLE_NOTE)


def by_chance(release: Release) -> str:
    """How many records would be unique in both by chance, in the copy that repeats most."""
    rates = [f.repeated_uniques_by_chance for f in release.likeness if f.repeated_uniques_by_chance is not None]
    return counted(max((rate.count for rate in rates), default=0))
