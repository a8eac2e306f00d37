"""What is told of words such as NA that were read as missing: they may be values, such as North America."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lookalike.data.shapes import Shape

ONE_BY_ONE = 5
"""Columns up to which each has a note of its own."""
NAMED = 10
"""Columns that one note for many names."""


def words_notes(shapes: Sequence[Shape]) -> list[str]:
    """A note a column in which a word, not an empty cell, was taken as missing; one for all if they are many.

    >>> shape = Shape("region", ",", plain=True)
    >>> shape.words["NA"] = 4225
    >>> print(*words_notes([shape]))
    Column 'region': 4,225 cells hold NA, read as missing. If NA is a value there, keep it (--keep-words region).
    """
    found = [shape for shape in shapes if shape.words.total()]
    if len(found) > ONE_BY_ONE:
        return [_together(found)]
    return list(_each(found))


def _each(shapes: Sequence[Shape]) -> Iterator[str]:
    for shape in shapes:
        count, words = shape.words.total(), _listed(shape.words)
        held = "1 cell holds" if count == 1 else f"{count:,} cells hold"
        option = f'"{shape.name}"' if set(shape.name) & set(' ,"') else shape.name
        yield (
            f"Column '{shape.name}': {held} {words}, read as missing. If {words} is a value there, keep it "
            f"(--keep-words {option})."
        )


def _together(shapes: Sequence[Shape]) -> str:
    words = _listed(sum((shape.words for shape in shapes), Counter()))
    shown = ", ".join(f"{shape.name} ({shape.words.total():,})" for shape in shapes[:NAMED])
    more = f" and {len(shapes) - NAMED} more" if len(shapes) > NAMED else ""
    return (
        f"{words} is read as missing in {len(shapes)} columns (cells): {shown}{more}. If it is a value in one of them, "
        "keep it (--keep-words COLUMN)."
    )


def _listed(words: Counter[str]) -> str:
    """The words that were met, the most frequent first."""
    return " or ".join(word for word, times in words.most_common() if times)
