"""Ask every room of `utility/` what the release keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb
from typing import TypeVar

import numpy as np
import polars as pl

from lookalike.attacks.files import Files
from lookalike.engine import Stage, stage
from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.evaluate.comparison.codes import known_cells
from lookalike.evaluate.comparison.files import Both, part_of
from lookalike.evaluate.comparison.rare import FEWEST, Rare
from lookalike.evaluate.comparison.result import Utility
from lookalike.evaluate.people import generator
from lookalike.plan import Plan
from lookalike.utility.density import DensityPair, density_pair
from lookalike.utility.dependence import PairDependence, dependence
from lookalike.utility.formula import Formula, read_terms
from lookalike.utility.linked import Moved, moved
from lookalike.utility.losses import Losses, losses
from lookalike.utility.margins import Margin, NumberMargin, margins
from lookalike.utility.numbers import Floats, known_numbers
from lookalike.utility.origin import How, Origin
from lookalike.utility.pair import CodedPair, is_number
from lookalike.utility.permutation import Permuted, permutation_test
from lookalike.utility.propensity import Propensity, propensity
from lookalike.utility.propensity_columns import Giveaway, giveaways
from lookalike.utility.propensity_models import Cart, Logistic, Perceptron, Teller
from lookalike.utility.proportions import Proportions, proportions
from lookalike.utility.readable import Read
from lookalike.utility.regression_overlap import RegressionOverlap, regression_overlap
from lookalike.utility.regressions import fit_all
from lookalike.utility.relative_differences import RelativeDifferences, relative_differences
from lookalike.utility.table_nulls import Null
from lookalike.utility.table_utility import TableUtility, table_utility
from lookalike.utility.train_test import TrainTest, train_on_release
from lookalike.utility.tree_gini import TreeGini, tree_gini

_T = TypeVar("_T")

TELLERS: Mapping[str, Callable[[], Teller]] = {"logistic": Logistic, "cart": Cart, "mlp": Perceptron}
FEW = {"cart": 5_000, "mlp": 3_000}
"""Records of each file that an adaptive model learns from at most: each is learned anew for every shuffle."""
SHUFFLES, SHUFFLED_BELOW = 40, 100_000
"""Shuffles of the labels for a logistic regression, and records of both files up to which they are made."""
LOOKED_AT = 20_000
"""Records of each file at most by which columns that give the release away are found: two fits a column."""
LEARNED = 100_000
"""Records of each file that a target is learned from at most."""
GONE = "The release does not have this column."
MOST_TABLES = 2_000
PICTURED = 3
"""Pairs of numbers whose contours are drawn."""
DRAWN_BELOW = 200_000
"""Records of the release up to which tables are drawn for their expectations: beyond, formulas are as good."""


@dataclass(kw_only=True)
class Asking:
    """One comparison: its files, its plan, and what could not be answered."""

    both: Both
    plan: Plan
    not_assessed: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)

    def found(self) -> Utility:
        """Everything, step by step."""
        choices = self.plan.comparison
        steps = 4 + len(choices.models) + len(choices.formulas) + len(self.targets)
        self.lost |= {name: GONE for name in self._wanted if name not in self.both.columns}
        with stage("Comparing", steps) as progress:
            return self._found(progress)

    def _found(self, progress: Stage) -> Utility:
        both = self.both
        tables, differences = self._tables()
        middle = _middle([_typical(found) for found in tables])
        progress.advance()
        shown = both.copies[middle]
        distributions = tuple(map(of_enough, self._margins(shown)))
        pairs = self._dependence(shown)
        progress.advance()
        told = {model: self._told_apart(model, middle, progress) for model in self.plan.comparison.models}
        given_away = self._giveaways(shown)
        progress.advance()
        shares = self._proportions()
        regressions = self._regressions(progress)
        progress.advance()
        learned = {name: self._learned(name, shown, progress) for name in self.targets}
        return Utility(
            tables=tables,
            differences=differences,
            middle=middle,
            propensity={model: found for model, found in told.items() if found},
            giveaways=given_away,
            margins=distributions,
            permuted=self._permuted(shown),
            dependence=pairs,
            densities=self._densities(pairs, shown),
            proportions=shares,
            rare=Rare.of(both.original, shares, regressions, both.variables),
            regressions=regressions,
            learned={name: found for name, (found, _) in learned.items() if found is not None},
            gini={name: found for name, (_, found) in learned.items() if found is not None},
            moved=self._moved(shown),
            losses=self._losses(),
            not_assessed=dict(self.not_assessed),
            lost=dict(self.lost),
            touched=self._touched(shown),
            coarse=both.coarse,
        )

    @property
    def targets(self) -> tuple[str, ...]:
        """What is learned from the release."""
        return tuple(name for name in self._wanted if name in self.both.columns)

    @property
    def _wanted(self) -> tuple[str, ...]:
        return self.plan.comparison.targets or self.both.file.sensitive

    def _try(self, what: str, action: Callable[[], _T]) -> _T | None:
        """The answer, or None with the reason kept."""
        try:
            return action()
        except LookalikeError as error:
            self.not_assessed[what] = str(error)
            return None

    def _tables(self) -> tuple[tuple[TableUtility, ...], tuple[dict[int, RelativeDifferences], ...]]:
        both, origin = self.both, self.both.made.origin
        null = Null.of(origin)
        kept = [n for n in both.columns if n not in origin.drawn] if origin.how is How.PARTIAL else []
        rng = generator(self.plan.seed, "compare", "tables")
        ways = [way for way in self.plan.comparison.ways if self._countable(way)]
        tables, differences = [], []
        for copy in both.copies:
            pair = CodedPair.of(both.counted, copy, variables=both.variables)
            draws = self.plan.comparison.draws if max(pair.records) <= DRAWN_BELOW else 0
            tables.append(table_utility(pair, ways=ways, null=null, kept=kept, part=origin.part, draws=draws, rng=rng))
            differences.append({way: relative_differences(pair, way) for way in ways})
        return tuple(tables), tuple(differences)

    def _countable(self, way: int) -> bool:
        count = comb(len(self.both.columns), way)
        if way > 1 and not 0 < count <= MOST_TABLES:
            reason = (
                f"{len(self.both.columns)} columns have {count:,} tables of {way}; at most {MOST_TABLES:,} are counted."
            )
            self.not_assessed[f"tables of {way}"] = reason if count else f"There are fewer than {way} columns."
            return False
        return True

    def _told_apart(self, model: str, middle: int, progress: Stage) -> tuple[Propensity, ...]:
        """Every copy; a model that is learned anew for each shuffle tells the copy in the middle alone."""
        found = []
        for number in [middle] if model in FEW else range(len(self.both.copies)):
            told = partial(self._propensity, model, number, shuffled=number == middle)
            one = self._try(f"propensity, {model}", told)
            if one is not None:
                found.append(one)
        progress.advance()
        return tuple(found)

    def _propensity(self, model: str, number: int, *, shuffled: bool) -> Propensity:
        both = self.both
        rng = generator(self.plan.seed, "compare", model, number)
        frames, part = self._part(both.copies[number], FEW.get(model), rng)
        # The law of pMSE is known for a logistic regression; its other measures need shuffles, few enough to wait for.
        few = sum(f.height for f in frames) <= SHUFFLED_BELOW
        shuffles = SHUFFLES if model == "logistic" and shuffled and few else None
        found = propensity(
            *frames,
            rng=rng,
            model=self._model(model),
            folds=self.plan.comparison.folds,
            origin=self._origin_of(frames[0]),
            variables=both.variables,
            permutations=shuffles,
        )
        return replace(found, caveats=(*found.caveats, *part))

    def _model(self, name: str) -> Teller:
        return Logistic(terms=self.plan.comparison.terms) if name == "logistic" else TELLERS[name]()

    def _origin_of(self, original: pl.DataFrame) -> Origin:
        """The origin of a release of which a part is looked at, beside this part of the original."""
        origin = self.both.made.origin
        return replace(origin, part=origin.part * original.height / self.both.original.height)

    def _part(
        self, copy: pl.DataFrame, most: int | None, rng: np.random.Generator, *, counted: bool = True
    ) -> tuple[tuple[pl.DataFrame, pl.DataFrame], tuple[str, ...]]:
        """Both files, or random parts of them; of linked ones the same rows."""
        original = self.both.counted if counted else self.both.original
        if most is None or max(original.height, copy.height) <= most:
            return (original, copy), ()
        told = (f"Learned from random parts of {most:,} records.",)
        if self.both.made.linked:
            rows = np.sort(rng.choice(copy.height, min(most, copy.height), replace=False))
            beside = self.both.beside_counted if counted else self.both.beside
            return (beside[rows], copy[rows]), told
        return (part_of(original, most, rng), part_of(copy, most, rng)), told

    def _giveaways(self, shown: pl.DataFrame) -> tuple[Giveaway, ...]:
        both, rng = self.both, generator(self.plan.seed, "compare", "giveaways")
        if len(both.columns) < 2:
            return ()
        (one, other), _ = self._part(shown, LOOKED_AT, rng)
        origin = self._origin_of(one)
        found = self._try("giveaways", lambda: giveaways(one, other, rng=rng, origin=origin, variables=both.variables))
        return found or ()

    def _margins(self, shown: pl.DataFrame) -> Iterator[Margin]:
        """Distributions in the ranges of the release; means and deviations of the numbers as they are."""
        both = self.both
        as_they_are = margins(both.original, shown, variables=both.variables)
        if not any(found.read is Read.RANGES for found in both.coarse.values()):
            yield from as_they_are
            return
        for one, other in zip(margins(both.counted, shown, variables=both.variables), as_they_are, strict=True):
            if isinstance(one, NumberMargin) and isinstance(other, NumberMargin):
                yield replace(one, means=other.means, deviations=other.deviations)
            else:
                yield one

    def _dependence(self, shown: pl.DataFrame) -> tuple[PairDependence, ...]:
        if len(self.both.columns) < 2:
            return ()
        return dependence(self.both.original, shown, variables=self.both.variables)

    def _densities(self, pairs: Sequence[PairDependence], shown: pl.DataFrame) -> dict[tuple[str, str], DensityPair]:
        """The pairs of numbers that go together most."""
        numbers = [pair for pair in pairs if pair.ranks is not None]
        strongest = sorted(numbers, key=lambda pair: -abs(pair.association.original or 0.0))[:PICTURED]
        found = {}
        for pair in strongest:
            files = [self._both_known(frame, pair.variables) for frame in (self.both.original, shown)]
            density = self._try(f"contours of {' and '.join(pair.variables)}", partial(density_pair, *files))
            if density is not None:
                found[pair.variables] = density
        return found

    def _both_known(self, frame: pl.DataFrame, names: tuple[str, str]) -> tuple[Floats, Floats]:
        """Two columns of numbers, the records with both."""
        one, other = (known_numbers(frame[name], self.both.file.variable(name)) for name in names)
        known = np.isfinite(one) & np.isfinite(other)
        return one[known], other[known]

    def _permuted(self, shown: pl.DataFrame) -> dict[str, Permuted]:
        """A test of each number, of independent samples alone: for other releases its p-value does not hold."""
        both, found = self.both, {}
        if both.made.origin.how is not How.INDEPENDENT:
            return {}
        for variable in both.variables:
            name, rng = variable.name, generator(self.plan.seed, "compare", "permuted", variable.name)
            if is_number(both.original[name], variable):
                columns = [known_numbers(frame[name], variable) for frame in (both.original, shown)]
                test = self._try(f"permutation test of {name}", partial(permutation_test, *columns, rng=rng))
                if test is not None:
                    found[name] = test
        return found

    def _proportions(self) -> Proportions | None:
        both = self.both
        return self._try(
            "shares of values",
            lambda: proportions(both.counted, both.copies, origin=both.made.origin, variables=both.variables),
        )

    def _regressions(self, progress: Stage) -> tuple[RegressionOverlap, ...]:
        both, found = self.both, []
        original, *copies = (known_cells(frame, both.variables) for frame in (both.original, *both.copies))
        fitted = partial(regression_overlap, original, copies, origin=both.made.origin, variables=both.variables)
        for text in self.plan.comparison.formulas:
            if not self._has_columns(text):
                self.lost[text] = "The release does not have all of its columns."
            elif (one := self._try(text, partial(fitted, formula=text))) is not None:
                found.append(one)
            elif self._told_by_the_original(text):
                self.lost[text] = self.not_assessed.pop(text)
            progress.advance()
        return tuple(found)

    def _has_columns(self, text: str) -> bool:
        """Whether a formula that the original's columns allow can be read with those that are compared."""
        try:
            Formula.read(text, self.both.columns)
        except BadPlan:
            return False
        return True

    def _told_by_the_original(self, text: str) -> bool:
        """Whether the original answers what the release does not."""
        both = self.both
        try:
            fit_all([both.original], text, variables=both.variables)
        except LookalikeError:
            return False
        return True

    def _touched(self, shown: pl.DataFrame) -> frozenset[str]:
        """Columns that may differ from the original's."""
        both = self.both
        if both.made.origin.how is How.PARTIAL:
            return frozenset(both.made.origin.drawn)
        if both.made.linked:
            return frozenset(m.variable for m in self._moved(shown) if m.changed.count)
        return frozenset(both.columns)

    def _learned(self, name: str, shown: pl.DataFrame, progress: Stage) -> tuple[TrainTest | None, TreeGini | None]:
        both, rng = self.both, generator(self.plan.seed, "compare", "learned", name)
        frames, part = self._part(shown, LEARNED, rng, counted=False)
        one, other = (known_cells(frame, both.variables) for frame in frames)
        holdout = None if both.control is None else known_cells(both.control, both.variables)
        linked = both.made.linked and one.height == other.height and both.control is None
        found = self._try(
            f"learning {name}",
            lambda: train_on_release(
                one, other, name, rng=rng, holdout=holdout, linked=linked, variables=both.variables
            ),
        )
        progress.advance()
        if found is None:
            return None, None
        found = replace(found, caveats=(*found.caveats, *part))
        if is_number(both.original[name], both.file.variable(name)):
            return found, None
        tree = self._try(f"tree of {name}", lambda: tree_gini(one, other, name, rng=rng, variables=both.variables))
        return found, tree

    def _moved(self, shown: pl.DataFrame) -> tuple[Moved, ...]:
        """What changed beyond ranges and groups, and how far numbers moved; a range is its middle."""
        both = self.both
        if not both.made.linked:
            return ()
        in_ranges = {m.variable: m for m in moved(both.beside_counted, shown, variables=both.variables)}
        found = moved(both.beside, shown, variables=both.variables)
        return tuple(replace(m, changed=in_ranges[m.variable].changed) for m in found)

    def _losses(self) -> Losses | None:
        both = self.both
        if not both.made.linked or both.made.origin.how is not How.CHANGED:
            return None
        columns = both.file.quasi_identifiers or both.columns
        cells, rows, release = both.made.cells, both.file_rows, both.readable_releases[0]
        return self._try("losses", lambda: losses(both.file, release, cells, rows=rows, columns=columns))


