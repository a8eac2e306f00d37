"""Where a long word of a terminal may go on in the next line: after a sign inside a name, never inside a word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

_LETTER = r"[^\W\d_]"
_BREAK = re.compile(
    rf"(?<=\w)_(?=\w)|(?<={_LETTER})[/:;,=|](?=[\w\[(<>])|(?<=[\])])[:;,=](?=\S)|(?<={_LETTER})[-.](?={_LETTER})"
    rf"|(?<=\w)(?=[\[(])"
)
"""After `marital_`, `Married-`, `docs/`, before `[`; not inside figures such as 5.6e-05, [20;29] or -0.04."""
_WORD = re.compile(r"\S+")


def pieces(word: str) -> list[str]:
    """A word in the parts between which a line may end.

    >>> pieces("marital_status[Married-civ-spouse]"), pieces("5.625e-05"), pieces("[20;29]")
    (['marital_', 'status', '[Married-', 'civ-', 'spouse]'], ['5.625e-05'], ['[20;29]'])
    """
    ends = [found.end() for found in _BREAK.finditer(word)]
    return [word[start:end] for start, end in zip([0, *ends], [*ends, len(word)], strict=True) if end > start]


def longest_word(text: str) -> int:
    """The room that the longest word of a text needs.

    >>> longest_word("k, the smallest class"), longest_word("")
    (8, 0)
    """
    return max(map(cell_len, text.split()), default=0)


def longest_piece(text: str) -> int:
    """The room that the longest part of a word needs.

    >>> longest_piece("the marital_status")
    8
    """
    return max((cell_len(piece) for word in text.split() for piece in pieces(word)), default=0)


def folded(text: Text, width: int) -> Text:
    """The text with the words that are longer than a line broken at their signs.

    >>> folded(Text("of marital_status"), 10).plain
    'of marital_\\nstatus'
    """
    places = [place for word in _WORD.finditer(text.plain) for place in _places(word[0], word.start(), width)]
    return Text("\n").join(text.divide(places)) if places else text


def _places(word: str, start: int, width: int) -> Iterator[int]:
    """As few places as the width allows."""
    if cell_len(word) <= width:
        return
    used = 0
    for piece in pieces(word):
        if used and used + cell_len(piece) > width:
            yield start
            used = 0
        used += cell_len(piece)
        start += len(piece)
