"""No sequence: every column from all others (algorithm 2 of the thesis)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.models.mixed import Mixed
from lookalike.models.sequential.asked import Asked
from lookalike.models.sequential.chained import filled
from lookalike.models.sequential.fitting import Visit, fit_visit
from lookalike.models.sequential.methods import BLOCKS, PAIRS, check_methods, gap_method, parametric, refuse, step_of
from lookalike.models.sequential.tally import few_donors
from lookalike.models.sequential.unit import Inner, Unit, units_of
from lookalike.models.sequential.visits import matrix
from lookalike.models.steps.selection import ByInformation, ByLasso, ByRidge

_NEAR = (
    "Every record drawn starts from a real one: its cells are drawn given the real values of its other columns. With "
    "again = true they are drawn once more, given drawn values."
)
_TWICE = "Every record drawn starts from a real one, two draws away: each cell is drawn given drawn values."


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOthers:
    """Every column from all others that a selection keeps; no column comes first (thesis, section 4.5.2).

        x_i,syn ~ f_i( · | x_k, k ∈ K_i),    K_i kept by lasso, ridge or mutual information

    for the columns x of a real record; with `again` a second time given the drawn ones. docs/concepts/sequential.md.

    >>> from lookalike.models.mixed import Numbers
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(500, 2))
    >>> table = Mixed((Numbers(x[:, 0]), Numbers(2 * x[:, 0]), Numbers(x[:, 1])))
    >>> law = AllOthers(penalty=0.1).fit_mixed(table, rng=rng)
    >>> law.details["predictors_used"]
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """

    selection: Literal["lasso", "ridge", "information"] = "lasso"
    penalty: float = 0.01
    """Of lasso and ridge, on standardized columns."""
    most_predictors: int = 10
    """Kept by mutual information at most."""
    method: str = "parametric"
    methods: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    again: bool = False
    """Draw a second time, given what was drawn: no cell then comes straight from real values."""

    def __post_init__(self) -> None:
        faults = check_methods(self.methods, self.method, self.settings)
        faults += [
            f"'{m}' draws several columns, which all-others cannot."
            for m in (*BLOCKS, *PAIRS)
            if m in self.methods.values()
        ]
        if self.selection not in ("lasso", "ridge", "information"):
            faults.append("selection must be 'lasso', 'ridge' or 'information'.")
        if not self.penalty > 0 or self.most_predictors < 1:
            faults.append("penalty must be above 0 and most_predictors at least 1.")
        refuse(faults)

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> AllOthersLaw:
        """Learn the laws; columns are called by their number, the first is '1'."""
        asked = Asked(names=tuple(str(j + 1) for j in range(len(table.columns))))
        return self.fit_named(table, asked, rng=rng, threads=threads)

    def fit_named(self, table: Mixed, asked: Asked, *, rng: Generator, threads: int | None = None) -> AllOthersLaw:
        """One law a column."""
        units = units_of(table, asked.names, spikes={}, few=0)
        refuse([f"In methods: column '{n}' is not among those modelled." for n in self.methods if n not in units])
        cells = {n: unit.inner(tuple(table.columns[j] for j in unit.places)) for n, unit in units.items()}
        inner = filled(cells, units, rng=rng)
        visits = []
        with stage("fitting columns", total=len(units)) as running:
            for name, stream in zip(units, rng.spawn(len(units)), strict=True):
                visits.append(self._visit(name, cells[name], inner, units, asked.proper, stream))
                running.advance()
        return AllOthersLaw(self, table.empty(0), units, inner, visits)

    def _visit(
        self, name: str, own: Inner, inner: Mapping[str, Inner], units: Mapping[str, Unit], proper: bool, rng: Generator
    ) -> Visit:
        kept = self._kept(name, own, inner, units)
        method = self.methods.get(name, self.method) if kept else "sample"
        gaps = None if own.which is None else step_of(gap_method(method), own.which, self.settings)
        steps = step_of(method, own.what.take(np.flatnonzero(own.there)), self.settings), gaps
        try:
            return fit_visit(units[name], own, inner, units, kept, steps, proper=proper, rng=rng)
        except BadPlan as error:
            raise BadPlan([f"{name}: {fault}" for fault in error.faults]) from None

    def _kept(self, name: str, own: Inner, inner: Mapping[str, Inner], units: Mapping[str, Unit]) -> tuple[str, ...]:
        """The other columns that the selection keeps."""
        cells = [
            (other, column) for other in units if other != name for column in units[other].predictors(inner[other])
        ]
        rows = np.flatnonzero(own.there)
        if not cells or not len(rows):
            return ()
        table = Mixed(tuple(column for _, column in cells)).take(rows)
        found = self._selection().select(own.what.take(rows), table)
        return tuple(dict.fromkeys(cells[j][0] for j in found.kept))

    def _selection(self) -> ByLasso | ByRidge | ByInformation:
        if self.selection == "lasso":
            return ByLasso(penalty=self.penalty)
        return ByRidge(penalty=self.penalty) if self.selection == "ridge" else ByInformation(most=self.most_predictors)


class AllOthersLaw:
    """The records of the file, and the law of each column given others.

    >>> from lookalike.models.mixed import Numbers
    >>> x = np.random.default_rng(1).normal(size=(200, 2))
    >>> law = AllOthers().fit_mixed(Mixed((Numbers(x[:, 0]), Numbers(x[:, 0] + x[:, 1]))), rng=np.random.default_rng(2))
    >>> law.sample(10, rng=np.random.default_rng(3)).records, len(law.visits)
    (10, 2)
    >>> law.around(np.array([0, 0, 5]), rng=np.random.default_rng(3)).records
    3
    """

    def __init__(
        self,
        choice: AllOthers,
        kinds: Mixed,
        units: Mapping[str, Unit],
        inner: Mapping[str, Inner],
        visits: Sequence[Visit],
    ) -> None:
        self.visits, self._choice, self._kinds = tuple(visits), choice, kinds
        self._units, self._inner = dict(units), dict(inner)

    @property
    def caveats(self) -> tuple[str, ...]:
        """How near the file the records are, and what the steps say."""
        said: dict[str, list[str]] = {}
        for visit in self.visits:
            for step in visit.fitted:
                for caveat in step.caveats:
                    said.setdefault(caveat, []).append(visit.unit.name)
        steps = (f"{', '.join(dict.fromkeys(names))}: {caveat}" for caveat, names in said.items())
        return (_TWICE if self._choice.again else _NEAR, *steps)

    @property
    def figures(self) -> Mapping[str, float]:
        """How many predictors a column has."""
        counts = [len(visit.predictors) for visit in self.visits]
        return {
            "predictors of a column, mean": float(np.mean(counts)),
            "predictors of a column, most": float(max(counts)),
            **few_donors(visit.tally for visit in self.visits),
        }

    @property
    def details(self) -> Mapping[str, Any]:
        """Methods and predictors as plain data."""
        names = list(self._units)
        return {
            "columns": names,
            "methods": {v.unit.name: self._said(v) for v in self.visits},
            "predictors_used": matrix(names, {v.unit.name: v.predictors for v in self.visits}).tolist(),
        }

    def _said(self, visit: Visit) -> str:
        method = self._choice.methods.get(visit.unit.name, self._choice.method) if visit.predictors else "sample"
        if not isinstance(method, str):
            return type(method).__name__
        return parametric(self._inner[visit.unit.name].what) if method == "parametric" else method

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records, each around a record of the file at random; every one is used before one is used again."""
        return self.around(_rows(n, len(next(iter(self._inner.values())).what), rng), rng=rng)

    def around(self, rows: NDArray[np.int64], *, rng: Generator) -> Mixed:
        """Records around these records of the file."""
        given = {name: own.take(rows) for name, own in self._inner.items()}
        drawn = self._pass(given, len(rows), rng)
        if self._choice.again:
            drawn = self._pass(drawn, len(rows), rng)
        columns = list(self._kinds.columns)
        for name, unit in self._units.items():
            for place, column in zip(unit.places, unit.cells(drawn[name]), strict=True):
                columns[place] = column
        return Mixed(tuple(columns))

    def _pass(self, given: Mapping[str, Inner], rows: int, rng: Generator) -> dict[str, Inner]:
        found: dict[str, Inner] = {}
        for visit, stream in zip(self.visits, rng.spawn(len(self.visits)), strict=True):
            found |= visit.draw(given, self._units, rows, stream)
        return found


def _rows(n: int, records: int, rng: Generator) -> NDArray[np.int64]:
    whole = [rng.permutation(records) for _ in range(-(-n // records))]
    return np.concatenate(whole)[:n] if whole else np.empty(0, np.int64)
