"""Variables that know nothing of each other: the law of the entropy estimator, and the least model of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.counts import Counts
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.latent import LatentNormal, shares_of
from lookalike.models.margin import Kind
from lookalike.models.mixed import Mixed
from lookalike.models.mixed_copula import MixedCopula
from lookalike.models.mixed_fit import check_options, law_of, told
from lookalike.models.normals import RowNormals


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Independent:
    """Every variable has its empirical distribution, independent of the others.

    >>> model = Independent().fit(Counts.of(np.array([[0, 0], [0, 1], [1, 1]]), np.array([1, 1, 2])))
    >>> model.class_probabilities(np.array([[0, 1]])).tolist()
    [0.375]
    """

    margins: Kind = "interpolated"
    """Numbers of a mixed table: as they occur, on lines between neighbours, or by a family of laws."""

    def __post_init__(self) -> None:
        if faults := check_options(self.margins, "likelihood"):
            raise BadPlan(faults)

    def __repr__(self) -> str:
        return told(self)

    def fit(self, table: Counts) -> IndependentModel:
        """The margins of a table."""
        return IndependentModel(shares_of(table), np.eye(table.variables))

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> MixedCopula:
        """The margins of a mixed table; nothing is drawn in the fit."""
        grouped, q = GroupedTable.of(table, threads=threads, rows=False), len(table.columns)
        caveats = ("The columns are drawn each by itself: no dependence between them is kept.",) if q > 1 else ()
        return law_of(
            grouped, self.margins, RowNormals(np.eye(q), range(q), levels=0), caveats=caveats, threads=threads
        )


class IndependentModel(LatentNormal):
    """Margins alone.

    >>> model = Independent().fit(Counts.of(np.array([[0, 0], [0, 1], [1, 1]]), np.array([1, 1, 2])))
    >>> model.sample_codes(4, rng=np.random.default_rng(1)).shape
    (4, 2)
    >>> model.class_probabilities(np.array([[0, 0], [1, 1]])).round(3).tolist()
    [0.125, 0.375]
    """

    def class_probabilities(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """p = Π p_j(x_j) of each row."""
        log_p = np.zeros(len(codes))
        for j, share in enumerate(self.shares):
            log_p += np.log(share[codes[:, j]])
        return np.asarray(np.exp(log_p), np.float64)
