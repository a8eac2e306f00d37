"""Guess the kind and the role of each column from its name and its values, and say why.

The name is believed before the values: a column named "region" is a place whatever it holds. Values speak
where the name says nothing. A guess is a start for the custodian, who decides; no guess quotes a value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import polars as pl

from lookalike.data.variable import Kind, Role, Variable, first_number, in_order, is_number, is_range
from lookalike.data.words import COUNTRIES, NO_ANSWER, SEXES, YES_NO, Topic, fold, topic, topics

NEARLY = 0.95
"""The share of records with a value of their own from which a column is "nearly unique"."""
FEW_CODES = 12
"""Whole numbers with no more distinct values than this are codes, unless the name says otherwise."""
FEW_LEVELS, MOST_LEVELS = 30, 200
"""The most levels of an order: whole numbers, numbers kept as text."""
MANY = 50
"""Text with more distinct values than this may be a code."""
ENOUGH = 20
"""The records below which being unique says nothing; also the most people of a household."""
LOOKED_AT = 2000
"""The distinct values whose shape is looked at."""

_HEIGHT, _BODY_WEIGHT, _COUNT = topic("a body measure"), topic("a body weight"), topic("a count or a measure")
_WEIGHT, _MAYBE_WEIGHT = topic("a sampling weight"), topic("a sampling weight, not a body weight")
_HOUSEHOLD, _RECORD, _SCALE = topic("a household number"), topic("a record number"), topic("a scale")
_AGE, _DATE, _SEX, _DIAGNOSIS = topic("an age"), topic("a date"), topic("a sex"), topic("a diagnosis")
_POSTAL, _COUNTRY, _FAMILY = (
    topic("a postal code"),
    topic("a country or state"),
    topic("a household's make-up"),
)
_EMAIL, _PHONE = topic("an e-mail address"), topic("a telephone number")
_NEVER = re.compile(r"(?!)")
_UNIQUE = Topic("a value of its own for nearly every record", Role.IDENTIFIER, Kind.NOMINAL, _NEVER)
_FLAG = Topic("a yes/no answer", Role.OTHER, Kind.NOMINAL, _NEVER)
_CODE = Topic("a code", Role.OTHER, Kind.NOMINAL, re.compile("(code|cod|cd)$"))

_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/. ]\d{1,2}[-/. ](\d{4}|\d\d)( \d.*)?"
    r"|\d{1,2}[- ]?[A-Za-z]{3}[- ]?\d{2,4}|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
)
_ZIP = r"\d{5}(-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{5}-\d{3}"
_ICD = r"[A-Z]\d[\dAB](\.?[\dA-Z]{1,4})?"
_CALL = r"(?=.*[ ()/-]|[+0])\+?\(?\d[\d ()/-]{7,18}"
_SHAPES = ((_EMAIL, r"[^@\s]+@[^@\s]+\.\w+", 1), (_DATE, _DAY, 1), (_POSTAL, _ZIP, 10), (_DIAGNOSIS, _ICD, 5))


def guess(table: pl.DataFrame, *, records: int | None = None) -> tuple[Variable, ...]:
    """The variables of a file as far as a sample of its rows tells; `records` are the rows of the whole file.

    >>> table = pl.DataFrame({"PLZ": ["01067", "10115", "10115"], "Einkommen": [1200, 3100, 1800]})
    >>> for variable in guess(table):
    ...     print(variable.role, "|", variable.kind, "|", variable.why)
    quasi-identifier | nominal | named like a postal code; 2 distinct values
    sensitive | numeric | named like money; 3 distinct values
    """
    whole = max(records or 0, table.height)
    near = any(_HEIGHT.names(name) for name in table.columns)
    guessed = [_variable(column, whole, near) for column in table.iter_columns()]
    return tuple(_only_one(Role.HOUSEHOLD, _only_one(Role.WEIGHT, guessed)))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of a column: the values that are there, the distinct ones as text, and counts."""

    name: str
    column: pl.Series
    values: tuple[str, ...]
    distinct: int
    rows: int
    records: int

    @property
    def n(self) -> int:
        return self.column.len()

    @property
    def text(self) -> bool:
        return self.column.dtype == pl.String

    @property
    def whole(self) -> bool:
        dtype = self.column.dtype
        return dtype.is_integer() or (dtype.is_float() and bool((self.column == self.column.floor()).all()))

    @property
    def unique(self) -> bool:
        """Nearly every record has its own value."""
        return self.n > 0 and self.distinct >= NEARLY * self.n and (self.text or self.whole)

    @property
    def bands(self) -> bool:
        """The values are ranges of numbers."""
        few = 2 <= self.distinct <= 100 and self.share(is_range) >= 0.5
        return few and self.share(lambda value: is_range(value) or is_number(value)) >= 0.8

    def share(self, test: str | Callable[[str], object]) -> float:
        """The share of distinct values that have a shape or pass a test."""
        passes = re.compile(test).fullmatch if isinstance(test, str) else test
        return sum(bool(passes(value)) for value in self.values) / max(len(self.values), 1)


