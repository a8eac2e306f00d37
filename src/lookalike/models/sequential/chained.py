"""Cells that are not known, filled so that other columns can be learned from their records."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.sequential.unit import Inner, Unit
from lookalike.models.steps import Cart

ROUNDS = 3
"""How often each column is drawn anew given the others."""
MOST = 15
"""Other columns a tree may split on, spread over all, where they are many."""


def filled(cells: Mapping[str, Inner], units: Mapping[str, Unit], *, rng: Generator) -> dict[str, Inner]:
    """The cells with unknown ones drawn by trees given the other columns, round after round (chained equations).

    A response is never fitted on filled cells: they serve as predictors.
    """
    found = dict(cells)
    open_ = {name: np.flatnonzero(~own.known) for name, own in cells.items() if not own.known.all()}
    for name, rows in open_.items():
        found[name] = _put(found[name], found[name].take(_picked(cells[name], len(rows), rng)), rows)
    for _ in range(ROUNDS if open_ else 0):
        for name, rows in open_.items():
            if cells[name].which is not None:
                continue
            others = [n for n in units if n != name][:: max(1, (len(units) - 1) // MOST)]
            table = Mixed(tuple(c for n in others for c in units[n].predictors(found[n])))
            known = np.flatnonzero(cells[name].known)
            step = Cart().fit(cells[name].what.take(known), _wide(table, known), rng=rng, threads=1)
            found[name] = _put(found[name], Inner(step.draw(_wide(table, rows), rng=rng, threads=1)), rows)
    return found


def _picked(own: Inner, n: int, rng: Generator) -> NDArray[np.int64]:
    return np.asarray(rng.choice(np.flatnonzero(own.known), n), np.int64)


def _put(old: Inner, new: Inner, rows: NDArray[np.int64]) -> Inner:
    if old.which is not None and new.which is not None:
        codes = old.which.codes.copy()
        codes[rows] = new.which.codes
        old = Inner(old.what, Categories(codes, old.which.levels))
    if isinstance(old.what, Numbers) and isinstance(new.what, Numbers):
        values = old.what.values.copy()
        values[rows] = new.what.values
        return Inner(Numbers(values), old.which)
    assert isinstance(old.what, Categories)
    assert isinstance(new.what, Categories)
    codes = old.what.codes.copy()
    codes[rows] = new.what.codes
    return Inner(Categories(codes, old.what.levels, old.what.ordered), old.which)


def _wide(table: Mixed, rows: NDArray[np.int64]) -> Mixed:
    return table.take(rows) if table.columns else Mixed((Categories(np.zeros(len(rows), np.int32), 1),))
