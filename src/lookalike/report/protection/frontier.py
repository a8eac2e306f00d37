"""The frontier of a search and what each column would buy, as charts and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lookalike.evaluate.result import Evaluation
from lookalike.report.chart_parts import WIDTH, axis, legend, named
from lookalike.report.charts import FAINT, GREY, ORIGINAL, RELEASE
from lookalike.report.html import Figure, Grid
from lookalike.report.numbers import digits, number
from lookalike.report.protection import words
from lookalike.report.protection.level_words import Details, raised
from lookalike.report.protection.measures import in_words
from lookalike.report.simple_charts import figure
from lookalike.report.told import counted

Point = Mapping[str, Any]
MOST = 60
"""Points of the frontier in the table; the evidence has all."""
MOST_COLUMNS = 25


def frontier_figure(details: Details, threshold: float | None, after: Evaluation) -> Figure:
    """Risk against loss of the versions searched, the chosen one marked, the threshold as a line.

    `after` is the assessment of the release: its risk is not quite the one that the search judged by.
    """
    points = details["frontier"]
    said = [_says(points, threshold), *again(points, after)]
    return figure(_chart(points, threshold), says=" ".join(said), table=_grid(points))


def again(points: Sequence[Point], after: Evaluation) -> Iterator[str]:
    """Why the risk of the chosen version is another one in the verdict, if it is."""
    chosen, risk = next(point for point in points if point["chosen"]), after.risk
    if "sample_to_population" in chosen["figures"]:
        estimate = risk.sample_to_population
        said = words.FRONTIER_EXACT if risk.population_file is not None else words.FRONTIER_AGAIN
        if estimate.value is None or number(estimate.value) != digits(chosen["risk"], 4):
            yield said.format(again=in_words(estimate, 4))
    elif number(risk.prosecutor.mean) != digits(chosen["risk"], 4):
        yield words.FRONTIER_AFTER.format(again=number(risk.prosecutor.mean))


def buys_figures(buys: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[Figure, ...]:
    """What each column would change, from the file as it was and from the version chosen."""
    titles = {"original": words.BUYS_FROM_FILE, "chosen": words.BUYS_FROM_CHOSEN}
    return tuple(_bought(titles[start], buys[start]) for start in titles if buys.get(start))


def _says(points: Sequence[Point], threshold: float | None) -> str:
    first, last = points[0], points[-1]
    chosen = next(point for point in points if point["chosen"])
    said = words.FRONTIER_SAYS.format(
        count=len(points),
        most=digits(first["risk"]),
        least_loss=digits(first["loss"]),
        least=digits(last["risk"]),
        most_loss=digits(last["loss"]),
        risk=digits(chosen["risk"]),
        loss=digits(chosen["loss"]),
    )
    return said if threshold is None else f"{said} {words.FRONTIER_LIMIT.format(threshold=f'{threshold:g}')}"


def _chart(points: Sequence[Point], threshold: float | None) -> Any:
    import altair as alt

    kinds = (words.CHOSEN, words.HOLDS, words.FAILS)
    rows = [{"risk": p["risk"], "loss": p["loss"], "kind": _kind(p)} for p in points]
    least = min(row["risk"] for row in rows)
    scale = alt.Scale(type="log") if least > 0 else alt.Scale(type="sqrt")
    up = words.FRONTIER_RISK_F if threshold is None else words.FRONTIER_RISK_B
    y = alt.Y("risk:Q", title=up, scale=scale, axis=axis(format=".3~g", tickCount=5))
    x = alt.X("loss:Q", title=words.FRONTIER_LOSS, axis=axis(format=".3~g", tickCount=6))
    top = legend(columns=2)
    colour = alt.Color("kind:N", legend=top, scale=alt.Scale(domain=list(kinds), range=[RELEASE, ORIGINAL, GREY]))
    symbols = alt.Scale(domain=list(kinds), range=["diamond", "circle", "cross"])
    shape = alt.Shape("kind:N", legend=top, scale=symbols)
    size = alt.Size("kind:N", legend=None, scale=alt.Scale(domain=list(kinds), range=[150, 40, 40]))
    base = alt.Chart(alt.InlineData(values=rows), width=WIDTH + 70, height=190)
    line = base.mark_line(color=FAINT, strokeWidth=1.5).encode(x=x, y=y)
    point = base.mark_point(filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape, size=size)
    layers: list[Any] = [line, point]
    if threshold is not None and (threshold > 0 or least <= 0):
        told = [{"told": words.THRESHOLD.format(value=f"{threshold:g}")}]
        limit = alt.Chart(alt.InlineData(values=told))
        rule = limit.mark_rule(color=GREY, strokeDash=[4, 3]).encode(y=alt.datum(threshold))
        text = limit.mark_text(color=GREY, align="right", dy=-6, fontSize=10)
        layers += [rule, text.encode(y=alt.datum(threshold), x=alt.value(WIDTH + 66), text="told:N")]
    return alt.layer(*layers)


def _kind(point: Point) -> str:
    if point["chosen"]:
        return words.CHOSEN
    return words.HOLDS if point["holds"] else words.FAILS


def _grid(points: Sequence[Point]) -> Grid:
    at = {i * (len(points) - 1) // (MOST - 1) for i in range(MOST)} if len(points) > MOST else set(range(len(points)))
    at |= {i for i, point in enumerate(points) if point["chosen"]}
    rows = tuple(
        (
            raised(point["levels"]),
            words.YES if point["chosen"] else "",
            number(point["risk"]),
            f"{point['loss']:.4f}",
            counted(point["suppressed"]),
            words.YES if point["holds"] else words.NO,
        )
        for point in (points[i] for i in sorted(at))
    )
    return Grid(title=words.FRONTIER_CHART, heads=words.FRONTIER_HEADS, rows=rows, names=2)


def _bought(title: str, columns: Sequence[Mapping[str, Any]]) -> Figure:
    best = columns[0]
    told = (f"{best['removed']['risk']:+.3g}", f"{best['removed']['loss']:+.3g}")
    says = words.BUYS_SAYS.format(name=best["column"], risk=told[0], loss=told[1])
    rows = tuple(
        (
            column["column"],
            *(
                "" if column.get(step) is None else f"{column[step][key]:+.4f}"
                for step in ("raised", "removed")
                for key in ("risk", "loss")
            ),
        )
        for column in columns
    )
    grid = Grid(title=title, heads=words.BUYS_HEADS, rows=rows)
    return figure(_bars(columns[:MOST_COLUMNS]), says=says, table=grid)


def _bars(columns: Sequence[Mapping[str, Any]]) -> Any:
    import altair as alt

    steps = list(words.BUYS_STEPS.values())
    rows = [
        {"name": column["column"], "step": said, "risk": column[step]["risk"]}
        for column in columns
        for step, said in words.BUYS_STEPS.items()
        if column.get(step) is not None
    ]
    base = alt.Chart(alt.InlineData(values=rows), width=WIDTH, height=alt.Step(11))
    names = [column["column"] for column in columns]
    return base.mark_bar().encode(
        y=named("name", names),
        yOffset=alt.YOffset("step:N", sort=steps),
        x=alt.X("risk:Q", title=words.BUYS_AXIS, axis=axis(format=".3~g", tickCount=5)),
        color=alt.Color(
            "step:N",
            scale=alt.Scale(domain=steps, range=[ORIGINAL, RELEASE]),
            legend=legend(),
        ),
    )
