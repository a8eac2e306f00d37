"""Variables that know nothing of each other: the law of the entropy estimator, and the least model of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.models.counts import Counts
from lookalike.models.latent import LatentNormal, shares_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Independent:
    """Every variable has its empirical distribution, independent of the others.

    >>> model = Independent().fit(Counts.of(np.array([[0, 0], [0, 1], [1, 1]]), np.array([1, 1, 2])))
    >>> model.class_probabilities(np.array([[0, 1]])).tolist()
    [0.375]
    """

    def fit(self, table: Counts) -> IndependentModel:
        """The margins of a table."""
        return IndependentModel(shares_of(table), np.eye(table.variables))


class IndependentModel(LatentNormal):
    """Margins alone."""

    def class_probabilities(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """p = Π p_j(x_j) of each row."""
        log_p = np.zeros(len(codes))
        for j, share in enumerate(self.shares):
            log_p += np.log(share[codes[:, j]])
        return np.asarray(np.exp(log_p), np.float64)
