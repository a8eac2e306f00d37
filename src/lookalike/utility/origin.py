"""How a release came about: it decides what may be expected of it, and how estimates from it are combined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lookalike.errors import BadPlan


class How(StrEnum):
    """What was drawn.

    >>> How("partial") is How.PARTIAL
    True
    """

    COMPLETE = "complete"
    """All columns of all records are drawn from a model of the file."""
    PARTIAL = "partial"
    """Some columns are drawn given the others, which stay; row i of each copy is row i of the file."""
    POPULATIONS = "populations"
    """Whole populations are completed from the file, and each copy is a random sample of one (Rubin 1993)."""
    INCOMPLETE = "incomplete"
    """Only some values are drawn, whichever: between the two, as synthpop names it."""
    NESTED = "nested"
    """Missing values are imputed M times, and each completed file is drawn r times (Reiter 2004)."""
    INDEPENDENT = "independent"
    """The release is another sample of the same people, not drawn from the file: a holdout."""
    CHANGED = "changed"
    """The release is the file with its records changed: generalized, averaged, perturbed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How a release came about.

    >>> print(Origin(how=How.COMPLETE, proper=True))
    complete, proper
    """

    how: How = How.COMPLETE
    proper: bool = False
    """Whether the law was drawn from its posterior before the records were, not only fitted."""
    drawn: tuple[str, ...] = ()
    """The columns that were drawn, if only some were."""
    part: float = 1.0
    """The share of the original's records that are compared, if only a random part of them is."""

    def __post_init__(self) -> None:
        faults = [] if 0 < self.part <= 1 else ["The part of the original that is compared is above 0 and at most 1."]
        if self.how is How.COMPLETE and self.drawn:
            faults.append("A complete release draws all columns: leave `drawn` empty, or say that it is partial.")
        if self.how is How.POPULATIONS and not self.proper:
            faults.append("Synthetic populations are drawn from a posterior: set proper to true.")
        if faults:
            raise BadPlan(faults)

    @property
    def linked(self) -> bool:
        """Whether row i of a copy stands for row i of the file."""
        return self.how in (How.PARTIAL, How.CHANGED)

    def __str__(self) -> str:
        if self.how in (How.COMPLETE, How.PARTIAL):
            return f"{self.how.value}, {'proper' if self.proper else 'improper'}"
        return self.how.value
