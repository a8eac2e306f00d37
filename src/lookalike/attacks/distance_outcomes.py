"""What is counted of distances: rows closer to the original, equal to a record, near one record alone; near records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.chance import chance_of_equal
from lookalike.attacks.distance_space import Space, clustered
from lookalike.attacks.gower import TIE, Nearest, nearest
from lookalike.attacks.outcome import Outcome, Share, sure

NAME = "distances"
LOW = 0.05
"""The part of the distances and ratios that counts as small."""
CANNOT_PROVE = "Distances can show that records were copied. They cannot show that a release is safe."
_FREE = "rows that vary freely"


def closer(space: Space, own: Nearest, other: Nearest) -> Outcome:
    """Rows nearer to the original than to the control; half of those as near to both."""
    gap = other.first - own.first
    value = np.where(np.abs(gap) <= TIE, 0.5, gap > 0)
    cluster = np.where(gap > 0, own.which, len(space.original) + other.which)
    half = sure(0.5, "rows, for the control is as large")
    both = float(np.isin(space.same[0], space.same[1]).mean())
    return _outcome(
        "closer to the original than to the control",
        main=clustered(value, cluster, _FREE),
        control=half,
        baseline=half,
        original=Share(successes=len(space.original) * (1 - both / 2), of=len(space.original), what="records"),
    )


def identical(
    space: Space, own: Nearest, other: Nearest, files: Sequence[pl.DataFrame], columns: Sequence[str]
) -> Outcome:
    """Rows equal to a record, of the original and of the control."""
    mine, theirs, rows = space.same
    distinct = files[0].select(columns).unique()
    return _outcome(
        "rows equal to a record",
        main=clustered(np.isin(rows, mine), own.which, _FREE),
        control=clustered(np.isin(rows, theirs), other.which, _FREE),
        baseline=sure(float(chance_of_equal(distinct, files[1]).sum()), "rows, if the columns were independent"),
        original=Share(successes=len(mine), of=len(mine), what="records"),
    )


def singled_out(space: Space, own: Nearest, other: Nearest) -> Outcome:
    """Rows whose distance ratio is below the 5th percentile of the control's."""
    told = other.ratio[np.isfinite(other.ratio)]
    limit = float(np.quantile(told, LOW)) + 1e-9 if len(told) else 0.0
    return _outcome(
        "one record is far nearer than the next",
        main=clustered(own.ratio <= limit, own.which, _FREE),
        control=clustered(other.ratio <= limit, other.which, _FREE),
        baseline=sure(LOW, "rows, by the percentile of the control"),
        original=_share(nearest(space.people, space.original).ratio <= limit),
    )


def near(space: Space, rng: Generator) -> Outcome:
    """Records with a row nearer than 95 % of the control's records have one."""
    own, other = (nearest(people, space.release).first for people in (space.people, space.others))
    limit = float(np.quantile(other, LOW)) + TIE
    shuffled = np.column_stack([rng.permutation(column) for column in space.release.T])
    return _outcome(
        "a row is near the record",
        main=_share(own <= limit),
        control=_share(other <= limit),
        baseline=_share(nearest(space.people, shuffled).first <= limit),
        original=_share(np.ones(len(own), bool)),
    )


def _outcome(measure: str, *, main: Share, control: Share, baseline: Share, original: Share) -> Outcome:
    return Outcome(
        attack=NAME,
        measure=measure,
        main=main,
        control=control,
        baseline=baseline,
        original=original,
        caveats=(CANNOT_PROVE,),
    )


def _share(hits: NDArray[np.bool_]) -> Share:
    return Share(successes=int(np.count_nonzero(hits)), of=len(hits), what="records")
