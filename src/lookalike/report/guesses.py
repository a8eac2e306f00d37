"""Guessed kinds and roles as a table."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from lookalike.data import Microdata, Role

_ORDER = list(Role)


def render_guesses(data: Microdata) -> Table:
    """One line a variable: what it is taken for, and why; the most dangerous roles first."""
    table = Table(title=Text(f"{data.name}: guessed roles", style="bold"), box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("column", "role", "kind", "why"):
        table.add_column(column)
    for variable in sorted(data.variables, key=lambda v: _ORDER.index(v.role)):
        table.add_row(Text(variable.name), variable.role.value, variable.kind.value, Text(variable.why))
    return table
