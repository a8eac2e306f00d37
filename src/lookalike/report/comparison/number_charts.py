"""Charts of numbers in both files: distribution functions, histograms, contours of a density.

No value of a person is in them: ends and edges are round numbers, and nothing rests on one to four records of the
original (see `small_cells`). What the release has is shown as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lookalike.evaluate.comparison.rare import FEWEST
from lookalike.report.chart_parts import axis, legend
from lookalike.report.charts import ORIGINAL, RELEASE, dressed, nothing
from lookalike.report.comparison.small_cells import merged_bins, round_step
from lookalike.report.numbers import digits
from lookalike.utility.contours import Line
from lookalike.utility.density import DensityPair
from lookalike.utility.ecdf import EcdfPair
from lookalike.utility.histograms import HistogramPair

if TYPE_CHECKING:
    import altair as alt

Floats = NDArray[np.float64]
FILES = ("original", "release")

_TOO_FEW = f"Fewer than {FEWEST} records: not drawn."
_DATE = "timeFormat(datum.value * 864e5, '%Y-%m-%d')"
_TAIL = 0.001
"""The share of both files beyond each end of a distribution function that is not drawn."""


def ecdf_curves(
    found: EcdfPair,
    label: str,
    *,
    records: int,
    dates: bool = False,
    title: str | None = None,
    description: str | None = None,
) -> alt.Chart:
    """Both distribution functions as steps, the original's solid, the release's dashed.

    They are drawn at round values. A step of the original holds at least 5 of its `records` (those with a value):
    smaller ones are joined to their neighbours. `dates` says that values are days since 1970.
    """
    import altair as alt

    title = title or f"{label}: distribution functions"
    grid = _round_grid(found, min(max(_TAIL, FEWEST / records), 0.5))
    one, other = (_at(found.values, heights, grid) for heights in (found.original, found.release))
    # The last bin is what lies beyond the grid: its end is not drawn.
    ends = merged_bins(np.diff(np.rint(one * records), prepend=0.0, append=records))[1:-1] - 1
    if not len(ends):
        empty: alt.Chart = nothing(title, _TOO_FEW)
        return empty
    rows = [{"x": float(grid[0]), "y": 0.0, "file": FILES[0]}] * bool(ends[0] > 0)
    rows += [{"x": float(grid[i]), "y": float(one[i]), "file": FILES[0]} for i in ends]
    rows += [{"x": float(x), "y": float(y), "file": FILES[1]} for x, y in zip(grid, other, strict=True)]
    base = alt.Chart(alt.InlineData(values=rows), width=270, height=150)
    lines = base.mark_line(interpolate="step-after", strokeWidth=1.8).encode(
        x=_x(label, dates=dates),
        y=alt.Y("y:Q", title="share at or below", axis=axis(format="%", tickCount=5)),
        **_by_file(),
    )
    said = f"{title}. The largest gap between original and release is {found.distance:.1%} of the records."
    made: alt.Chart = dressed(lines, title, description or said)
    return made


def histogram_bars(
    found: HistogramPair,
    label: str,
    *,
    dates: bool = False,
    title: str | None = None,
    description: str | None = None,
) -> alt.Chart:
    """Bars of both files side by side in each bin; the height is the share of records by width.

    Bins with one to four records of the original are joined to their neighbours, and edges are rounded. The ends with
    fewer than 5 records of the original are left out: where they lie would tell the smallest and the largest values.
    """
    import altair as alt

    title = title or f"{label}: histograms"
    shown = _without_tails(found.original)
    starts = merged_bins(found.original[shown]) + shown.start
    if not len(starts):
        empty: alt.Chart = nothing(title, _TOO_FEW)
        return empty
    edges = _rounded(found.edges)[starts]
    unit = float(np.median(np.diff(edges)))
    rows = []
    for place, shares in enumerate(found.shares):
        heights = np.add.reduceat(shares, starts[:-1]) / np.diff(edges) * unit
        middle = (edges[:-1] + edges[1:]) / 2
        ends = (edges[:-1], middle) if place == 0 else (middle, edges[1:])
        rows += [
            {"x": float(a), "end": float(b), "y": float(y), "file": FILES[place]}
            for a, b, y in zip(*ends, heights, strict=True)
        ]
    base = alt.Chart(alt.InlineData(values=rows), width=270, height=150)
    bars = base.mark_rect().encode(
        x=_x(label, dates=dates),
        x2="end:Q",
        y2=alt.datum(0),
        y=alt.Y(
            "y:Q",
            title=f"share of records, by {digits(unit)} of width" if len(edges) > 2 else "share of records",
            axis=axis(tickCount=5),
        ),
        color=_colour(),
    )
    apart = 0.5 * sum(abs(a - b) for a, b in zip(*(np.add.reduceat(s, starts[:-1]) for s in found.shares), strict=True))
    said = f"{title}. {apart:.1%} of the records would have to move between {len(starts) - 1} bins to make them equal."
    made: alt.Chart = dressed(bars, title, description or said)
    return made


def contour_lines(
    found: DensityPair,
    labels: tuple[str, str],
    *,
    records: int,
    title: str | None = None,
    description: str | None = None,
) -> alt.Chart:
    """Contours of both densities at the heights that hold shares of the original, 25 to 90 % unless told.

    An island of the original's lines is drawn only if the density in it stands for at least 5 of its `records`.
    """
    import altair as alt

    title = title or f"{labels[0]} and {labels[1]}: contours"
    one, other = found.contours()
    kept = [[line for line in lines if _inside(found, line) * records >= FEWEST] for lines in one]
    rows = [row for place, lines in enumerate((kept, other)) for row in _points(found, lines, FILES[place])]
    if not rows:
        empty: alt.Chart = nothing(title, _TOO_FEW)
        return empty
    base = alt.Chart(alt.InlineData(values=rows), width=270, height=230)
    lines = base.mark_line(strokeWidth=1.4, interpolate="linear").encode(
        x=_x(labels[0]),
        y=alt.Y("y:Q", title=labels[1], scale=alt.Scale(zero=False), axis=axis(tickCount=6)),
        detail="line:N",
        order="place:Q",
        opacity=alt.Opacity(
            "mass:Q", title="share inside", scale=alt.Scale(domain=[0, 1], range=[1.0, 0.3]), legend=None
        ),
        **_by_file(),
    )
    shares = ", ".join(f"{mass:.0%}" for mass in found.masses)
    said = f"{title}. The densities differ by {found.distance:.1%} of their mass."
    made: alt.Chart = dressed(lines, title, description or said, notes=(f"lines hold {shares} of the original",))
    return made


def _without_tails(counts: NDArray[np.int64]) -> slice:
    """The bins between which all but fewer than 5 records at each end lie."""
    enough = np.flatnonzero((np.cumsum(counts) >= FEWEST) & (np.cumsum(counts[::-1])[::-1] >= FEWEST))
    return slice(int(enough[0]), int(enough[-1]) + 1) if len(enough) else slice(0, 0)


def _round_grid(found: EcdfPair, tail: float) -> Floats:
    """Round values between which all but the tails of both files lie; a constant column has the two beside it too."""
    values = found.values
    if len(values) == 1:
        return np.asarray(values[0] + np.array([-1.0, 0.0, 1.0]))
    both = np.minimum(found.original, found.release), np.maximum(found.original, found.release)
    low = values[np.searchsorted(both[1], tail)]
    high = values[min(int(np.searchsorted(both[0], 1 - tail)), len(values) - 1)]
    step = round_step(float(high - low))
    return np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step


def _at(values: Floats, heights: Floats, grid: Floats) -> Floats:
    """The height of a step function at other values."""
    places = np.searchsorted(values, grid, side="right")
    return np.concatenate([[0.0], heights])[places]


def _rounded(edges: Floats) -> Floats:
    """Edges at round numbers, the ends outward: where they were would tell the smallest and the largest value."""
    step = min(round_step(float(edges[-1] - edges[0]), 200), round_step(float(edges[1] - edges[0]), 10))
    found = np.rint(edges / step)
    found[0], found[-1] = np.floor(edges[0] / step), np.ceil(edges[-1] / step)
    return np.asarray(found * step)


def _inside(found: DensityPair, line: Line) -> float:
    """The mass of the original's density in a closed line, by the rule of even and odd crossings."""
    x, y = np.meshgrid(found.x, found.y, indexing="ij")
    odd = np.zeros(x.shape, np.bool_)
    for (x1, y1), (x2, y2) in zip(line, np.roll(line, -1, axis=0), strict=True):
        if y1 != y2:
            odd ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return float(found.original[odd].sum() * (found.x[1] - found.x[0]) * (found.y[1] - found.y[0]))


def _points(found: DensityPair, lines: Sequence[Sequence[Line]], file: str) -> list[dict[str, Any]]:
    return [
        {"x": float(x), "y": float(y), "place": place, "line": f"{file}-{level}-{i}", "mass": mass, "file": file}
        for level, (mass, several) in enumerate(zip(found.masses, lines, strict=True))
        for i, line in enumerate(several)
        for place, (x, y) in enumerate(line)
    ]


def _x(label: str, *, dates: bool = False) -> alt.X:
    import altair as alt

    ticks = axis(labelExpr=_DATE, tickCount=4) if dates else axis(tickCount=6)
    return alt.X("x:Q", title=label, scale=alt.Scale(zero=False, nice=False), axis=ticks)


def _colour() -> alt.Color:
    import altair as alt

    scale = alt.Scale(domain=list(FILES), range=[ORIGINAL, RELEASE])
    return alt.Color("file:N", title=None, scale=scale, legend=legend())


def _by_file() -> dict[str, Any]:
    import altair as alt

    dash = alt.StrokeDash(
        "file:N", title=None, scale=alt.Scale(domain=list(FILES), range=[[1, 0], [5, 3]]), legend=legend()
    )
    return {"color": _colour(), "strokeDash": dash}
