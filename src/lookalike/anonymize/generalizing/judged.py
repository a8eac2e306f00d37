"""What is known of one version of a file, and what it tells of finer and coarser ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymize.generalizing.roll_up import Rolled
from lookalike.anonymize.generalizing.sensitive_classes import Marks, SensitiveClasses


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One version of a file: its levels, what it loses, and whether the limits hold.

    If the limits hold, loss and figures are those of the version with `gone` suppressed; if not, those of the levels
    alone, as far as they were measured.
    """

    levels: tuple[int, ...]
    holds: bool
    loss: float
    figures: Mapping[str, float]
    risk: float
    """The worst figure as a part of its limit."""
    match: float
    """The mean over its records of 1/f: the chance that a record of a person known to be in the file is found."""
    suppressed: int
    """Records that must be suppressed for the limits to hold."""
    certain: int = 0
    """Records that every finer version must suppress too, at least."""
    beyond: float = 0.0
    """What every finer version loses beyond its levels, at least."""
    above: float = 0.0
    """What every coarser version loses, at least."""
    final: bool = False
    """Whether no finer version can hold."""
    gone: Marks = field(default_factory=lambda: np.zeros(0, bool), repr=False, compare=False)


@dataclass(frozen=True)
class Sure:
    """Records that fail at a version and at every finer one."""

    by_class: NDArray[np.float64]
    records: int

    @classmethod
    def of(
        cls,
        node: Rolled,
        small: Marks,
        aside: int,
        spreads: Sequence[SensitiveClasses] = (),
        over: Sequence[int] = (),
    ) -> Sure:
        """By class those of sizes and of sensitive values; together also those above a share of records."""
        found = np.where(small, node.sizes, 0.0)
        for spread in spreads:
            found = np.maximum(found, spread.sure)
        return cls(found, max([aside + int(np.ceil(found.sum() - 1e-6)), *over]))
