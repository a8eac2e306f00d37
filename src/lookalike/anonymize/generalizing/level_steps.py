"""What each level of a hierarchy does, as plain data: so many characters, intervals so wide, a number of groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from lookalike.data.cells import WILDCARD
from lookalike.data.hierarchy import (
    DateParts,
    Groups,
    Hierarchy,
    Intervals,
    Laid,
    OrderedGroups,
    Prefix,
    Rare,
    Table,
    TopBottom,
)
from lookalike.data.hierarchy.hierarchy import texts_of

Step = Mapping[str, Any]
REMOVED: Step = {"by": "removed"}
"""The level at which every cell is `*`."""


def level_steps(laid: Laid) -> list[Step]:
    """What level 1, 2, … of a hierarchy does; nothing of it is read off a column but whether it has named groups.

    >>> from lookalike.data.hierarchy import lay
    >>> level_steps(lay(Intervals(widths=(5, 10)), pl.Series([21, 30])))
    [{'by': 'intervals', 'width': 5}, {'by': 'intervals', 'width': 10}, {'by': 'removed'}]
    """
    hierarchy = laid.hierarchy
    steps = _steps(hierarchy, laid.values)
    return [*steps, *[REMOVED] * (hierarchy.levels - 1 - len(steps))]


def _steps(hierarchy: Hierarchy, values: pl.Series) -> list[Step]:
    """The levels below `*`."""
    match hierarchy:
        case Intervals():
            return [{"by": "intervals", "width": width} for width in hierarchy.widths]
        case TopBottom():
            return _ends(hierarchy)
        case DateParts():
            return [{"by": "part", "part": part} for part in hierarchy.parts]
        case Prefix():
            return [{"by": "prefix", "characters": kept} for kept in hierarchy.keep]
        case OrderedGroups():
            return [{"by": "neighbours", "size": size} for size in hierarchy.sizes]
        case Rare():
            return [{"by": "rare", "fewer_than": limit} for limit in hierarchy.at_least]
        case Groups() | Table():
            return _named(hierarchy, values)
        case _:
            return [{"by": "level"}] * (hierarchy.levels - 1)


def _ends(hierarchy: TopBottom) -> list[Step]:
    """Of a level beyond the last end, the last."""
    sides = {"bottom": hierarchy.bottom, "top": hierarchy.top}
    return [
        {"by": "ends", **{side: ends[min(place, len(ends) - 1)] for side, ends in sides.items() if ends}}
        for place in range(max(map(len, sides.values())))
    ]


def _named(hierarchy: Groups | Table, values: pl.Series) -> list[Step]:
    """How many groups a level has by the hierarchy, not by the file, and the name of the largest."""
    leaves = hierarchy.leaves(values)
    known = set(texts_of(leaves).to_list())
    levels = hierarchy.cells(leaves)
    levels = levels[:-1] if isinstance(hierarchy, Groups) and hierarchy.everything else levels
    return [_groups(level.drop_nulls().to_list(), known) for level in levels]


def _groups(cells: list[str], values: set[str]) -> Step:
    """A group that is called like a value is no example: nobody could tell the two apart."""
    counted = Counter(cells)
    if set(counted) <= {WILDCARD}:
        return REMOVED
    example = next((name for name, of in counted.most_common() if of > 1 and name not in values), None)
    return {"by": "groups", "groups": len(counted)} | ({} if example is None else {"example": example})
