"""The maximum of likelihood of the proportional-odds model, by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.steps.design import Floats

_RIDGE = 1e-6
_LEAST = 1e-300


def maximum(x: Floats, classes: NDArray[np.int64], weights: Floats, *, steps: int) -> tuple[Floats, Floats] | None:
    """Thresholds and slopes; None where Newton's method does not end within so many steps.

    ln p of a record of class k is ln(F(θ_k − xb) − F(θ_{k−1} − xb)), F the logistic cdf: concave in (θ, b), so that
    halving steps that do not gain leads to the one maximum.

    >>> x = np.array([[0.0], [1.0], [1.0], [0.0]])
    >>> maximum(x, np.array([0, 0, 1, 1]), np.array([3.0, 1.0, 3.0, 1.0]), steps=20)[1].round(4).tolist()  # log 9
    [2.1972]
    """
    share = np.cumsum(np.bincount(classes, weights)) / weights.sum()
    found = np.concatenate([np.log(share[:-1]) - np.log1p(-share[:-1]), np.zeros(x.shape[1])])
    if not len(found):
        return np.zeros(0), np.zeros(0)
    cuts = len(share) - 1
    point = _Point.at(x, classes, weights, found, cuts)
    for _ in range(steps):
        gradient, information = point.gradient(), point.information()
        try:
            step = np.asarray(np.linalg.solve(information, gradient), np.float64)
        except np.linalg.LinAlgError:
            return None
        if abs(step @ gradient) < 1e-12 * max(1.0, abs(point.value)):
            return found[:cuts] + step[:cuts], found[cuts:] + step[cuts:]
        better = _halved(point, step)
        if better is None:
            return None
        found, point = better.found, better
    return None


def _halved(point: _Point, step: Floats) -> _Point | None:
    for _ in range(40):
        cuts = (point.found + step)[: point.cuts]
        if (np.diff(cuts) > 0).all():
            after = _Point.at(point.x, point.classes, point.weights, point.found + step, point.cuts)
            if after.value >= point.value:
                return after
        step = step / 2
    return None


@dataclass(frozen=True, slots=True)
class _Point:
    """The log-likelihood at given thresholds and slopes, with the parts of its derivatives."""

    x: Floats
    classes: NDArray[np.int64]
    weights: Floats
    found: Floats
    cuts: int
    value: float
    upper: Floats
    """∂ ln p by the upper threshold of each record; lower: by the lower one."""
    lower: Floats
    bends: tuple[Floats, Floats, Floats]
    """Second derivatives: upper upper, lower lower, upper lower."""

    @classmethod
    def at(cls, x: Floats, classes: NDArray[np.int64], weights: Floats, found: Floats, cuts: int) -> _Point:
        """F' = F(1 − F), F'' = F'(1 − 2F); 0 at the infinite ends."""
        from scipy.special import expit

        ends = np.concatenate([[-np.inf], found[:cuts], [np.inf]])
        eta = x @ found[cuts:]
        a, b = expit(ends[classes + 1] - eta), expit(ends[classes] - eta)
        p = np.maximum(a - b, _LEAST)
        # Beyond 1e100 a step is refused anyway, and squares would overflow.
        fa, fb = np.minimum(a * (1 - a), 1e100 * p), np.minimum(b * (1 - b), 1e100 * p)
        bends = (
            fa * (1 - 2 * a) / p - (fa / p) ** 2,
            -fb * (1 - 2 * b) / p - (fb / p) ** 2,
            (fa / p) * (fb / p),
        )
        value = float(weights @ np.log(p)) - _RIDGE / 2 * float(found @ found)
        return cls(x, classes, weights, found, cuts, value, fa / p, -fb / p, bends)

    def gradient(self) -> Floats:
        """By thresholds, then by slopes (a slope moves both thresholds of a record down)."""
        both = self._by_threshold(self.upper, self.lower)
        slopes = -self.x.T @ (self.weights * (self.upper + self.lower))
        return np.concatenate([both, slopes]) - _RIDGE * self.found

    def information(self) -> Floats:
        """Minus the second derivatives, and the ridge."""
        upper, lower, cross = self.bends
        q, k = len(self.found), self.cuts
        found = np.zeros((q, q))
        found[:k, :k] = np.diag(self._by_threshold(upper, lower))
        # A record of class c has the thresholds c − 1 and c: neighbours.
        between = np.bincount(self.classes, self.weights * cross, minlength=k + 1)[1:k]
        found[np.arange(k - 1), np.arange(1, k)] = found[np.arange(1, k), np.arange(k - 1)] = between
        found[k:, k:] = (self.x * (self.weights * (upper + lower + 2 * cross))[:, None]).T @ self.x
        found[:k, k:] = -self._crossed(upper + cross, lower + cross)
        found[k:, :k] = found[:k, k:].T
        return _RIDGE * np.eye(q) - found

    def _by_threshold(self, upper: Floats, lower: Floats) -> Floats:
        size = self.cuts + 1
        above = np.bincount(self.classes, self.weights * upper, minlength=size)[:-1]
        below = np.bincount(self.classes, self.weights * lower, minlength=size)[1:]
        return np.asarray(above + below, np.float64)

    def _crossed(self, upper: Floats, lower: Floats) -> Floats:
        """Sums of x by threshold, weighted."""
        found = np.zeros((self.cuts, self.x.shape[1]))
        for k in range(self.cuts):
            mine, next_ = self.classes == k, self.classes == k + 1
            found[k] = (self.weights * upper)[mine] @ self.x[mine] + (self.weights * lower)[next_] @ self.x[next_]
        return found
