"""Which columns of a file are drawn, kept, left out or numbered anew."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.data import Microdata, Role
from lookalike.errors import BadPlan, unknown
from lookalike.synthesis.choices import Synthesis


@dataclass(frozen=True)
class Parts:
    """Which columns play which part."""

    drawn: tuple[str, ...]
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    new: tuple[str, ...]
    """Identifiers that get new values."""
    computed: tuple[str, ...] = ()
    """Columns that a formula gives."""

    @classmethod
    def of(cls, file: Microdata, choices: Synthesis) -> Parts:
        """By the roles of the file and what is asked for; raises with all that is wrong."""
        names = file.columns
        faults = [
            unknown("Column", name, names, where="in the data", listed="Columns")
            for name in (*choices.columns, *choices.given, *choices.drop, *choices.computed)
            if name not in names
        ]
        single = [*file.with_role(Role.IDENTIFIER), *file.with_role(Role.HOUSEHOLD)]
        faults += [
            f"'{name}' names a person or a household: it is neither drawn nor given. Take it out of the list."
            for name in (*choices.columns, *choices.given)
            if name in single
        ]
        doubtful = [f"'{n}'" for n in file.undeclared_identifiers if n not in choices.drop]
        if doubtful and not choices.columns:
            faults.append(
                f"{', '.join(doubtful)}: looks like something that names a person, and would be copied. Leave it out "
                "(--drop), or name it an identifier (--id); if it is none, give it a role (--sensitive, --qi)."
            )
        usable = tuple(name for name in names if name not in (*single, *choices.drop, *choices.computed))
        if not usable:
            faults.append("There is no column to draw: all are left out, or name persons or households.")
        if faults:
            raise BadPlan(faults)
        drawn = tuple(name for name in usable if name in choices.columns) if choices.columns else usable
        fresh = tuple(n for n in names if n in single and n not in choices.drop) if choices.identifiers == "new" else ()
        return cls(
            drawn=drawn,
            kept=tuple(name for name in usable if name not in drawn),
            left_out=tuple(name for name in names if name not in (*usable, *fresh, *choices.computed)),
            new=fresh,
            computed=tuple(name for name in names if name in choices.computed),
        )

    @property
    def modelled(self) -> tuple[str, ...]:
        """What the model sees."""
        return (*self.drawn, *self.kept)
