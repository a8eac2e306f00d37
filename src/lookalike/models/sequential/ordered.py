"""An order of columns found from the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lookalike.models.mixed import Mixed
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps.ordering import order_by_detail, order_by_information, order_by_regression

ORDERINGS = ("file", "regression", "information", "detail")


@dataclass(frozen=True, slots=True)
class Found:
    """The order, the figures behind it (one a column, in that order) and a sentence."""

    order: tuple[str, ...] = ()
    figures: Mapping[str, list[float]] = field(default_factory=dict)
    said: str = ""


def order_of(way: str, inner: Mapping[str, Inner], units: Mapping[str, Unit]) -> Found:
    """By algorithm 1 of the thesis ("regression"), by what columns tell of each other, or from coarse to detailed."""
    names = list(inner)
    if way == "regression":
        order = order_by_regression(Mixed(tuple(units[name].predictors(inner[name])[-1] for name in names)))
    else:
        found = order_by_information if way == "information" else order_by_detail
        order = found(Mixed(tuple(inner[name].what for name in names)))
    said = re.sub(r"column (\d+)", lambda at: names[int(at[1]) - 1], order.sentence)
    return Found(
        tuple(names[j] for j in order.columns), {k: list(map(float, v)) for k, v in order.figures.items()}, said
    )
