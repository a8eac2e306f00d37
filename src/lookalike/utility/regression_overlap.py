"""Does a regression on the release keep its conclusions? Coefficients side by side, interval overlap, lack of fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import pi, sqrt

import numpy as np
import polars as pl
from scipy.stats import chi2, f, norm

from lookalike.data import Variable
from lookalike.errors import NotAssessable
from lookalike.utility.combining import Combined, Floats, Rule, combine, rule_for
from lookalike.utility.glm_fits import inverted
from lookalike.utility.origin import How, Origin
from lookalike.utility.overlap import interval_overlap, not_below_zero
from lookalike.utility.propensity_scores import Labels
from lookalike.utility.regressions import Family, Fit, fit_all

FAR_APART = 2.0
"""Standard errors of the original between two estimates that tell different sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One coefficient in the original and in the release."""

    name: str
    original: float
    original_interval: tuple[float, float]
    release: float
    release_interval: tuple[float, float]
    overlap: float
    """Of the intervals; below 0 if they are apart."""
    difference: float
    """(release − original) in standard errors of the original."""

    @property
    def same_conclusion(self) -> bool:
        """Whether both intervals say the same of the sign: above 0, below 0, or neither."""
        return _sign(self.original_interval) == _sign(self.release_interval)

    @property
    def size_lost(self) -> bool:
        """Whether the release tells another size: intervals apart, estimates more than 2 standard errors apart."""
        return self.overlap < 0 and abs(self.difference) > FAR_APART


@dataclass(frozen=True, slots=True, kw_only=True)
class LackOfFit:
    """A test that the release's coefficients are the original's but for the drawing."""

    statistic: float
    df: tuple[float, ...]
    """Of χ², or of F if there are two."""
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionOverlap:
    """A regression of the original beside that of the release."""

    formula: str
    response: str
    family: Family
    rule: Rule
    coefficients: tuple[Coefficient, ...]
    overlap: float
    """Mean interval overlap."""
    overlap_not_below_zero: float
    """The same with 0 for intervals that are apart."""
    overlap_same_length: float
    """The same if the release's intervals were as long as the original's, 1 − |difference|/2z: what synthpop prints."""
    difference: float
    """Mean absolute standardized difference."""
    difference_expected: float | None
    """What it would be for a release drawn from the right law."""
    lack_of_fit: LackOfFit | None
    untold: tuple[str, ...]
    """Coefficients that some file does not tell: a level is lacking, the estimate has no end, or it means something
    else than in the original. They are left out."""
    never_told: frozenset[str]
    """Those of them that the original itself does not tell: nothing is lost with them."""
    records: tuple[int, int]
    references: Mapping[str, str] = field(default_factory=dict)
    """The level that each column with levels is set against; of the response in multinomial regression."""
    caveats: tuple[str, ...] = ()


def regression_overlap(
    original: pl.DataFrame,
    copies: pl.DataFrame | Sequence[pl.DataFrame],
    formula: str,
    *,
    origin: Origin | None = None,
    rule: Rule | None = Rule.AS_ORIGINAL,
    variables: Sequence[Variable] = (),
    family: Family | None = None,
    nests: int | None = None,
    level: float = 0.95,
) -> RegressionOverlap:
    """Fit a formula to the original and to every copy, combine the copies, and compare coefficient by coefficient.

    By default the release's interval is the one the original would have given (variance v̄ k/n), as in synthpop;
    `rule=None` takes the rule of the release's origin, for inference about the people.

    >>> file = pl.DataFrame({"y": [1.0, 2.0, 3.0, 5.0, 4.0], "x": [0, 1, 2, 3, 4]})
    >>> found = regression_overlap(file, file, "y ~ x")
    >>> found.overlap, found.difference, found.coefficients[1].name
    (1.0, 0.0, 'x')
    """
    origin = origin or Origin()
    files = [copies] if isinstance(copies, pl.DataFrame) else list(copies)
    family, read, (first, *others) = fit_all([original, *files], formula, variables=variables, family=family)
    both = np.isfinite(first.variances) & np.all([np.isfinite(o.variances) for o in others], axis=0)
    if not both.any():
        raise NotAssessable("No coefficient can be estimated in all files: too few records, or too few shared levels.")
    estimates, variances = (np.array([getattr(o, what)[both] for o in others]) for what in ("estimates", "variances"))
    chosen = rule_or_as_it_is(origin, rule)
    n, k = first.records, round(float(np.mean([o.records for o in others])))
    combined = combine(estimates, variances, n=n, k=k, origin=origin, rule=chosen, nests=nests, level=level)
    rows = _rows(first, combined, both, level)
    overlaps, differences = np.array([(row.overlap, abs(row.difference)) for row in rows]).T
    return RegressionOverlap(
        formula=str(read),
        response=read.response,
        family=family,
        rule=combined.rule,
        coefficients=rows,
        overlap=float(overlaps.mean()),
        overlap_not_below_zero=float(not_below_zero(overlaps).mean()),
        overlap_same_length=float(np.mean(1 - differences / (2 * norm.ppf(0.5 + level / 2)))),
        difference=float(differences.mean()),
        difference_expected=expected_difference(origin, n, k, len(others)),
        lack_of_fit=_lack_of_fit(first, estimates, both, origin, k),
        untold=tuple(name for name, told in zip(first.names, both, strict=True) if not told),
        never_told=frozenset(n for n, told in zip(first.names, np.isfinite(first.variances), strict=True) if not told),
        records=(n, k),
        references=first.references,
        caveats=(*combined.caveats, *_caveats(first, others, both)),
    )


def expected_difference(origin: Origin, n: int, k: int, m: int) -> float | None:
    """E|standardized difference| for a complete release from the right law: √(2n/(π m k)), proper √(2(1 + n/k)/(π m)).

    None for releases of another kind, where it depends on how much was drawn.

    >>> round(expected_difference(Origin(), 5000, 5000, 1), 4)
    0.7979
    """
    if origin.how is not How.COMPLETE:
        return None
    return sqrt(2 * ((1 + n / k) if origin.proper else n / k) / (pi * m))


def rule_or_as_it_is(origin: Origin, asked: Rule | None) -> Rule | None:
    """A file that was changed has no drawing to leave out: it is taken as it is."""
    if asked is Rule.AS_ORIGINAL and rule_for(origin) is Rule.AS_IT_IS:
        return Rule.AS_IT_IS
    return asked


def _rows(first: Fit, combined: Combined, both: Labels, level: float) -> tuple[Coefficient, ...]:
    places = np.flatnonzero(both)
    errors = np.sqrt(first.variances[places])
    estimates, half = first.estimates[places], norm.ppf(0.5 + level / 2) * errors
    low, high = estimates - half, estimates + half
    overlaps = interval_overlap((low, high), (combined.low, combined.high))
    apart = combined.estimate - estimates
    exact = np.where(apart == 0, 0.0, np.where(apart > 0, np.inf, -np.inf))
    differences = np.divide(apart, errors, out=exact, where=errors > 0)
    return tuple(
        Coefficient(
            name=first.names[place],
            original=float(estimates[i]),
            original_interval=(float(low[i]), float(high[i])),
            release=float(combined.estimate[i]),
            release_interval=(float(combined.low[i]), float(combined.high[i])),
            overlap=float(overlaps[i]),
            difference=float(differences[i]),
        )
        for i, place in enumerate(places)
    )


def _lack_of_fit(first: Fit, estimates: Floats, both: Labels, origin: Origin, k: int) -> LackOfFit | None:
    """d' [V (n/k)/m]⁻¹ d ~ χ²_p for complete releases, V times 1 + k/n more if proper; else Hotelling's by b/m."""
    apart, (m, p) = estimates.mean(axis=0) - first.estimates[both], estimates.shape
    n = first.records
    if origin.how is How.COMPLETE:
        spread = first.covariance[np.ix_(both, both)] * (n / k) / m * (1 + k / n if origin.proper else 1.0)
        value = float(apart @ inverted(spread) @ apart)
        return LackOfFit(statistic=value, df=(float(p),), p_value=float(chi2.sf(value, p)))
    if origin.how in (How.PARTIAL, How.INCOMPLETE) and m > p:
        spread = np.atleast_2d(np.cov(estimates, rowvar=False)) / m
        value = float(apart @ inverted(spread) @ apart) * (m - p) / (p * (m - 1))
        return LackOfFit(statistic=value, df=(float(p), float(m - p)), p_value=float(f.sf(value, p, m - p)))
    return None


def _caveats(first: Fit, others: Sequence[Fit], both: Labels) -> tuple[str, ...]:
    found = []
    if first.moved:
        names = ", ".join(first.moved)
        found.append(f"Set against the first level that all files hold, for some lack the very first: {names}.")
    if not both.all():
        found.append(f"{int((~both).sum())} coefficients are not told by all files, and are left out.")
    left_out = first.left_out, round(float(np.mean([o.left_out for o in others])))
    if any(left_out):
        found.append(f"Records with a missing value are left out: {left_out[0]:,} and {left_out[1]:,}.")
    if not all(one.converged for one in (first, *others)):
        found.append("A regression did not converge: a combination of columns may tell the response for certain.")
    return tuple(found)


def _sign(interval: tuple[float, float]) -> int:
    return 1 if interval[0] > 0 else -1 if interval[1] < 0 else 0
