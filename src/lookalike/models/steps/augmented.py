"""Pseudo-records that keep the coefficients of regressions for categories finite, whatever the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed
from lookalike.models.steps.design import Design, Floats

Pseudo = Literal["shares", "equal", "none"]


@dataclass(frozen=True, slots=True)
class Augmented:
    """A design matrix with pseudo-records below the records, classes numbered without gaps, and a weight a row.

    After White, Daniel and Royston (2010): for each predictor (a column of the design) and each class two
    pseudo-records, half a standard deviation above and below the predictor's mean, not outside its range, the other
    predictors at their means; all together weigh p + 1 records. With "equal" every class has the same part of that
    weight, as printed there and done by mice and synthpop, which draws rare classes too often; with "shares" the part
    of its share in the file (the prior of Clogg et al. 1991), which leaves the classes as frequent as they are.
    """

    matrix: Floats
    classes: NDArray[np.int64]
    weights: Floats
    seen: NDArray[np.int32]
    """The level that each class stands for."""

    @classmethod
    def of(cls, response: Categories, design: Design, predictors: Mixed, pseudo: Pseudo) -> Augmented:
        """Records first; a response of one level has one class."""
        seen, classes = np.unique(response.codes, return_inverse=True)
        n = len(response)
        matrix = design.matrix(predictors) if predictors.columns else np.ones((n, 1))
        if pseudo == "none" or design.width == 1:
            return cls(matrix, classes, np.ones(n), seen.astype(np.int32))
        extra, of_class, weights = _pseudo_records(matrix, np.bincount(classes), pseudo)
        return cls(
            np.vstack([matrix, extra]),
            np.concatenate([classes, of_class]),
            np.concatenate([np.ones(n), weights]),
            seen.astype(np.int32),
        )


def categories_of(response: Column, what: str) -> Categories:
    """A response that must be categories."""
    if not isinstance(response, Categories):
        raise BadPlan(f"{what} draws categories; the column holds numbers. Take Normal, NormalRank or a tree.")
    return response


def check_pseudo(pseudo: str, what: str) -> None:
    """Refuse another word."""
    if pseudo not in ("shares", "equal", "none"):
        raise BadPlan(f"{what}: 'pseudo' is 'shares', 'equal' or 'none', not '{pseudo}'.")


def _pseudo_records(
    matrix: Floats, counts: NDArray[np.int64], pseudo: Pseudo
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """The columns of the matrix have mean 0 and deviation 1 already."""
    p, k = matrix.shape[1] - 1, len(counts)
    columns = np.arange(1, p + 1)
    points = np.zeros((2 * p, p + 1))
    points[:, 0] = 1.0
    points[:p][np.arange(p), columns] = np.minimum(0.5, matrix[:, 1:].max(axis=0))
    points[p:][np.arange(p), columns] = np.maximum(-0.5, matrix[:, 1:].min(axis=0))
    part = counts / counts.sum() if pseudo == "shares" else np.full(k, 1 / k)
    weights = np.repeat(part * (p + 1) / (2 * p), 2 * p)
    return np.tile(points, (k, 1)), np.repeat(np.arange(k), 2 * p), weights
