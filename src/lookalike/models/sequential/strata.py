"""A model fitted apart in each stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Conditional, Mixed
from lookalike.models.sequential.asked import Asked, Named
from lookalike.models.sequential.law import together

FEW = 50
"""Records of a stratum below which it is told."""


class StratifiedLaw:
    """A law a stratum; the strata themselves are drawn as often as they occur."""

    def __init__(
        self, places: tuple[int, ...], combinations: NDArray[np.int32], shares: NDArray[np.float64], laws: list[Any]
    ) -> None:
        self._places, self._combinations, self._shares = places, combinations, shares
        self.laws: list[Conditional] = laws
        self._sizes: Sequence[int] = ()
        self._kinds = Mixed(())
        self._names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        model: Named,
        strata: Sequence[str],
        table: Mixed,
        asked: Asked,
        *,
        rng: Generator,
        threads: int | None = None,
    ) -> StratifiedLaw:
        """Fit the model to the records of each stratum."""
        places = tuple(j for j, name in enumerate(asked.names) if name in strata)
        codes = _codes(table, places, asked.names)
        found, stratum, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        inside = replace(asked, given=tuple(dict.fromkeys([*asked.given, *strata])))
        laws = [
            model.fit_named(table.take(np.flatnonzero(stratum.ravel() == s)), inside, rng=stream, threads=threads)
            for s, stream in enumerate(rng.spawn(len(found)))
        ]
        law = cls(places, found.astype(np.int32), sizes / sizes.sum(), laws)
        law._sizes, law._kinds, law._names = sizes.tolist(), table.empty(0), tuple(strata)
        return law

    @property
    def caveats(self) -> tuple[str, ...]:
        """Those of all strata, and how small they are."""
        small = sum(size < FEW for size in self._sizes)
        told = (f"{small} of {len(self._sizes)} strata have fewer than {FEW} records to learn from.",) if small else ()
        return tuple(dict.fromkeys([*(said for law in self.laws for said in law.caveats), *told]))

    @property
    def figures(self) -> Mapping[str, float]:
        """How many strata there are, the smallest, and of all laws the mean of what they tell, by records."""
        own = {"strata": float(len(self.laws)), "records of the smallest stratum": float(min(self._sizes))}
        told = [dict(getattr(law, "figures", {})) for law in self.laws]
        shared = [name for name in told[0] if all(name in one for one in told)]
        return {**own, **{name: float(np.average([one[name] for one in told], weights=self._sizes)) for name in shared}}

    @property
    def details(self) -> Mapping[str, Any]:
        """Order, methods and predictors of the first stratum; those of others may differ where a column is constant."""
        return {**getattr(self.laws[0], "details", {}), "strata": list(self._names), "told_of": "the first stratum"}

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records."""
        return self.complete(self._kinds.empty(n), rng=rng, threads=threads)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        """The unknown cells drawn by the law of the record's stratum; a stratum that is not known is drawn first."""
        first, *streams = rng.spawn(1 + len(self.laws))
        stratum = self._strata(table, first)
        rows = [np.flatnonzero(stratum == s) for s in range(len(self.laws))]
        parts = [
            law.complete(self._within(table, at, s), rng=stream, threads=threads)
            for s, (law, at, stream) in enumerate(zip(self.laws, rows, streams, strict=True))
            if len(at)
        ]
        back = np.argsort(np.concatenate(rows), kind="stable")
        return together(parts).take(back) if parts else table

    def _strata(self, table: Mixed, rng: Generator) -> NDArray[np.int64]:
        """The stratum of each record, in keeping with what is known of it."""
        known = np.column_stack([_category(table, j).codes for j in self._places])
        out = np.full(table.records, -1, np.int64)
        for pattern, at in _groups(known):
            fits = ((self._combinations == pattern) | (pattern < 0)).all(axis=1)
            if not fits.any():
                raise BadPlan("Given values name a stratum that the file does not have.")
            out[at] = rng.choice(len(fits), len(at), p=np.where(fits, self._shares, 0) / self._shares[fits].sum())
        return out

    def _within(self, table: Mixed, rows: NDArray[np.int64], stratum: int) -> Mixed:
        columns = list(table.take(rows).columns)
        for place, code in zip(self._places, self._combinations[stratum], strict=True):
            old = _category(table, place)
            columns[place] = Categories(np.full(len(rows), code, np.int32), old.levels, old.ordered)
        return Mixed(tuple(columns))


def _groups(known: NDArray[np.int32]) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(which.ravel() == i)) for i, pattern in enumerate(patterns)]


def _category(table: Mixed, place: int) -> Categories:
    column = table.columns[place]
    assert isinstance(column, Categories)
    return column


def _codes(table: Mixed, places: Sequence[int], names: Sequence[str]) -> NDArray[np.int32]:
    """The codes of the strata; numbers, and unknown cells, are refused."""
    faults = []
    for place in places:
        column = table.columns[place]
        if not isinstance(column, Categories):
            faults.append(f"Stratum '{names[place]}' holds numbers. Name categories.")
        elif not column.known.all():
            faults.append(
                f"Stratum '{names[place]}' has unknown cells; keep missing values as they are, or name another."
            )
    if faults:
        raise BadPlan(faults)
    return np.column_stack([_category(table, place).codes for place in places])
