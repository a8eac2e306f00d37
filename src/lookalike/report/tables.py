"""How tables and shares look in a terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text


def new_table(title: str) -> Table:
    """A plain table with a title at the left."""
    return Table(title=Text(title, style="bold"), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)


def percent(value: float) -> str:
    """A share in percent, never rounded to 0 % or 100 % unless it is that.

    >>> percent(0.0001), percent(0.5), percent(1.0)
    ('<0.1 %', '50.0 %', '100.0 %')
    """
    percent = 100 * value
    if 0 < percent < 0.1:
        return "<0.1 %"
    if 99.9 < percent < 100:
        return ">99.9 %"
    return f"{percent:.1f} %"
