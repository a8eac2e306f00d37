"""Combining rules: one estimate with its variance from the m copies of a release.

Which rule is right depends on how the release came about; with another one intervals are too short or too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.origin import How, Origin

Floats = NDArray[np.float64]


class Rule(StrEnum):
    """The variance of the mean of m estimates: v̄ the mean of their variances, b the variance between them.

    >>> rule_for(Origin(how=How.PARTIAL)).value
    'v̄ + b/m'
    """

    COMPLETE_IMPROPER = "v̄ (k/n + 1/m)"
    """Raab, Nowok and Dibben (2016): all columns drawn from the estimated law; also for one copy."""
    COMPLETE_PROPER = "v̄ (k/n + (1 + k/n)/m)"
    """The same where the law was drawn too."""
    PARTIAL = "v̄ + b/m"
    """Reiter (2003): some columns drawn."""
    POPULATIONS = "(1 + 1/m) b − v̄"
    """Raghunathan, Reiter and Rubin (2003): samples of synthetic populations."""
    INCOMPLETE = "v̄ k/n + b/m"
    """synthpop's for releases in which some values are drawn."""
    NESTED = "(1 + 1/M) B − W/r + v̄"
    """Reiter (2004): M imputations of missing values, each drawn r times."""
    AS_ORIGINAL = "v̄ k/n"
    """What the original would have given, not what is known of the people: the error of drawing is left out."""
    AS_IT_IS = "v"
    """A file that was changed, or another sample: its estimates are taken as they are."""


ENOUGH = {Rule.PARTIAL: (3, "short"), Rule.INCOMPLETE: (5, "short"), Rule.POPULATIONS: (50, "long")}
"""From how many copies on the intervals of a rule keep their level, and what they are with fewer (simulated)."""

ENOUGH_NESTED = 4
"""The same for imputations, and for the copies of each, of a nested release."""

APART = "The interval is the one the original would have given; the error of drawing is not in it."

