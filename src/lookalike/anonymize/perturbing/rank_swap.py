"""Rank swapping: each value changes places with one that is near it in the order of the column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.columns.coded import Axis, axis_of
from lookalike.anonymize.columns.kept_form import cells_of
from lookalike.anonymize.columns.suited import is_ordered_column, suited
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.rank_windows import TRIED, Swapped, candidates
from lookalike.errors import BadPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSwap:
    """Each value is swapped with one whose rank differs by at most `within` of the records, each column by itself.

    The values of a column are all still there, as often as before. Records with equal values stand in random order;
    missing values stay where they are.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"age": [20, 30, 40, 50, 60, None]}))
    >>> swap = RankSwap(columns=("age",), within=0.4)
    >>> swap.change(Asked(file=file, rng=np.random.default_rng(1))).columns["age"].to_list()
    [40, 50, 20, 30, 60, None]
    """

    name: ClassVar[str] = "rank-swap"
    columns: tuple[str, ...] = ()
    within: float = 0.05

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        return [] if 0 < self.within <= 1 else [f"rank-swap: within must lie in (0, 1], not {self.within:g}."]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        names, faults = suited(asked.file, self.columns, is_ordered_column, "values in an order")
        faults = [*self.faults(), *faults]
        if faults:
            raise BadPlan(faults)
        made, swaps = {}, {}
        for name in names:
            axis = axis_of(asked.file, name)
            swap = self._swapped(axis, rng=asked.rng)
            made[name], swaps[name] = cells_of(axis, swap.after), swap
        return self._changed(made, swaps, asked)

    def _swapped(self, axis: Axis, *, rng: Generator) -> Swapped:
        from lookalike.anonymize.perturbing._rank_swap import partners

        known = rng.permutation(np.flatnonzero(axis.codes >= 0))
        order = known[np.argsort(axis.codes[known], kind="stable")]
        width = max(1, int(self.within * len(order)))
        after = axis.codes.copy()
        after[order] = axis.codes[order[partners(len(order), width, rng)]]
        return Swapped(axis.codes, after, width)

    def _changed(self, made: dict[str, pl.Series], swaps: dict[str, Swapped], asked: Asked) -> Changed:
        found = candidates(list(swaps.values()), rng=asked.rng)
        same = {name: swap.unchanged for name, swap in swaps.items()}
        figures = {"unchanged": max(same.values())}
        if found is not None:
            figures |= {
                "candidates_in_the_middle": float(np.median(found)),
                "found_alone": float((found == 1).mean()),
            }
        return Changed(
            columns=made,
            perturbed=frozenset(made),
            caveats=tuple(self._caveats(swaps, found)),
            figures=figures,
            details={"columns": {n: {"ranks": s.width, "unchanged": same[n]} for n, s in swaps.items()}},
        )

    def _caveats(self, swaps: dict[str, Swapped], found: NDArray[np.int64] | None) -> list[str]:
        said = [
            f"'{name}': the true value lies within {swap.width:,} ranks of the released one; {swap.unchanged:.1%} of "
            "the values are unchanged."
            for name, swap in swaps.items()
        ]
        if found is not None:
            said.append(
                f"Who knows a person's true values in the columns swapped, and how far values may move, is left with "
                f"{np.median(found):,.0f} records in the middle case, and with one, the right one, in "
                f"{(found == 1).mean():.1%} of cases (by at most {TRIED} persons)."
            )
        if len(swaps) > 1:
            said.append("Each column was swapped by itself: ties between columns are weakened.")
        return said
