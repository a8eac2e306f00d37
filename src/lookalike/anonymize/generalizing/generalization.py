"""Generalization along hierarchies: the levels that keep the limits and lose least, all variables together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from lookalike.anonymize.columns.chosen import chosen
from lookalike.anonymize.generalizing.class_table import Column, FinestTable, MatchRate
from lookalike.anonymize.generalizing.generalized import Generalized
from lookalike.anonymize.generalizing.goals import NEED_SENSITIVE, Goals, goal_faults
from lookalike.anonymize.generalizing.judging import Judge
from lookalike.anonymize.generalizing.lattice import Found, Search
from lookalike.anonymize.generalizing.laying import Unseen, given_hierarchies, lay_over
from lookalike.anonymize.generalizing.node_loss import LOSSES
from lookalike.anonymize.generalizing.remaining import by_cells, cell_faults
from lookalike.anonymize.generalizing.roll_up import RollUp
from lookalike.anonymize.generalizing.watched import watched_of
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import EquivalenceClasses, Missing
from lookalike.engine import stage
from lookalike.errors import BadPlan, unknown
from lookalike.models.domain import Domain

Loss = Literal["domain", "discernibility", "class_size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalization:
    """Raise quasi-identifiers along their hierarchies until the limits hold, with the least loss.

    The search sees all variables together and is exact where the lattice of levels is small enough (8 million versions)
    and time suffices. Records in classes that break a limit are suppressed, up to a share of the file.

    >>> import lookalike as la, numpy as np, polars as pl
    >>> from lookalike.data.hierarchy import Intervals
    >>> table = pl.DataFrame({"age": [21, 24, 33, 38], "sex": ["F", "F", "M", "M"]})
    >>> file = la.read(table, quasi_identifiers=["age", "sex"])
    >>> until = la.Threshold(sample_to_population=None, k_anonymity=2)
    >>> method = Generalization(hierarchies={"age": Intervals(widths=(5, 10))})
    >>> made = method.change(Asked(file=file, rng=np.random.default_rng(1), until=until))
    >>> made.details["levels"], made.columns["age"].to_list()
    ({'age': 2, 'sex': 0}, ['[20;29]', '[20;29]', '[30;39]', '[30;39]'])
    """

    name: ClassVar[str] = "generalize"
    hierarchies: Mapping[str, Any] | str = field(default_factory=dict)
    """By column: a hierarchy, its plain data or its file; or a folder of files. For other columns one is suggested."""
    max_suppression: float = 0.0
    """The highest share of the records that may be suppressed."""
    time_limit: float = 60.0
    """Seconds the search may take."""
    loss: Loss = "domain"
    weights: Mapping[str, float] = field(default_factory=dict)
    """How much the loss of a column counts, if not 1."""
    levels: Mapping[str, int] | None = None
    """Levels by column: nothing is searched, columns not named stay as they are."""
    drop: bool = False
    """Whether suppressed records leave the file, instead of losing their quasi-identifiers."""
    cells: bool = False
    """Whether single cells are suppressed of what remains, as few as k-anonymity needs, instead of whole records."""
    unseen: Unseen = "refuse"
    """What becomes of values that a hierarchy lacks."""
    columns: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        faults = []
        if not 0 <= self.max_suppression <= 1:
            faults.append(f"max_suppression must lie between 0 and 1, not {self.max_suppression:g}.")
        if not self.time_limit > 0:
            faults.append(f"time_limit must be above 0 seconds, not {self.time_limit:g}.")
        if self.loss not in get_args(Loss):
            faults.append(unknown("Loss", str(self.loss), get_args(Loss), where="known", listed="Losses"))
        if self.unseen not in get_args(Unseen):
            faults.append(f"unseen must be one of {', '.join(get_args(Unseen))}.")
        faults += [f"The weight of '{c}' must be above 0, not {w:g}." for c, w in self.weights.items() if not w > 0]
        return faults

    def change(self, asked: Asked) -> Changed:
        """See `Method`; `figures` tell whether the limits are reached, `details` the levels and the frontier."""
        found = self.search(asked)
        return by_cells(asked, found.whole(), found.changed()) if self.cells else found.changed()

    def search(self, asked: Asked, rate: MatchRate | None = None) -> Generalized:
        """The search itself, for a look at the frontier and another choice; `rate` tells B of a version."""
        names = self._checked(asked)
        given, notes = given_hierarchies(self.hierarchies, asked.file, names)
        classes = EquivalenceClasses.of(asked.file, names)
        finest = FinestTable.of(classes, alone=asked.missing is Missing.CONSERVATIVE)
        finest = replace(
            finest, laid=lay_over(asked.file, finest.columns, given, unseen=self.unseen, kept=self._kept(names))
        )
        judge = self._judge(asked, classes, finest, rate or _match_rate(asked, finest))
        with stage("searching levels"):
            found = self._given(judge) if self.levels is not None else Search(judge, self.time_limit).run()
        return Generalized(
            asked=asked,
            classes=classes,
            judge=judge,
            found=found,
            searched=self.levels is None,
            max_suppression=self.max_suppression,
            time_limit=self.time_limit,
            unseen=self.unseen,
            notes=notes,
        )

    def _kept(self, names: Sequence[str]) -> list[str]:
        """The columns that levels leave as they are; none while levels are searched."""
        return [name for name in names if self.levels is not None and not self.levels.get(name, 0)]

    def _checked(self, asked: Asked) -> tuple[str, ...]:
        """The columns; raises with all faults of settings, limits and file."""
        file, until = asked.file, asked.until
        faults = self.faults()
        columns = tuple(dict.fromkeys(self.columns)) or file.quasi_identifiers
        if self.cells:
            faults += cell_faults(asked, drop=self.drop)
        if self.levels is None and not list(until):
            faults.append("There is no limit to generalize to. Name one, such as k_anonymity, or give levels.")
        faults += goal_faults(until, file, asked.targets, columns)
        for setting in (self.weights, self.levels or {}):
            faults += [
                unknown("Column", name, columns, where="generalized", listed="Columns")
                for name in setting
                if name not in columns
            ]
        if isinstance(self.hierarchies, (str, Path)) and not Path(self.hierarchies).is_dir():
            faults.append(f"{Path(self.hierarchies).name}: there is no such folder of hierarchies.")
        return chosen(file, self.columns, faults, k=until.k_anonymity)

    def _judge(self, asked: Asked, classes: EquivalenceClasses, finest: FinestTable, rate: MatchRate | None) -> Judge:
        needed = any(getattr(asked.until, name) is not None for name in NEED_SENSITIVE)
        watched = watched_of(classes, finest, asked.targets) if needed else ()
        useless = asked.missing is Missing.CONSERVATIVE and not self.drop
        return Judge(
            finest=finest,
            tables=RollUp(finest, {one.name: one.counted for one in watched}),
            goals=Goals(limits=asked.until, watched=watched, rate=rate),
            loss=LOSSES[self.loss](finest, self.weights),
            # Where a missing value matches nothing, a suppressed record that stays counts as unique: it mends nothing.
            allowed=0 if useless else int(self.max_suppression * finest.records + 1e-9),
            drop=self.drop,
        )

    def _given(self, judge: Judge) -> Found:
        """The levels that were given, judged."""
        finest, given = judge.finest, self.levels or {}
        faults = [
            f"Column '{name}' has levels 0 to {depth - 1}, not {given[name]}."
            for name, depth in zip(finest.names, finest.depths, strict=True)
            if name in given and not 0 <= given[name] < depth
        ]
        if faults:
            raise BadPlan(faults)
        node = judge.judge(tuple(given.get(name, 0) for name in finest.names))
        return Found(best=node, visited=(node,), nodes=prod(finest.depths), complete=True, seconds=0.0)


def _domain(asked: Asked, column: Column) -> Domain:
    """The domain of a column of the finest table, which has a place for a missing value after all others."""
    from lookalike.population.domains import domain_of, with_missing

    return with_missing(domain_of(asked.file.variable(column.name), column.values), len(column.values))


def _match_rate(asked: Asked, finest: FinestTable) -> MatchRate | None:
    """B of any version, from one fit on the file as it is; None where nobody asks for it or knows of the people."""
    if asked.until.sample_to_population is None or asked.population is None:
        return None
    from lookalike.population.coarsened import CoarsenedRisk  # late: a search for k needs no model

    # The levels tell which values belong together: what shows at a coarser level only enters the fit.
    groups = [[finest.map(j, level) for level in range(1, depth)] for j, depth in enumerate(finest.depths)]
    with stage("fitting the population once for all versions"):
        fitted = CoarsenedRisk.of_codes(
            finest.codes,
            finest.sizes,
            asked.population,
            rng=asked.rng,
            groups=groups,
            domains=[_domain(asked, column) for column in finest.columns],
        )
    return fitted.rate
