"""What the measures of a table are expected to be if the release is as good as its making allows.

Ways of making, n₁ records of the original, n₂ of the release:

- improper: the release is drawn from the law fitted to the original, s ~ Multinomial(n₂, p);
- proper: the law is drawn first, π ~ Dirichlet(o + a), then s ~ Multinomial(n₂, π);
- resampled: the same with π the shares of the original's records drawn with replacement, as synthpop does it;
- independent: the release is another sample of the same people.

The first has the expectations below; the others scale variances by f = 1 + n₂/n₁, so VW, FT, G, JSD and dBhatt² by f,
sums of absolute differences by √f. K cells, K₀ cells of the variables that the release kept (1 if it kept none) and
df = K − K₀; ρ_j is the share of cell j among the original's records with the same kept values (p_j if none is kept):

    VW, FT  df          G  dfG = df of the cells that both have     JSD  df/(8 n₂ ln 2)     dBhatt²  df/(8 n₂)
    MabsDD  √(2/(π n₂)) Σ √(p (1 − ρ))      SPECKS  half of it      PO50  25 times it       WMabsDD  Σ √(1 − ρ)

synthpop divides JSD by df ln 2/(2 (n₁ + n₂)) and WMabsDD by K − 1, whence ratios beside 1 for a correct release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import exp, lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from lookalike.utility.origin import How, Origin
from lookalike.utility.table_measures import Cells
from lookalike.utility.tables import Table

Floats = NDArray[np.float64]


class Null(StrEnum):
    """How a release was drawn, as far as tables feel it.

    >>> Null("proper") is Null.PROPER
    True
    """

    IMPROPER = "improper"
    PROPER = "proper"
    RESAMPLED = "resampled"
    INDEPENDENT = "independent"

    @classmethod
    def of(cls, origin: Origin) -> Null | None:
        """Of a release that came about in this way; None if it was not drawn, so that nothing is expected of it.

        >>> Null.of(Origin(how=How.PARTIAL)), Null.of(Origin(how=How.CHANGED))
        (<Null.IMPROPER: 'improper'>, None)
        """
        if origin.how is How.CHANGED:
            return None
        if origin.how is How.INDEPENDENT:
            return cls.INDEPENDENT
        return cls.PROPER if origin.proper else cls.IMPROPER

    def spread(self, original: int, release: int, part: float = 1.0) -> float:
        """The factor f of variances; a random `part` of the original varies about the whole that was fitted.

        >>> Null.IMPROPER.spread(100, 50), Null.PROPER.spread(100, 50), Null.IMPROPER.spread(100, 50, part=0.4)
        (1.0, 1.5, 1.3)
        """
        return 1.0 + (1.0 - part if self is Null.IMPROPER else 1.0) * release / original


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """What the expectations of a table need of it."""

    df: int
    df_both: int
    """Of the cells that both files have: for G."""
    shares: Floats
    within: Floats
    """ρ: shares among records with the same kept values."""
    sizes: tuple[int, int]
    part: float = 1.0
    """The share of the original's records that the table counts."""

    @classmethod
    def of(cls, table: Table, *, size_drawn: bool = False, part: float = 1.0) -> Freedom:
        """`size_drawn`: whether the release's number of records was drawn too; then no degree of freedom is lost."""
        strata, both = table.strata, (table.original > 0) & (table.release > 0)
        total = np.bincount(strata, table.original)[strata]
        within = np.divide(table.original, total, out=np.zeros(len(table)), where=total > 0)
        lost = 0 if size_drawn else int(strata.max(initial=0)) + 1
        lost_both = 0 if size_drawn else len(np.unique(strata[both]))
        n1, n2 = table.records
        return cls(
            df=len(table) - lost,
            df_both=int(both.sum()) - lost_both,
            shares=table.original / n1,
            within=within,
            sizes=(n1, n2),
            part=part,
        )


def expectations(free: Freedom, null: Null) -> dict[str, float]:
    """The expectation of each measure that has a formula; U and AUC have none (see `bootstrap_null`).

    >>> table = Table(("sex",), (2,), np.arange(2), np.array([6, 4]), np.array([5, 5]))
    >>> found = expectations(Freedom.of(table), Null.IMPROPER)
    >>> found["VW"], round(found["WMabsDD"], 4) == round(0.4**0.5 + 0.6**0.5, 4)
    (1.0, True)
    """
    (n1, n2), f = free.sizes, null.spread(*free.sizes, free.part)
    c, absolute = n2 / (n1 + n2), sqrt(2 * f / (pi * n2)) * float(np.sqrt(free.shares * (1 - free.within)).sum())
    return {
        "VW": f * free.df,
        "FT": f * free.df,
        "G": f * free.df_both,
        "JSD": f * free.df / (8 * n2 * log(2)),
        "MabsDD": absolute,
        "SPECKS": absolute / 2,
        "PO50": 25 * absolute,
        "WMabsDD": sqrt(f) * float(np.sqrt(1 - free.within).sum()),
        "dBhatt": sqrt(f / (8 * n2)) * _mean_root(free.df),
        "pMSE": f * free.df * c * (1 - c) ** 2 / (n1 + n2),
    }


def p_values(free: Freedom, values: Mapping[str, float], null: Null) -> dict[str, float]:
    """P(at least this large) by χ² for the measures that follow it where cells hold some five records or more.

    >>> table = Table(("sex",), (2,), np.arange(2), np.array([50, 50]), np.array([50, 50]))
    >>> p_values(Freedom.of(table), {"VW": 3.841}, Null.IMPROPER)
    {'VW': 0.05...}
    """
    n2, f = free.sizes[1], null.spread(*free.sizes, free.part)
    chi = {"VW": 1.0, "FT": 1.0, "G": 1.0, "JSD": 8 * n2 * log(2), "dBhatt": 8 * n2}
    found = {}
    for name, scale in chi.items():
        df = free.df_both if name == "G" else free.df
        if name in values and df > 0:
            statistic = values[name] ** 2 if name == "dBhatt" else values[name]
            found[name] = float(chdtrc(df, statistic * scale / f))
    return found


def sparse_cells(table: Table) -> float:
    """The share of cells in which fewer than 5 records are expected; where it is large, formulas are off: draw.

    >>> sparse_cells(Table(("sex",), (2,), np.arange(2), np.array([50, 1]), np.array([50, 1])))
    0.5
    """
    return float((Cells.of(table.original, table.release).expected < 5).mean())


def _mean_root(df: int) -> float:
    """E √χ²_df = √2 Γ((df + 1)/2)/Γ(df/2)."""
    return sqrt(2) * exp(lgamma((df + 1) / 2) - lgamma(df / 2)) if df > 0 else 0.0
