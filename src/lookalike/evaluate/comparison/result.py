"""What a comparison found: how the release came about, and what analyses of it keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lookalike.evaluate.comparison.attacks import Attacks
from lookalike.evaluate.comparison.rare import Rare
from lookalike.evaluate.result import Evaluation, Outcome, Run
from lookalike.utility.density import DensityPair
from lookalike.utility.dependence import PairDependence
from lookalike.utility.linked import Moved
from lookalike.utility.losses import Losses
from lookalike.utility.margins import Margin
from lookalike.utility.origin import Origin
from lookalike.utility.permutation import Permuted
from lookalike.utility.propensity import Propensity
from lookalike.utility.propensity_columns import Giveaway
from lookalike.utility.proportions import Proportions
from lookalike.utility.readable import Coarse
from lookalike.utility.regression_overlap import RegressionOverlap
from lookalike.utility.relative_differences import RelativeDifferences
from lookalike.utility.table_utility import TableUtility
from lookalike.utility.train_test import TrainTest
from lookalike.utility.tree_gini import TreeGini

if TYPE_CHECKING:
    from lookalike.evaluate.comparison.grades import Finding


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility:
    """What analyses of the release keep; where there are several copies, `middle` is the one that is shown."""

    tables: tuple[TableUtility, ...]
    differences: tuple[Mapping[int, RelativeDifferences], ...]
    """By copy and number of columns of a table (Drechsler and Hu 2021)."""
    middle: int
    propensity: Mapping[str, tuple[Propensity, ...]]
    """By model, a figure a copy."""
    giveaways: tuple[Giveaway, ...]
    margins: tuple[Margin, ...]
    permuted: Mapping[str, Permuted]
    """By number: a permutation test; only of an independent sample."""
    dependence: tuple[PairDependence, ...]
    densities: Mapping[tuple[str, str], DensityPair]
    """Of some pairs of numbers, for a picture."""
    proportions: Proportions | None
    rare: Rare
    """What few records have: not shown."""
    regressions: tuple[RegressionOverlap, ...]
    learned: Mapping[str, TrainTest]
    gini: Mapping[str, TreeGini]
    moved: tuple[Moved, ...]
    """Of linked files."""
    losses: Losses | None
    """Of linked files."""
    not_assessed: Mapping[str, str]
    lost: Mapping[str, str]
    """Regressions and targets that the original tells and the release does not, with the reason."""
    touched: frozenset[str]
    """Columns that may differ: those drawn, or with a cell that was changed beyond ranges and groups; all, if that
    cannot be told."""
    coarse: Mapping[str, Coarse] = field(default_factory=dict)
    """Columns that are released in ranges or groups, and how they are compared."""

    def shown(self, model: str) -> Propensity:
        """The propensity of the copy in the middle by its pMSE."""
        found = sorted(self.propensity[model], key=lambda p: p.pmse.value)
        return found[len(found) // 2]


@dataclass(frozen=True, kw_only=True)
class Compared(Run):
    """An original beside its release.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [23, 31, 38, 44] * 30, "sex": ["F", "M"] * 60})
    >>> found = la.compare(people, people, how="changed", linked=True, models=["logistic"])
    >>> found.origin.how.value, found.columns, found.records, found.findings[0].grade.value
    ('changed', ('age', 'sex'), (120, 120), 'kept')
    """

    command: str = "compare"
    origin: Origin
    origin_from: str
    """Who said how the release came about."""
    linked: bool
    columns: tuple[str, ...]
    only_original: tuple[str, ...]
    """Columns that the release does not have: what rests on them is lost."""
    only_release: tuple[str, ...]
    records: tuple[int, int]
    """Compared, of the original and of a copy."""
    copies: int
    utility: Utility = field(repr=False)
    attacks: Attacks | None = field(default=None, repr=False)
    """None if they were not asked for, or nothing is said of what an attacker knows."""
    assessed: Evaluation | None = field(default=None, repr=False)
    """The risk of the first copy as it stands; None without quasi-identifiers or without the size of the population."""

    @property
    def outcome(self) -> Outcome:
        """As the thresholds decide on the release, if its risk was assessed; the rest is for people to weigh."""
        return Outcome.HOLDS if self.assessed is None else self.assessed.outcome

    @property
    def findings(self) -> tuple[Finding, ...]:
        """How far each analysis is kept."""
        from lookalike.evaluate.comparison.grades import findings

        return findings(self)

    def __str__(self) -> str:
        from lookalike.report.comparison.terminal import as_text

        return as_text(self)
