"""A draw of the latent-class model moved to known margins, so that it stays a latent-class model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import BadPlan
from lookalike.models import LatentDraw
from lookalike.population.margins import CLOSE, ROUNDS, Margin
from lookalike.population.sample import Sample

Floats = NDArray[np.float64]


def tilted(draw: LatentDraw, sample: Sample, population: int) -> LatentDraw:
    """The draw raked to margins of one variable each, as `Raking` does: θ_hj(v) becomes θ_hj(v) w_j(v) / m_hj.

    w_j are the factors of the levels, m_hj = Σ_v θ_hj(v) w_j(v), and π_h becomes π_h Π_j m_hj / Z. The model was fitted
    with `KnownShares`, so its last level stands for the values that the sample lacks. A margin by several variables
    would tie them inside a class.
    """
    if not sample.margins:
        return draw
    refuse_joint(sample.margins)
    people = max(population - sample.records, 1)
    places = [slice(draw.first[m.variables[0]], draw.first[m.variables[0] + 1]) for m in sample.margins]
    wanted = [
        _outside(margin, sample, population, at.stop - at.start) / people
        for margin, at in zip(sample.margins, places, strict=True)
    ]
    factors = _factors(draw, places, wanted)
    levels, shares = draw.levels.copy(), draw.shares.copy()
    for at, w in zip(places, factors, strict=True):
        raised = draw.levels[at] * w[:, None]
        mass = np.maximum(raised.sum(axis=0), 1e-300)
        levels[at] = raised / mass
        shares *= mass
    return replace(draw, levels=levels, shares=shares / max(float(shares.sum()), 1e-300))


def refuse_joint(margins: Sequence[Margin]) -> None:
    """Refuse margins by more than one variable, all of them at once."""
    faults = [
        f"Margin '{m.name}' counts people by {len(m.variables)} variables together: one fit for all versions of a file "
        "takes margins of one variable each. Sum it to one variable, or leave it out of the search."
        for m in margins
        if len(m.variables) > 1
    ]
    if faults:
        raise BadPlan(faults)


def _outside(margin: Margin, sample: Sample, population: int, levels: int) -> Floats:
    """The people outside the sample by level; the last level stands for all values the sample lacks."""
    found = np.zeros(levels)
    np.add.at(found, margin.cells[:, 0], np.maximum(margin.outside(sample.sizes, population), 0.0))
    found[-1] += margin.elsewhere * population / margin.total
    return found


def _factors(draw: LatentDraw, places: Sequence[slice], wanted: Sequence[Floats]) -> list[Floats]:
    """Iterative proportional fitting (Deming and Stephan 1940): one factor a level."""
    factors = [np.ones(len(target)) for target in wanted]
    masses = [np.ones(len(draw.shares)) for _ in wanted]
    for _ in range(ROUNDS):
        gap = 0.0
        for t, (at, target) in enumerate(zip(places, wanted, strict=True)):
            others = draw.shares * np.prod([m for s, m in enumerate(masses) if s != t], axis=0)
            now = factors[t] * (draw.levels[at] @ others) / float(others @ masses[t])
            goal = target / max(float(target.sum()), 1e-300)
            gap = max(gap, float(np.abs(now - goal).sum()))
            factors[t] = np.where(now > 0, factors[t] * goal / np.maximum(now, 1e-300), 0.0)
            masses[t] = np.maximum(factors[t] @ draw.levels[at], 1e-300)
        if len(wanted) == 1 or gap < CLOSE:
            break
    return factors
