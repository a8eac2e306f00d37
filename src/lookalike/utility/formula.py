"""Formulas such as `income ~ age + sex + age:sex`: a small parser over the columns of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lookalike.errors import BadPlan, unknown

Term = tuple[str, ...]
"""The columns whose product a term is; one column is a main effect."""

_TOKEN = re.compile(r"\s*(?:`([^`]+)`|([+:*^()])|([^\s+:*^()`~]+))")


@dataclass(frozen=True, slots=True)
class Formula:
    """A response and the terms that explain it, main effects first.

    `a:b` is the product of two columns, `a*b` is `a + b + a:b`, `(a + b + c)^2` all products of up to two, `.` all
    other columns. Names with spaces or signs stand between backquotes. There is always an intercept.

    >>> Formula.read("pay ~ age*sex", ["age", "sex", "pay"]).terms
    (('age',), ('sex',), ('age', 'sex'))
    >>> print(Formula.read("pay ~ (age + `job title`)^2", ["age", "job title", "pay"]))
    pay ~ age + `job title` + age:`job title`
    """

    response: str
    terms: tuple[Term, ...]

    @classmethod
    def read(cls, text: str, columns: Sequence[str]) -> Formula:
        """Read a formula on these columns; all its faults are told at once."""
        left, tilde, right = text.partition("~")
        if not tilde or not left.strip():
            raise BadPlan(f"The formula {_quoted(text)} has no response: write it as 'income ~ age + sex'.")
        response = left.strip().strip("`").strip()
        faults = [_lacking(text, response, columns)] if response not in columns else []
        terms = _read(text, right, [c for c in columns if c != response], columns, faults)
        if any(response in term for term in terms):
            faults.append(f"The formula {_quoted(text)} explains '{response}' by itself.")
        if faults:
            raise BadPlan(faults)
        return cls(response, terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are named, the response first."""
        return tuple(dict.fromkeys((self.response, *(name for term in self.terms for name in term))))

    def __str__(self) -> str:
        right = " + ".join(":".join(map(_name, term)) for term in self.terms) or "1"
        return f"{_name(self.response)} ~ {right}"


def read_terms(text: str, columns: Sequence[str]) -> tuple[Term, ...]:
    """The right side of a formula alone.

    >>> read_terms("(a + b)^2", ["a", "b"])
    (('a',), ('b',), ('a', 'b'))
    """
    faults: list[str] = []
    terms = _read(text, text, list(columns), columns, faults)
    if faults:
        raise BadPlan(faults)
    return terms


def all_terms(columns: Sequence[str], order: int) -> tuple[Term, ...]:
    """All products of up to so many columns.

    >>> all_terms(["a", "b"], 2)
    (('a',), ('b',), ('a', 'b'))
    """
    return _in_order(_power([(name,) for name in columns], order))


def _read(text: str, right: str, others: list[str], columns: Sequence[str], faults: list[str]) -> tuple[Term, ...]:
    try:
        found = _Parser(_tokens(right), others).whole()
    except ValueError as fault:
        faults.append(f"The formula {_quoted(text)} cannot be read: {fault}.")
        return ()
    names = dict.fromkeys(name for term in found for name in term)
    faults += [_lacking(text, name, columns) for name in names if name not in columns]
    return _in_order(found)


def _tokens(text: str) -> list[tuple[str, str]]:
    """What kind each word is (name or sign) and the word."""
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError("a backquote is not closed, or there are two '~'")
        quoted, sign, plain = match.groups()
        found.append(("sign", sign) if sign else ("name", quoted) if quoted else ("plain", plain))
        place = match.end()
    return found


class _Parser:
    """Sums of products of names and brackets, by descent."""

    def __init__(self, tokens: list[tuple[str, str]], others: list[str]) -> None:
        self.tokens, self.others, self.place = tokens, others, 0

    def whole(self) -> list[Term]:
        found = self._sum()
        if self.place < len(self.tokens):
            raise ValueError("a sign is missing between two words, or a bracket is not opened")
        return found

    def _takes(self, sign: str) -> bool:
        taken = self.place < len(self.tokens) and self.tokens[self.place] == ("sign", sign)
        self.place += taken
        return taken

    def _sum(self) -> list[Term]:
        found = self._crossed()
        while self._takes("+"):
            found = found + self._crossed()
        return found

    def _crossed(self) -> list[Term]:
        found = self._product()
        while self._takes("*"):
            other = self._product()
            found = found + other + _product(found, other)
        return found

    def _product(self) -> list[Term]:
        found = self._atom()
        while self._takes(":"):
            found = _product(found, self._atom())
        return found

    def _atom(self) -> list[Term]:
        if self._takes("("):
            found = self._sum()
            if not self._takes(")"):
                raise ValueError("a bracket is not closed")
            return _power(found, self._exponent()) if self._takes("^") else found
        if self.place >= len(self.tokens) or self.tokens[self.place][0] == "sign":
            raise ValueError("a name is missing beside a sign")
        kind, word = self.tokens[self.place]
        self.place += 1
        if self.place < len(self.tokens) and self.tokens[self.place] == ("sign", "("):
            raise ValueError("functions of columns are not known; add the column to the files and name it")
        return self._named(kind, word)

    def _named(self, kind: str, word: str) -> list[Term]:
        if kind == "plain" and word in ("0", "-1", "-"):
            raise ValueError("the intercept stays, and terms cannot be taken away")
        if kind == "plain" and word == "1":
            return []
        return [(name,) for name in self.others] if kind == "plain" and word == "." else [(word,)]

    def _exponent(self) -> int:
        word = self.tokens[self.place][1] if self.place < len(self.tokens) else ""
        self.place += 1
        if not word.isdigit() or word == "0":
            raise ValueError("after ^ stands a whole number")
        return int(word)


def _product(one: list[Term], other: list[Term]) -> list[Term]:
    return [tuple(dict.fromkeys(a + b)) for a in one for b in other]


def _power(base: list[Term], order: int) -> list[Term]:
    found = base
    for _ in range(order - 1):
        found = _unique(found + _product(found, base))
    return found


def _unique(terms: list[Term]) -> list[Term]:
    """Terms of the same columns are one."""
    kept: dict[frozenset[str], Term] = {}
    for term in terms:
        kept.setdefault(frozenset(term), term)
    return list(kept.values())


def _in_order(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(sorted(_unique(terms), key=len))


def _lacking(text: str, name: str, columns: Sequence[str]) -> str:
    sentence = unknown("Column", name, list(columns), where="in the data", listed="Columns")
    return f"The formula {_quoted(text)}: {sentence[0].lower()}{sentence[1:]}"


def _quoted(text: str) -> str:
    return f"'{text.strip()}'"


def _name(name: str) -> str:
    return f"`{name}`" if re.search(r"[\s+:*^()~]", name) or name in (".", "0", "1", "-", "-1") else name
