"""The choices of a protection: which methods, one after another, with which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lookalike.errors import unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One method of protection by its name, with its settings."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """Which methods change the file, in their order, and what the release leaves out besides identifiers.

    >>> Protection(steps=(Step(method="mondrain"),)).faults()[0][:60]
    "Method 'mondrain' is not known. Did you mean 'mondrian'? Met"
    """

    steps: tuple[Step, ...] = ()
    """None: generalize until the thresholds hold, then suppress cells of what remains."""
    drop: tuple[str, ...] = ()
    """Columns that the release does not have."""
    index: str | None = None
    """The name of a column with the number of each record in the file; none without a name."""
    shuffle: bool = False
    """Whether the records are put in a random order."""

    def faults(self) -> list[str]:
        """What is wrong with the choices by themselves."""
        if not self.steps:
            return []
        from lookalike.anonymize.methods import METHODS, option_faults

        faults = []
        for step in self.steps:
            if step.method not in METHODS:
                faults.append(unknown("Method", step.method, list(METHODS), where="known", listed="Methods"))
            else:
                faults += option_faults(step.method, step.options)
        return faults