def _facts(column: pl.Series, records: int) -> _Facts:
    """Look at one column; blank text and numbers that are not finite count as empty."""
    dtype, there = column.dtype, column.drop_nulls()
    if dtype in (pl.Boolean, pl.Categorical, pl.Enum, pl.Null):
        there = there.cast(pl.String)
    elif dtype == pl.Duration:
        there = there.cast(pl.Int64)
    elif dtype.is_decimal() or dtype.is_float():
        there = there.cast(pl.Float64)
        there = there.filter(there.is_finite())
    if there.dtype == pl.String:
        there = there.filter(there.str.strip_chars() != "")
    distinct = there.unique(maintain_order=True)
    values = tuple(distinct.head(LOOKED_AT).cast(pl.String))
    return _Facts(column.name, there, values, distinct.len(), column.len(), records)


def _variable(column: pl.Series, records: int, near: bool) -> Variable:
    """The guess for one column; `near` says that a column for the body's height stands beside it."""
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        return Variable(name=column.name, kind=Kind.NOMINAL, why="holds lists or objects, not single values")
    facts = _facts(column, records)
    named, sign = _named(facts, near), _sign(facts)
    if named and sign and named.role is Role.OTHER and sign.role is Role.IDENTIFIER:
        named = None
    about = named or sign
    kind = _kind(facts, about, sign)
    return Variable(
        name=facts.name,
        kind=kind,
        role=about.role if about else Role.OTHER,
        levels=in_order(facts.values) if kind is Kind.ORDINAL else (),
        why=_why(facts, named, sign),
    )


def _named(facts: _Facts, near: bool) -> Topic | None:
    """What the name says, if the values can be that."""
    found = topics(facts.name)
    if facts.unique and facts.n >= ENOUGH:
        found.sort(key=lambda topic: topic not in (_HOUSEHOLD, _RECORD))
    return next((topic for topic in found if _fits(topic, facts, near)), None)


def _fits(topic: Topic, facts: _Facts, near: bool) -> bool:
    """Whether the values can be what the name says; asked only where a wrong role does harm."""
    groups = 0 < facts.n <= ENOUGH * facts.distinct and (facts.text or facts.whole)
    if topic == _RECORD:
        return facts.unique or (groups and facts.distinct > MANY)
    if topic == _HOUSEHOLD:
        return groups and (not facts.unique or facts.records > facts.rows)
    if topic in (_WEIGHT, _MAYBE_WEIGHT):
        positive = facts.n > 0 and facts.column.dtype.is_numeric() and _quantile(facts, 0.0) >= 0.0
        return positive and _quantile(facts, 1.0) > 0.0 and (topic == _WEIGHT or not _bodily(facts, near))
    return topic != _BODY_WEIGHT or not _WEIGHT.names(facts.name)


def _bodily(facts: _Facts, near: bool) -> bool:
    """What a scale may have shown: beside a height any number of that size, alone only the usual spread."""
    low, middle, high = (_quantile(facts, q) for q in (0.05, 0.5, 0.95))
    if near:
        return 1 < middle < 300
    rounded = bool((facts.column == facts.column.round(1)).all())
    return rounded and facts.distinct >= 15 and 45 <= middle <= 200 and 1.3 * low < high < 4 * low


def _quantile(facts: _Facts, q: float) -> float:
    return float(facts.column.quantile(q) or 0.0)


def _sign(facts: _Facts) -> Topic | None:
    """What the values look like, whatever the name."""
    if facts.column.dtype.is_temporal():
        return _DATE
    if facts.text:
        return _shape(facts) or _word(facts) or _age_bands(facts) or _own_text(facts)
    return _number(facts) if facts.n >= ENOUGH and facts.whole else None


def _shape(facts: _Facts) -> Topic | None:
    """Text of a known form: an e-mail address, a date, a postal or diagnosis code, a telephone number."""
    for about, shape, least in _SHAPES:
        numbered = about is _POSTAL and facts.unique and facts.n >= ENOUGH
        if facts.distinct >= least and facts.share(shape) >= 0.9 and not numbered:
            return about
    calls = facts.n >= ENOUGH and 2 * facts.distinct >= facts.n and facts.share(_CALL) >= 0.9
    return _PHONE if calls else None


def _word(facts: _Facts) -> Topic | None:
    """Text from a known short list: sexes, yes and no, country codes."""
    if facts.distinct >= 5 and facts.share(COUNTRIES.__contains__) >= 0.9:
        return _COUNTRY
    found = {fold(value.strip()) for value in facts.values} if facts.distinct <= 6 else set()
    if found - NO_ANSWER in SEXES or found in SEXES:
        return _SEX
    return _FLAG if len(found) > 1 and found & YES_NO and found <= YES_NO | NO_ANSWER else None


def _age_bands(facts: _Facts) -> Topic | None:
    """Ranges that span a life."""
    starts = [first_number(value) for value in facts.values] if facts.distinct >= 4 and facts.bands else []
    return _AGE if 60 <= max((start for start in starts if start < inf), default=0) <= 120 else None


