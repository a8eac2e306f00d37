"""Examples 4.5.1, 4.5.3 and 4.5.4 of the thesis: ECDFs and contours of file and release, by order of the columns.

python docs/pictures/sequence.py        writes docs/pictures/sequence.svg
"""

from pathlib import Path

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from contourpy import contour_generator
from scipy.stats import gaussian_kde

from lookalike.models import AllOthers, Sequential
from lookalike.models.mixed import Mixed, Numbers
from lookalike.models.sequential import Asked

N = 1_000


def chain() -> Mixed:
    """Example 4.5.1."""
    rng = np.random.default_rng(1)
    first = rng.exponential(5, N)
    second = first / 2 + rng.normal(0, 0.1, N)
    return Mixed((Numbers(first), Numbers(second), Numbers(2 * first + 3 * second + rng.normal(0, 0.1, N))))


def pairs() -> Mixed:
    """Example 4.5.3."""
    rng = np.random.default_rng(1)
    first, third = rng.exponential(2, N), rng.beta(0.5, 0.5, N)
    second, fourth = 2 * first + rng.normal(0, 0.1, N), 5 * third + rng.normal(0, 0.1, N)
    return Mixed(tuple(map(Numbers, (first, second, third, fourth))))


def drawn(table: Mixed, model) -> list[np.ndarray]:
    names = ("X1", "X2", "X3", "X4")[: len(table.columns)]
    law = model.fit_named(table, Asked(names=names), rng=np.random.default_rng(5))
    return [column.values for column in law.sample(N, rng=np.random.default_rng(6)).columns]


def ecdf(values: np.ndarray, who: str) -> pl.DataFrame:
    return pl.DataFrame({"x": np.sort(values), "share": np.arange(1, N + 1) / N, "who": [who] * N})


def contours(x: np.ndarray, y: np.ndarray, who: str) -> pl.DataFrame:
    kde = gaussian_kde([x, y], 0.15)
    across, up = np.linspace(*np.quantile(x, [0.005, 0.97]), 60), np.linspace(*np.quantile(y, [0.005, 0.97]), 60)
    grid = np.meshgrid(across, up)
    height = kde([g.ravel() for g in grid]).reshape(60, 60)
    lines = contour_generator(*grid, height)
    rows = []
    for share in (0.1, 0.35, 0.7):
        for i, line in enumerate(lines.lines(share * height.max())):
            rows += [(float(a), float(b), f"{who}{share}{i}", k, who) for k, (a, b) in enumerate(line)]
    return pl.DataFrame(rows, schema=["x", "y", "line", "at", "who"], orient="row")


def panel(table: Mixed, releases: dict[str, list[np.ndarray]], column: int, pair: tuple[int, int], title: str):
    cells = {"file": [c.values for c in table.columns], **releases}
    color = alt.Color("who:N", title=None, sort=list(cells), scale=alt.Scale(range=["#999999", "#3b528b", "#e07b39"]))
    steps = pl.concat([ecdf(values[column], who) for who, values in cells.items()])
    left = alt.Chart(steps, title=title, width=230, height=170).mark_line(strokeWidth=1.5)
    left = left.encode(x=alt.X("x:Q", title=f"X{column + 1}"), y=alt.Y("share:Q", title="ECDF"), color=color)
    rings = pl.concat([contours(values[pair[0]], values[pair[1]], who) for who, values in cells.items()])
    right = alt.Chart(rings, width=230, height=170).mark_line(strokeWidth=1.2)
    right = right.encode(
        x=alt.X("x:Q", title=f"X{pair[0] + 1}"),
        y=alt.Y("y:Q", title=f"X{pair[1] + 1}"),
        color=color,
        detail="line:N",
        order="at:Q",
    )
    return alt.hconcat(left, right)


if __name__ == "__main__":
    alt.data_transformers.disable_max_rows()
    one, two = chain(), pairs()
    first = panel(
        one,
        {
            "X1, X2, X3": drawn(one, Sequential(order=("X1", "X2", "X3"), method="norm")),
            "X3, X2, X1": drawn(one, Sequential(order=("X3", "X2", "X1"), method="norm")),
        },
        0,
        (0, 1),
        "4.5.1: one after another",
    )
    second = panel(
        two,
        {
            "all others": drawn(two, AllOthers(method="norm")),
            "X2, X4, X3, X1": drawn(two, Sequential(order=("X2", "X4", "X3", "X1"), method="norm")),
        },
        3,
        (2, 3),
        "4.5.3, 4.5.4: two pairs",
    )
    whole = alt.vconcat(first, second).resolve_scale(color="independent")
    Path(__file__).with_name("sequence.svg").write_text(vl_convert.vegalite_to_svg(whole.to_dict()))
