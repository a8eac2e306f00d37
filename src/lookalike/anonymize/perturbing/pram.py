"""PRAM, the post-randomization method: each category becomes another one with known chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.kept_form import cells_of
from lookalike.anonymize.columns.suited import is_category_column, not_there, suited
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.transitions import Moved, Strata, drawn_by, exchanged, invariant, redrawn
from lookalike.classes import encode, group
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import BadPlan

Matrix = tuple[tuple[float, ...], ...]

SHOWN = 50
"""The most levels of a column whose matrix is told."""
MOST = 20_000_000
"""The most cells of the matrices of all strata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pram:
    """Each category stays with a chance of at least `keep`; else another one is drawn.

    `invariant`: by the shares of the column, so that each category is expected as often as before; else all others with
    equal chance. `matrix` gives the chances of some columns instead: a row for each level, in the order of the levels;
    with `invariant` it is made so. `within` names columns: a category is exchanged only among records equal on them
    (but by a matrix that is not made invariant: as it says).

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"sex": ["F", "M", None, "F", "M", "M"]}))
    >>> pram = Pram(columns=("sex",), keep=0.5)
    >>> pram.change(Asked(file=file, rng=np.random.default_rng(3))).columns["sex"].to_list()
    ['F', 'M', None, 'M', 'M', 'M']
    """

    name: ClassVar[str] = "pram"
    columns: tuple[str, ...] = ()
    keep: float = 0.8
    invariant: bool = True
    matrix: Mapping[str, Matrix] = field(default_factory=dict)
    within: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        faults = [] if 0 < self.keep < 1 else [f"pram: keep must lie in (0, 1), not {self.keep:g}."]
        named = (*self.columns, *self.matrix)
        faults += [f"pram: '{n}' cannot be changed within itself." for n in dict.fromkeys(self.within) if n in named]
        if self.columns:
            idle = [n for n in self.matrix if n not in self.columns]
            faults += [f"pram: '{n}' has a matrix, but is not among the columns." for n in idle]
        return [*faults, *(_bad(name, rows) for name, rows in self.matrix.items() if _bad(name, rows))]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        wanted = self.columns or tuple(self.matrix)
        names, faults = suited(asked.file, wanted, self._suits, "categories")
        faults = [*self.faults(), *faults, *not_there(asked.file, self.within)]
        if faults:
            raise BadPlan(faults)
        axes = {name: axis_of(asked.file, name) for name in names}
        labels = self._labels(asked)
        strata = {name: _strata(axis, labels) for name, axis in axes.items()}
        self._check(axes, strata)
        made: dict[str, pl.Series] = {}
        told: dict[str, dict[str, Any]] = {}
        for name, axis in axes.items():
            moved = self._moved(name, strata[name], asked)
            whole = axis.codes.copy()
            whole[whole >= 0] = moved.codes
            made[name] = cells_of(axis, whole)
            told[name] = _told(strata[name], moved)
        return Changed(
            columns=made,
            perturbed=frozenset(made),
            caveats=tuple(self._caveats(told)),
            figures=_figures(told),
            details={"columns": told},
        )

    def _suits(self, file: Microdata, name: str) -> bool:
        """Categories; unless columns are named, those that it stays within are left out."""
        return is_category_column(file, name) and (name not in self.within or bool(self.columns or self.matrix))

    def _labels(self, asked: Asked) -> NDArray[np.int32]:
        """The stratum of each record."""
        if not self.within:
            return np.zeros(asked.file.records, np.int32)
        frame = records(asked.file.table, list(self.within))
        return group([encode(frame[name]) for name in self.within])

    def _check(self, axes: Mapping[str, Axis], strata: Mapping[str, Strata]) -> None:
        faults = []
        for name, rows in self.matrix.items():
            levels = len(axes[name].values)
            if len(rows) != levels:
                faults.append(f"pram: the matrix of '{name}' has {len(rows)} rows; the column has {levels} levels.")
            elif len(np.unique(strata[name].stratum)) * levels**2 > MOST:
                faults.append(f"pram: '{name}' has too many levels and strata for a matrix in each. Leave columns out.")
        if faults:
            raise BadPlan(faults)

    def _moved(self, name: str, strata: Strata, asked: Asked) -> Moved:
        t, one = strata.share, len(strata.share) <= SHOWN
        if name in self.matrix:
            return self._by_matrix(np.array(self.matrix[name], np.float64), strata, asked)
        if self.invariant:
            codes, stays = redrawn(strata, self.keep, rng=asked.rng), self.keep + (1 - self.keep) * t
            return Moved(codes, stays, t, self.keep * np.eye(len(t)) + (1 - self.keep) * t if one else None)
        others, stays = np.maximum(strata.kinds - 1, 1), np.where(strata.kinds > 1, self.keep, 1.0)
        chances = np.where(np.eye(len(t), dtype=bool), stays, (1 - self.keep) / others) if one else None
        seen = stays * t + (1 - stays) / others * (1 - t)
        return Moved(exchanged(strata, self.keep, rng=asked.rng), stays, seen, chances)

    def _by_matrix(self, matrix: NDArray[np.float64], strata: Strata, asked: Asked) -> Moved:
        codes, chances = strata.codes.copy(), matrix
        stays, seen = np.empty(len(strata.size)), np.empty(len(strata.size))
        for entries, rows in strata.parts():
            levels = strata.level[entries]
            t = np.zeros(len(matrix))
            t[levels] = strata.share[entries]
            chances = invariant(matrix, t) if self.invariant else matrix
            codes[rows] = drawn_by(chances, strata.codes[rows], rng=asked.rng)
            stays[entries], seen[entries] = np.diag(chances)[levels], (t @ chances)[levels]
        return Moved(codes, stays, seen, chances)

    def _caveats(self, told: Mapping[str, Mapping[str, Any]]) -> list[str]:
        said = []
        for name, facts in told.items():
            if facts["levels"] < 2:
                said.append(f"'{name}': it has no two categories, so nothing was changed.")
                continue
            said.append(
                f"'{name}': a released category is the true one with a chance of {facts['right_least']:.2f} to "
                f"{facts['right_most']:.2f}, {facts['right']:.2f} over all records (Bayes' formula); "
                f"{facts['unchanged']:.1%} of the records are unchanged."
            )
        changed = [facts for facts in told.values() if facts["levels"] > 1]
        if len(changed) > 1:
            all_true = float(np.prod([facts["right"] for facts in changed]))
            said.append(f"All {len(changed)} columns of a record are true with a chance of about {all_true:.2f}.")
        if changed and not self.within:
            said.append("Columns are changed one by one: combinations may come out that nobody has (see within).")
        return said


