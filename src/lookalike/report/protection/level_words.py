"""The levels of hierarchies in words: "intervals of 10", "first 3 characters", "removed"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lookalike.report.html import Grid
from lookalike.report.protection import words

Step = Mapping[str, Any]
Details = Mapping[str, Any]
"""What a search tells: `levels`, `highest_levels`, `hierarchies`, and `level_steps` of evidence that has them."""


def step_words(step: Step) -> str:
    """What one level does to its column.

    >>> step_words({"by": "intervals", "width": 10.0}), step_words({"by": "prefix", "characters": 1})
    ('intervals of 10', 'first character')
    >>> step_words({"by": "ends", "bottom": 5, "top": 85}), step_words({"by": "groups", "groups": 4, "example": "Asia"})
    ('all below 5 as one, all from 85 on as one', '4 groups, such as Asia')
    >>> step_words({"by": "groups", "groups": 1}), step_words({"by": "ends", "bottom": 1950})
    ('1 group', 'all below 1950 as one')
    """
    told = {name: f"{value:.12g}" if isinstance(value, int | float) else value for name, value in step.items()}
    return ", ".join(words.STEPS[key].format(**told) for key in _keys(step))


def _keys(step: Step) -> Iterator[str]:
    """By which words a step is told."""
    by = step["by"]
    if by == "ends":
        yield from (side for side in ("bottom", "top") if side in step)
    elif by == "part":
        yield step["part"]
    elif by == "prefix" and step["characters"] == 1:
        yield "first"
    else:
        one = "one " if by == "groups" and step["groups"] == 1 else ""
        yield one + ("example" if by == "groups" and "example" in step else by)


def level_words(details: Details, name: str, level: int) -> str:
    """What a column is at a level; without the steps of its hierarchy, the level and the highest."""
    if not level:
        return words.AS_IT_IS
    steps: Sequence[Step] = details.get("level_steps", {}).get(name, ())
    return step_words(steps[level - 1]) if level <= len(steps) else words.STEPS["level"]


def raised(levels: Mapping[str, int]) -> str:
    """The columns of a version that are coarser than in the file, each with the number of its level.

    >>> raised({"age": 1, "sex": 0})
    'age 1'
    """
    return ", ".join(f"{name} {level}" for name, level in levels.items() if level) or words.FRONTIER_NONE


def levels_grid(details: Details) -> Grid:
    """The level that was chosen for each column."""
    rows = tuple(
        (
            name,
            level_words(details, name, level),
            details["hierarchies"][name],
            f"{level}",
            f"{details['highest_levels'][name]}",
        )
        for name, level in details["levels"].items()
    )
    return Grid(title=words.LEVELS_GRID, heads=words.LEVELS_HEADS, rows=rows, names=3)


def every_level(details: Details) -> Grid:
    """All levels of all columns: what another version can be asked for by."""
    rows = tuple(
        (name, f"{level}", level_words(details, name, level))
        for name, highest in details["highest_levels"].items()
        for level in range(highest + 1)
    )
    return Grid(title=words.EVERY_LEVEL, heads=words.EVERY_HEADS, rows=rows, names=3)


def examples(details: Details) -> Iterator[str]:
    """Names of groups that come from a hierarchy: no language changes them."""
    for steps in details.get("level_steps", {}).values():
        yield from (step["example"] for step in steps if "example" in step)
