"""Noise: a random number of known size is added to each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, inf, isfinite
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl

from lookalike.anonymize.columns.kept_form import Floats, decimals_of, in_form_of, numbers_of, too_large
from lookalike.anonymize.columns.nearest import SAMPLE, linked
from lookalike.anonymize.columns.suited import is_number_column, suited
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.noise_laws import INSIDE, alone, folded, spread_of, tied, with_moments_of
from lookalike.engine import records
from lookalike.errors import BadPlan

Law = Literal["gaussian", "laplace"]
Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Each value plus a random number whose standard deviation is a share of the column's.

    `correlated`: the noise of several columns is tied as they are, covariance = share² × theirs (Kim 1986).
    `keep_moments`: mean and standard deviation of each column stay as they are. `within`: values turn back at these
    ends; "range": at the column's lowest and highest. Whole numbers stay whole, decimals as many, missing missing.

    >>> import lookalike as la
    >>> file = la.read(pl.DataFrame({"income": [1240.5, 1250.0, 3999.9, None]}))
    >>> noise = Noise(columns=("income",), share=0.1)
    >>> noise.change(Asked(file=file, rng=np.random.default_rng(1))).columns["income"].to_list()
    [1295.5, 1380.7, 4052.5, None]
    """

    name: ClassVar[str] = "noise"
    columns: tuple[str, ...] = ()
    law: Law = "gaussian"
    share: float = 0.1
    correlated: bool = False
    keep_moments: bool = False
    within: Literal["range"] | tuple[float, float] | Mapping[str, tuple[float, float]] | None = None

    def faults(self) -> list[str]:
        """What is wrong with the settings by themselves."""
        faults = [] if self.law in get_args(Law) else [f"noise: law must be one of {', '.join(get_args(Law))}."]
        if not (isfinite(self.share) and self.share > 0):
            faults.append(f"noise: share must be a number above 0, not {self.share:g}.")
        if self.correlated and self.law == "laplace":
            faults.append("noise: correlated noise is gaussian. Choose that law, or noise for each column alone.")
        pairs = self.within.values() if isinstance(self.within, Mapping) else [self.within]
        bad = [pair for pair in pairs if pair is not None and pair != "range" and not _is_range(pair)]
        return [*faults, *(["noise: within must be two numbers, the lower one first, or 'range'."] if bad else [])]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        names, faults = suited(asked.file, self.columns, is_number_column, "numbers")
        faults = [*self.faults(), *faults]
        if isinstance(self.within, Mapping):
            idle = [name for name in self.within if name not in names]
            faults += [f"noise: '{name}' has ends (within), but gets no noise." for name in idle]
        if faults:
            raise BadPlan(faults)
        frame = records(asked.file.table, list(names))
        faults = too_large(frame)
        if faults:
            raise BadPlan(faults)
        table = np.column_stack([numbers_of(frame[name]) for name in names])
        ends = {name: self._ends(name, frame[name], table[:, j]) for j, name in enumerate(names)}
        self._check(table, ends)
        sizes = self.share * np.array([spread_of(column) for column in table.T])
        draw = partial(tied, table, sizes) if self.correlated else partial(alone, len(table), sizes, self.law)
        drawn = draw(rng=asked.rng)
        made = {
            name: self._noisy(frame[name], table[:, j], drawn[:, j], ends[name]) if sizes[j] > 0 else frame[name]
            for j, name in enumerate(names)
        }
        return self._changed(table, made, sizes, asked)

    def _ends(self, name: str, cells: pl.Series, numbers: Floats) -> Ends | None:
        """Between which numbers a column stays."""
        found = self.within.get(name) if isinstance(self.within, Mapping) else self.within
        if found == "range":
            finite = numbers[np.isfinite(numbers)]
            return (float(finite.min()), float(finite.max())) if len(finite) else None
        if found is None:
            return None
        low, high = float(found[0]), float(found[1])
        whole = cells.dtype.is_integer()
        return (ceil(low) if whole and low > -inf else low, floor(high) if whole and high < inf else high)

    def _check(self, table: Floats, ends: Mapping[str, Ends | None]) -> None:
        faults = []
        for (name, pair), numbers in zip(ends.items(), table.T, strict=True):
            outside = 0 if pair is None else int(((numbers < pair[0]) | (numbers > pair[1])).sum())
            if outside:
                faults.append(f"Column '{name}': {outside:,} values lie outside the ends given (within). Widen them.")
        whole = int(np.isfinite(table).all(axis=1).sum())
        if self.correlated and whole < 2:
            faults.append(f"Correlated noise needs 2 records with a value in every column; there are {whole}.")
        if faults:
            raise BadPlan(faults)

    def _noisy(self, cells: pl.Series, numbers: Floats, drawn: Floats, ends: Ends | None) -> pl.Series:
        made = np.where(np.isfinite(numbers), numbers + drawn, numbers)
        if self.keep_moments:
            made = with_moments_of(numbers, made)
        decimals = decimals_of(numbers)
        if ends is not None:
            made = np.where(np.isfinite(numbers), folded(made, *ends), numbers)
            made = np.clip(made if decimals is None else np.round(made, decimals), *ends)
        return in_form_of(cells, made, decimals)

    def _changed(self, table: Floats, made: Mapping[str, pl.Series], sizes: Floats, asked: Asked) -> Changed:
        after = np.column_stack([numbers_of(cells) for cells in made.values()])
        known = np.isfinite(table)
        same = ((after == table) & known).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        reach = {name: INSIDE[self.law] * float(size) for name, size in zip(made, sizes, strict=True)}
        own = linked(table, after, rng=asked.rng)
        return Changed(
            columns=made,
            perturbed=frozenset(made),
            caveats=(*self._caveats(reach, dict(zip(made, same, strict=True)), own),),
            figures={"linked": own} if own is not None else {},
            details={
                "columns": {
                    name: {"sd_of_noise": float(size), "within_95": reach[name], "unchanged": float(part)}
                    for name, size, part in zip(made, sizes, same, strict=True)
                }
            },
        )

    def _caveats(self, reach: Mapping[str, float], same: Mapping[str, Any], own: float | None) -> list[str]:
        still = [f"'{name}'" for name, size in reach.items() if not size]
        said = [f"{', '.join(still)}: fewer than two different values, so no noise was added."] if still else []
        moved = {name: size for name, size in reach.items() if size}
        if moved:
            listed = ", ".join(f"'{name}' ± {size:.3g}" for name, size in moved.items())
            said.append(f"In about 95 of 100 cases the true value lies within {listed} of the released one.")
        said += [
            f"'{name}': {same[name]:.0%} of the values are unchanged, as the noise was rounded away. Raise the share."
            for name in moved
            if same[name] > 0.1
        ]
        if own is not None:
            said.append(
                f"Who knows the true values of these columns and takes the nearest record is right for {own:.1%} of "
                f"records (by at most {SAMPLE:,} of them)."
            )
        return [*said, "This noise is not differential privacy: nothing is promised for a single record."]


def _is_range(pair: Any) -> bool:
    numbers = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    return numbers and all(isinstance(end, (int, float)) for end in pair) and pair[0] < pair[1]
