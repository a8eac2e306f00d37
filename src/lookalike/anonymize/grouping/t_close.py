"""k-anonymity and t-closeness: groups take one record of each stretch of a confidential variable (Algorithm S4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.columns.chosen import chosen, given_up, partly, unknown_of
from lookalike.anonymize.columns.coded import axis_of
from lookalike.anonymize.columns.distance import squares_to
from lookalike.anonymize.columns.groups import Groups, common_range
from lookalike.anonymize.columns.ranked import Ranked
from lookalike.anonymize.grouping.clustering import unordered
from lookalike.anonymize.grouping.t_bound import Stretches, paper_bound, size_for
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import Kind, Microdata
from lookalike.errors import unknown

ABOVE = (
    "t is {t:.4g}, above {asked:.4g}. Equation 6 counts every record as a value of its own: with ties, or if the group "
    "size does not divide the number of records, t can be larger. With keep_t groups grow until t is kept."
)
ALONE = "t was looked at for '{name}' alone; {others} may still tell something about a group."
NO_ORDER = "'{name}' has no order of its own: t is that of the order of its texts. The total variation is {tv:.4g}."


@dataclass(frozen=True, slots=True, kw_only=True)
class TClose:
    """Groups of at least k records whose confidential values are spread as in the whole file, up to t.

    The group size is max(k, ⌈n/(2(n − 1)t + 1)⌉) (equation 8), then k + ⌊(n mod k)/⌊n/k⌋⌋. Records sorted by the
    confidential variable are cut into k stretches of ⌊n/k⌋ and one of the rest; inside each they are sorted by their
    distance to zero, as in `Microaggregation`; a group takes the first of each stretch that has one left, and is
    given its common ranges. Without `k` the size follows from t, without `t` from k. With `keep_t` groups grow until
    the t that is measured is kept; `remainder="spread"` gives groups of k + 1 stretches of their own. Source: seed 004,
    Algorithm S4, after Soria-Comas et al. (2015).

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61], "charge": [10, 400, 20, 300]})
    >>> file = la.read(table, quasi_identifiers=["age"], sensitive=["charge"])
    >>> made = TClose(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    >>> made.columns["age"].to_list(), round(made.figures["t"], 4)
    (['[30;31]', '[30;31]', '[60;61]', '[60;61]'], 0.1667)
    """

    name: ClassVar[str] = "t-close"
    k: int | None = None
    t: float | None = None
    confidential: str | None = None
    keep_t: bool = False
    remainder: Literal["last", "spread"] = "last"
    columns: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        faults = [] if self.k is None or self.k >= 2 else [f"k must be at least 2, not {self.k}."]
        if self.t is not None and not 0 < self.t <= 1:
            faults.append(f"t must lie in (0, 1], not {self.t:g}. Only the whole file as one group has a t of 0.")
        if self.k is None and self.t is None:
            faults.append("Neither k nor t is given. Give one of them, or both.")
        if self.remainder not in ("last", "spread"):
            faults.append("The remainder must be 'last' or 'spread'.")
        return faults

    def change(self, asked: Asked) -> Changed:
        """The columns as ranges of groups; `figures` tell the t that is measured, and the bounds."""
        file = asked.file
        names = chosen(file, self.columns, [*self.faults(), *self._faults_of(file)], k=self.k or 2)
        axes = [axis_of(file, name) for name in names]
        squares = squares_to(axes, [0.0] * len(axes))
        ranked = Ranked.of(axis_of(file, self._secret(file)))

        def t_at(size: int) -> float:
            return ranked.t(taken_in_turn(ranked.order, squares, self._cut(file.records, size)))

        size = self._size(file.records)
        if self.keep_t:
            size = smallest(size, file.records, lambda k: t_at(k) <= self._wanted(file.records))
        cut = self._cut(file.records, size)
        groups = taken_in_turn(ranked.order, squares, cut)
        figures = {"groups": len(groups.starts), "group size": cut.k, **ranked.figures(groups, cut)}
        columns = {axis.name: common_range(axis, groups) for axis in axes}
        caveats = (*self._caveats(file, ranked, groups, figures["t"]), *partly(file, names), *unordered(axes))
        return Changed(columns=columns, caveats=(*caveats, *given_up(asked, columns)), figures=figures)

    def _faults_of(self, file: Microdata) -> list[str]:
        name, known = self.confidential, file.sensitive
        if name is None and len(known) != 1:
            said = f"The file has {len(known)} sensitive variables" if known else "The file has no sensitive variable"
            return [f"{said}: name the confidential one (confidential)."]
        if name is not None and unknown_of(file, [name]):
            return [unknown("Column", name, file.columns, where="in the data", listed="Columns")]
        if self._secret(file) in (self.columns or file.quasi_identifiers):
            return [f"Column '{self._secret(file)}' cannot be both confidential and changed. Choose one."]
        return []

    def _secret(self, file: Microdata) -> str:
        return self.confidential or file.sensitive[0]

    def _size(self, n: int) -> int:
        """Equation 8; a group has at least two records."""
        from_t = 2 if self.t is None else size_for(n, self.t)
        return min(max(self.k or 2, from_t, 2), n)

    def _cut(self, n: int, size: int) -> Stretches:
        return Stretches.of(n, size, spread=self.remainder == "spread")

    def _wanted(self, n: int) -> float:
        return self.t if self.t is not None else paper_bound(n, self._size(n))

    def _caveats(self, file: Microdata, ranked: Ranked, groups: Groups, t: float) -> list[str]:
        name, wanted = self._secret(file), self._wanted(file.records)
        others = [other for other in file.sensitive if other != name]
        caveats = [ABOVE.format(t=t, asked=wanted)] if t > wanted + 1e-12 else []
        caveats += [ALONE.format(name=name, others=", ".join(others))] if others else []
        if file.variable(name).kind not in (Kind.NUMERIC, Kind.ORDINAL, Kind.DATE):
            caveats.append(NO_ORDER.format(name=name, tv=ranked.total_variation(groups)))
        return caveats


def taken_in_turn(order: NDArray[np.int32], squares: NDArray[np.float64], cut: Stretches) -> Groups:
    """Groups of the first, the second, ... of each stretch by distance; ties keep the order of the stretch.

    >>> found = taken_in_turn(np.arange(5, dtype=np.int32), np.array([9.0, 1, 1, 9, 5]), Stretches.of(5, 2))
    >>> found.order.tolist(), found.sizes.tolist()
    ([1, 2, 4, 0, 3], [3, 2])
    """
    pieces, sizes = [], []
    more = len(cut.left)
    rest = order[cut.left]
    rest = rest[np.argsort(squares[rest], kind="stable")]
    for part in cut.parts:
        rows = order[part]
        # A row a group now.
        rows = np.take_along_axis(rows, np.argsort(squares[rows], axis=1, kind="stable"), axis=1).T
        pieces += [np.column_stack([rows[:more], rest]).ravel(), rows[more:].ravel()]
        sizes += [np.full(more, rows.shape[1] + 1), np.full(len(rows) - more, rows.shape[1])]
    counts = np.concatenate(sizes)
    return Groups(np.concatenate(pieces), np.cumsum(counts) - counts)


def smallest(size: int, most: int, holds: Callable[[int], bool]) -> int:
    """A size at which it holds, found by steps that double and then halve; it is taken to hold at `most`.

    >>> smallest(3, 100, lambda k: k >= 29)
    29
    """
    fails, step = size - 1, 1
    found = size
    while found < most and not holds(found):
        fails, found, step = found, min(found + step, most), 2 * step
    while found - fails > 1:
        middle = (fails + found) // 2
        fails, found = (fails, middle) if holds(middle) else (middle, found)
    return found
