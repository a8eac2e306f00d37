"""Parts that charts of a release share: axes and legends in the size that a phone can show, names in two lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

WIDTH, NAMES = 200, 110
"""Pixels of the plot and of the names beside it: 340 in all, which the page scales."""
_FONT = 10
_LINE = 21
"""Letters of a line of a name."""
_BREAK = "\n"


def axis(**options: Any) -> alt.Axis:
    """An axis in small letters."""
    import altair as alt

    return alt.Axis(**{"labelFontSize": 9, "titleFontSize": _FONT, "titleLimit": 240, **options})


def legend(**options: Any) -> alt.Legend:
    """A legend in small letters above the plot."""
    import altair as alt

    return alt.Legend(**{"orient": "top", "title": None, "labelFontSize": _FONT, "symbolSize": 60, **options})


def named(field: str, order: Sequence[str], *, limit: int = NAMES) -> alt.Y:
    """Rows by name, in this order; names that `folded` broke stand in two lines."""
    import altair as alt

    words = axis(labelFontSize=_FONT, labelLimit=limit, minExtent=limit, labelExpr=r"split(datum.label, '\n')")
    return alt.Y(f"{field}:N", sort=list(order), title=None, axis=words)


def folded(name: str) -> str:
    """A name of ours in two lines, broken at the space nearest its middle, if one line is too short for it.

    >>> folded("unique records"), folded("risk 1/f of the most exposed record")
    ('unique records', 'risk 1/f of the\\nmost exposed record')
    """
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    if len(name) <= _LINE or not spaces:
        return name
    at = min(spaces, key=lambda place: abs(place - len(name) // 2))
    return f"{name[:at]}{_BREAK}{name[at + 1 :]}"
