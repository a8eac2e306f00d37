"""The encoding of a text file: told by its mark, proved to be UTF-8, or guessed as Western single-byte.

Nothing is decoded with replacement characters: a byte that does not fit is a fault, told with its line.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lookalike.errors import BadFile

UTF8 = ("utf-8", "utf-8-sig")
BLOCK = 1 << 24
SAMPLE = 1 << 20
"""Bytes at the start of a file that tell what it is."""

_SIGNS = {
    b"PK\x03\x04": "a zip archive or an office document",
    b"\x1f\x8b": "gzip-compressed",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"SQLite": "an SQLite database",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata": "a Stata file",
    b"\xd0\xcf\x11\xe0": "an old office document",
}
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BINARY = 0.05
_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r")
_ASCII = bytes(range(128))
_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"
_LETTERS = bytes({*range(0xC0, 0xFF)} - {0xD7, 0xF7}) + b"\x8a\x8c\x8e\x9a\x9c\x9e\x9f"
_PRINT = b"\x80\x84\x85\x91\x92\x93\x94\x96\x97\xa0\xa3\xa7\xab\xb0\xb2\xb3\xb4\xb5\xbb\xbd"


def blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, piece by piece."""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


def encoding_of(path: Path, start: bytes) -> str:
    """The encoding of a text file whose first bytes are `start`; raises `BadFile` if it is not text."""
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    for sign, what in _SIGNS.items():
        if start.startswith(sign):
            raise BadFile(f"{path.name} is not a text table: it is {what} under another name.")
    if len(start) - len(start.translate(None, _CONTROL)) > _BINARY * len(start):
        raise BadFile(
            f"{path.name} is a binary file, not a text table. If it is UTF-16, say so (--encoding utf-16-le)."
        )
    return "utf-8" if _is_utf8(path) else _single_byte(path)


def given_encoding(path: Path, name: str) -> str:
    """The encoding the user names, by its usual name."""
    try:
        found = codecs.lookup(name)
    except LookupError:
        found = None
    if found is None or not found._is_text_encoding:
        raise BadFile(f"{path.name}: '{name}' is not an encoding this computer knows. Give another (--encoding).")
    return found.name


def plain_blocks(path: Path, encoding: str) -> Iterator[bytes]:
    """The file in bytes that hold delimiters, quotes and line ends as ASCII does; others are recoded."""
    if encoding in (*UTF8, "ascii") or encoding.startswith(("cp125", "iso8859")):
        yield from blocks(path)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks(path):
            yield decoder.decode(block).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise not_in(path, encoding) from None


def not_in(path: Path, encoding: str) -> BadFile:
    """The fault of a file that holds bytes its encoding does not have."""
    return BadFile(f"{path.name} holds bytes that are not {encoding}. Give the file's encoding (--encoding).")


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in blocks(path):
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _single_byte(path: Path) -> str:
    """Western single-byte text has accented letters and hardly a UTF-8 sequence; anything else is damage."""
    high: Counter[int] = Counter()
    sequences = 0
    for block in blocks(path):
        high.update(block.translate(None, _ASCII))
        sequences += len(_SEQUENCE.findall(block))
    known = sum(high[byte] for byte in _LETTERS + _PRINT)
    mixed = 20 * sequences > high.total()
    if mixed or any(high[byte] for byte in _UNDEFINED) or 10 * known < 9 * high.total():
        raise BadFile(
            f"{path.name}: line {_first_bad_line(path)} holds bytes that are not UTF-8. "
            "Give the file's encoding (--encoding), or save it as UTF-8."
        )
    return "cp1252"


def _first_bad_line(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    raise AssertionError("asked only for a file that is not UTF-8")
