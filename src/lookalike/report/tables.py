"""How tables and shares look in a terminal: no word is broken; a table that has no room for its words is a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from lookalike.report.folding import folded, longest_piece, longest_word
from lookalike.report.html import Grid

GAP = 3
"""Signs between two columns."""
WIDE, ROOM = 30, 18
"""A cell of more signs than `WIDE` is prose, which has at least `ROOM` signs a line."""


def new_table(title: str) -> Table:
    """A plain table with a title at the left, which fits itself to the width of the terminal.

    >>> table = new_table("Columns")
    >>> for head in ("column", "worst choice"):
    ...     table.add_column(head)
    >>> table.add_row("marital_status", "identifiability")
    >>> Console(width=20).print(table)
    Columns
    <BLANKLINE>
    marital_status
      worst choice:
      identifiability
    <BLANKLINE>
    """
    return FittedTable(title=Text(title, style="bold"), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)


def render_grid(grid: Grid) -> Table:
    """A table of a page in a terminal.

    >>> Console(width=30).print(render_grid(Grid(title="Levels", heads=("column", "level"), rows=(("age", "2"),))))
    Levels
    <BLANKLINE>
     column   level
     ──────────────
     age          2
    <BLANKLINE>
    """
    table = new_table(grid.title)
    for place, head in enumerate(grid.heads):
        table.add_column(Text(head), justify="left" if place < grid.names else "right")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    if grid.note:
        table.caption = Text(grid.note)
    return table


class FittedTable(Table):
    """A table whose columns are as wide as their longest word at least; where they cannot be, its rows are a list."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The title, and what fits below it."""
        columns = [_Cells(console, column) for column in self.columns]
        widths = fitted(columns, options.max_width - GAP * len(columns) + 1)
        if self.title:
            yield cast(Text, self.title)
        if widths is not None:
            yield self._as_table(columns, widths)
        else:
            yield Text("")
            yield from self._as_list(columns, options.max_width)
        if self.caption:
            yield cast(Text, self.caption)
        if widths is None or self.caption:
            yield Text("")

    def _as_table(self, columns: Sequence[_Cells], widths: Sequence[int]) -> Table:
        table = Table(box=self.box, pad_edge=False, show_header=self.show_header)
        for column, width in zip(columns, widths, strict=True):
            table.add_column(folded(column.head, width), justify=column.column.justify, width=width)
        for row in zip(*(column.cells for column in columns), strict=True):
            table.add_row(*(folded(cell, width) for cell, width in zip(row, widths, strict=True)))
        return table

    def _as_list(self, columns: Sequence[_Cells], width: int) -> Iterator[RenderableType]:
        """The first cell of a row, and below it the others with their heads; empty ones are left out."""
        heads = [column.head.plain if self.show_header else "" for column in columns]
        for first, *others in zip(*(column.cells for column in columns), strict=True):
            if first.plain:
                yield folded(first, width)
            pairs = [(head, cell) for head, cell in zip(heads[1:], others, strict=True) if cell.plain]
            for line in _packed([_item(head, cell) for head, cell in pairs], width - 2):
                yield Padding(folded(line, width - 2), (0, 0, 0, 2))


class _Cells:
    """A column of a table as texts."""

    def __init__(self, console: Console, column: Column) -> None:
        self.column = column
        self.head = _text(console, column.header)
        self.cells = [_text(console, cell) for cell in column.cells]

    def room(self) -> tuple[int, int, int]:
        """What the longest cell needs, what its longest word needs, and what the longest part of a word needs."""
        texts = [line for text in (self.head, *self.cells) for line in text.plain.splitlines()]
        most = max(map(cell_len, texts), default=0)
        least = most if self.column.no_wrap else min(most, ROOM) if most > WIDE else 0
        return most, max([least, *map(longest_word, texts)]), max([least, *map(longest_piece, texts)])


def fitted(columns: Sequence[_Cells], width: int) -> list[int] | None:
    """The width of each column: words stay whole, else names are broken at their signs; None if nothing fits."""
    most, words, parts = zip(*(column.room() for column in columns), strict=True)
    for least in (words, parts):
        if sum(least) <= width:
            return _narrowed(list(most), least, width)
    return None


def _narrowed(widths: list[int], least: Sequence[int], width: int) -> list[int]:
    """The widest columns give way first, none below its least."""
    while sum(widths) > width:
        widest = max((i for i, w in enumerate(widths) if w > least[i]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _text(console: Console, cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else console.render_str(str(cell))


def _item(head: str, cell: Text) -> Text:
    return Text.assemble(f"{head}: " if head else "", cell)


def _packed(items: Sequence[Text], width: int) -> Iterator[Text]:
    """As many items a line as there is room for."""
    line = Text()
    for item in items:
        if line and line.cell_len + GAP + item.cell_len > width:
            yield line
            line = Text()
        line = Text(" " * GAP).join([line, item]) if line else item
    if line:
        yield line


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
