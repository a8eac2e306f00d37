"""Each record's CAP before and after, as a grid of counts.

Counts are told in steps, and cells of one to four records are not there, because the page may leave the house.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookalike.errors import BadPlan
from lookalike.evaluate.comparison.rare import FEWEST, hidden_levels
from lookalike.report.charts import RELEASE, dressed, nothing

if TYPE_CHECKING:
    import altair as alt

Floats = NDArray[np.float64]

CELLS = 20
"""Cells a side: 0.05 each."""

_SAME = 1e-9
_SIDES = ("above the diagonal (easier to guess)", "on it", "below it (harder)", "without a CAP after")


def cap_scatter(
    before: ArrayLike,
    after: ArrayLike,
    *,
    fewest: int = FEWEST,
    target: str = "the target",
    title: str | None = None,
    description: str | None = None,
) -> alt.LayerChart:
    """The CAP of each record in the original and in the release, as counts in cells of 0.05 by 0.05.

    The scatter of Attributed.before and Attributed.after. Cells with fewer than `fewest` records stay empty, and counts
    are told in steps only. A record whose key the release lacks has no CAP after (NaN): it is counted, not drawn.
    """
    import altair as alt

    title = title or f"CAP of {target}, record by record"
    one, other = np.asarray(before, np.float64), np.asarray(after, np.float64)
    if one.shape != other.shape:
        raise BadPlan("CAP before and after must be of the same records: the two lists differ in length.")
    counts = _counted(one, other)
    if not (counts >= fewest).any():
        reason = f"No cell has {fewest} records or more: not drawn." if counts.any() else "No record has a CAP in both."
        empty: alt.LayerChart = nothing(title, reason)
        return empty
    rows = _cells(counts, fewest)
    small = bool(((counts > 0) & (counts < fewest)).any())
    shares = _shares(one, other, fewest)
    ends = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("x:Q", title="CAP in the original", scale=ends)
    y = alt.Y("y:Q", title="CAP in the release", scale=ends)
    steps = sorted({row["least"] for row in rows})
    colour = alt.Color(
        "least:O",
        title=["records,", "at least"],
        scale=alt.Scale(domain=steps, scheme="cividis"),
        legend=alt.Legend(labelExpr="format(datum.value, ',')"),
    )
    base = alt.Chart(alt.InlineData(values=rows), width=230, height=230)
    cells = base.mark_rect().encode(x=x, x2="x2:Q", y=y, y2="y2:Q", color=colour)
    line = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    diagonal = line.mark_line(color=RELEASE, strokeDash=[4, 3], strokeWidth=1.4).encode(x=x, y=y)
    notes = (*shares, *((f"cells of 1 to {fewest - 1} records are not shown",) if small else ()))
    said = description or f"{title}. Of {len(one):,} records: {'; '.join(shares)}.{_hidden_words(small, fewest)}"
    made: alt.LayerChart = dressed(alt.layer(cells, diagonal), title, said, notes)
    return made


def _counted(before: Floats, after: Floats) -> NDArray[np.int64]:
    """Records by cell; who has no CAP in one of the files is in none. A value on an edge lies in the upper cell."""
    both = ~(np.isnan(before) | np.isnan(after))
    places = [np.clip((v[both] * CELLS + _SAME).astype(np.int64), 0, CELLS - 1) for v in (before, after)]
    return np.bincount(places[0] * CELLS + places[1], minlength=CELLS**2).reshape(CELLS, CELLS)


def _cells(counts: NDArray[np.int64], fewest: int) -> list[dict[str, Any]]:
    """The cells that may be shown, with the 1-2-5 step their count has reached instead of the count."""
    ladder = [s for p in range(12) for s in (10**p, 2 * 10**p, 5 * 10**p) if s >= fewest]
    steps = np.array(sorted({fewest, *ladder}), np.int64)
    found = []
    for i, j in zip(*np.nonzero(counts >= fewest), strict=True):
        least = int(steps[np.searchsorted(steps, counts[i, j], side="right") - 1])
        ends = {"x": i / CELLS, "x2": (i + 1) / CELLS, "y": j / CELLS, "y2": (j + 1) / CELLS}
        found.append({name: float(end) for name, end in ends.items()} | {"least": least})
    return found


def _shares(before: Floats, after: Floats, fewest: int) -> list[str]:
    """The shares of records above, on and below the diagonal in words; those of a few records cannot be worked out."""
    rise = after - before
    sides = (rise > _SAME, np.abs(rise) <= _SAME, rise < -_SAME, np.isnan(rise))
    counts = [int(np.count_nonzero(side)) for side in sides]
    hidden = hidden_levels(counts, fewest)
    told = [
        f"{count / len(before):.1%} {name}"
        for place, (name, count) in enumerate(zip(_SIDES, counts, strict=True))
        if place not in hidden and (count or place < 3)
    ]
    unsaid = [_SIDES[place].split(" (")[0] for place in sorted(hidden)]
    return [*told, *([f"not told, as few records are in one of them: {', '.join(unsaid)}"] if unsaid else [])]


def _hidden_words(small: bool, fewest: int) -> str:
    return f" Cells of 1 to {fewest - 1} records are not shown." if small else ""
