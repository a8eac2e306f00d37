"""Texts from outside as they may stand on a page: without what turns or breaks it."""

from __future__ import annotations

import re

_NOT_XML = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
_TURNING = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that change the direction of what follows: a column's name could turn the sentence it stands in."""


def plain_text(text: str) -> str:
    """The text without characters that XML forbids; marks of direction are shown as a replacement character.

    >>> plain_text("a\\x00ge"), plain_text("pay\\u202eyap")
    ('age', 'pay�yap')
    """
    return _TURNING.sub("\ufffd", _NOT_XML.sub("", text))
