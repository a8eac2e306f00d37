"""Rules between columns: checked against the file, kept by what is drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from lookalike.errors import BadPlan, unknown
from lookalike.synthesis.choices import Rule, Synthesis

_COMPARED = re.compile(r"""\b(\w+)\s*(?:=|!=|<>)\s*'([^']*)'""")
SHOWN = 3
"""Records that are named by number where they break a rule."""


@dataclass(frozen=True)
class Rules:
    """The rules of a synthesis as expressions."""

    implied: tuple[tuple[pl.Expr, dict[str, pl.Expr]], ...]
    """Where the first holds, columns have these values."""
    broken: Mapping[str, pl.Expr]
    """What no record may meet, by the rule, implied values among them; rules of kept columns alone are left out."""
    texts: Mapping[str, str]
    """The conditions as they were written."""

    @classmethod
    def of(cls, choices: Synthesis, schema: dict[str, pl.DataType], drawn: Sequence[str]) -> Rules:
        """Read the conditions; all that is wrong with them is told at once. Only drawn columns can keep a rule."""
        faults = [
            f"{said}: column '{name}' is left out of the release (--drop)."
            for said, names in _named(choices).items()
            for name in names
            if name in choices.drop
        ]
        if faults:
            raise BadPlan(faults)
        implied = []
        for number, rule in enumerate(choices.rules, 1):
            said = f"Rule {number}"
            condition, values = _condition(rule.when, schema, said, faults), _values(rule, schema, said, faults)
            if condition is not None:
                implied.append((condition, values))
        impossible = [
            _condition(text, schema, f"Impossible {i}", faults) for i, text in enumerate(choices.impossible, 1)
        ]
        if faults:
            raise BadPlan(faults)
        # A missing value breaks no rule, as in SQL.
        against = [when & pl.any_horizontal(pl.col(n) != v for n, v in then.items()) for when, then in implied]
        names = [f"Rule {i + 1}" for i in range(len(against))] + [f"Impossible {i + 1}" for i in range(len(impossible))]
        broken = zip(names, [*against, *impossible], strict=True)
        return cls(
            tuple((when, {n: v for n, v in then.items() if n in drawn}) for when, then in implied),
            {name: rule for name, rule in broken if rule is not None and set(rule.meta.root_names()) & set(drawn)},
            _conditions(choices),
        )

    def __bool__(self) -> bool:
        return bool(self.broken)

    def check(self, file: pl.DataFrame) -> None:
        """Raise if the file itself breaks a rule."""
        faults = []
        for name, rule in self.broken.items():
            rows = file.select(rule.fill_null(False).arg_true()).to_series()
            if len(rows):
                which = ", ".join(f"{row + 1:,}" for row in rows[:SHOWN]) + (" …" if len(rows) > SHOWN else "")
                faults.append(
                    f"{name} contradicts the file: {len(rows):,} of {file.height:,} records break it (number {which}). "
                    "Change the rule, or mend the file."
                )
        if faults:
            raise BadPlan(faults)

    def unmet(self, file: pl.DataFrame) -> list[str]:
        """Texts that a condition compares a column with and that no record holds: misspelt, it would mean nothing."""
        found = []
        for said, text in self.texts.items():
            for name, value in _COMPARED.findall(text):
                if name in file.columns and file[name].dtype == pl.String and not (file[name] == value).any():
                    found.append(
                        f"{said} compares '{name}' with a value that no record of the file holds. Is it misspelt?"
                    )
        return found

    def imply(self, drawn: pl.DataFrame) -> pl.DataFrame:
        """The records with the values that the rules imply, one rule after another."""
        for when, then in self.implied:
            drawn = drawn.with_columns(
                pl.when(when.fill_null(False) & pl.col(name).is_not_null())
                .then(value)
                .otherwise(pl.col(name))
                .cast(drawn.schema[name])
                .alias(name)
                for name, value in then.items()
            )
        return drawn

    def against(self, drawn: pl.DataFrame) -> pl.Series:
        """Which records break a rule."""
        return drawn.select(pl.any_horizontal(rule.fill_null(False) for rule in self.broken.values()).alias("broken"))[
            "broken"
        ]


def _conditions(choices: Synthesis) -> dict[str, str]:
    rules = {f"Rule {i}": rule.when for i, rule in enumerate(choices.rules, 1)}
    return rules | {f"Impossible {i}": text for i, text in enumerate(choices.impossible, 1)}


def _named(choices: Synthesis) -> dict[str, list[str]]:
    """The columns that rules speak of, as far as they can be read."""
    found = {}
    for said, text in _conditions(choices).items():
        try:
            found[said] = pl.sql_expr(text).meta.root_names()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            found[said] = []
    for i, rule in enumerate(choices.rules, 1):
        found[f"Rule {i}"] = [*found[f"Rule {i}"], *rule.then]
    return found


def _condition(text: str, schema: dict[str, pl.DataType], said: str, faults: list[str]) -> pl.Expr | None:
    try:
        expression = pl.sql_expr(text)
        named = expression.meta.root_names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        faults.append(f"{said}: the condition cannot be read. Write it as in SQL: age < 16 AND sex = 'F'.")
        return None
    lacking = _unknown(named, schema, said)
    faults += lacking
    if lacking:
        return None
    if not named:
        faults.append(f"{said}: the condition names no column.")
        return None
    try:
        kind = pl.DataFrame(schema=schema).select(expression).to_series().dtype
    except pl.exceptions.PolarsError:
        faults.append(f"{said}: the condition compares things that cannot be compared, such as a text with a number.")
        return None
    if kind != pl.Boolean:
        faults.append(f"{said}: the condition must be true or false for each record.")
        return None
    return expression


def _values(rule: Rule, schema: dict[str, pl.DataType], said: str, faults: list[str]) -> dict[str, pl.Expr]:
    faults += _unknown(list(rule.then), schema, said)
    found = {}
    for name, value in rule.then.items():
        if name not in schema:
            continue
        try:
            found[name] = pl.lit(pl.Series([value]).cast(schema[name]).item(), dtype=schema[name])
        except pl.exceptions.PolarsError:
            faults.append(f"{said}: the value for '{name}' is not of its type.")
    return found


def _unknown(names: Sequence[str], schema: dict[str, pl.DataType], said: str) -> list[str]:
    return [
        f"{said}: " + unknown("column", name, list(schema), where="in the data", listed="Columns")
        for name in dict.fromkeys(names)
        if name not in schema
    ]
