"""A value or a range of values whose disclosure is asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A value, or a range of values, of a sensitive variable whose disclosure is asked for.

    >>> str(Target(variable="charges", above=100_000)), str(Target(variable="diagnosis", equals=("C50", "C61")))
    ('charges above 100,000', 'diagnosis = C50, C61')
    """

    variable: str
    equals: tuple[str, ...] = ()
    above: float | None = None
    below: float | None = None

    def __str__(self) -> str:
        if self.equals:
            return f"{self.variable} = {', '.join(self.equals)}"
        ends = [f"above {self.above:,g}"] if self.above is not None else []
        ends += [f"below {self.below:,g}"] if self.below is not None else []
        return f"{self.variable} {' and '.join(ends)}"
