"""Judge one version of a file: which records it must suppress to keep the limits, what it loses, how risky it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.class_table import FinestTable
from lookalike.anonymize.generalizing.goals import Goals
from lookalike.anonymize.generalizing.judged import Judged, Sure
from lookalike.anonymize.generalizing.node_loss import NodeLoss
from lookalike.anonymize.generalizing.roll_up import Rolled, RollUp
from lookalike.anonymize.generalizing.sensitive_classes import Marks, SensitiveClasses, flagged, merged


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Judges versions of one file by the same goals."""

    finest: FinestTable
    tables: RollUp
    goals: Goals
    loss: NodeLoss
    allowed: int = 0
    """The most records that may be suppressed."""
    drop: bool = False
    """Whether suppressed records leave the file; else they stay, as one class of records without values."""

    def judge(self, levels: Sequence[int]) -> Judged:
        """Judge the version at these levels."""
        goals, node = self.goals, self.tables.classes(levels)
        small = node.sizes < goals.least_class
        if self._aside + int(node.sizes[small].sum()) > self.allowed:
            return self._fails(node, Sure.of(node, small, self._aside), self._before(node), final=True)
        spreads: list[SensitiveClasses] = []
        if goals.watched:
            node = self.tables.with_counts(levels)
            spreads = [goals.on(watched, node.counted[watched.name]) for watched in goals.watched]
        return self._in_full(node, small, spreads)

    @property
    def _aside(self) -> int:
        """Records that match nothing, so that no level mends them."""
        return self.finest.lonely if self.goals.suppressible else 0

    def _in_full(self, node: Rolled, small: Marks, spreads: Sequence[SensitiveClasses]) -> Judged:
        sure = Sure.of(node, small, self._aside, spreads, self._over(node, spreads))
        before = self._before(node, spreads)
        if sure.records > self.allowed or (self._aside and not self.drop):
            return self._fails(node, sure, before, final=True)
        gone = self._mended(node, small, spreads)
        suppressed = int(node.sizes[gone].sum()) + self._aside
        if suppressed > self.allowed or (self.drop and gone.all()):
            return self._fails(node, sure, before, suppressed=suppressed)
        figures = self._after(node, gone, spreads)
        if self.goals.limits.sample_to_population is not None:
            figures["sample_to_population"] = self._rate(node, gone)
        if not self.goals.kept(figures):
            final = self.allowed == 0 or not self.goals.suppressible
            return self._fails(node, sure, figures, suppressed=suppressed, final=final)
        return Judged(
            levels=node.levels,
            holds=True,
            loss=self.loss.of(node, gone, self._aside),
            figures=figures,
            risk=self.goals.ratio(figures),
            match=self._match(node, gone),
            suppressed=suppressed,
            certain=sure.records,
            beyond=self.loss.beyond(node, sure.by_class, self._aside),
            above=self.loss.above(node),
            gone=gone,
        )

    def _fails(
        self, node: Rolled, sure: Sure, figures: Mapping[str, float], *, suppressed: int = 0, final: bool = False
    ) -> Judged:
        return Judged(
            levels=node.levels,
            holds=False,
            loss=self.loss.of(node, np.zeros(len(node), bool), 0),
            figures=figures,
            risk=self.goals.ratio(figures),
            match=(len(node) + self.finest.lonely) / self.finest.records,
            suppressed=max(suppressed, sure.records),
            certain=sure.records,
            beyond=0.0 if final else self.loss.beyond(node, sure.by_class, self._aside),
            above=self.loss.above(node),
            final=final,
        )

    def _before(self, node: Rolled, spreads: Sequence[SensitiveClasses] = ()) -> dict[str, float]:
        """The figures of the levels alone, nothing suppressed."""
        nothing = np.zeros(len(node), bool)
        by_size = self._by_size(node.sizes, self.finest.records, alone=self.finest.lonely)
        return by_size | merged([spread.figures(nothing) for spread in spreads])

    def _after(self, node: Rolled, gone: Marks, spreads: Sequence[SensitiveClasses]) -> dict[str, float]:
        """The figures with the marked classes suppressed."""
        inside, sizes = gone, node.sizes[~gone]
        if gone.any() and not self.drop:
            inside = self._rest(node, gone)
            sizes = np.append(node.sizes[~inside], node.sizes[inside].sum())
        alone = self.finest.lonely - self._aside
        by_size = self._by_size(sizes, int(sizes.sum()) + alone, alone=alone)
        return by_size | merged([spread.figures(inside, drop=self.drop) for spread in spreads])

    def _by_size(self, sizes: NDArray[np.int64], records: int, *, alone: int) -> dict[str, float]:
        """The figures that sizes alone tell, with this many records alone beside the classes."""
        least = 1 if alone else int(sizes.min(initial=records))
        found = {
            "k_anonymity": float(least),
            "prosecutor_maximum": 1 / max(least, 1),
            "unique_records": (int((sizes == 1).sum()) + alone) / max(records, 1),
        }
        return {name: value for name, value in found.items() if name in self.goals.names}

    def _over(self, node: Rolled, spreads: Sequence[SensitiveClasses]) -> list[int]:
        """Records above a limit on a share of records: so many at least must go here and at every finer version."""
        limit = self.goals.limits.unique_records
        alone = int((node.sizes == 1).sum()) + self.finest.lonely
        found = [] if limit is None else [int(np.ceil(alone - limit * self.finest.records - 1e-9))]
        return [*found, *(over for spread in spreads for over in spread.over())]

    def _mended(self, node: Rolled, small: Marks, spreads: Sequence[SensitiveClasses]) -> Marks:
        """The classes to suppress: those that fail, and the smallest of those a share of records is too high in."""
        gone = small.copy()
        for spread in spreads:
            gone |= spread.fails
        limit = self.goals.limits.unique_records
        if limit is not None:
            left = int(node.sizes[~gone].sum()) if self.drop else self.finest.records
            gone = flagged(gone, np.where(node.sizes == 1, 1, 0), node.sizes, limit, left, drop=self.drop)
        for spread in spreads:
            gone = spread.mended(gone, node.sizes, drop=self.drop)
        return self._settled(gone, spreads) if self.drop else self._rested(gone, node, spreads)

    def _settled(self, gone: Marks, spreads: Sequence[SensitiveClasses]) -> Marks:
        """Without the records that leave, the file is spread differently: classes too far from it now go too."""
        while gone.any() and not gone.all():
            more = gone.copy()
            for spread in spreads:
                more |= spread.far_from_kept(gone)
            if (more == gone).all():
                break
            gone = more
        return gone

    def _rested(self, gone: Marks, node: Rolled, spreads: Sequence[SensitiveClasses]) -> Marks:
        """Suppressed records stay as one class, which must keep the limits too; till it does, the smallest join it."""
        if not gone.any() or self._good_rest(node, gone, spreads):
            return gone
        gone = gone.copy()
        for place in np.argsort(node.sizes, kind="stable"):
            gone[place] = True
            if node.sizes[gone].sum() > self.allowed or self._good_rest(node, gone, spreads):
                break
        return gone

    def _good_rest(self, node: Rolled, gone: Marks, spreads: Sequence[SensitiveClasses]) -> bool:
        rest = self._rest(node, gone)
        least = max(self.goals.least_class, 2 if self.goals.limits.unique_records is not None else 1)
        return int(node.sizes[rest].sum()) >= least and all(spread.holds_together(rest) for spread in spreads)

    def _rest(self, node: Rolled, gone: Marks) -> Marks:
        """The classes without values once the marked ones are suppressed."""
        found: Marks = gone | (node.places == self.finest.empty)
        return found

    def _match(self, node: Rolled, gone: Marks) -> float:
        """Classes by records of the release: the mean of 1/f, and an upper bound of B."""
        rest, alone = int(gone.any() and not self.drop), self.finest.lonely - self._aside
        records = int(node.sizes.sum() if rest else node.sizes[~gone].sum()) + alone
        return (int((~gone).sum()) + rest + alone) / max(records, 1)

    def _rate(self, node: Rolled, gone: Marks) -> float:
        """B over the records of the release. Of suppressed ones that stay, together at most one is found."""
        if self.goals.rate is None:
            return self._match(node, gone)
        rest, alone = int(gone.any() and not self.drop), self.finest.lonely - self._aside
        records = int(node.sizes.sum() if rest else node.sizes[~gone].sum()) + alone
        version = self.finest.node(node.levels, node.places[~gone], node.sizes[~gone], int(node.sizes[gone].sum()))
        found, kept = self.goals.rate(version), int(version.sizes.sum())
        return found if kept == records else (found * kept + rest + alone) / max(records, 1)

    def unsuppressed(self, levels: Sequence[int]) -> Judged:
        """The version at these levels with nothing suppressed, measured in full; `suppressed` counts what fails."""
        node = self.tables.with_counts(levels) if self.goals.watched else self.tables.classes(levels)
        spreads = [self.goals.on(watched, node.counted[watched.name]) for watched in self.goals.watched]
        figures, failing = self._before(node, spreads), node.sizes < self.goals.least_class
        for spread in spreads:
            failing |= spread.fails
        nothing = np.zeros(len(node), bool)
        if self.goals.limits.sample_to_population is not None:
            figures["sample_to_population"] = self._rate(node, nothing)
        return Judged(
            levels=node.levels,
            holds=self.goals.kept(figures),
            loss=self.loss.of(node, nothing, 0),
            figures=figures,
            risk=self.goals.ratio(figures),
            match=self._match(node, nothing),
            suppressed=int(node.sizes[failing].sum()) + self._aside,
        )
