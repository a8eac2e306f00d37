"""The margins of all columns of a table, and what a user must know of them."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.models.grouped_table import GroupedTable
from lookalike.models.margin import InterpolatedMargin, Kind, LevelMargin, Margin, StepMargin
from lookalike.models.margin_parametric import ParametricMargin, parametric
from lookalike.models.normals import each

FAR = 0.05
"""The distance of a parametric margin from the file beyond which a caveat names it."""


def margins_of(grouped: GroupedTable, kind: Kind, *, threads: int | None = None) -> tuple[Margin, ...]:
    """One a column: shares of levels for categories; for numbers of the kind asked for."""
    found: dict[int, Margin] = {j: LevelMargin(shares, grouped.order[j]) for j, shares in grouped.levels.items()}

    def work(j: int) -> None:
        values, counts = grouped.distinct[j].values, grouped.distinct[j].counts
        if kind == "empirical" or len(values) == 1:
            found[j] = StepMargin(values, grouped.distinct[j].shares)
        elif kind == "interpolated":
            found[j] = InterpolatedMargin.of(values, counts)
        else:
            found[j] = parametric(values, counts)

    each(work, sorted(grouped.distinct), threads)
    return tuple(found[j] for j in range(len(found)))


def margin_caveats(margins: Sequence[Margin], kind: Kind) -> tuple[str, ...]:
    """No value of the file is told, only families and distances.

    >>> import numpy as np
    >>> margin_caveats([StepMargin(np.array([1.0, 2.0]), np.array([0.5, 0.5]))], "empirical")[0][:49]
    'Every number drawn is a number of the file: a val'
    """
    if all(isinstance(margin, LevelMargin) for margin in margins):
        return ()
    if kind == "empirical":
        return (
            "Every number drawn is a number of the file: a value only one person has is copied (empirical margins).",
        )
    if kind == "interpolated":
        return (
            "Numbers are drawn between neighbouring values of the file and never beyond its smallest and largest, "
            "which become nearly known; a value that several records share is drawn as it is (interpolated margins).",
        )
    return (
        "Numbers follow a family of laws with few parameters: spikes and gaps of the file are lost, and numbers beyond "
        "its range occur (parametric margins).",
        *_far(margins),
    )


def _far(margins: Sequence[Margin]) -> tuple[str, ...]:
    far = [
        f"column {j + 1}: {m.family}, {m.distance:.2f}"
        for j, m in enumerate(margins)
        if isinstance(m, ParametricMargin) and m.distance > FAR
    ]
    if not far:
        return ()
    shown = "; ".join(far[:10]) + (f"; and {len(far) - 10} more" if len(far) > 10 else "")
    return (f"No family is near the file in {len(far)} columns of numbers (Kolmogorov-Smirnov distance): {shown}.",)
