"""What a version of a file must reach, and which of it a class alone can be judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

from lookalike.anonymize.generalizing.class_table import MatchRate
from lookalike.anonymize.generalizing.roll_up import Counted
from lookalike.anonymize.generalizing.sensitive_classes import SensitiveClasses
from lookalike.anonymize.generalizing.watched import Watched
from lookalike.data import Microdata
from lookalike.target import Target
from lookalike.threshold import AT_LEAST, Threshold, holds

OF_CLASSES = ("k_anonymity", "prosecutor_maximum", "l_diversity", "t_closeness")
"""Limits that every class must keep: suppressing the records of those that do not mends a file."""
OF_RECORDS = ("unique_records", "attribute_disclosure")
"""Limits on a share of records: suppressing the classes these sit in mends a file too, until the share is kept."""
OF_THE_FILE = ("sample_to_population",)
"""Limits that no class decides: only coarser levels mend a file."""
NEED_SENSITIVE = ("l_diversity", "t_closeness", "attribute_disclosure")


@dataclass(frozen=True, kw_only=True)
class Goals:
    """The limits of a search.

    All are monotone as long as no record is suppressed: where a version keeps them, every coarser one does (k, ℓ,
    uniques, disclosure: a merged class fails only if each part does; t: the distance of a merged class is at most that
    of one part, Li et al. 2007; B: (s₁ + s₂)/(F₁ + F₂) ≤ s₁/F₁ + s₂/F₂).

    >>> goals = Goals(limits=Threshold(sample_to_population=None, k_anonymity=5, prosecutor_maximum=0.1))
    >>> goals.least_class, goals.ratio({"k_anonymity": 4})
    (10, 1.25)
    """

    limits: Threshold
    watched: tuple[Watched, ...] = ()
    rate: MatchRate | None = field(default=None, compare=False)

    @property
    def least_class(self) -> int:
        """The fewest records a class may have."""
        maximum = self.limits.prosecutor_maximum
        by_risk = ceil(1 / maximum - 1e-9) if maximum else 1
        return max(ceil(self.limits.k_anonymity or 1), by_risk)

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that have a limit."""
        return tuple(name for name, _ in self.limits)

    def on(self, watched: Watched, counted: Counted) -> SensitiveClasses:
        """The limits on one sensitive variable over the classes of a version."""
        any_value = not any(other.targets for other in self.watched)
        return SensitiveClasses.of(watched, counted, self.limits, any_value=any_value)

    @property
    def suppressible(self) -> bool:
        """Whether suppressing records can mend a file."""
        return any(name in (*OF_CLASSES, *OF_RECORDS) for name in self.names)

    def ratio(self, figures: Mapping[str, float]) -> float:
        """The worst figure as a part of its limit: at most 1 if all limits are kept; of no figure 0."""
        limits = dict(self.limits)
        parts = [
            limits[name] / max(value, 1e-9) if name in AT_LEAST else value / limits[name]
            for name, value in figures.items()
            if name in limits
        ]
        return max(parts, default=0.0)

    def kept(self, figures: Mapping[str, float]) -> bool:
        """Whether all limits are kept by these figures; a figure that is not known keeps none."""
        return all(name in figures and holds(name, figures[name], limit) for name, limit in self.limits)


def goal_faults(limits: Threshold, file: Microdata, targets: tuple[Target, ...], columns: tuple[str, ...]) -> list[str]:
    """Limits that this file cannot be judged by."""
    faults = limits.faults()
    needing = [name for name in NEED_SENSITIVE if getattr(limits, name) is not None]
    if limits.attribute_disclosure is not None and targets:
        needing.remove("attribute_disclosure")
    if needing and not file.sensitive:
        faults.append(f"{', '.join(needing)}: no sensitive variable is named. Name one, or leave the limit out.")
    faults += [
        f"Target '{target.variable}' is changed by the method itself. Name a sensitive variable."
        for target in targets
        if target.variable in columns
    ]
    return faults
