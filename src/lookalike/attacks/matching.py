"""Matching: an attacker looks for a target's row in a release by what they know of the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.attacks.files import Files, faults_in
from lookalike.attacks.fits import Fits, chance_of_any
from lookalike.attacks.outcome import Outcome, Share, pooled, sure
from lookalike.attacks.ranges import Radius
from lookalike.attacks.shuffled import shuffled_links
from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matches:
    """For each target: how many rows are the best match (c), and whether its own row is one of them (T).

    c is 0 where no row is matched, or where "none of them" is likelier than any. Source: Reiter and Mitra (2009).

    >>> found = Matches(candidates=np.array([1, 2, 1, 0]), own=np.array([True, True, False, False]))
    >>> found.expected_match_risk, found.unique_matches, str(found.true_match_rate), str(found.false_match_rate)
    (1.5, 2, '1 of 4 targets', '1 of 2 unique matches')
    """

    candidates: Ints = field(repr=False)
    own: Bools = field(repr=False)

    @property
    def expected_match_risk(self) -> float:
        """Σ T/c: the matches that are right, on average; a sum, not a rate."""
        return float((1 / self.candidates[self.own]).sum())

    @property
    def unique_matches(self) -> int:
        """s = #{c = 1}."""
        return int(np.count_nonzero(self.candidates == 1))

    @property
    def true_match_rate(self) -> Share:
        """#{c = 1, T = 1} of the targets; higher is more risk."""
        return Share(successes=self._unique(self.own), of=len(self.own), what="targets")

    @property
    def false_match_rate(self) -> Share | None:
        """#{c = 1, T = 0} of the unique matches; higher is less risk; None if no match is unique."""
        if not self.unique_matches:
            return None
        return Share(successes=self._unique(~self.own), of=self.unique_matches, what="unique matches")

    def _unique(self, which: Bools) -> int:
        return int(np.count_nonzero((self.candidates == 1) & which))


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What matching found: per release and pooled, and for the original released as it is.

    `found` is the share of targets with at least one row that fits; it has a control. `hits` is the expected share of
    targets whose own row is picked; it can have no control. `unique` is the share with exactly one row. All three are
    means over the releases, `hits` of the pooled match. `shuffled` is `hits` if only the kept columns tied a row to its
    record, for targets known to be in the file. An unlinked release has neither.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 31, 31], "sex": ["F", "F", "M"]})
    >>> found = Matching(known=("age", "sex")).attack(Files(original=original, releases=(original,), linked=True))
    >>> str(found.found.main), str(found.unique), str(found.hits.main)
    ('3 of 3 targets', '3 of 3 targets', '3 of 3 targets')
    """

    found: Outcome
    unique: Share
    unique_in_control: Share | None = None
    hits: Outcome | None = None
    shuffled: Share | None = None
    releases: tuple[Matches, ...] = ()
    pooled: Matches | None = None
    original: Matches | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Reiter and Mitra's matching: the rows that agree with the target on all known columns, each as likely.

    P(J = j) = (1/m) Σ_l [j in M_l]/|M_l|; c is the number of rows with the highest P. A number may lie within a
    radius of what is known; an interval of the release is matched by any value in it. With `in_sample` false the
    target may not be in the file: a row gets min(1/F, 1/|M_l|), F people of the population fitting the target
    (Drechsler and Reiter 2008).

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 31, 31], "sex": ["F", "F", "M"]})
    >>> release = pl.DataFrame({"age": [30, 30, 31], "sex": ["F", "F", "M"]})
    >>> found = Matching(known=("age", "sex")).attack(Files(original=original, releases=(release,), linked=True))
    >>> found.pooled.expected_match_risk, found.pooled.unique_matches
    (1.5, 1)
    """

    name: ClassVar[str] = "matching"

    known: tuple[str, ...]
    radius: Mapping[str, Radius] = field(default_factory=dict, hash=False)
    in_sample: bool = True

    def faults(self) -> list[str]:
        """What is wrong with the settings alone."""
        return [*self._faults()]

    def attack(self, files: Files, *, by_row: bool | None = None) -> Matched:
        """Match every record of the original; by row if the release is linked, unless told."""
        self.check(files)
        linked = files.linked if by_row is None else by_row
        if linked:
            files.check_linked("Matching by row")
        fits = Fits.of(files, self.known, self.radius)
        numbers = range(1, len(files.releases) + 1)
        each = [self._best(fits, [i], owned=linked) for i in numbers]
        itself = self._best(fits, [0], owned=linked)
        rows = self._by_row(files, fits, each, itself) if linked else {}
        control = [self._best(fits, [i], owned=False, target=1) for i in numbers if files.control is not None]
        chances = [chance_of_any(files, fits, i, self.known, self.radius) for i in numbers]
        found = Outcome(
            attack=self.name,
            measure="a row fits",
            main=_mean(each, np.greater, 0),
            baseline=Share(successes=float(np.mean(chances)), of=files.original.height, what="targets"),
            control=_mean(control, np.greater, 0) if control else None,
            original=_mean([itself], np.greater, 0),
            caveats=files.strangers([name for name in self.known if name not in self.radius]),
        )
        return Matched(
            found=found,
            unique=_mean(each, np.equal, 1),
            unique_in_control=_mean(control, np.equal, 1) if control else None,
            **rows,
        )

    def _by_row(self, files: Files, fits: Fits, each: Sequence[Matches], itself: Matches) -> dict[str, Any]:
        together = each[0] if len(each) == 1 else self._best(fits, range(1, len(each) + 1), owned=True)
        n = files.original.height
        hits = Outcome(
            attack=self.name,
            measure="expected match risk, by target",
            main=Share(successes=together.expected_match_risk, of=n, what="targets"),
            baseline=sure(1 / n, "targets, by picking a row at random"),
            original=Share(successes=itself.expected_match_risk, of=n, what="targets"),
            caveats=_NO_ROW if files.control is not None else (),
        )
        exact = [name for name in self.known if name not in self.radius]
        shuffled = shuffled_links(files, exact, together.candidates) if self.in_sample else None
        return {"hits": hits, "shuffled": shuffled, "releases": tuple(each), "pooled": together, "original": itself}

    def _best(self, fits: Fits, which: Sequence[int], *, owned: bool, target: int = 0) -> Matches:
        candidates, own = fits.best(which, owned=owned, in_sample=self.in_sample, target=target)
        return Matches(candidates=candidates, own=own)

    def check(self, files: Files) -> None:
        """Tell every fault of the request."""
        wrong = faults_in(lambda: files.check(self.known))
        faults = [*self.faults(), *(wrong or self._not_numbers(files))]
        if not self.in_sample and files.population is None:
            faults.append(
                "Matching of people who may not be in the file needs the population: how many fit each target."
            )
        if faults:
            raise BadPlan(faults)

    def _faults(self) -> Iterator[str]:
        for name, radius in self.radius.items():
            if name not in self.known:
                yield f"Column '{name}' has a radius but is not known. Add it to the known columns, or drop its radius."
            if not (isfinite(radius.value) and radius.value >= 0):
                yield f"The radius of column '{name}' must be a number of at least 0."

    def _not_numbers(self, files: Files) -> Iterator[str]:
        for name in self.radius:
            for where, file in files.named.items():
                if name in file.columns and not file[name].dtype.is_numeric():
                    yield f"Column '{name}' has a radius, but in the {where} it does not hold numbers. Drop the radius."


_NO_ROW = ("Records of the control have no row of their own in the release, so this figure has no control.",)


def _mean(releases: Sequence[Matches], compare: Callable[[Ints, int], Bools], number: int) -> Share:
    """The share of targets with so many candidates, the mean over releases."""
    hits = [(compare(r.candidates, number), len(r.candidates)) for r in releases]
    return pooled([Share(successes=int(np.count_nonzero(hit)), of=n, what="targets") for hit, n in hits])
