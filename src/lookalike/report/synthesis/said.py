"""The verdict on a synthetic release and what to do next, the same in a terminal and on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.report.protection.next_step import decided
from lookalike.report.synthesis import words

if TYPE_CHECKING:
    from lookalike.evaluate.synthesis import Synthesized


def how_of(result: Synthesized) -> str:
    """What was decided, in a word; "nothing" if nothing was measured."""
    return "nothing" if result.assessed is None else decided(result.assessed)


def verdict_of(result: Synthesized) -> str:
    """The verdict in one sentence; of drawn records it says that they are read as if they were people."""
    how = how_of(result)
    said = words.LINKED_SAYS if result.release.linked and how in words.LINKED_SAYS else words.SAYS
    return said[how]


def name_of(result: Synthesized) -> str | None:
    """The name of the release; None if it was not written yet, or is a folder of copies."""
    return result.outputs[0].name if len(result.outputs) == 1 else None


def next_of(result: Synthesized) -> str:
    """What to do next."""
    return words.NEXT.format(file=result.inputs[0].name, release=name_of(result) or words.NO_FILE)
