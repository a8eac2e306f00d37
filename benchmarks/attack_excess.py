"""The interval of an excess: how often does it hold the truth, and how often does it see a gain where there is none?

Nothing is simulated: every pair of counts of two independent shares a and r is weighed by its chance. Pairs in which
the reference never fails have no excess and are left out. "before" is the interval by the delta method from the centres
of Wilson's intervals, which stood here first; "now" is `lookalike.attacks.outcome.excess`. About two minutes.

    python benchmarks/attack_excess.py
"""

from functools import cache
from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import binom

from lookalike.attacks.outcome import Share, excess

RATES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
SIZES = ((50, 50), (200, 200), (1000, 1000), (1000, 50), (50, 1000), (1000, 200), (200, 1000))
SMALL = 1e-4
"""Counts less likely than this at either end are left out."""


@cache
def share(successes: int, of: int) -> Share:
    return Share(successes=successes, of=of, what="records")


@cache
def now(a: Share, r: Share) -> tuple[float, float]:
    found = excess(a, r)
    return found.low, found.high


@cache
def before(attack: Share, reference: Share) -> tuple[float, float]:
    a, r = attack.centre, reference.centre
    value, middle = (attack.value - reference.value) / (1 - reference.value), (a - r) / (1 - r)
    error = sqrt((attack.error / (1 - r)) ** 2 + ((1 - a) * reference.error / (1 - r) ** 2) ** 2)
    return min(value, middle - error), max(value, middle + error)


def counts(n: int, rate: float, most: int) -> np.ndarray:
    first, last = binom.ppf([SMALL / 2, 1 - SMALL / 2], n, rate).astype(int)
    return np.arange(first, min(last, most) + 1)


def kept(interval, n: tuple[int, int], a: float, r: float) -> tuple[float, float]:
    """How often the interval contains (a − r)/(1 − r), and how often it lies above 0."""
    ones, others = counts(n[0], a, n[0]), counts(n[1], r, n[1] - 1)
    weights = np.outer(binom.pmf(ones, n[0], a), binom.pmf(others, n[1], r))
    ends = np.array([interval(share(i, n[0]), share(j, n[1])) for i, j in product(ones.tolist(), others.tolist())])
    low, high = ends.T.reshape(2, *weights.shape)
    truth, total = (a - r) / (1 - r), weights.sum()
    holds = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    return 100 * (weights * holds).sum() / total, 100 * (weights * (low > 0)).sum() / total


def main() -> None:
    for n in SIZES:
        print(f"\n{n[0]:,} records attacked, {n[1]:,} of the reference", flush=True)
        for name, interval in (("before", before), ("now", now)):
            found = {(a, r): kept(interval, n, a, r) for a in RATES for r in RATES}
            held = np.array([found[pair][0] for pair in found])
            alarms = [found[a, a][1] for a in RATES]
            by_reference = [min(found[a, r][0] for a in RATES) for r in RATES]
            print(f"  {name:6s} coverage {held.min():.1f} to {held.max():.1f}, mean {held.mean():.1f};", end=" ")
            print(f"{int((held < 94).sum())} of {len(held)} below 94")
            print("         worst, by reference:", *(f"{x:.1f}" for x in by_reference))
            print("         above 0 where a = r:", *(f"{x:.1f}" for x in alarms), flush=True)
        before.cache_clear(), now.cache_clear()


if __name__ == "__main__":
    main()
