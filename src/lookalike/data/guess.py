"""Guess the kind and the role of each column from its name and its values, and say why.

The name is believed before the values: a column named "region" is a place whatever it holds. Values speak
where the name says nothing. A guess is a start for the custodian, who decides; no guess quotes a value.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import polars as pl

from lookalike.data.facts import NEARLY, Facts, facts_of
from lookalike.data.missing_codes import missing_codes
from lookalike.data.signs import DATE, DIAGNOSIS, ENOUGH, POSTAL, UNIQUE, sign_of
from lookalike.data.variable import Kind, Role, Variable, in_order, is_number
from lookalike.data.words import Topic, topic, topics

FEW_CODES = 12
"""Whole numbers with no more distinct values than this are codes, unless the name says otherwise."""
FEW_LEVELS, MOST_LEVELS = 30, 200
"""The most levels of an order: whole numbers, numbers kept as text."""
MANY = 50
"""Text with more distinct values than this may be a code."""

_HEIGHT, _BODY_WEIGHT, _COUNT = topic("a body measure"), topic("a body weight"), topic("a count or a measure")
_WEIGHT, _MAYBE_WEIGHT = topic("a sampling weight"), topic("a sampling weight, not a body weight")
_HOUSEHOLD, _RECORD, _SCALE = topic("a household number"), topic("a record number"), topic("a scale")
_FAMILY = topic("a household's make-up")
_CODE = Topic("a code", Role.OTHER, Kind.NOMINAL, re.compile("(code|cod|cd)$"))


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


def _variable(column: pl.Series, records: int, near: bool) -> Variable:
    """The guess for one column; `near` says that a column for the body's height stands beside it."""
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        return Variable(name=column.name, kind=Kind.NOMINAL, why="holds lists or objects, not single values")
    codes = missing_codes(column)
    facts = facts_of(column if not codes else _without(column, codes), records)
    named, sign = _named(facts, near), sign_of(facts)
    if named and sign and named.role is Role.OTHER and sign.role is Role.IDENTIFIER:
        named = None
    about = named or sign
    kind = _kind(facts, about, sign)
    return Variable(
        name=facts.name,
        kind=kind,
        role=about.role if about else Role.OTHER,
        levels=in_order(facts.values) if kind is Kind.ORDINAL else (),
        missing=codes,
        why=_why(facts, named, sign, codes, near),
    )


def _without(column: pl.Series, codes: tuple[str, ...]) -> pl.Series:
    """The column with the codes as empty cells."""
    return column.set(column.cast(pl.Float64).is_in([float(code) for code in codes]), None)


def _named(facts: Facts, near: bool) -> Topic | None:
    """What the name says, if the values can be that."""
    found = topics(facts.name)
    if facts.unique and facts.n >= ENOUGH:
        found.sort(key=lambda topic: topic not in (_HOUSEHOLD, _RECORD))
    return next((topic for topic in found if _fits(topic, facts, near)), None)


def _fits(topic: Topic, facts: Facts, near: bool) -> bool:
    """Whether the values can be what the name says; asked only where a wrong role does harm."""
    groups = 0 < facts.n <= ENOUGH * facts.distinct and (facts.text or facts.whole)
    if topic == _RECORD:
        return facts.unique or (groups and facts.distinct > MANY)
    if topic == _HOUSEHOLD:
        return groups and (not facts.unique or facts.records > facts.rows)
    if topic in (_WEIGHT, _MAYBE_WEIGHT):
        positive = facts.n > 0 and facts.column.dtype.is_numeric() and facts.quantile(0.0) >= 0.0
        return positive and facts.quantile(1.0) > 0.0 and (topic == _WEIGHT or not _bodily(facts, near))
    return topic != _BODY_WEIGHT or not _WEIGHT.names(facts.name)


def _bodily(facts: Facts, near: bool) -> bool:
    """What a scale may have shown: beside a height any number of that size, alone only the usual spread."""
    low, middle, high = (facts.quantile(q) for q in (0.05, 0.5, 0.95))
    if near:
        return 1 < middle < 300
    rounded = bool((facts.column == facts.column.round(1)).all())
    return rounded and facts.distinct >= 15 and 45 <= middle <= 200 and 1.3 * low < high < 4 * low


def _kind(facts: Facts, about: Topic | None, sign: Topic | None) -> Kind:
    """The kind, from the values and from what such columns mostly are."""
    if sign is DATE and not facts.column.dtype.is_numeric():
        return Kind.DATE
    usual = _usual(facts.name, about) if sign is not DATE else Kind.NUMERIC
    if facts.text:
        return _text_kind(facts, usual, sign)
    if not facts.whole or (about and about.role is Role.WEIGHT):
        return Kind.NUMERIC
    if about == POSTAL and facts.distinct > MANY and _one_width(facts):
        return Kind.TEXT_CODE
    return _code_kind(facts, usual)


def _usual(name: str, about: Topic | None) -> Kind | None:
    """The kind a name asks for: a scale or a count; else the one most columns on the topic have."""
    for asked in (_SCALE, _COUNT):
        if asked.names(name):
            return asked.kind
    return about.kind if about and about.kind else Kind.NOMINAL if _CODE.names(name) else None


def _text_kind(facts: Facts, usual: Kind | None, sign: Topic | None) -> Kind:
    numbers = usual in (Kind.ORDINAL, Kind.NUMERIC) and facts.share(is_number) >= 0.8
    if facts.bands or (numbers and 3 <= facts.distinct <= MOST_LEVELS):
        return Kind.ORDINAL
    coded = facts.share(r"\S*\d\S*") >= NEARLY and (facts.share(r"0\d.*") > 0 or _one_width(facts))
    return Kind.TEXT_CODE if facts.distinct > MANY and (coded or sign is DIAGNOSIS) else Kind.NOMINAL


def _one_width(facts: Facts) -> bool:
    widths = Counter(len(value) for value in facts.values)
    return max(widths.values()) >= 0.9 * len(facts.values)


def _code_kind(facts: Facts, usual: Kind | None) -> Kind:
    """The kind of whole numbers: an amount, a scale or a code."""
    repeated = 0 < 2 * facts.distinct <= facts.n
    if usual is Kind.NOMINAL or (facts.distinct <= 2 and repeated):
        return Kind.NOMINAL
    if usual is Kind.ORDINAL and facts.distinct <= FEW_LEVELS:
        return Kind.ORDINAL
    codes = usual is None and facts.distinct <= FEW_CODES and repeated
    return Kind.NOMINAL if codes else Kind.NUMERIC


def _why(facts: Facts, named: Topic | None, sign: Topic | None, codes: tuple[str, ...], near: bool) -> str:
    """The reason in one line: names, counts, shares and codes for missing, never another value."""
    said = [f"named like {named.label}"] if named else []
    if named and sign == named:
        said = [f"named like {named.label} and holds such values"]
    elif sign and (named is None or sign.role == named.role):
        said.append(f"holds {'' if sign is UNIQUE else 'what looks like '}{sign.label}")
    if named == _BODY_WEIGHT and not near:
        said.append("if it is a sampling weight, say so (weight)")
    coded = [f"{', '.join(codes)} taken as missing"] if codes else []
    return "; ".join([*(said or ["neither name nor values tell its role"]), *_counts(facts), *coded])


def _counts(facts: Facts) -> list[str]:
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
