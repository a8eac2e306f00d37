"""Whether chains have come together: split R-hat and effective sample size (Vehtari et al. 2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.models.latent_diagnostics import autocorrelation


def r_hat(chains: NDArray[np.float64]) -> float:
    """Split R̂: the spread between half chains beside that within; 1 where they agree.

    R̂² = ((n − 1)/n · W + B/n) / W, W the mean variance within half chains, B/n the variance between their means.

    >>> rng = np.random.default_rng(1)
    >>> same = rng.standard_normal((2, 1000))
    >>> r_hat(same) < 1.01, r_hat(same + [[0.0], [3.0]]) > 2
    (True, True)
    """
    half = chains.shape[1] // 2
    if half < 2:
        return float("nan")
    parts = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = float(parts.var(axis=1, ddof=1).mean())
    between = float(parts.mean(axis=1).var(ddof=1))
    if not within > 0:
        return 1.0 if not between > 0 else float("inf")
    return float(np.sqrt((half - 1) / half + between / within))


def effective_size(chains: NDArray[np.float64]) -> float:
    """How many independent draws the chains are worth together, the spread between them counted.

    m n / (1 + 2 Σ ρ_t) with ρ_t = 1 − (W − mean autocovariance) / (the variance of all draws), summed in pairs while a
    pair is positive (Geyer 1992).

    >>> 1500 < effective_size(np.random.default_rng(1).standard_normal((2, 1000))) < 2500
    True
    """
    m, n = chains.shape
    variances = chains.var(axis=1)
    total = float(variances.mean() + chains.mean(axis=1).var(ddof=1) if m > 1 else variances.mean())
    if not total > 0:
        return float(m * n)
    covariance = np.mean([autocorrelation(c)[:n] * v for c, v in zip(chains, variances, strict=True)], axis=0)
    rho = 1 - (variances.mean() - covariance) / total
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    return float(min(m * n / max(2 * pairs[: max(end, 1)].sum() - 1, 1 / (m * n)), m * n * np.log10(m * n)))
