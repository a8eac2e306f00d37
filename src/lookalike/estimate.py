"""Result values that say how sure they are, how they were made and what they do not mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from lookalike.notebook import told


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval, its method and its caveats; `value` is None when it has no answer.

    >>> Estimate(value=0.04, low=0.03, high=0.06, method="exact").value
    0.04
    >>> Estimate.not_assessable("needs an estimator", method="posterior").value is None
    True
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str
    seed: int | None = None
    seconds: float = 0.0
    caveats: tuple[str, ...] = field(default=())
    lower_limit: bool = False
    """Whether the value is a limit from below: it can show that a threshold fails, never that it holds."""

    @classmethod
    def not_assessable(
        cls, reason: str, *, method: str, low: float | None = None, high: float | None = None
    ) -> Estimate:
        """An answer that is not a number: why there is none, and the bounds that hold all the same."""
        return cls(value=None, low=low, high=high, method=method, caveats=(reason,))

    def _repr_html_(self) -> str:
        """In a notebook: the value, how sure it is, and what it does not mean."""
        value = "not assessable" if self.value is None else f"{'at least ' if self.lower_limit else ''}{self.value:.4g}"
        ends = "" if self.low is None or self.high is None else f" ({self.low:.3g} to {self.high:.3g})"
        return told(value, f"{ends}, {self.method}", self.caveats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its numerator and what it is a share of.

    >>> rate = Rate(count=21, of=25, what="classes")
    >>> rate.value, str(rate)
    (0.84, '21 of 25 classes')
    """

    count: int
    of: int
    what: str

    @property
    def value(self) -> float:
        """The share itself; a share of nothing is a fault of the caller."""
        return self.count / self.of

    def __str__(self) -> str:
        return f"{self.count:,} of {self.of:,} {self.what}"
