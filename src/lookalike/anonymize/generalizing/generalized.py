"""What a search over levels made: the version chosen, others to choose, and the recode that repeats it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.buying import buys
from lookalike.anonymize.generalizing.frontier import Frontier, Point, frontier_of
from lookalike.anonymize.generalizing.judged import Judged
from lookalike.anonymize.generalizing.judging import Judge
from lookalike.anonymize.generalizing.lattice import Found, Search
from lookalike.anonymize.generalizing.laying import Unseen
from lookalike.anonymize.generalizing.level_steps import level_steps
from lookalike.anonymize.generalizing.recoding import recoded
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import EquivalenceClasses, Missing
from lookalike.threshold import Threshold

if TYPE_CHECKING:
    from lookalike.anonymize.generalizing.recode import Recode

UPPER = (
    "Without the size of the population B is not known: its upper bound decided, the mean over the records of 1/f, as "
    "if the file were the whole population."
)
WILDCARD = "In the search a missing value counts as a value of its own, which is stricter than a wildcard."
CONSERVATIVE = (
    "Where missing values match nothing, a suppressed record that stays counts as unique: none was suppressed. Let "
    "them be dropped."
)
STAYS = (
    "{count:,} suppressed records stay in the file, without quasi-identifiers: together they are one class, which "
    "keeps the limits too."
)
TIME = "Time ran out after {seconds:.1f} s, {checked:,} of {nodes:,} versions judged: a better one may exist."
NOT_REACHED = "No version of the file keeps the limits{within}: this is the one with the fewest records that fail."
MISSING_STAYS = "Missing values stay missing at every level; records that few share them with need suppression."


@dataclass(frozen=True, kw_only=True)
class Generalized:
    """A search that is done. `choose` takes another point of the frontier; `changed` makes the columns."""

    asked: Asked
    classes: EquivalenceClasses
    judge: Judge
    found: Found
    searched: bool
    """Whether levels were searched, not given."""
    max_suppression: float
    time_limit: float
    unseen: Unseen
    notes: tuple[str, ...]

    @property
    def best(self) -> Judged:
        """The version chosen."""
        return self.found.best

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column."""
        return self.judge.finest.by_name(self.best.levels)

    @cached_property
    def frontier(self) -> Frontier:
        """The versions seen that no other one beats in risk and loss."""
        nothing = (0,) * len(self.judge.finest.names)
        return frontier_of(self.judge, [*self.found.visited, self.judge.unsuppressed(nothing)], self.best)

    def choose(self, point: int) -> Generalized:
        """The same with another point of the frontier."""
        levels = self.frontier.choose(point)
        node = self.judge.judge(tuple(levels[name] for name in self.judge.finest.names))
        return replace(self, found=replace(self.found, best=node))

    def trace(self, limits: Sequence[Threshold], *, time_limit: float = inf) -> tuple[Point, ...]:
        """The best version for each of some other limits on the same measures, each by a search of its own."""
        judges = [replace(self.judge, goals=replace(self.judge.goals, limits=limit)) for limit in limits]
        names = self.judge.finest.names
        return tuple(Point.of(names, Search(judge, time_limit).run().best) for judge in judges)

    def buys(self) -> dict[str, list[dict[str, Any]]]:
        """Which variable buys most, from the file as it was and from the version chosen (see `buys`)."""
        nothing, left = (0,) * len(self.judge.finest.names), max(self.time_limit - self.found.seconds, 1.0)
        chosen = buys(self.judge, self.best.levels, seconds=left)
        return {"original": buys(self.judge, nothing, seconds=left / 2), "chosen": chosen}

    def recode(self) -> Recode:
        """The levels with their hierarchies as a plan for the next file."""
        from lookalike.anonymize.generalizing.recode import Recode, Recoded

        steps = zip(self.judge.finest.names, self.judge.finest.laid, self.best.levels, strict=True)
        return Recode(
            columns={name: Recoded(hierarchy=laid.hierarchy, level=level) for name, laid, level in steps},
            max_suppression=self.max_suppression,
            drop=self.judge.drop,
            unseen=self.unseen,
            limits=dict(self.judge.goals.limits),
        )

    def whole(self) -> Mapping[str, pl.Series]:
        """The columns at the levels chosen, nothing suppressed."""
        finest = self.judge.finest
        return recoded(self.asked.file, finest.names, finest.laid, self.best.levels, None)

    def changed(self) -> Changed:
        """The columns at the levels chosen, with records suppressed as far as the limits ask and allow."""
        gone = self._gone()
        stays = ~gone if gone is not None and self.judge.drop else None
        finest = self.judge.finest
        columns = recoded(
            self.asked.file, finest.names, finest.laid, self.best.levels, None if stays is not None else gone
        )
        return Changed(
            columns=columns,
            stays=stays,
            caveats=self._caveats(0 if gone is None else int(gone.sum())),
            figures=self._figures(0 if gone is None else int(gone.sum())),
            details=self._details(),
            recode=self.recode(),
        )

    def _gone(self) -> NDArray[np.bool_] | None:
        """The records to suppress; None if there are none."""
        if not self.best.holds or not (self.best.gone.any() or (self.judge.finest.lonely and self.best.suppressed)):
            return None
        by_class = np.append(self.best.gone[self.judge.tables.labels(self.best.levels)], True)
        return self.classes.per_record(by_class[self.judge.finest.place].astype(np.float64)) > 0

    def _figures(self, suppressed: int) -> dict[str, float]:
        return {
            "reached": float(self.best.holds),
            "loss": self.best.loss,
            "suppressed_records": float(suppressed),
            "nodes": float(self.found.nodes),
            "nodes_checked": float(len(self.found.visited)),
            **self.best.figures,
        }

    def _details(self) -> dict[str, Any]:
        finest = self.judge.finest
        return {
            "levels": dict(self.levels),
            "highest_levels": finest.by_name([depth - 1 for depth in finest.depths]),
            "hierarchies": {name: laid.hierarchy.kind for name, laid in zip(finest.names, finest.laid, strict=True)},
            "level_steps": {name: level_steps(laid) for name, laid in zip(finest.names, finest.laid, strict=True)},
            "nodes": self.found.nodes,
            "nodes_checked": len(self.found.visited),
            "complete": self.found.complete,
            "failing_records": 0 if self.best.holds else self.best.suppressed,
            "frontier": self.frontier.as_plain(),
            "buys": self.buys(),
            "seconds": self.found.seconds,
        }

    def _caveats(self, suppressed: int) -> tuple[str, ...]:
        found, limits = self.found, self.judge.goals.limits
        told = list(self.notes)
        if not found.complete:
            checked = len(found.visited)
            told.append(TIME.format(seconds=found.seconds, checked=checked, nodes=found.nodes))
        if not self.best.holds:
            within = f" with at most {self.judge.allowed:,} records suppressed" if self.judge.goals.suppressible else ""
            told.append(
                NOT_REACHED.format(within=within) if self.searched else f"These levels do not keep the limits{within}."
            )
            if any(column.missing for column in self.judge.finest.columns):
                told.append(MISSING_STAYS)
        if self.asked.missing is Missing.CONSERVATIVE and self.max_suppression and not self.judge.drop:
            told.append(CONSERVATIVE)
        if suppressed and not self.judge.drop:
            told.append(STAYS.format(count=suppressed))
        if limits.sample_to_population is not None and self.judge.goals.rate is None:
            told.append(UPPER)
        if self.asked.missing is Missing.WILDCARD and self.classes.incomplete:
            told.append(WILDCARD)
        return tuple(told)
