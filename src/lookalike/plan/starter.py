"""A first plan for a file, to be edited: the guesses, each with its reason."""

from __future__ import annotations

import json

from lookalike.data import Microdata, Role, Variable
from lookalike.visible import escaped, on_one_line

_MISSING = """
[missing]  # a missing quasi-identifier is: own (a category), wildcard (matches all), conservative (none)
mode = "own"
# keep = ["region"]  # columns in which NA, NULL and the like are values, not missing
[missing.codes]  # codes that mean missing, by column
# "income" = ["-8", "-9"]
"""
_CHOICES = """
[population]  # how many people the file was drawn from, or a file of them
# size = 1000000
# file = "population.parquet"
# margins = ["people-by-area.csv"]  # known counts of people by some quasi-identifiers
# estimators = ["posterior", "average"]  # the first decides; ["all"] asks every one

[synthesize]
# model = "latent-classes"
# columns = []  # those to draw; none named: all
# copies = 1
# [[synthesize.rules]]
# when = "age < 16"
# then = { marital_status = "never married" }

[protect]
# [[protect.steps]]  # none: generalize until the thresholds hold
# method = "mondrian"
# k = 5

[compare]
# formulas = ["income ~ age + sex"]  # regressions whose conclusions should be kept
# targets = ["income"]  # what is learned from the release; none named: the sensitive columns

[thresholds]
sample_to_population = 0.09  # false: not decided on
# k_anonymity = 5

# [[targets]]  # values whose disclosure is to be measured
# variable = "charges"
# above = 100000
"""
"""What no guess is made about: the tables with what they mean, to be filled in."""


def starter(data: Microdata) -> str:
    """An editable plan for a file, with the reason for each guess beside it."""
    lines = [
        f"# A plan for {on_one_line(data.name)}, guessed from names and contents. Check every role before you trust "
        "a figure.",
        "schema = 1",
        "seed = 1",
        "",
        "[roles]",
        *_role_lines(data, "identifiers", Role.IDENTIFIER, "names a person: never released"),
        *_role_lines(data, "quasi_identifiers", Role.QUASI_IDENTIFIER, "what an attacker may know"),
        *_role_lines(data, "sensitive", Role.SENSITIVE, "what an attacker wants to know"),
        *_one_line("weight", data.weight, data),
        *_one_line("household", data.household, data),
        *(f"# other: {on_one_line(v.name)}: {v.why}" for v in data.variables if v.role is Role.OTHER),
        "",
        "[kinds]  # numeric, ordinal, nominal, date, text code",
        *(_kind_line(v, data.mixed.get(v.name, 0)) for v in data.variables),
    ]
    codes = [
        f"{_quoted(v.name)} = {json.dumps(v.missing)}  # nothing else is below 0" for v in data.variables if v.missing
    ]
    return "\n".join([*lines, _MISSING.rstrip("\n"), *codes, _CHOICES])


def _kind_line(variable: Variable, mixed: int) -> str:
    line = f"{_quoted(variable.name)} = {json.dumps(variable.kind.value)}"
    if not mixed:
        return line
    return f"# {line}  # not numbers: {mixed:,}. Missing codes? List them below. Text? Then say so here."


def _role_lines(data: Microdata, key: str, role: Role, meaning: str) -> list[str]:
    members = [v for v in data.variables if v.role is role]
    if not members:
        return [f"{key} = []  # {meaning}"]
    cells = [f"    {_quoted(v.name)},  # {v.why}" for v in members]
    return [f"{key} = [  # {meaning}", *cells, "]"]


def _one_line(key: str, name: str | None, data: Microdata) -> list[str]:
    if name is None:
        return [f'# {key} = "column"']
    return [f"{key} = {_quoted(name)}  # {data.variable(name).why}"]


def _quoted(name: str) -> str:
    """A name between quotes; what TOML forbids there, and what an editor would obey, is escaped."""
    return escaped(json.dumps(name, ensure_ascii=False))
