"""In which order columns are drawn, and which may predict which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan, unknown


@dataclass(frozen=True, slots=True)
class Visits:
    """The order of the columns, the predictors that were asked for, and those that can be used.

    >>> asked = {"a": ("b", "c"), "b": ("c",), "c": ()}
    >>> found = Visits.of(("a", "b", "c"), order=("b", "c", "a"), predictors=asked, drop_later=True)
    >>> found.order, found.usable["b"], found.usable["a"]
    (('b', 'c', 'a'), (), ('b', 'c'))
    """

    order: tuple[str, ...]
    asked: Mapping[str, tuple[str, ...]]
    usable: Mapping[str, tuple[str, ...]]
    """Of those asked for, the ones drawn before."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        predictors: Mapping[str, Sequence[str]],
        given: Sequence[str] = (),
        drop_later: bool = False,
    ) -> Visits:
        """Given columns first, then the order asked for, then the rest.

        Without an order, predictors come before what they predict. A predictor drawn later is refused, or dropped.
        """
        _check_names(names, order, predictors)
        rest = [name for name in names if name not in given]
        if order:
            ordered = list(dict.fromkeys([*given, *(name for name in order if name in rest), *rest]))
        else:
            ordered = [*given, *_after_predictors(rest, predictors)]
        earlier = {name: tuple(ordered[:i]) for i, name in enumerate(ordered)}
        asked = {name: tuple(predictors[name]) if name in predictors else earlier[name] for name in ordered}
        wanted = {name: set(some) for name, some in asked.items()}
        usable = {name: tuple(p for p in earlier[name] if p in wanted[name]) for name in ordered}
        if not drop_later:
            _refuse_later(asked, usable)
        return cls(tuple(ordered), asked, usable)


def matrix(names: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> NDArray[np.int64]:
    """The predictor matrix: 1 in row i and column j if column j predicts column i (thesis, section 4.1)."""
    place = {name: j for j, name in enumerate(names)}
    found = np.zeros((len(names), len(names)), np.int64)
    for name in names:
        found[place[name], [place[other] for other in predictors[name]]] = 1
    return found


def _check_names(names: Sequence[str], order: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> None:
    used = {"order": order, "predictors": [*predictors, *(p for ps in predictors.values() for p in ps)]}
    faults = [
        f"In {where}: " + unknown("column", name, names, where="among those modelled", listed="Columns")
        for where, some in used.items()
        for name in dict.fromkeys(some)
        if name not in names
    ]
    faults += [f"In order: column '{n}' stands twice." for n in dict.fromkeys(order) if list(order).count(n) > 1]
    faults += [f"Column '{name}' is asked to predict itself." for name, ps in predictors.items() if name in ps]
    if faults:
        raise BadPlan(faults)


def _after_predictors(names: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns in their order, each moved behind the predictors named for it."""
    left, done = list(names), list[str]()
    while left:
        ready = next((n for n in left if not any(p in left for p in predictors.get(n, ()))), None)
        if ready is None:
            cycle = ", ".join(f"'{name}'" for name in left if name in predictors)
            raise BadPlan(f"{cycle} are predictors of each other in a circle: none of them can be drawn first.")
        done.append(ready)
        left.remove(ready)
    return done


def _refuse_later(asked: Mapping[str, Sequence[str]], usable: Mapping[str, Sequence[str]]) -> None:
    faults = [
        f"'{p}' is named as a predictor of '{name}' but is drawn later. Change the order, or take drop_later = true to "
        "go on without it."
        for name, predictors in asked.items()
        for p in sorted(set(predictors) - set(usable[name]))
    ]
    if faults:
        raise BadPlan(faults)
