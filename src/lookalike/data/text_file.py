"""What kind of text file is this: encoding, delimiter, header. Sniffed from its bytes, never from its name."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lookalike.data.encoding import SAMPLE, UTF8, encoding_of, given_encoding, not_in
from lookalike.data.header import check_header
from lookalike.data.quotes import check_text
from lookalike.errors import BadFile

DELIMITERS = (",", ";", "\t", "|")
MOST_COLUMNS = 5_000
OWN = re.compile(r"__(row|size|value|key|sum|set)\d*")
"""Names that engines give to columns of their own."""

_ROWS = 200
_SPELLED = {r"\t": "\t", "tab": "\t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a text file is written.

    `blank` counts the empty lines above the header; `quoted_words` says that words such as NA stand in quotes.
    """

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    blank: int = 0
    quoted_words: bool = False
    notes: tuple[str, ...] = ()


def sniff(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> Dialect:
    """Encoding, delimiter and column names of a text file; raises `BadFile` if it is not a whole text table."""
    with path.open("rb") as file:
        start = file.read(SAMPLE)
    if not start.strip(b"\r\n\t \xef\xbb\xbf"):
        raise BadFile(f"{path.name} is empty.")
    notes: list[str] = []
    if encoding is None:
        encoding = encoding_of(path, start)
        if encoding not in UTF8:
            notes.append(f"{path.name}: read as {encoding}; give the encoding if letters look wrong.")
    else:
        encoding = given_encoding(path, encoding)
    text = _decoded(path, start, encoding)
    delimiter = _given(path, delimiter) if delimiter is not None else _delimiter(text)
    quoted = check_text(path, encoding=encoding, delimiter=delimiter)
    header = _header(path, text, delimiter, cut=len(start) == SAMPLE)
    check_header(path.name, [cell.strip() for cell in header], islice(_rows(text, delimiter), 1, None))
    names = header_names(path.name, header, notes)
    if len(names) == 1:
        notes.append(f"{path.name} has one column. If it should have more, give the delimiter (--delimiter).")
    return Dialect(
        encoding=encoding,
        delimiter=delimiter,
        names=names,
        blank=_blank_lines(text),
        quoted_words=quoted,
        notes=tuple(notes),
    )


def _decoded(path: Path, start: bytes, encoding: str) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(start).removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise not_in(path, encoding) from None


def _given(path: Path, delimiter: str) -> str:
    """The delimiter the user names: one character that no number or word holds."""
    one = _SPELLED.get(delimiter, delimiter)
    if len(one) != 1 or not one.isascii() or one.isalnum() or one in '"\r\n+-.\0':
        raise BadFile(f"{path.name}: the delimiter must be one character such as , ; | or \\t, not '{delimiter}'.")
    return one


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows with something in them; they end before a cell that is far too long."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            return
        if row is None:
            return
        if len(row) > 1 or (row and row[0].strip()):
            yield row


def _delimiter(text: str) -> str:
    """The delimiter that cuts the rows into the same number of cells, more than one, most often."""

    def score(delimiter: str) -> tuple[float, int]:
        widths = [len(row) for row, _ in zip(_rows(text, delimiter), range(_ROWS), strict=False)]
        if not widths or widths[0] < 2:
            return (0.0, 0)
        return (widths.count(widths[0]) / len(widths), widths[0])

    return max(DELIMITERS, key=score)


def _blank_lines(text: str) -> int:
    above = text[: len(text) - len(text.lstrip())]
    return len(re.findall(r"\r\n|\r|\n", above))


def _header(path: Path, text: str, delimiter: str, *, cut: bool) -> list[str]:
    """The cells of the first row; `cut` says that the file is longer than the text."""
    lines = io.StringIO(text[len(text) - len(text.lstrip("\r\n")) :], newline="")
    try:
        header = next(row for row in csv.reader(lines, delimiter=delimiter) if len(row) > 1 or row[0].strip())
    except (csv.Error, StopIteration):
        header = []
    below = lines.read()
    if not header or (cut and not below):
        raise BadFile(f"{path.name}: the first row is no header: it is longer than 1 MB, or a name in it is.")
    if not below.strip("\r\n") and not cut:
        raise BadFile(f"{path.name} has a header and no records.")
    return header


def header_names(source: str, cells: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """The names in a header, checked; a column without one is called by its place."""
    if len(cells) > MOST_COLUMNS:
        raise BadFile(too_wide(source, len(cells)))
    names = [re.sub(r"\s*[\r\n]+\s*", " ", cell.strip()) for cell in cells]
    for place, name in enumerate(names):
        if not name:
            names[place] = f"column_{place + 1}"
            notes.append(f"{source}: column {place + 1} has no name; it is called column_{place + 1}.")
    return check_names(source, names)


def too_wide(source: str, columns: int) -> str:
    """What is said of a table with too many columns."""
    return (
        f"{source} has {columns:,} columns; at most {MOST_COLUMNS:,} are read. "
        "One column a person? Then turn the table; else keep the columns you need."
    )


def check_names(source: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names, if none stands twice or is kept for us; a file's header or a frame's columns."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadFile(f"{source} has columns of the same name: {_listed(twice)}. Rename them.")
    ours = [name for name in names if OWN.fullmatch(name)]
    if ours:
        raise BadFile(f"{source} has columns with names that Lookalike keeps for itself: {_listed(ours)}. Rename them.")
    return tuple(names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
