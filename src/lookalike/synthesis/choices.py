"""The choices of a synthesis: what is drawn, how often, under which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lookalike.errors import unknown

IDENTIFIERS = ("drop", "new")
MISSING = ("keep", "impute")

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where a condition holds, columns have these values. The condition is in SQL's words: `age < 16`.

    >>> Rule(when="age < 16", then={"marital_status": "never married"}).when
    'age < 16'
    """

    when: str
    then: Mapping[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """Which columns are drawn from which model, how many records and copies.

    >>> Synthesis(copies=0, columns=("income",), rows=10).faults()
    ['At least 1 copy must be drawn.', 'Rows cannot be chosen when some columns are kept: they stay as they are.']
    """

    model: str = "latent-classes"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the model, by name."""
    columns: tuple[str, ...] = ()
    """The columns that are drawn; the rest are kept as they are. None named: all are drawn."""
    drop: tuple[str, ...] = ()
    """Columns that the release does not have."""
    rows: int | None = None
    """Records of a copy; as many as the file has if not given."""
    copies: int = 1
    proper: bool = False
    """Whether the law is drawn too, not only the records."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Columns that have one value in all records drawn."""
    identifiers: str = "drop"
    missing: str = "keep"
    computed: Mapping[str, str] = field(default_factory=dict)
    """Columns that are computed from others, by a formula in SQL's words."""
    rules: tuple[Rule, ...] = ()
    impossible: tuple[str, ...] = ()
    """Conditions that no record may meet."""

    def faults(self) -> list[str]:
        """What is wrong with the choices by themselves."""
        from lookalike.synthesis.models import MODELS, option_faults

        faults = []
        if self.copies < 1:
            faults.append("At least 1 copy must be drawn.")
        if self.rows is not None and self.rows < 1:
            faults.append("At least 1 row must be drawn.")
        if self.columns and self.rows is not None:
            faults.append("Rows cannot be chosen when some columns are kept: they stay as they are.")
        faults += [
            f"'{n}' cannot be left out and drawn or given." for n in self.drop if n in (*self.columns, *self.given)
        ]
        faults += [
            f"'{n}' is computed: it cannot be drawn, given or left out."
            for n in self.computed
            if n in (*self.columns, *self.given, *self.drop)
        ]
        if self.columns and self.given:
            faults.append("Values can be given only when all columns are drawn.")
        if self.model not in MODELS:
            faults.append(unknown("Model", self.model, list(MODELS), where="known", listed="Models"))
        else:
            faults += option_faults(self.model, self.options)
        if self.identifiers not in IDENTIFIERS:
            faults.append(unknown("Identifiers:", self.identifiers, IDENTIFIERS, where="known", listed="Ways"))
        if self.missing not in MISSING:
            faults.append(unknown("Missing values:", self.missing, MISSING, where="known", listed="Ways"))
        faults += ["A rule needs a condition (when) and values (then)." for r in self.rules if not (r.when and r.then)]
        return faults
