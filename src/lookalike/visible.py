r"""Signs that a reader does not see and a terminal, an editor or a page obeys: escapes, marks that turn the line.

A name of a column or a file comes from outside. Printed as it is, it could colour or clear the terminal, change its
title, or turn the sentence it stands in (Boucher and Anderson 2023, "Trojan Source"). XML forbids such signs.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    r"\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)
"""Controls but for tab and line feed, marks of direction, other ends of a line, halves of a pair, no characters."""


def escaped(text: str) -> str:
    r"""Text with such signs written as JSON and TOML do within quotes, where they mean the same.

    >>> print(escaped("pay\x1b[31m\u202e"))
    pay\u001b[31m\u202e
    """
    return _HIDDEN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def on_one_line(text: str) -> str:
    r"""Such text in one line, for a comment.

    >>> print(on_one_line("a\nseed = 2\x07"))
    a seed = 2\u0007
    """
    return escaped(" ".join(text.splitlines()))


def replaced(text: str) -> str:
    r"""Text in which each such sign is a replacement character, so that it takes one place.

    >>> replaced("pay\x1b[31m\u202e")
    'pay�[31m�'
    """
    return _HIDDEN.sub("\ufffd", text)
