"""What propensity measures are for a release drawn from the right law: by a χ² law, or by shuffled labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.stats import chi2

from lookalike.utility.origin import How, Origin
from lookalike.utility.propensity_scores import Apart

NO_NULL = {
    How.CHANGED: "The release is the file itself, changed: there is no law it should follow, so nothing is expected.",
    How.NESTED: "Imputed values are in the release and not in the original: no expectation is known.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A measure beside what it would be for a release drawn from the right law.

    >>> Against(value=0.006, expected=0.004, sd=0.001, p_value=0.03).z
    2.0
    """

    value: float
    expected: float | None = None
    sd: float | None = None
    p_value: float | None = None
    """The chance of a value as large or larger."""
    nothing: float = 0.0
    """The value of scores that are all the same."""
    ceiling: float | None = None
    """What a release may come to and still be drawn rightly, where that is more than `expected`."""

    @property
    def ratio(self) -> float | None:
        """value/expected, both less `nothing`; None where about that is expected."""
        if self.expected is None or self.sd is None or self.expected - self.nothing <= self.sd / 4:
            return None
        return (self.value - self.nothing) / (self.expected - self.nothing)

    @property
    def z(self) -> float | None:
        """(value − expected)/sd."""
        return None if self.expected is None or not self.sd else (self.value - self.expected) / self.sd


def shrinks(origin: Origin, n1: int, n2: int, folds: int = 0) -> float | None:
    """By what variances are smaller than between two independent samples of n₁ and n₂; None if there is no null.

    1 − c = n₁/(n₁ + n₂) where records were drawn from a law fixed at its estimates: the release varies about the
    original and not about the truth, so the part 1/n₁ of the variance 1/n₁ + 1/n₂ falls out. With folds the model sees
    a part f = 1 − 1/folds of the original, which varies about the whole: 1 − f c; and so it is if only a random part f
    of the original is compared. And 1 where the law was drawn too, and for independent samples.

    >>> shrinks(Origin(), 300, 100), shrinks(Origin(proper=True), 300, 100), shrinks(Origin(how=How.CHANGED), 1, 1)
    (0.75, 1.0, None)
    >>> shrinks(Origin(), 100, 100, folds=5), shrinks(Origin(part=0.5), 100, 100)
    (0.6, 0.75)
    """
    if origin.how in NO_NULL:
        return None
    if origin.proper or origin.how is How.INDEPENDENT:
        return 1.0
    return 1 - origin.part * (1 - 1 / folds if folds else 1.0) * n2 / (n1 + n2)


def chi_square(pmse: float, free: int, n1: int, n2: int, shrink: float) -> Against:
    """pMSE against its law under an unpenalized logistic regression with `free` coefficients beside the intercept.

        N pMSE / (c (1 − c) f) ~ χ²_free,   f = 1 − c for improper synthesis, else 1

    Snoke et al. (2018), equations 3 and 4, for improper synthesis; methods, section 2.6, for the others.

    >>> found = chi_square(0.0006242980849, 49, 5000, 5000, 0.5)
    >>> round(found.expected, 7), round(found.ratio, 7), round(found.z, 3)
    (0.0006125, 1.0192622, 0.095)
    """
    c = n2 / (n1 + n2)
    unit = c * (1 - c) * shrink / (n1 + n2)
    if free == 0:
        return Against(value=pmse)
    return Against(
        value=pmse, expected=free * unit, sd=sqrt(2 * free) * unit, p_value=float(chi2.sf(pmse / unit, free))
    )


def shuffled(value: float, others: Sequence[float], factor: float) -> Against:
    """A value against those of shuffled labels, times a factor.

    The p-value is (1 + how many are as large)/(1 + all): the labels as they are count as one shuffle.

    >>> found = shuffled(0.5, [0.25, 0.5, 0.75], 0.5)
    >>> found.expected, found.sd, found.p_value
    (0.25, 0.125, 0.25)
    """
    scaled = factor * np.asarray(others)
    spread = float(scaled.std(ddof=1)) if len(scaled) > 1 else None
    as_large = 1 + int((scaled >= value).sum())
    return Against(value=value, expected=float(scaled.mean()), sd=spread, p_value=as_large / (1 + len(scaled)))


def all_shuffled(found: Apart, others: Sequence[Apart], shrink: float) -> dict[str, Against]:
    """All measures against shuffled labels: pMSE is on the scale of variances, the rest on that of deviations."""
    root = sqrt(shrink)
    return {
        "pmse": shuffled(found.pmse, [o.pmse for o in others], shrink),
        "specks": shuffled(found.specks, [o.specks for o in others], root),
        "po50": shuffled(found.po50, [o.po50 for o in others], root),
        "auc": _from_half(shuffled(found.auc - 0.5, [o.auc - 0.5 for o in others], root)),
    }


def with_ceilings(found: dict[str, Against], shrink: float) -> dict[str, Against]:
    """The measures with what two independent samples would come to.

    The factor `shrink` holds for what the law of the release estimates from the file. A tree or a network sees more
    than any such law follows: dents of the file where the law is smooth.
    """
    ceilings = {}
    for name, one in found.items():
        assert one.expected is not None
        factor = shrink if name == "pmse" else sqrt(shrink)
        ceilings[name] = replace(one, ceiling=one.nothing + (one.expected - one.nothing) / factor)
    return ceilings


def unexpected(found: Apart) -> dict[str, Against]:
    """All measures, with nothing expected of them."""
    return {name: Against(value=getattr(found, name)) for name in ("pmse", "specks", "po50")} | {
        "auc": Against(value=found.auc, nothing=0.5)
    }


def _from_half(found: Against) -> Against:
    """Back from AUC − ½."""
    assert found.expected is not None
    return replace(found, value=found.value + 0.5, expected=found.expected + 0.5, nothing=0.5)
