"""Latent classes for synthesis: the DPMPM of a mixed table, with unknown cells and combinations that cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models.latent_bins import Coding
from lookalike.models.latent_chain import Chain, Options
from lookalike.models.latent_diagnostics import diagnostics
from lookalike.models.latent_law import DPMPMLaw
from lookalike.models.mixed import Categories, Mixed
from lookalike.models.structural_zeros import Slice, Zeros, checked, disjoint

MOST_ADDED = 20
"""Impossible records added in a sweep at most, times the records."""
MOST_NUMBERS = 2**27
"""Numbers of one θ, or of all kept ones together, at most: a gigabyte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DPMPM:
    """Records fall into latent classes; inside a class the columns are independent.

        p(x) = Σ_h π_h Π_j θ_hj(x_j),    π by stick breaking with α ~ Gamma(shape, rate),
        θ_hj ~ Dirichlet(s_j · m_j) with m_j the margin of column j and s_j learned, or Dirichlet(1, …, 1).

    Dunson and Xing (2009); Hu, Reiter and Wang (2014) for synthesis. The kin of `LatentClasses`, which learns
    from weighted counts and tells probabilities; this one learns from whole records, unknown cells left out, and makes
    files. Numbers go through bins. docs/concepts/dpmpm.md has the sampler.

    >>> table = Mixed((Categories(np.array([0, 1] * 50, np.int32), 2), Categories(np.array([0, 1] * 50, np.int32), 2)))
    >>> law = DPMPM(classes=5, sweeps=100, burn_in=50).fit_mixed(table, rng=np.random.default_rng(1))
    >>> drawn = law.sample(100, rng=np.random.default_rng(2))
    >>> bool((drawn.columns[0].codes == drawn.columns[1].codes).mean() > 0.9)
    True
    """

    classes: int = 70
    """The most latent classes."""
    sweeps: int = 2_000
    burn_in: int = 1_000
    """Sweeps before the first draw is kept."""
    kept: int = 20
    """Draws of the posterior that are kept, spaced over the rest of the chain: copies of the file at most."""
    prior: Literal["margin", "uniform"] = "margin"
    """What θ is drawn to: the column's margin, by as much as the data say, or to nothing (the PCS paper)."""
    alpha_shape: float = 0.25
    alpha_rate: float = 0.25
    bins: int = 20
    """Bins of a column of numbers, about."""
    zeros: tuple[Slice, ...] = ()
    """Combinations that cannot be: one code a column, −1 for any, −1 for numbers. They may overlap."""
    most_records: int = 100_000
    """A larger file is fitted on a random part of this size."""

    def __post_init__(self) -> None:
        faults = [
            f"{name} must be at least 1."
            for name in ("classes", "kept", "bins", "most_records")
            if getattr(self, name) < 1
        ]
        if not 0 <= self.burn_in < self.sweeps:
            faults.append("burn_in must be at least 0 and less than sweeps.")
        if not (self.alpha_shape > 0 and self.alpha_rate > 0):
            faults.append("alpha_shape and alpha_rate must be above 0.")
        if self.prior not in ("margin", "uniform"):
            faults.append("prior must be 'margin' or 'uniform'.")
        if faults:
            raise BadPlan(faults)

    @classmethod
    def pcs_paper(cls, *, sweeps: int = 5_000, burn_in: int = 2_500, kept: int = 20) -> DPMPM:
        """The settings of the PCS paper (docs/concepts/pcs-study.md): 70 classes, 5,000 sweeps, θ flat,
        α ~ Gamma(0.25, 0.25). It tells no burn-in: half.

        >>> DPMPM.pcs_paper().prior
        'uniform'
        """
        return cls(
            classes=70, sweeps=sweeps, burn_in=burn_in, kept=kept, prior="uniform", alpha_shape=0.25, alpha_rate=0.25
        )

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> DPMPMLaw:
        """Run the chain on the known cells and keep draws of the posterior."""
        coding = Coding(table, self.bins)
        self._refuse_size(int(coding.first[-1]))
        slices = self._slices(table, coding)
        codes, zeros = coding.codes(table), Zeros.of(slices, coding.levels)
        part = self._part(codes, rng)
        chain = Chain(
            part,
            coding.levels,
            _margins(codes, coding.levels),
            classes=self.classes,
            sweeps=self.sweeps,
            options=Options(self.alpha_shape, self.alpha_rate, MOST_ADDED),
            uniform=self.prior == "uniform",
            slices=slices,
            rng=rng,
            threads=threads,
        )
        draws = list(chain.draws(self._keep(int(coding.first[-1]))))
        told = diagnostics(chain.trace, draws, part, coding.first, zeros, self.burn_in)
        caveats = [*told.caveats(), *self._caveats(len(codes), bool(chain.trace.full[self.burn_in :].any()))]
        return DPMPMLaw(draws, coding, zeros, told, tuple(caveats))

    def _keep(self, levels: int) -> list[int]:
        """The sweeps to keep: the last, and others before it at equal steps; fewer if θ is very large."""
        kept = min(self.kept, self.sweeps - self.burn_in, max(1, MOST_NUMBERS // (levels * self.classes)))
        step = (self.sweeps - self.burn_in) // kept
        return [self.sweeps - 1 - step * k for k in reversed(range(kept))]

    def _part(self, codes: NDArray[np.int32], rng: Generator) -> NDArray[np.int32]:
        """The records, or a simple random sample of many."""
        if len(codes) <= self.most_records:
            return codes
        return codes[np.sort(rng.choice(len(codes), self.most_records, replace=False))]

    def _slices(self, table: Mixed, coding: Coding) -> tuple[Slice, ...]:
        """The zeros made disjoint."""
        kinds = [c.levels if isinstance(c, Categories) else None for c in table.columns]
        return disjoint(checked(self.zeros, kinds), coding.levels) if self.zeros else ()

    def _refuse_size(self, levels: int) -> None:
        if levels * self.classes > MOST_NUMBERS:
            raise BadPlan(
                f"The columns have {levels:,} levels together: with {self.classes} latent classes too much for memory. "
                "Leave out or coarsen columns of very many levels, or lower `classes` or `bins`."
            )

    def _caveats(self, records: int, full: bool) -> list[str]:
        found = []
        if records > self.most_records:
            found.append(f"The model was fitted on a random part of {self.most_records:,} of {records:,} records.")
        if full:
            found.append(
                "The structural zeros hold nearly all mass of the mixture; the records added for them were capped."
            )
        return found


def _margins(codes: NDArray[np.int32], levels: tuple[int, ...]) -> list[NDArray[np.float64]]:
    """The share of every level among the known cells of each column."""
    found = []
    for j, size in enumerate(levels):
        known = codes[:, j][codes[:, j] >= 0]
        found.append(np.bincount(known, minlength=size) / len(known))
    return found
