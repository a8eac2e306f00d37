"""The terminal: it obeys our styles, and nothing that a name from outside holds."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from lookalike.visible import replaced


class TerminalConsole(Console):
    r"""A console that shows escapes and marks of direction in a text as replacement characters.

    >>> from io import StringIO
    >>> out = StringIO()
    >>> TerminalConsole(file=out).print("pay\x1b[31m", markup=False)
    >>> out.getvalue()
    'pay�[31m\n'
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed; styles and controls of our own are added after this."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(replaced(segment.text), segment.style)
