"""Propensity scores: how well a model tells the records of a release from those of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.data import Variable
from lookalike.errors import BadPlan, unknown
from lookalike.utility.origin import How, Origin
from lookalike.utility.propensity_models import Logistic, Ready, ReadyLogistic, Teller
from lookalike.utility.propensity_null import (
    NO_NULL,
    Against,
    all_shuffled,
    chi_square,
    shrinks,
    unexpected,
    with_ceilings,
)
from lookalike.utility.propensity_scores import Apart, Floats, Labels, apart
from lookalike.utility.stacked import Stacked, stack

BELOW_HALF = (
    "With folds a release drawn from a law fitted to the whole file is guessed worse than by chance: what is held out"
    " of the file is missing in the rest. Only pMSE has an expectation."
)

CEILING = (
    "The expectation is that of a law which follows the file in all that the model sees. A smooth law does not, and may"
    " come up to the ceiling and be right."
)

FEW = 10
"""Records a coefficient below which the χ² law is a rough one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """How far a model tells release and original apart, and how far it would if the release were drawn rightly."""

    model: str
    origin: Origin
    sizes: tuple[int, int]
    """Records of the original and of the release."""
    pmse: Against
    specks: Against
    po50: Against
    auc: Against
    u: float
    free: int | None
    """Coefficients that can tell the files apart; None unless a logistic regression."""
    null: str
    """How the expectations were found: χ², shuffled labels, or none."""
    folds: int
    """Parts of which each was scored by a model learned from the others; 0 if all were scored by one model."""
    caveats: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """pMSE/(c(1 − c)): 0 if nothing tells the files apart, 1 if every record is told for certain."""
        n1, n2 = self.sizes
        return self.pmse.value * (n1 + n2) ** 2 / (n1 * n2)


def propensity(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    rng: Generator,
    model: Teller | None = None,
    origin: Origin | None = None,
    columns: Sequence[str] | None = None,
    variables: Sequence[Variable] = (),
    folds: int = 0,
    permutations: int | None = None,
) -> Propensity:
    """Fit a model that tells the files apart, score every record, and compare with what chance alone would give.

    A logistic regression has a χ² law; for other models, and if `permutations` are asked for, labels are shuffled. In a
    release whose rows stay linked to the file's, labels are exchanged within linked pairs. With `folds` each part of
    the records is scored by a model learned from the others.

    >>> file = pl.DataFrame({"sex": ["F", "M"] * 50})
    >>> found = propensity(file, pl.DataFrame({"sex": ["F"] * 60 + ["M"] * 40}), rng=np.random.default_rng(1))
    >>> round(found.pmse.value, 6), round(found.pmse.ratio, 3), found.free         # c (1 − c)² VW/N, VW = 2.02
    (0.002525, 4.04, 1)
    """
    model, origin = model or Logistic(), origin or Origin()
    stacked = stack([original, release], columns, variables=variables)
    _check(stacked, original.columns, origin, folds, permutations)
    run = _Run(stacked, model.ready(stacked), origin, folds, rng)
    found = run.measured(stacked.member(1))
    told = run.ready.caveats()
    free = run.ready.free(origin.drawn) if isinstance(run.ready, ReadyLogistic) else None
    times = permutations if permutations is not None else (0 if free is not None and not folds else model.permutations)
    against, null, words = _against(run, found, free, times)
    return Propensity(
        model=model.name,
        origin=origin,
        sizes=(stacked.sizes[0], stacked.sizes[1]),
        **against,
        u=found.u,
        free=free,
        null=null,
        folds=folds,
        caveats=(*told, *words, *_caveats(free, stacked.records, origin)),
    )


