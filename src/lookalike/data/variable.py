"""What one column of microdata is: the kind of its values and the part it plays in a disclosure.

The kind says what can be done with the values: a mean, an order, a prefix. The role says who may know them.
An attacker knows the quasi-identifiers of a person and wants the sensitive variables. Identifiers name the
person outright and never leave the house.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf


class Kind(StrEnum):
    """What the values of a variable are.

    >>> Kind("text code") is Kind.TEXT_CODE
    True
    """

    NUMERIC = "numeric"
    """Numbers with a size and a distance: an income, an age."""
    ORDINAL = "ordinal"
    """A few values in an order: an age band, a severity."""
    NOMINAL = "nominal"
    """Values without an order: a sex, a country."""
    DATE = "date"
    """Dates or points in time."""
    TEXT_CODE = "text code"
    """Many codes kept as text, where a prefix has a meaning: a postal code, a diagnosis code."""


class Role(StrEnum):
    """The part a variable plays in a disclosure.

    >>> [role.value for role in Role]
    ['identifier', 'quasi-identifier', 'sensitive', 'weight', 'household', 'other']
    """

    IDENTIFIER = "identifier"
    """Names one person: it is taken out."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Others may know it, and together with more of its like it singles a person out."""
    SENSITIVE = "sensitive"
    """What an attacker wants to learn."""
    WEIGHT = "weight"
    """How many people of the population a record stands for."""
    HOUSEHOLD = "household"
    """The same value for all people of one household."""
    OTHER = "other"
    """None of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One column: its name, kind and role, and how its values are to be read.

    `labels` says what a code means, `caption` what the column is, `missing` which values stand for no answer,
    `levels` the order of an ordinal variable from low to high (values as text), `why` how the kind and role
    were found.

    >>> age = Variable(name="age", kind=Kind.ORDINAL, role=Role.QUASI_IDENTIFIER, levels=("<18", "18+"))
    >>> age.levels.index("18+")
    1
    >>> Variable(name="note", kind=Kind.NOMINAL).role
    <Role.OTHER: 'other'>
    """

    name: str
    kind: Kind
    role: Role = Role.OTHER
    labels: Mapping[str | int | float, str] = field(default_factory=dict, hash=False)
    caption: str = ""
    missing: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    why: str = ""


_BAND = re.compile(
    r"(\[?[<>≤≥]?=?|under|over|below|above|unter|über|ab|moins de|plus de|menos de|más de)? ?\d[\d.,]* ?k?"
    r"( ?(-|–|_|;|to|bis|a|à|tot|até|q) ?\d[\d.,]*\]?)? ?k?"
    r" ?(\+|and over|and older|or more|or older|et plus|und mehr|und älter|y más|e più|en ouder)?"
    r" ?(years?|yrs?|jahre|ans|años|anni|jaar|anos)?",
    re.IGNORECASE,
)


def is_number(value: str) -> bool:
    """Whether a text is one number.

    >>> is_number("007"), is_number("-1.5"), is_number("5-9")
    (True, True, False)
    """
    return bool(re.fullmatch(r"-?\d+([.,]\d+)?", value.strip()))


def is_range(value: str) -> bool:
    """Whether a text is a range of numbers, closed or open.

    >>> [is_range(v) for v in ("20_30", "25-34", "<5", "85+", "20 to 29", "[20;30]", "2013Q1", "42", "A1-B2")]
    [True, True, True, True, True, True, True, False, False]
    """
    return bool(_BAND.fullmatch(value.strip())) and not is_number(value)


def first_number(value: str) -> float:
    """The number a text begins with or holds first; infinity if it has none."""
    return next(iter(_numbers(value)), inf)


def in_order(values: Iterable[str]) -> tuple[str, ...]:
    """Ranges and numbers from low to high by their first number; "<5" before "5-9" before "5+"; words last.

    >>> in_order(["85+", "unknown", "5-9", "<5", "10-84"])
    ('<5', '5-9', '10-84', '85+', 'unknown')
    """
    return tuple(sorted(values, key=lambda v: (first_number(v), _side(v), _numbers(v), v)))


def _numbers(value: str) -> list[float]:
    plain = value.strip().replace(",", "")
    return [float(number) for number in re.findall(r"^-?\d+(?:\.\d+)?|\d+(?:\.\d+)?", plain)]


def _side(value: str) -> int:
    """Whether a range ends at its first number (-1), begins there (1), or neither."""
    below = re.match(r"\[?[<≤]|under|below|unter|moins|menos", value.strip(), re.IGNORECASE)
    above = re.search(r"[>≥+]|over|above|older|more|plus|mehr|älter|über|más|più|ouder", value, re.IGNORECASE)
    return -1 if below else 1 if above else 0
