"""Which columns give a release away: each alone, and all without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.random import Generator
from scipy.stats import chi2

from lookalike.data import Variable
from lookalike.utility.formula import read_terms
from lookalike.utility.origin import Origin
from lookalike.utility.propensity_models import Logistic, Ready, ReadyLogistic, Teller
from lookalike.utility.propensity_null import shrinks
from lookalike.utility.propensity_scores import apart
from lookalike.utility.stacked import Stacked, stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Giveaway:
    """What one column does to tell the files apart."""

    column: str
    alone: float
    """pMSE of a model that sees this column only."""
    without: float
    """pMSE of the model without it."""
    lost: float
    """1 − without/all: the share of pMSE that goes with the column; below 0 for models that chance leads astray."""
    p_value: float | None
    """Of the fall of pMSE, by its χ² law; None unless a logistic regression with a null."""


def giveaways(
    original: pl.DataFrame,
    release: pl.DataFrame,
    *,
    rng: Generator,
    model: Teller | None = None,
    origin: Origin | None = None,
    columns: Sequence[str] | None = None,
    variables: Sequence[Variable] = (),
) -> tuple[Giveaway, ...]:
    """The columns by how much pMSE falls without them, the largest first. Two fits a column.

    >>> file = pl.DataFrame({"age": [20, 30, 40, 50] * 50, "sex": (["F"] * 4 + ["M"] * 4) * 25})
    >>> found = giveaways(file, file.with_columns(age=pl.col("age") + 5), rng=np.random.default_rng(1))
    >>> [(g.column, round(g.lost, 2)) for g in found]
    [('age', 1.0), ('sex', 0.0)]
    """
    model, origin = model or Logistic(), origin or Origin()
    stacked = stack([original, release], columns, variables=variables)
    drawn, seed = stacked.member(1), int(rng.integers(2**63))
    names = tuple(dict.fromkeys(stacked.owners))

    def fitted(chosen: Sequence[str], teller: Teller) -> tuple[float, int | None]:
        if not chosen:
            return 0.0, 0
        ready: Ready = teller.ready(stacked.only(chosen))
        value = apart(ready.scores(drawn, None, rng=np.random.default_rng(seed)), drawn).pmse
        return value, ready.free() if isinstance(ready, ReadyLogistic) else None

    whole = fitted(names, model)
    found = []
    for name in names:
        alone, _ = fitted([name], replace(model, terms=None) if isinstance(model, Logistic) else model)
        rest = fitted([n for n in names if n != name], _without(model, name, names))
        found.append(
            Giveaway(
                column=name,
                alone=alone,
                without=rest[0],
                lost=1 - rest[0] / whole[0] if whole[0] > 0 else 0.0,
                p_value=_p_value(whole, rest, stacked, origin),
            )
        )
    return tuple(sorted(found, key=lambda g: -g.lost))


def _without(model: Teller, name: str, names: Sequence[str]) -> Teller:
    """The model less all terms that name the column."""
    if not isinstance(model, Logistic) or model.terms is None:
        return model
    kept = [term for term in read_terms(model.terms, names) if name not in term]
    return replace(model, terms=" + ".join(":".join(f"`{n}`" for n in term) for term in kept) or "1")


def _p_value(
    whole: tuple[float, int | None], rest: tuple[float, int | None], stacked: Stacked, origin: Origin
) -> float | None:
    n1, n2 = stacked.sizes
    shrink = shrinks(origin, n1, n2)
    if whole[1] is None or rest[1] is None or shrink is None:
        return None
    unit = n1 * n2 / (n1 + n2) ** 2 * shrink / (n1 + n2)
    return float(chi2.sf(max(whole[0] - rest[0], 0.0) / unit, whole[1] - rest[1])) if whole[1] > rest[1] else 1.0
