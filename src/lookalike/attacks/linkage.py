"""Record linkage: pairs of records and rows that agree on what is known, compared on the rest, linked one to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.random import Generator

from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.linkage_em import Agreement, counted, learn, patterns
from lookalike.attacks.linkage_pairs import Pairs
from lookalike.attacks.linkage_ranges import RangedPairs
from lookalike.attacks.matching import Matching
from lookalike.attacks.outcome import Outcome, Share, pooled
from lookalike.attacks.ranges import Radius, is_coarse
from lookalike.errors import BadPlan

_MORE = 1e-9
"""What one more field that agrees is worth between pairs of equal weight."""
MOST_FIELDS = 16
"""Fields compared at most: 2^16 patterns of agreement."""


class Weights(StrEnum):
    """What a pair that agrees on some fields is worth.

    >>> [way.value for way in Weights]
    ['Fellegi-Sunter', 'truth', 'agreements']
    """

    FELLEGI_SUNTER = "Fellegi-Sunter"
    """Σ log(m/u) or log((1 − m)/(1 − u)), m and u by EM."""
    TRUTH = "truth"
    """The same with m counted in the true pairs, which no attacker has: EM is not the reason if little is linked."""
    AGREEMENTS = "agreements"
    """The number of fields that agree, as seed 002 does."""


class Links(StrEnum):
    """How pairs are chosen so that every record and every row is used once.

    >>> [way.value for way in Links]
    ['greedy', 'optimal']
    """

    GREEDY = "greedy"
    """The best pair first."""
    OPTIMAL = "optimal"
    """The largest sum of weights in each block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTable:
    """The pairs of all blocks by truth and by link: tables 5 and 6 of the Patient Characteristics Survey study.

    >>> LinkTable(true_linked=1, true_left=1, false_linked=1, false_left=1).rows
    ((1, 1), (1, 1))
    """

    true_linked: float
    true_left: float
    false_linked: float
    false_left: float

    @property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Rows: a pair is of two records, of one. Columns: it is left, it is linked."""
        return (self.false_left, self.false_linked), (self.true_left, self.true_linked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What linkage found, the tables the mean over releases.

    `outcome` is the share of records linked to their own row, beside the chance Σ 1/(rows of the block)/n of a link
    at random inside the block; with ranges, beside links at random among the rows that fit. `twins` is the share of
    records with a row that agrees on everything, known and compared; it has a control.

    >>> original = pl.DataFrame({"sex": ["F"] * 3 + ["M"], "age": [30, 31, 32, 30], "job": ["a", "b", "c", "a"]})
    >>> files = Files(original=original, releases=(original,), linked=True)
    >>> found = Linkage(known=("sex",)).attack(files, rng=np.random.default_rng(1))
    >>> str(found.outcome.main), found.outcome.baseline.value, str(found.twins.main)
    ('4 of 4 records', 0.5, '4 of 4 targets')
    """

    outcome: Outcome
    twins: Outcome
    table: LinkTable
    original: LinkTable
    releases: tuple[LinkTable, ...]
    agreement: tuple[Agreement, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """Fellegi and Sunter's linkage of a release to the original, blocked on the known columns.

    A range of the release agrees with every value in it, in known columns too: a pair is then a record and a row that
    holds what is known of it. `compared` are the columns an attacker compares besides, all others unless told. Numbers
    agree within `within`.
    Only pairs with a weight above `above` are linked. Ties are broken at random.

    >>> original = pl.DataFrame({"sex": ["F"] * 3 + ["M"], "age": [30, 31, 32, 30], "job": ["a", "b", "c", "a"]})
    >>> files = Files(original=original, releases=(original,), linked=True)
    >>> found = Linkage(known=("sex",)).attack(files, rng=np.random.default_rng(1))
    >>> found.table.rows, found.outcome.baseline.value
    (((6.0, 0.0), (0.0, 4.0)), 0.5)
    """

    name: ClassVar[str] = "record linkage"

    known: tuple[str, ...]
    compared: tuple[str, ...] = ()
    within: Mapping[str, Radius] = field(default_factory=dict, hash=False)
    weights: Weights = Weights.FELLEGI_SUNTER
    links: Links = Links.GREEDY
    above: float | None = None
    free: bool = False
    """Learn the share of true pairs and u by EM too (see `learn`)."""

    def attack(self, files: Files, *, rng: Generator) -> Linked:
        """Link every release, and the original to itself."""
        compared = self._check(files)
        releases = [self._pairs(files.original, release, compared) for release in files.releases]
        itself = self._pairs(files.original, files.original, compared)
        found = [self._linked(pairs, rng) for pairs in (*releases, itself)]
        tables = [table for table, _ in found]
        chances = [pairs.chance(optimal=self.links is Links.OPTIMAL, rng=rng) for pairs in releases]
        n = files.original.height
        outcome = Outcome(
            attack=self.name,
            measure=f"true links, {self.links.value}",
            main=pooled([_share(table, n) for table in tables[:-1]]),
            baseline=pooled([Share(successes=chance, of=n, what="records") for chance in chances]),
            original=_share(tables[-1], n),
            caveats=("Records of the control have no row of their own in the release; see the twins.",)
            if files.control is not None
            else (),
        )
        everything = Matching(known=(*self.known, *compared), radius=self.within)
        return Linked(
            outcome=outcome,
            twins=everything.attack(files, by_row=False).found,
            table=_mean(tables[:-1]),
            original=tables[-1],
            releases=tuple(tables[:-1]),
            agreement=tuple(a for _, a in found if a is not None),
        )

    def _pairs(self, original: pl.DataFrame, release: pl.DataFrame, compared: tuple[str, ...]) -> Pairs | RangedPairs:
        """Those that agree on what is known: equal values or, where the release has ranges, rows that hold them."""
        coarse = any(is_coarse(release[name], original[name]) for name in self.known)
        kind = RangedPairs if coarse else Pairs
        return kind.of(original, release, self.known, compared, self.within)

    def _linked(self, pairs: Pairs | RangedPairs, rng: Generator) -> tuple[LinkTable, Agreement | None]:
        agreement = self._agreement(pairs)
        agreements = patterns(pairs.fields).sum(axis=1)
        weight = agreements if agreement is None else agreement.weights() + _MORE * agreements
        link = pairs.greedy if self.links is Links.GREEDY else pairs.optimal
        links = link(weight, above=self.above, rng=rng)
        linked, true = int(np.count_nonzero(links >= 0)), int(np.count_nonzero(links == np.arange(len(links))))
        table = LinkTable(
            true_linked=true,
            true_left=pairs.true_pairs - true,
            false_linked=linked - true,
            false_left=pairs.total - linked - (pairs.true_pairs - true),
        )
        return table, agreement

    def _agreement(self, pairs: Pairs | RangedPairs) -> Agreement | None:
        if self.weights is Weights.AGREEMENTS:
            return None
        share = pairs.true_pairs / max(pairs.total, 1)
        counts = pairs.patterns()
        return (
            counted(counts, pairs.own_agreement(), share)
            if self.weights is Weights.TRUTH
            else learn(counts, share, free=self.free)
        )

    def _check(self, files: Files) -> tuple[str, ...]:
        """The columns to compare; every fault of the request at once."""
        compared = self.compared or tuple(c for c in files.columns if c not in self.known)
        faults = [] if compared else ["There is no column left to compare: the attacker knows them all."]
        if len(compared) > MOST_FIELDS:
            faults.append(f"{len(compared)} columns are compared; choose at most {MOST_FIELDS} of them.")
        faults += [
            *faults_in(lambda: files.check(self.known, compared)),
            *faults_in(lambda: files.check_linked("Record linkage")),
            *faults_in(lambda: Matching(known=(*self.known, *compared), radius=self.within).check(files)),
        ]
        if faults:
            raise BadPlan(list(dict.fromkeys(faults)))
        return compared


def _share(table: LinkTable, records: int) -> Share:
    return Share(successes=table.true_linked, of=records, what="records")


def _mean(tables: Sequence[LinkTable]) -> LinkTable:
    def mean(part: str) -> float:
        return float(np.mean([getattr(t, part) for t in tables]))

    return LinkTable(
        true_linked=mean("true_linked"),
        true_left=mean("true_left"),
        false_linked=mean("false_linked"),
        false_left=mean("false_left"),
    )
