"""Sequential synthesis: one column after another, each given those before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from numpy.random import Generator

from lookalike.errors import unknown
from lookalike.models.mixed import Conditional, Mixed
from lookalike.models.sequential.asked import Asked
from lookalike.models.sequential.fitter import Fitter
from lookalike.models.sequential.methods import PAIRS, check_methods, refuse, shape_faults
from lookalike.models.sequential.ordered import ORDERINGS
from lookalike.models.sequential.strata import StratifiedLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequential:
    """Columns drawn one after another, each from a law given those before it (Raghunathan, Reiter and Rubin 2003).

        f(y_1, …, y_p) = f(y_1) · f(y_2 | y_1) · … · f(y_p | y_1, …, y_{p−1})

    Every factor is fitted to the file and drawn given the cells drawn so far. docs/concepts/sequential.md.

    >>> import numpy as np
    >>> from lookalike.models.mixed import Categories
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 2, 400).astype(np.int32)
    >>> y = np.where(rng.random(400) < 0.9, x, 1 - x).astype(np.int32)
    >>> law = Sequential().fit_mixed(Mixed((Categories(x, 2), Categories(y, 2))), rng=rng)
    >>> drawn = law.sample(4_000, rng=rng)
    >>> bool(0.85 < (drawn.columns[0].codes == drawn.columns[1].codes).mean() < 0.95)
    True
    """

    order: tuple[str, ...] = ()
    """Columns in the order they are drawn; those not named come after, in the order of the file."""
    ordering: Literal["file", "regression", "information", "detail"] = "file"
    """Without an order: as in the file, by algorithm 1 of the thesis, by what columns tell of each other, by detail."""
    method: str = "cart"
    """The method of columns that have none of their own: cart, parametric (by kind), or any other."""
    methods: Mapping[str, Any] = field(default_factory=dict)
    """The method by column: a name, or a `Step` of your own."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings by method: {"cart": {"leaf": 10}}."""
    predictors: Mapping[str, Any] = field(default_factory=dict)
    """The columns that may predict a column; if not named, all that come before it."""
    drop_later: bool = False
    """Go on without a predictor that is drawn later than what it predicts, instead of refusing."""
    most_predictors: int = 40
    """Of more, those that tell most of the column are taken."""
    spikes: Mapping[str, Any] = field(default_factory=dict)
    """Numbers that many records hold, by column: drawn as levels of their own."""
    find_spikes: bool = True
    """Look for such numbers in columns that a regression draws: those that a fifth of the records hold."""
    few_values: int = 0
    """Numbers with at most so many distinct values are drawn as categories."""
    smoothing: Mapping[str, Any] = field(default_factory=dict)
    """How drawn numbers are smoothed, by column: density, spline or rmean."""
    strata: tuple[str, ...] = ()
    """Categories within which everything is fitted apart."""
    events: Mapping[str, Any] = field(default_factory=dict)
    """For survctree: the column that says whether a time ended in an event, by the column of the time."""

    def __post_init__(self) -> None:
        faults = check_methods(self.methods, self.method, self.settings)
        faults += shape_faults(self.spikes, self.predictors)
        if self.ordering not in ORDERINGS:
            faults.append(f"ordering must be one of {', '.join(ORDERINGS)}.")
        if self.most_predictors < 1:
            faults.append("most_predictors must be at least 1.")
        if self.few_values < 0:
            faults.append("few_values must be at least 0.")
        paired = [name for name, method in self.methods.items() if method in PAIRS]
        faults += [
            f"'{n}' is drawn by survctree: name its column of events (events)." for n in paired if n not in self.events
        ]
        refuse(faults)

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Conditional:
        """Learn the law; columns are called by their number, the first is '1'."""
        asked = Asked(names=tuple(str(j + 1) for j in range(len(table.columns))))
        return self.fit_named(table, asked, rng=rng, threads=threads)

    def fit_named(self, table: Mixed, asked: Asked, *, rng: Generator, threads: int | None = None) -> Conditional:
        """Learn the law of named columns."""
        refuse(self._name_faults(asked))
        if self.strata:
            return StratifiedLaw.of(replace(self, strata=()), self.strata, table, asked, rng=rng, threads=threads)
        return Fitter(self, table, asked, rng, threads).law()

    def _name_faults(self, asked: Asked) -> list[str]:
        """Names of columns that are not there."""
        known = list(dict.fromkeys(asked.names))
        used = {
            "methods": self.methods,
            "spikes": self.spikes,
            "smoothing": self.smoothing,
            "strata": self.strata,
            "events": [*self.events, *self.events.values()],
        }
        return [
            f"In {where}: " + unknown("column", str(name), known, where="among those modelled", listed="Columns")
            for where, names in used.items()
            for name in names
            if name not in known
        ]
