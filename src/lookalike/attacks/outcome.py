"""What an attack found: how often it succeeds, beside a guess, beside records that were not used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import sqrt
from statistics import NormalDist

from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate

LEVEL = 0.95

FAILURES = 5
"""With fewer failures of the reference the interval of an excess is too short (computed, docs/concepts/compare.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How often something happens, of how many, with the interval of Wilson (1927).

    Centre (s + z²/2)/(n + z²), half width z/(n + z²)·√(s(n − s)/n + z²/4). `successes` may be a sum of chances: a
    mean of numbers in [0, 1] varies no more than the share of ones with that mean, so the interval is then wide
    rather than narrow. `exact` marks a share that is known and not counted; it has no width.

    >>> share = Share(successes=3, of=10, what="records")
    >>> share.value, round(share.low, 3), round(share.high, 3), str(share)
    (0.3, 0.108, 0.603, '3 of 10 records')
    >>> round(share.centre - share.error, 3), round(share.centre + share.error, 3)
    (0.108, 0.603)
    """

    successes: float
    of: int
    what: str
    exact: bool = False

    def __post_init__(self) -> None:
        if self.of < 1:
            raise NotAssessable(f"There are no {self.what}, so there is no share of them.")

    @property
    def value(self) -> float:
        """The share itself."""
        return self.successes / self.of

    @property
    def centre(self) -> float:
        """The middle of the interval."""
        z = _z()
        return self.value if self.exact else (self.successes + z * z / 2) / (self.of + z * z)

    @property
    def error(self) -> float:
        """Half the width of the interval."""
        if self.exact:
            return 0.0
        z, s, n = _z(), self.successes, self.of
        return z / (n + z * z) * sqrt(max(0.0, s * (n - s) / n) + z * z / 4)

    @property
    def low(self) -> float:
        """The lower end."""
        return max(0.0, self.centre - self.error)

    @property
    def high(self) -> float:
        """The upper end."""
        return min(1.0, self.centre + self.error)

    def __str__(self) -> str:
        return f"{self.successes:,.6g} of {self.of:,} {self.what}"


def sure(value: float, what: str) -> Share:
    """A share that follows from a formula and not from a count.

    >>> guess = sure(0.25, "guesses among four levels")
    >>> guess.low, guess.value, guess.high
    (0.25, 0.25, 0.25)
    """
    return Share(successes=value, of=1, what=what, exact=True)


def excess(attack: Share, reference: Share) -> Estimate:
    """What the attack gains of what the reference leaves: (a − r)/(1 − r), with its sign.

    Source: the Anonymeter protocol (Giomi et al. 2023), equation 2, without its floor at 0. It is 1 less the ratio of
    the failures, (1 − a)/(1 − r); its interval is that of the ratio, from Wilson's intervals of both shares by the
    method of Donner and Zou (2012), which keeps its level where the shares are close to 0 or 1.

    >>> found = excess(Share(successes=60, of=100, what="records"), Share(successes=20, of=100, what="records"))
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.5, 0.36, 0.62)
    """
    if reference.value >= 1 or reference.high >= 1:
        return Estimate.not_assessable("The reference always succeeds, so nothing is left to gain.", method="excess")
    value = (attack.value - reference.value) / (1 - reference.value)
    least, most = _ratio_of_failures(attack, reference)
    few = not reference.exact and reference.of - reference.successes < FAILURES
    return Estimate(
        value=value,
        low=min(value, 1 - most),
        high=max(value, 1 - least),
        method="excess",
        caveats=(_FEW_FAILURES,) if few else (),
    )


def _ratio_of_failures(attack: Share, reference: Share) -> tuple[float, float]:
    """The ends of p/q, p and q the shares that fail, from the ends of p and q (Donner and Zou 2012).

    Lower end (pq − √(p²q² − l(2p − l)·U(2q − U)))/(U(2q − U)) with l of p and U of q, here by its conjugate, which
    does not divide by 0; upper end the same with + and the other ends."""
    p, least_p, most_p = 1 - attack.value, 1 - attack.high, 1 - attack.low
    q, least_q, most_q = 1 - reference.value, 1 - reference.high, 1 - reference.low
    below, above = least_p * (2 * p - least_p), least_q * (2 * q - least_q)
    root_low = sqrt(max(0.0, (p * q) ** 2 - below * most_q * (2 * q - most_q)))
    root_high = sqrt(max(0.0, (p * q) ** 2 - most_p * (2 * p - most_p) * above))
    return below / (p * q + root_low) if below > 0 else 0.0, (p * q + root_high) / above


_FEW_FAILURES = (
    f"The attack succeeds on all but fewer than {FAILURES} of the records it is compared with, so its excess is hardly "
    "known and its interval may be too short."
)


class Reading(StrEnum):
    """How an outcome may be read.

    >>> [reading.value for reading in Reading]
    ['informative', 'no clear gain over the baseline', 'not informative']
    """

    INFORMATIVE = "informative"
    """The attack beats its baseline beyond chance."""
    UNCLEAR = "no clear gain over the baseline"
    """It is above the baseline, but no further than chance goes."""
    NOT_INFORMATIVE = "not informative"
    """It does no better than its baseline: the attack failed, which does not show that the release is safe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One measure of one attack.

    `main` is against the records of the original, `control` against records that were not used, `baseline` what a
    guess without the release reaches, `original` what the same attack reaches when the original itself is released.

    >>> def share(successes): return Share(successes=successes, of=1000, what="records")
    >>> outcome = Outcome(attack="cap", measure="DiSCO", main=share(300), control=share(200), baseline=share(100))
    >>> outcome.reading.value, round(outcome.risk.value, 3)
    ('informative', 0.125)
    >>> weak = Outcome(attack="cap", measure="DiSCO", main=share(50), baseline=share(100))
    >>> weak.reading.value, weak.risk.value is None
    ('not informative', True)
    """

    attack: str
    measure: str
    main: Share
    baseline: Share
    control: Share | None = None
    original: Share | None = None
    caveats: tuple[str, ...] = field(default=())

    @property
    def gain(self) -> Estimate:
        """The excess over the baseline, with its sign."""
        return excess(self.main, self.baseline)

    @property
    def excess(self) -> Estimate | None:
        """The excess over the control, with its sign; None without a control."""
        return None if self.control is None else excess(self.main, self.control)

    @property
    def reading(self) -> Reading:
        """Whether the attack beats its baseline."""
        if self.main.value <= self.baseline.value:
            return Reading.NOT_INFORMATIVE
        low = self.gain.low
        return Reading.INFORMATIVE if low is not None and low > 0 else Reading.UNCLEAR

    @property
    def risk(self) -> Estimate:
        """The figure to judge: the excess over the control, else the share itself; none if not informative."""
        method = f"{self.attack}: {self.measure}"
        if self.reading is Reading.NOT_INFORMATIVE:
            reason = (
                "The attack does no better than its baseline. It failed; that does not show that the release is safe."
            )
            return Estimate.not_assessable(reason, method=method)
        if self.excess is None:
            found = Estimate(value=self.main.value, low=self.main.low, high=self.main.high, method=method)
            return _with(found, method, (*self.caveats, _NO_CONTROL))
        return _with(self.excess, method, self.caveats)


_NO_CONTROL = (
    "Without a control, what holds for everybody is not told apart from what the release tells of its own records."
)


def pooled(shares: Sequence[Share]) -> Share:
    """The mean over releases of one original: each record counts once, with its mean success.

    >>> str(pooled([Share(successes=s, of=10, what="records") for s in (2, 4)]))
    '3 of 10 records'
    """
    return Share(
        successes=sum(s.value for s in shares) / len(shares) * shares[0].of,
        of=shares[0].of,
        what=shares[0].what,
        exact=all(s.exact for s in shares),
    )


def _with(found: Estimate, method: str, caveats: tuple[str, ...]) -> Estimate:
    caveats = (*found.caveats, *caveats)
    return Estimate(value=found.value, low=found.low, high=found.high, method=method, caveats=caveats)


def _z() -> float:
    return NormalDist().inv_cdf((1 + LEVEL) / 2)
