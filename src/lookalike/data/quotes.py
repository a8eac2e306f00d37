"""Quotes of a text file: each one that opens a cell must close it, or rows would vanish inside a cell.

A quote opens a cell if it is the cell's first character; two in a row inside a quoted cell stand for one. A
quote elsewhere in an unquoted cell (5" pipe) is a character like any other. Only quotes are looked at, with
the characters beside them, so the check costs little.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookalike.data.encoding import plain_blocks
from lookalike.data.shapes import WORDS
from lookalike.errors import BadFile

_QUOTE = ord('"')
_LINE_ENDS = b"\r\n"
_QUOTED = tuple(f'"{word}"'.encode() for word in WORDS)
_LONGEST = max(len(word) for word in _QUOTED)
_BEGINS = np.isin(np.arange(256), [ord(word[0]) for word in WORDS])
_WORD_SHAPES = [len(word) << 16 | ord(word[0]) << 8 | ord(word[-1]) for word in WORDS]
"""The length, the first and the last letter of a word that may mean missing."""


def check_text(path: Path, *, encoding: str, delimiter: str) -> bool:
    """Raise if the file holds a zero byte, a quote that is not closed, or text after a closed quote.

    Returns whether a word such as NA seems to stand in quotes: it is a value there, and missing elsewhere.
    """
    quotes = Quotes(delimiter)
    before, rest = 0, b""
    for block in plain_blocks(path, encoding):
        # A word between two blocks; those inside a block are seen with its quotes.
        quotes.word = quotes.word or any(word in rest + block[:_LONGEST] for word in _QUOTED)
        rest = block[-_LONGEST:]
        if (at := block.find(0)) >= 0:
            line = _line(path, encoding, before + at)
            raise BadFile(f"{path.name}: line {line} holds a zero byte. The file is damaged, or not a text table.")
        quotes.see(block)
        before += len(block)
        if quotes.stray is not None:
            break
    quotes.end()
    if quotes.stray is not None:
        line = _line(path, encoding, quotes.stray)
        raise BadFile(
            f"{path.name}: line {line} has text after a closing quote. A quote inside a quoted cell must be "
            "written twice; a quote at the start of a cell must be closed at its end."
        )
    if quotes.inside:
        line = _line(path, encoding, quotes.opened)
        raise BadFile(f"{path.name}: a quote is opened at line {line} and never closed. Close it or take it out.")
    return quotes.word


@dataclass
class Quotes:
    """Where the quotes of a text stand so far: inside a quoted cell or not.

    >>> quotes = Quotes(",")
    >>> quotes.see(b'a,"b')
    >>> quotes.end()
    >>> quotes.inside, quotes.opened, quotes.stray
    (True, 2, None)
    """

    delimiter: str
    inside: bool = False
    opened: int = 0
    closed: int = -2
    stray: int | None = None
    word: bool = False
    """Whether a word such as NA seems to stand in quotes."""
    _rest: bytes = field(default=b"\n", repr=False)
    _seen: int = field(default=-1, repr=False)

    def see(self, block: bytes) -> None:
        """Look at more of the text; its last byte waits for the next one."""
        data = self._rest + block
        if b'"' in data[:-1]:
            self._look(np.frombuffer(data, np.uint8))
        self._seen += len(data) - 2
        self._rest = data[-2:]

    def end(self) -> None:
        """The text ends here."""
        self.see(b"\n")

    def _look(self, data: NDArray[np.uint8]) -> None:
        at = np.flatnonzero(data[1:-1] == _QUOTE) + 1
        if not at.size or self.stray is not None:
            return
        before, after = data[at - 1], data[at + 1]
        self.word = self.word or _maybe_word(at, before, after)
        opens = (np.arange(at.size) + self.inside) % 2 == 0
        fits = np.where(opens, self._is(before, _QUOTE), self._is(after, _QUOTE))
        place = at + self._seen
        if fits.all() and not (opens[0] and before[0] == _QUOTE and place[0] != self.closed + 1):
            self._regular(place, opens, before)
        else:
            self._one_by_one(zip(place.tolist(), before.tolist(), after.tolist(), strict=True))

    def _is(self, beside: NDArray[np.uint8], other: int) -> NDArray[np.bool_]:
        return np.isin(beside, [ord(self.delimiter), *_LINE_ENDS, other])

    def _regular(self, place: NDArray[np.int64], opens: NDArray[np.bool_], before: NDArray[np.uint8]) -> None:
        """Every quote stands where one may open or close; one right after another opens the same cell again."""
        first = place[opens & (before != _QUOTE)]
        self.inside = bool(opens[-1])
        self.opened = int(first[-1]) if first.size else self.opened
        self.closed = int(place[~opens][-1]) if not opens.all() else self.closed

    def _one_by_one(self, quotes: Iterable[tuple[int, int, int]]) -> None:
        beside = (ord(self.delimiter), *_LINE_ENDS)
        for place, before, after in quotes:
            if self.inside:
                self.inside, self.closed = False, place
                if after not in (*beside, _QUOTE):
                    self.stray = place
                    return
            elif before in beside:
                self.inside, self.opened = True, place
            elif before == _QUOTE and place == self.closed + 1:
                self.inside = True


def _maybe_word(at: NDArray[np.int64], before: NDArray[np.uint8], after: NDArray[np.uint8]) -> bool:
    """Whether what stands between two quotes has the length and the ends of a word that may mean missing."""
    begin = np.flatnonzero(_BEGINS[after[:-1]])
    length, first, last = at[begin + 1] - at[begin] - 1, after[begin].astype(np.int64), before[begin + 1]
    return bool(np.isin(length << 16 | first << 8 | last, _WORD_SHAPES).any())


def _line(path: Path, encoding: str, place: int) -> int:
    """The line on which a byte of the text stands."""
    line = 1
    for block in plain_blocks(path, encoding):
        line += block[:place].count(b"\n")
        place -= len(block)
        if place <= 0:
            break
    return line
