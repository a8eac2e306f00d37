"""What kind of text file is this: encoding, delimiter, header. Sniffed from its bytes, never from its name."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lookalike.errors import BadFile

DELIMITERS = (",", ";", "\t", "|")
MOST_COLUMNS = 5_000

_SIGNS = {
    b"PK\x03\x04": "a zip archive or an office document",
    b"\x1f\x8b": "gzip-compressed",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"SQLite": "an SQLite database",
    b"$FL2": "an SPSS file",
    b"<stata": "a Stata file",
}
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SAMPLE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a text file is written."""

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def sniff(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> Dialect:
    """Encoding, delimiter and column names of a text file; raises `BadFile` if it is not a table."""
    with path.open("rb") as file:
        start = file.read(_SAMPLE)
    if not start.strip(b"\x00\r\n\t \xef\xbb\xbf"):
        raise BadFile(f"{path.name} is empty.")
    notes: list[str] = []
    if encoding is None:
        encoding = _encoding(path, start)
        if encoding not in ("utf-8", "utf-8-sig"):
            notes.append(f"{path.name}: read as {encoding}; give the encoding if letters look wrong.")
    lines = _first_lines(path, start, encoding)
    delimiter = delimiter or _delimiter(lines)
    names = _names(path, next(csv.reader(lines, delimiter=delimiter)), notes)
    return Dialect(encoding=encoding, delimiter=delimiter, names=names, notes=tuple(notes))


def _encoding(path: Path, start: bytes) -> str:
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    for sign, what in _SIGNS.items():
        if start.startswith(sign):
            raise BadFile(f"{path.name} is not a text table: it is {what} under another name.")
    if b"\x00" in start:
        raise BadFile(f"{path.name} is a binary file, not a text table.")
    bad = _first_bad_line(path)
    if bad is None:
        return "utf-8"
    return _single_byte(path, bad)


def _first_bad_line(path: Path) -> int | None:
    """The first line that is not UTF-8; None if all are."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _single_byte(path: Path, bad_line: int) -> str:
    """Western single-byte text has accented letters and no UTF-8 sequence; anything else is damage."""
    high: Counter[int] = Counter()
    with path.open("rb") as file:
        while block := file.read(_SAMPLE):
            high.update(byte for byte in block if byte >= 0x80)
            if any(chr(c).encode() in block for c in (0xE4, 0xE9, 0xF6, 0xFC, 0xE8, 0x2019)):
                high[0x81] += 1
    letters = sum(n for byte, n in high.items() if byte >= 0xC0)
    undefined = any(byte in high for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
    if undefined or letters * 2 < sum(high.values()):
        raise BadFile(
            f"{path.name}: line {bad_line} holds bytes that are not UTF-8. "
            "Give the file's encoding (--encoding), or save it as UTF-8."
        )
    return "cp1252"


def _first_lines(path: Path, start: bytes, encoding: str) -> list[str]:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except LookupError as error:
        raise BadFile(f"{path.name}: '{encoding}' is not an encoding this computer knows.") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path.name} cannot be read as {encoding}: give another encoding.") from error
    lines = [line for line in text.split("\n") if line.strip()]
    return (lines[:-1] if len(start) == _SAMPLE and len(lines) > 1 else lines)[:200]


def _delimiter(lines: list[str]) -> str:
    """The delimiter that cuts the lines into the same number of cells, more than one, most often."""

    def score(delimiter: str) -> tuple[float, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        if widths[0] < 2:
            return (0.0, 0)
        return (widths.count(widths[0]) / len(widths), widths[0])

    return max(DELIMITERS, key=score)


def _names(path: Path, cells: list[str], notes: list[str]) -> tuple[str, ...]:
    if len(cells) > MOST_COLUMNS:
        raise BadFile(
            f"{path.name} has {len(cells):,} columns; at most {MOST_COLUMNS:,} are read. "
            "One column a person? Then turn the table; else keep the columns you need."
        )
    names = [cell.strip().removeprefix("\ufeff") for cell in cells]
    for place, name in enumerate(names):
        if not name:
            names[place] = f"column_{place + 1}"
            notes.append(f"{path.name}: column {place + 1} has no name; it is called column_{place + 1}.")
    return check_names(path.name, names)


def check_names(source: str, names: list[str]) -> tuple[str, ...]:
    """The names, if none stands twice; a file's header or a frame's columns."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(f"'{name}'" for name in twice[:10])
        raise BadFile(f"{source} has columns of the same name: {listed}. Rename them.")
    return tuple(names)