def check(both: Both, plan: Plan) -> None:
    """Every fault of what is asked for, before the work."""
    choices = plan.comparison
    faults = [
        unknown(what, name, both.file.columns, where="in the original", listed="Columns")
        for what, names in (("Target", choices.targets), ("Key", choices.keys))
        for name in names
        if name not in both.file.columns
    ]
    for text in choices.formulas:
        try:
            Formula.read(text, both.file.columns)
        except BadPlan as error:
            faults += error.faults
    if choices.terms is not None:
        try:
            read_terms(choices.terms, both.columns)
        except BadPlan as error:
            faults += error.faults
    faults += _kept_that_differ(both)
    if both.control is not None and not faults:
        Files(original=both.original, releases=both.copies, control=both.control)  # tells if the two overlap
    if faults:
        raise BadPlan(dict.fromkeys(faults))


def _kept_that_differ(both: Both) -> list[str]:
    """Columns that a partial release is said to have kept, and that differ row by row."""
    if both.made.origin.how is not How.PARTIAL:
        return []
    kept = [name for name in both.columns if name not in both.made.origin.drawn]
    found = [moved(both.beside, copy, variables=both.variables, columns=kept) for copy in both.copies if kept]
    return [
        f"Column '{m.variable}' was not drawn, as is said, and differs in {m.changed.count:,} rows. Name it among "
        "those drawn (--drawn), or check that the rows are in the order of the original."
        for several in found
        for m in several
        if m.changed.count
    ]


def of_enough(margin: Margin) -> Margin:
    """A column without its mean if few records have a value: it would tell theirs."""
    if not isinstance(margin, NumberMargin) or margin.missing[0].of - margin.missing[0].count >= FEWEST:
        return margin
    return replace(margin, means=(None, None), deviations=(None, None), histogram=None)


def _typical(found: TableUtility) -> float:
    """The mean total variation of a copy's tables."""
    return float(np.mean([table.values["SPECKS"] for table in found.tables]))


def _middle(values: list[float]) -> int:
    """The place of the value in the middle."""
    return int(np.argsort(values, kind="stable")[len(values) // 2])