def _own_text(facts: _Facts) -> Topic | None:
    """Text that differs from record to record, and is not a number kept as text."""
    return _UNIQUE if facts.unique and facts.n >= ENOUGH and facts.share(is_number) < 0.9 else None


def _number(facts: _Facts) -> Topic | None:
    """Whole numbers: years or days, numbers that count or name the records, ages."""
    low, high = int(_quantile(facts, 0.0)), int(_quantile(facts, 1.0))
    if (facts.distinct >= 5 and low >= 1880 and high <= 2035) or facts.share(_DAY) >= 0.9:
        return _DATE
    counted = facts.distinct == facts.n and high - low < 1.1 * facts.n
    if counted or (facts.unique and low >= 10**6 and len(str(low)) == len(str(high))):
        return _UNIQUE
    return _AGE if _like_ages(facts, low, high) else None


def _like_ages(facts: _Facts, low: int, high: int) -> bool:
    """Nearly all years up to an old age, none too frequent, few very old."""
    if facts.n < 100 or low < 0 or not 60 <= high <= 120 or facts.distinct < 0.8 * (high - low + 1):
        return False
    most = facts.column.value_counts(sort=True)["count"][0]
    adult, old = facts.column.is_between(20, 60).sum(), (facts.column > 90).sum()
    return bool(most < 0.1 * facts.n and adult >= 0.3 * facts.n and old <= 0.03 * facts.n)


def _kind(facts: _Facts, about: Topic | None, sign: Topic | None) -> Kind:
    """The kind, from the values and from what such columns mostly are."""
    if sign is _DATE and not facts.column.dtype.is_numeric():
        return Kind.DATE
    usual = _usual(facts.name, about) if sign is not _DATE else Kind.NUMERIC
    if facts.text:
        return _text_kind(facts, usual, sign)
    if not facts.whole or (about and about.role is Role.WEIGHT):
        return Kind.NUMERIC
    return _code_kind(facts, usual)


def _usual(name: str, about: Topic | None) -> Kind | None:
    """The kind a name asks for: a scale or a count; else the one most columns on the topic have."""
    for asked in (_SCALE, _COUNT):
        if asked.names(name):
            return asked.kind
    return about.kind if about and about.kind else Kind.NOMINAL if _CODE.names(name) else None


def _text_kind(facts: _Facts, usual: Kind | None, sign: Topic | None) -> Kind:
    numbers = usual in (Kind.ORDINAL, Kind.NUMERIC) and facts.share(is_number) >= 0.8
    if facts.bands or (numbers and 3 <= facts.distinct <= MOST_LEVELS):
        return Kind.ORDINAL
    coded = facts.share(r"\S*\d\S*") >= NEARLY and (facts.share(r"0\d.*") > 0 or _one_width(facts))
    return Kind.TEXT_CODE if facts.distinct > MANY and (coded or sign is _DIAGNOSIS) else Kind.NOMINAL


def _one_width(facts: _Facts) -> bool:
    widths = Counter(len(value) for value in facts.values)
    return max(widths.values()) >= 0.9 * len(facts.values)


def _code_kind(facts: _Facts, usual: Kind | None) -> Kind:
    """The kind of whole numbers: an amount, a scale or a code."""
    repeated = 0 < 2 * facts.distinct <= facts.n
    if usual is Kind.NOMINAL or (facts.distinct <= 2 and repeated):
        return Kind.NOMINAL
    if usual is Kind.ORDINAL and facts.distinct <= FEW_LEVELS:
        return Kind.ORDINAL
    codes = usual is None and facts.distinct <= FEW_CODES and repeated
    return Kind.NOMINAL if codes else Kind.NUMERIC


def _why(facts: _Facts, named: Topic | None, sign: Topic | None) -> str:
    """The reason in one line: names, counts and shares, never a value."""
    said = [f"named like {named.label}"] if named else []
    if named and sign == named:
        said = [f"named like {named.label} and holds such values"]
    elif sign and (named is None or sign.role == named.role):
        said.append(f"holds {'' if sign is _UNIQUE else 'what looks like '}{sign.label}")
    return "; ".join([*(said or ["neither name nor values tell its role"]), *_counts(facts)])


def _counts(facts: _Facts) -> list[str]:
    if facts.n == 0:
        return ["no values"]
    distinct = f"{facts.distinct:,} distinct value{'s' if facts.distinct > 1 else ''}"
    if facts.records > facts.rows:
        distinct += f" in {facts.rows:,} of {facts.records:,} records"
    empty = 1 - facts.n / facts.rows
    return [distinct, *([f"{empty:.0%} empty" if empty >= 0.005 else "under 1% empty"] if empty else [])]


def _only_one(role: Role, variables: list[Variable]) -> list[Variable]:
    """A file has one weight and one household number; of several, the first of a person."""
    several = [variable for variable in variables if variable.role is role]
    if len(several) < 2:
        return variables
    kept = min(several, key=lambda variable: role is Role.WEIGHT and _FAMILY.names(variable.name))
    note = f"; '{kept.name}' is taken as the {role.value}"
    return [replace(v, role=Role.OTHER, why=v.why + note) if v.role is role and v is not kept else v for v in variables]
