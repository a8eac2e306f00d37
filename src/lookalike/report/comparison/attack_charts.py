"""Charts of attribution: the sweep over numbers of bins from above and from the side; and the scatter of records."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from lookalike.errors import BadPlan
from lookalike.report.charts import GREY, ORIGINAL, RELEASE, dressed, nothing
from lookalike.report.comparison.record_scatter import cap_scatter
from lookalike.utility.contours import contour_lines as lines_at

if TYPE_CHECKING:
    import altair as alt

__all__ = ["VALUES", "Spread", "cap_scatter", "cap_sweep", "spread_of", "sweep_lines", "sweep_map", "swept"]

VALUES = {
    "release": "P_a, the release",
    "original": "P_o, the original",
    "change": "P_a − P_o",
    "least_change": "least CAP_A − CAP_O of a pair of classes",
    "least_drop": "least CAP_O − CAP_A of a pair of classes",
}
"""What the columns of a sweep are called."""

_STEP = 0.1
_APART = 0.035
"""The share of the height that figures at the ends of lines must be apart to be written."""
_SAME = 1e-9


class Spread(NamedTuple):
    """The ends of a scale and the steps between them."""

    low: float
    high: float
    steps: int

    @property
    def levels(self) -> list[float]:
        """Where a step ends and the next begins."""
        return [round(float(v), 6) for v in np.linspace(self.low, self.high, self.steps + 1)[1:-1]]


def cap_sweep(
    frame: pl.DataFrame,
    *,
    value: str = "release",
    key: str = "the known columns",
    target: str = "the target",
    title: str | None = None,
    description: str | None = None,
) -> alt.HConcatChart:
    """The frame of `lookalike.attacks.sweep` from above, as a contour plot, and from the side, as lines.

    `value` is the column that is drawn (see `VALUES`). The least changes rest on one pair of classes, which may be one
    record's: they are for the custodian's eyes (Qu 2024, figures 2.7 to 2.13).
    """
    import altair as alt

    if value not in VALUES:
        raise BadPlan(f"A sweep has no figure '{value}'. Take one of: {', '.join(VALUES)}.")
    title = title or f"CAP of {target} by numbers of bins: {VALUES[value]}"
    measured = _measured(frame, value)
    if not measured.height:
        empty: alt.HConcatChart = nothing(title, "Nothing was measured.")
        return empty
    said = description or f"{title}. {_sweep_words(measured, value)}"
    above = sweep_map(frame, value=value, key=key, target=target)
    beside = sweep_lines(frame, value=value, key=key, target=target)
    notes = ("grey: not measured",) if measured.height < frame.height else ()
    both = alt.hconcat(above, beside).resolve_scale(color="independent")
    made: alt.HConcatChart = dressed(both, title, said, notes)
    return made


def swept(frame: pl.DataFrame, target: str) -> alt.LayerChart:
    """The sweep from the side alone, as large as a phone can show it: P_a, the release."""

    title = f"CAP of {target} by numbers of classes"
    measured = _measured(frame, "release")
    if not measured.height:
        empty: alt.LayerChart = nothing(title, "Nothing was measured.")
        return empty
    lines = sweep_lines(frame, value="release", target=target, side=210)
    made: alt.LayerChart = dressed(lines, title, f"{title}. {_sweep_words(measured, 'release')}")
    return made


def sweep_map(
    frame: pl.DataFrame,
    *,
    value: str = "release",
    key: str = "the known columns",
    target: str = "the target",
    spread: Spread | None = None,
    title: str = "",
    side: int = 250,
) -> alt.LayerChart:
    """The surface from above: a field a pair of numbers, coloured in steps, and lines where one step meets the next.

    Not dressed, so that several can stand in one picture; `spread` gives them one scale.
    """
    import altair as alt

    spread = spread or spread_of(frame, value)
    keys, targets = (frame[c].unique().sort().to_list() for c in ("key_bins", "target_bins"))
    fields = [
        {"x": keys.index(k) - 0.5, "x2": keys.index(k) + 0.5, "y": targets.index(t) - 0.5, "y2": targets.index(t) + 0.5}
        | ({} if v is None else {"v": v})
        for k, t, v in frame.select("key_bins", "target_bins", value).iter_rows()
    ]
    x = alt.X("x:Q", title=f"bins of {key}", axis=_named(keys), scale=_around(keys))
    y = alt.Y("y:Q", title=f"bins of {target}", axis=_named(targets), scale=_around(targets))
    scheme = alt.SchemeParams(name="cividis", count=spread.steps)
    colour = alt.Color(
        "v:Q",
        title=None,
        scale=alt.Scale(type="threshold", domain=spread.levels, scheme=scheme),
        legend=alt.Legend(format=".1f", gradientLength=min(side, 200)),
    )
    base = alt.Chart(alt.InlineData(values=fields), width=side, height=side)
    rect = base.mark_rect().encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour)
    blank = base.transform_filter("!isValid(datum.v)").mark_rect(color=GREY, opacity=0.35)
    layers = [
        rect.transform_filter("isValid(datum.v)"),
        blank.encode(x=x, x2="x2:Q", y=y, y2="y2:Q"),
    ]
    if points := _contours(frame, value, spread):
        line = alt.Chart(alt.InlineData(values=points)).mark_line(color="#fff", strokeWidth=1, opacity=0.85)
        layers.append(line.encode(x=x, y=y, detail="line:N", order="place:Q"))
    return _titled(alt.layer(*layers), title)


def sweep_lines(
    frame: pl.DataFrame,
    *,
    value: str = "release",
    key: str = "the known columns",
    target: str = "the target",
    spread: Spread | None = None,
    title: str = "",
    words: str | None = None,
    side: int = 250,
) -> alt.LayerChart:
    """The surface from the side: the figure against the bins of the key, a line a number of bins of the target.

    Not dressed; `words` names the axis. The number of bins of the target stands at the end of a line, where there is
    room.
    """
    import altair as alt

    spread, measured = spread or spread_of(frame, value), _measured(frame, value)
    rows = [{"x": k, "t": t, "y": v} for k, t, v in measured.select("key_bins", "target_bins", value).iter_rows()]
    x = alt.X("x:Q", title=f"bins of {key}", axis=alt.Axis(format="d", tickMinStep=1), scale=alt.Scale(zero=False))
    limits = alt.Scale(domain=[spread.low, spread.high], nice=False)
    y = alt.Y("y:Q", title=words or VALUES.get(value, value), scale=limits)
    colour = alt.Color(
        "t:Q",
        title=["bins of", target],
        scale=alt.Scale(range=[ORIGINAL, RELEASE], interpolate="lab"),
        legend=alt.Legend(format="d", tickMinStep=1, gradientLength=min(side, 200)),
    )
    base = alt.Chart(alt.InlineData(values=rows), width=side, height=side)
    line = base.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=14)).encode(x=x, y=y, detail="t:O")
    ends = alt.Chart(alt.InlineData(values=_ends(rows, spread))).mark_text(align="left", dx=5, fontSize=9)
    numbers = ends.encode(x=x, y=y, text="t:Q", color=colour)
    return _titled(alt.layer(line.encode(color=colour), numbers), title)


def spread_of(frame: pl.DataFrame, value: str) -> Spread:
    """A scale for a figure: 0 to 1 for a probability, else the round numbers around what there is.

    >>> spread_of(pl.DataFrame({"change": [-0.31, -0.02]}), "change")
    Spread(low=-0.4, high=0.0, steps=4)
    """
    if value in ("release", "original"):
        return Spread(0.0, 1.0, 10)
    found = _measured(frame, value)[value]
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 0.0)  # type: ignore[arg-type]
    first, last = floor(low / _STEP + _SAME), ceil(high / _STEP - _SAME)
    last = max(last, first + 2)  # a scale of one step has no levels
    return Spread(round(first * _STEP, 6), round(last * _STEP, 6), last - first)


def _measured(frame: pl.DataFrame, value: str) -> pl.DataFrame:
    """The rows that have the figure."""
    return frame.filter(pl.col(value).is_not_null() & pl.col(value).cast(pl.Float64).is_finite())


def _titled(chart: Any, title: str) -> alt.LayerChart:
    made: alt.LayerChart = chart.properties(title=title) if title else chart
    return made


def _named(numbers: list[int]) -> alt.Axis:
    """Places on an axis with the numbers that stand there."""
    import altair as alt

    return alt.Axis(values=list(range(len(numbers))), labelExpr=f"{numbers}[datum.value]", grid=False)


def _around(numbers: list[int]) -> alt.Scale:
    import altair as alt

    return alt.Scale(domain=[-0.5, len(numbers) - 0.5], nice=False, zero=False)


def _contours(frame: pl.DataFrame, value: str, spread: Spread) -> list[dict[str, Any]]:
    """Points of the lines between steps, in places of the map; none if a pair of numbers is missing."""
    grid = frame.select("key_bins", "target_bins", pl.col(value).cast(pl.Float64)).sort("key_bins", "target_bins")
    shape = grid["key_bins"].n_unique(), grid["target_bins"].n_unique()
    surface = grid[value].fill_null(np.nan).to_numpy()
    if len(surface) != shape[0] * shape[1] or np.isnan(surface).any():
        return []
    x, y = (np.arange(n, dtype=np.float64) for n in shape)
    return [
        {"x": float(a), "y": float(b), "place": place, "line": f"{level}-{i}"}
        for level in spread.levels
        for i, line in enumerate(lines_at(x, y, surface.reshape(shape), level))
        for place, (a, b) in enumerate(line)
    ]


def _ends(rows: list[dict[str, Any]], spread: Spread) -> list[dict[str, Any]]:
    """The last points of the lines from above, those left out that would cover one another."""
    far = max((row["x"] for row in rows), default=0)
    kept: list[dict[str, Any]] = []
    for row in sorted((row for row in rows if row["x"] == far), key=lambda row: (-row["y"], row["t"])):
        if not kept or kept[-1]["y"] - row["y"] >= _APART * (spread.high - spread.low):
            kept.append(row)
    return kept


def _sweep_words(frame: pl.DataFrame, value: str) -> str:
    low, high = (frame.sort(value, descending=down).row(0, named=True) for down in (False, True))
    told = [
        f"{name} {row[value]:.2f} at {row['key_bins']} by {row['target_bins']} bins"
        for name, row in (("Lowest", low), ("highest", high))
    ]
    return f"{', '.join(told)} (key by target), over {frame.height} pairs of numbers."