RULES = {
    How.CHANGED: Rule.AS_IT_IS,
    How.INDEPENDENT: Rule.AS_IT_IS,
    How.PARTIAL: Rule.PARTIAL,
    How.POPULATIONS: Rule.POPULATIONS,
    How.INCOMPLETE: Rule.INCOMPLETE,
    How.NESTED: Rule.NESTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Estimates from all copies with their variances and intervals."""

    estimate: Floats
    variance: Floats
    df: Floats
    """Degrees of freedom of the t law of the intervals; infinite for a normal one."""
    low: Floats
    high: Floats
    rule: Rule
    copies: int
    level: float
    caveats: tuple[str, ...] = ()


def rule_for(origin: Origin, asked: Rule | None = None) -> Rule:
    """The rule for a release that came about in this way; another one that is asked for is refused.

    >>> rule_for(Origin(how=How.PARTIAL), Rule.POPULATIONS)
    Traceback (most recent call last):
    lookalike.errors.BadPlan: The rule '(1 + 1/m) b − v̄' is for another kind of release. This one is partial, improper:
    its rule is 'v̄ + b/m'.
    """
    right = RULES.get(origin.how) or (Rule.COMPLETE_PROPER if origin.proper else Rule.COMPLETE_IMPROPER)
    # A copy of a synthetic population is a complete, proper one; that rule needs no variance between copies.
    also = (right, Rule.AS_ORIGINAL) + ((Rule.COMPLETE_PROPER,) if right is Rule.POPULATIONS else ())
    if asked is None or asked in also:
        return asked or right
    raise BadPlan(
        f"The rule '{asked.value}' is for another kind of release. This one is {origin}: its rule is '{right.value}'."
    )


def combine(
    estimates: Floats | Sequence[Sequence[float]],
    variances: Floats | Sequence[Sequence[float]],
    *,
    n: int,
    k: int,
    origin: Origin | None = None,
    rule: Rule | None = None,
    nests: int | None = None,
    level: float = 0.95,
) -> Combined:
    """Combine estimates of m copies (rows) of some quantities (columns); n records in the file, k in a copy.

    `variances` are those computed as if a copy were real. `nests` is M, the number of imputations, if there are nests;
    the rows of one nest stand together. Methods, section 2.8.

    >>> found = combine([[1.0], [1.2], [1.1]], [[0.04], [0.05], [0.03]], n=100, k=100, origin=Origin(how=How.PARTIAL))
    >>> round(float(found.variance[0]), 6)                              # 0.04 + 0.01/3
    0.043333
    >>> combine([[1.0]], [[0.04]], n=100, k=100).variance.tolist()      # 0.04 (1 + 1/1)
    [0.08]
    """
    q, v = np.atleast_2d(np.asarray(estimates, np.float64)), np.atleast_2d(np.asarray(variances, np.float64))
    origin = origin or Origin()
    chosen = rule_for(origin, rule)
    if chosen is not Rule.NESTED and origin.how is How.NESTED:
        nests = None  # what the original would have given needs no nests
    _check(q, v, chosen, n, k, nests, level)
    total, df, caveats = _variance(chosen, q, v, n, k, nests or 1)
    half = np.where(np.isinf(df), norm.ppf(0.5 + level / 2), t.ppf(0.5 + level / 2, np.where(np.isinf(df), 1, df)))
    centre, half = q.mean(axis=0), half * np.sqrt(total)
    return Combined(
        estimate=centre,
        variance=total,
        df=df,
        low=centre - half,
        high=centre + half,
        rule=chosen,
        copies=len(q),
        level=level,
        caveats=(*caveats, *_few(chosen, len(q), nests or 1)),
    )


def _few(rule: Rule, copies: int, nests: int) -> tuple[str, ...]:
    """What too few copies do to the intervals."""
    least, what = ENOUGH.get(rule, (0, ""))
    counts = [(copies, least, what, "copies")]
    if rule is Rule.NESTED:
        each = copies // nests
        counts = [(nests, ENOUGH_NESTED, "short", "imputations"), (each, ENOUGH_NESTED, "long", "copies of each")]
    return tuple(
        f"Intervals by the rule '{rule.value}' are too {what} with fewer than {least} {of}; there are {number}."
        for number, least, what, of in counts
        if number < least
    )


def _check(q: Floats, v: Floats, rule: Rule, n: int, k: int, nests: int | None, level: float) -> None:
    faults = []
    if q.shape != v.shape:
        faults.append(f"Estimates are {q.shape}, variances {v.shape}: give one each for a copy and a quantity.")
    if n < 1 or k < 1:
        faults.append("The file and the copies have at least 1 record.")
    if not 0 < level < 1:
        faults.append("The level of an interval is between 0 and 1.")
    if rule is Rule.NESTED and (nests is None or nests < 2 or len(q) % nests or len(q) // nests < 2):
        faults.append(
            f"A nested release needs at least 2 nests of at least 2 copies, all of one size; there are {len(q)} copies."
        )
    if rule is Rule.AS_IT_IS and len(q) > 1:
        faults.append(f"A changed file, or another sample, is one file; there are {len(q)}. Compare them one by one.")
    if rule is not Rule.NESTED and nests is not None:
        faults.append("Nests are for releases of imputed files only.")
    if faults:
        raise BadPlan(faults)
    if rule in (Rule.PARTIAL, Rule.POPULATIONS, Rule.INCOMPLETE) and len(q) < 2:
        raise NotAssessable(
            f"The rule '{rule.value}' needs the variance between copies, and there is 1. Draw at least 2, better 5."
        )


def _variance(rule: Rule, q: Floats, v: Floats, n: int, k: int, nests: int) -> tuple[Floats, Floats, tuple[str, ...]]:
    """Total variance and degrees of freedom of each quantity."""
    m, mean, endless = len(q), v.mean(axis=0), np.full(q.shape[1], np.inf)
    between = q.var(axis=0, ddof=1) if m > 1 else np.zeros(q.shape[1])
    if rule is Rule.COMPLETE_IMPROPER:
        return mean * (k / n + 1 / m), endless, ()
    if rule is Rule.COMPLETE_PROPER:
        return mean * (k / n + (1 + k / n) / m), endless, ()
    if rule is Rule.AS_ORIGINAL:
        return mean * k / n, endless, (APART,)
    if rule is Rule.AS_IT_IS:
        return mean, endless, ()
    if rule is Rule.INCOMPLETE:
        return mean * k / n + between / m, endless, ()
    if rule is Rule.PARTIAL:
        return mean + between / m, (m - 1) * (1 + _over(m * mean, between)) ** 2, ()
    if rule is Rule.POPULATIONS:
        return _populations(mean, between, m, k / n)
    return _nested(q, mean, nests)


def _over(one: Floats, other: Floats) -> Floats:
    found = np.full(len(one), np.inf)
    np.divide(one, other, out=found, where=other > 0)
    return found


def _populations(mean: Floats, between: Floats, m: int, ratio: float) -> tuple[Floats, Floats, tuple[str, ...]]:
    """T = (1 + 1/m) b − v̄; where that is not above 0, v̄ k/n (Reiter 2002)."""
    drawn = (1 + 1 / m) * between
    total, bad = drawn - mean, drawn <= mean
    df = (m - 1) * (1 - np.minimum(_over(mean, drawn), 1.0)) ** 2
    told = "The variance of {} of {} estimates came out below 0 and was replaced by v̄ k/n: draw more copies."
    caveats = (told.format(int(bad.sum()), len(bad)),) if bad.any() else ()
    return np.where(bad, ratio * mean, total), np.where(bad, np.inf, df), caveats


def _nested(q: Floats, mean: Floats, nests: int) -> tuple[Floats, Floats, tuple[str, ...]]:
    """T = (1 + 1/M) B − W/r + v̄; where that is not above 0, W/r is not taken off (Reiter 2004)."""
    cube = q.reshape(nests, -1, q.shape[1])
    r = cube.shape[1]
    outer = (1 + 1 / nests) * cube.mean(axis=1).var(axis=0, ddof=1)
    inner = cube.var(axis=1, ddof=1).mean(axis=0) / r
    total = outer - inner + mean
    bad = total <= 0
    total = np.where(bad, outer + mean, total)
    squares = outer**2 / (nests - 1) + np.where(bad, 0.0, inner**2 / (nests * (r - 1)))
    caveats = (f"W/r was not taken off for {int(bad.sum())} of {len(bad)} estimates.",) if bad.any() else ()
    return total, _over(total**2, squares), caveats