def _bad(name: str, rows: Any) -> str:
    try:
        matrix = np.array(rows, np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    square = matrix.ndim == 2 and len(matrix) == matrix.shape[1]
    if square and (matrix >= 0).all() and np.allclose(matrix.sum(axis=1), 1.0, atol=1e-9):
        return ""
    return f"pram: the matrix of '{name}' must be square, of chances from 0 to 1, and each row must add up to 1."


def _strata(axis: Axis, labels: NDArray[np.int32]) -> Strata:
    known = axis.codes >= 0
    return Strata(axis.codes[known], labels[known], max(len(axis.values), 1))


def _told(strata: Strata, moved: Moved) -> dict[str, Any]:
    """Shares and numbers; levels go by their number, in their order.

    By Bayes' formula P(true k | released k) = p_kk t_k / Σ_j p_jk t_j; over all records that is Σ_k p_kk t_k.
    """
    levels, many = len(np.unique(strata.level)), len(np.unique(strata.stratum))
    told: dict[str, Any] = {"levels": levels, "strata": many}
    if not levels:
        return told
    # A level that is never released, by a matrix that has it so, gives nobody away.
    right = moved.stays * strata.share / np.where(moved.seen > 0, moved.seen, 1.0)
    told |= {
        "right": float(moved.stays @ strata.size / strata.size.sum()),
        "right_least": float(right.min()),
        "right_most": float(right.max()),
        "unchanged": float((moved.codes == strata.codes).mean()),
    }
    if moved.chances is not None and many == 1 and levels <= SHOWN:
        told["matrix"] = np.round(moved.chances, 9).tolist()
    return told


def _figures(told: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    changed = [facts for facts in told.values() if facts["levels"] > 1]
    if not changed:
        return {}
    return {
        "unchanged": max(facts["unchanged"] for facts in changed),
        "right_most": max(facts["right_most"] for facts in changed),
    }