def _check(stacked: Stacked, columns: Sequence[str], origin: Origin, folds: int, permutations: int | None) -> None:
    faults = [
        unknown("Drawn column", name, columns, where="in the original", listed="Columns")
        for name in origin.drawn
        if name not in columns
    ]
    if origin.how is How.PARTIAL and not origin.drawn:
        faults.append("A partial release needs the names of the columns that were drawn.")
    if origin.how is How.PARTIAL and stacked.sizes[0] != stacked.sizes[1]:
        faults.append(
            f"Rows of a {origin.how.value} release are those of the file, but there are"
            f" {stacked.sizes[1]:,} and {stacked.sizes[0]:,}."
        )
    if folds < 0 or folds == 1 or folds > min(stacked.sizes):
        faults.append("Folds are 0, or at least 2 and no more than the records of each file.")
    if permutations is not None and permutations < 0:
        faults.append("Permutations cannot be fewer than 0.")
    if faults:
        raise BadPlan(faults)


@dataclass(frozen=True, slots=True)
class _Run:
    """A model on stacked files, scored with one labelling or another."""

    stacked: Stacked
    ready: Ready
    origin: Origin
    folds: int
    rng: Generator

    def measured(self, drawn: Labels) -> Apart:
        return apart(self._scores(drawn), drawn)

    def _scores(self, drawn: Labels) -> Floats:
        if not self.folds:
            return self.ready.scores(drawn, None, rng=self.rng)
        part = self._parts(drawn)
        found = np.empty(len(drawn))
        for fold in range(self.folds):
            found[part == fold] = self.ready.scores(drawn, part != fold, rng=self.rng)[part == fold]
        return found

    @property
    def _linked(self) -> bool:
        """Whether rows stand beside rows; a changed file may lack some."""
        return self.origin.linked and self.stacked.sizes[0] == self.stacked.sizes[1]

    def _parts(self, drawn: Labels) -> NDArray[np.int64]:
        """Both labels spread evenly over the parts; linked rows in the same one."""
        if self._linked:
            return np.tile(self.rng.permutation(np.arange(self.stacked.sizes[0]) % self.folds), 2)
        part = np.empty(len(drawn), np.int64)
        for label in (False, True):
            rows = np.flatnonzero(drawn == label)
            part[rows] = self.rng.permutation(np.arange(len(rows)) % self.folds)
        return part

    def shuffled(self) -> Apart:
        """The measures with labels that say nothing."""
        drawn = self.stacked.member(1)
        if self._linked:
            swapped = self.rng.random(self.stacked.sizes[0]) < 0.5
            return self.measured(np.concatenate([swapped, ~swapped]))
        return self.measured(self.rng.permutation(drawn))


def _against(run: _Run, found: Apart, free: int | None, times: int) -> tuple[dict[str, Against], str, tuple[str, ...]]:
    """The measures with expectations, how these were found, and what is to be said of them."""
    alone, null = unexpected(found), "none"
    told: tuple[str, ...] = ()
    n1, n2 = run.stacked.sizes
    shrink = shrinks(run.origin, n1, n2, run.folds)
    if shrink is None:
        return alone, null, (NO_NULL[run.origin.how],)
    if times:
        shuffles = all_shuffled(found, [run.shuffled() for _ in range(times)], shrink)
        if free is None and shrink < 1:
            shuffles, told = with_ceilings(shuffles, shrink), (CEILING,)
        null = f"{times} shuffles of the labels"
        if run.folds and shrink < 1:
            alone["pmse"], told = shuffles["pmse"], (*told, BELOW_HALF)
        else:
            alone = shuffles
    if free is not None and not run.folds:
        alone["pmse"] = chi_square(found.pmse, free, n1, n2, shrink)
        null = "χ²" if not times else f"χ² for pMSE, {null} for the others"
    return alone, null, told


def _caveats(free: int | None, records: int, origin: Origin) -> tuple[str, ...]:
    found = []
    if free == 0:
        found.append("No column that could tell the files apart varies.")
    if free and records < FEW * free and origin.how not in NO_NULL:
        found.append(f"{free} coefficients on {records:,} records: the expectation is a rough one.")
    return tuple(found)
