"""Regressions over designs: linear, logistic and multinomial, by likelihood alone, with the covariance of coefficients.

Newton's method on the normal equations. The kernels visit the entries of the design only, so a step over two million
records of a dozen columns takes a fraction of a second, and the matrix is never in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.steps.one_thread import one_thread
from lookalike.utility.designs import Design, Floats, Places, estimable, mirrored

STEPS = 60
"""Steps of Newton's method at most."""

NEAR = 1e-12
"""It ends when the deviance falls by less than this share of itself (and of 0.1, where it falls to nothing)."""

CERTAIN = 1e-7
"""A chance nearer to 0 or 1 than this tells groups apart for certain: a coefficient grows without end."""


@dataclass(frozen=True, slots=True)
class GlmFit:
    """Coefficients on the design's own scale; those that the rows do not tell are 0 and not among `kept`."""

    coefficients: Floats
    """One row a class but the first, for multinomial regression; else one row."""
    kept: Places
    """Columns of the design that are estimated."""
    covariance: Floats
    """Of the kept coefficients, class by class."""
    gain: float
    """The logarithm of the likelihood; minus the sum of squares for linear regression."""
    converged: bool

    @property
    def free(self) -> int:
        """Coefficients estimated, the intercept among them."""
        return len(self.covariance)


def fit_linear(design: Design, answer: Floats, rows: slice) -> GlmFit:
    """b = (XᵀX)⁻¹ Xᵀy, s² = RSS/(n − q), V = s² (XᵀX)⁻¹; `answer` has a cell for every row of the design.

    With no more rows than coefficients there is no s²: the covariance is infinite.
    """
    with one_thread():
        gram = design.products(rows)
        kept = estimable(gram)
        inverse = inverted(gram[np.ix_(kept, kept)])
        coefficients = np.zeros(design.width)
        coefficients[kept] = inverse @ design.sums(rows, answer)[kept]
        # Once more on what is left: the normal equations square the rounding, this takes it back.
        rest = answer.copy()
        rest[rows] -= design.times(rows, coefficients)
        coefficients[kept] += inverse @ design.sums(rows, rest)[kept]
        rest[rows] = answer[rows] - design.times(rows, coefficients)
    squares, free = float(np.sum(rest[rows] ** 2)), rows.stop - rows.start - len(kept)
    variance = squares / free if free > 0 else np.inf
    return GlmFit(coefficients[None, :], kept, variance * inverse, -squares, True)


def fit_logistic(design: Design, answer: Floats, rows: slice, weights: Floats | None = None) -> GlmFit:
    """ln p/(1 − p) = xb by maximum likelihood, not penalized; `answer` and `weights` have a cell for every row.

    Where a combination of columns tells the two apart for certain, coefficients grow until the deviance stops falling,
    as in R's glm.
    """
    from lookalike.utility._design_rows import logistic

    given = np.ones(design.stacked.records) if weights is None else weights
    share = float(answer[rows] @ given[rows] / given[rows].sum())
    start = np.zeros(design.width)
    start[0] = np.log(share) - np.log1p(-share) if 0 < share < 1 else 0.0

    def step(b: Floats) -> tuple[float, Floats, Floats]:
        gain, slope, curve = 0.0, np.zeros(design.width), np.zeros((design.width, design.width))
        for some, index, value in design.blocks(rows):
            gain += logistic(index, value, answer[some], given[some], b, slope, curve)
        return gain, slope, mirrored(curve)

    with one_thread():
        kept = estimable(design.products(rows, weights))
        return _newton(step, start, kept, (1, design.width))


def fit_multinomial(design: Design, classes: NDArray[np.integer], count: int, rows: slice) -> GlmFit:
    """ln p_c/p_0 = x b_c for the classes 1 … count − 1 by maximum likelihood."""
    from lookalike.utility._design_rows import multinomial

    some, width = count - 1, design.width
    shares = np.bincount(classes[rows], minlength=count) / (rows.stop - rows.start)
    start = np.zeros((some, width))
    start[:, 0] = np.log(np.maximum(shares[1:], 1e-12) / max(shares[0], 1e-12))

    def step(b: Floats) -> tuple[float, Floats, Floats]:
        gain, slope, curve = 0.0, np.zeros((some, width)), np.zeros((some, some, width, width))
        for part, index, value in design.blocks(rows):
            gain += multinomial(index, value, classes[part], b.reshape(some, width), slope, curve)
        return gain, slope.ravel(), _whole(curve)

    with one_thread():
        kept = estimable(design.products(rows))
        every = (np.arange(some)[:, None] * width + kept).ravel()
        fit = _newton(step, start.ravel(), every, (some, width))
    return GlmFit(fit.coefficients, kept, fit.covariance, fit.gain, fit.converged)


def inverted(matrix: Floats) -> Floats:
    """The inverse of a positive matrix, scaled to a diagonal of 1 first; directions that are rounding get nothing."""
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    values, vectors = np.linalg.eigh(matrix / size / size[:, None])
    told = values > 1e-14 * max(values[-1], 1e-300)
    root = vectors[:, told] / np.sqrt(values[told])
    return np.asarray((root @ root.T) / size / size[:, None], np.float64)


def _newton(
    step: Callable[[Floats], tuple[float, Floats, Floats]], start: Floats, kept: Places, shape: tuple[int, int]
) -> GlmFit:
    """Climb to the maximum over the kept coefficients; a step that does not gain is halved."""
    found = start
    gain, slope, curve = step(found)
    covariance, converged = inverted(curve[np.ix_(kept, kept)]), False
    for _ in range(STEPS):
        move = np.zeros(len(found))
        move[kept] = covariance @ slope[kept]
        after, ahead = found, (gain, slope, curve)
        for halved in range(30):
            trial = found + move / 2**halved
            tried = step(trial)
            if tried[0] >= gain - 1e-13 * abs(gain):
                after, ahead = trial, tried
                break
        gained = ahead[0] - gain
        found, (gain, slope, curve) = after, ahead
        covariance = inverted(curve[np.ix_(kept, kept)])
        if abs(gained) <= NEAR * (abs(gain) + 0.05):
            converged = True
            break
    return GlmFit(found.reshape(shape), kept, covariance, gain, converged)


def _whole(curve: Floats) -> Floats:
    """All blocks of the matrix of curvature from its upper ones, as one matrix."""
    some, width = curve.shape[0], curve.shape[2]
    found = np.empty((some, width, some, width))
    for c in range(some):
        for d in range(c, some):
            found[c, :, d, :] = mirrored(curve[c, d])
            found[d, :, c, :] = found[c, :, d, :]
    return found.reshape(some * width, some * width)
