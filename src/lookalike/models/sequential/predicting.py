"""Which of the possible predictors of a column are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.models.mixed import Categories, Mixed
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps.collinear import screen
from lookalike.models.steps.information_matrix import mutual_information


@dataclass(frozen=True, slots=True)
class Predicting:
    """The predictors used, by column, and in words why others are not."""

    used: Mapping[str, tuple[str, ...]]
    why: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        usable: Mapping[str, Sequence[str]],
        inner: Mapping[str, Inner],
        units: Mapping[str, Unit],
        *,
        most: int,
        regressed: Callable[[str], bool],
    ) -> Predicting:
        """Constants tell nothing; of more than `most` those that tell most are taken; regressions drop copies too."""
        constant = {name for name, own in inner.items() if _constant(own)}
        used = {name: tuple(p for p in some if p not in constant) for name, some in usable.items()}
        why: dict[str, list[str]] = {name: ["one value in all records"] for name in sorted(constant)}
        for name, left_out in _beyond(used, inner, most).items():
            used[name] = tuple(p for p in used[name] if p not in left_out)
            why.setdefault(name, []).append(f"{len(left_out)} columns that tell less of it are not used")
        for name in used:
            if used[name] and regressed(name):
                used[name], reasons = _screened(name, used[name], inner, units)
                why.setdefault(name, []).extend(reasons)
        return cls(used, {name: tuple(reasons) for name, reasons in why.items() if reasons})


def _beyond(used: Mapping[str, Sequence[str]], inner: Mapping[str, Inner], most: int) -> dict[str, set[str]]:
    """By column, the predictors beyond the strongest."""
    many = [name for name, some in used.items() if len(some) > most]
    if not many:
        return {}
    place = {name: j for j, name in enumerate(inner)}
    told = mutual_information(Mixed(tuple(own.what for own in inner.values())))
    found = {}
    for name in many:
        strength = told[place[name], [place[p] for p in used[name]]]
        weakest = np.argsort(-strength, kind="stable")[most:]
        found[name] = {used[name][j] for j in weakest}
    return found


def _screened(
    name: str, used: Sequence[str], inner: Mapping[str, Inner], units: Mapping[str, Unit]
) -> tuple[tuple[str, ...], list[str]]:
    """Without copies of the column and combinations of other predictors."""
    rows = np.flatnonzero(inner[name].there)
    if not len(rows):
        return tuple(used), []
    cells = [(p, column) for p in used for column in units[p].predictors(inner[p])]
    table = Mixed(tuple(column for _, column in cells)).take(rows)
    found = screen(inner[name].what.take(rows), table)
    # A category stays though one of its levels follows from other columns: the ridge of the regression copes with that.
    kept = {cells[j][0] for j in found.kept} | {p for p, column in cells if isinstance(column, Categories)}
    gone = [p for p in used if p not in kept]
    said = [f"'{p}' says the same as the column, or as other predictors together" for p in gone]
    return tuple(p for p in used if p in kept), said


def _constant(own: Inner) -> bool:
    """Whether all cells are the same."""
    codes = [] if own.which is None else [own.which.codes]
    codes.append(own.what.codes if isinstance(own.what, Categories) else np.nan_to_num(own.what.values, nan=0.0))
    return all(len(c) == 0 or bool((c == c[0]).all()) for c in codes)
