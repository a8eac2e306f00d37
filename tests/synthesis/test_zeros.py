"""Rules become combinations that a model need not learn to avoid."""

import polars as pl

from lookalike.data import Kind, Variable
from lookalike.synthesis.choices import Rule, Synthesis
from lookalike.synthesis.coding import coding_of
from lookalike.synthesis.rules import Rules
from lookalike.synthesis.zeros import zeros_of

FILE = pl.DataFrame({"sex": ["F", "M", "F"], "pay": [1.0, 2.0, None], "size": ["a", "b", None]})
KINDS = {"sex": Kind.NOMINAL, "pay": Kind.NUMERIC, "size": Kind.NOMINAL}
CODINGS = [coding_of(Variable(name=name, kind=kind), FILE[name]) for name, kind in KINDS.items()]


def zeros(**choices: object) -> tuple[tuple[int, ...], ...]:
    rules = Rules.of(Synthesis(**choices), dict(FILE.schema), FILE.columns)  # type: ignore[arg-type]
    return zeros_of(tuple(rules.broken.values()), CODINGS)


def test_a_forbidden_pair_is_one_slice() -> None:
    # Columns of the model: sex, pay, whether there is pay, size with a level for missing.
    assert zeros(impossible=("sex = 'F' AND size = 'b'",)) == ((0, -1, -1, 1),)


def test_an_implied_value_forbids_all_others_but_no_value_at_all() -> None:
    assert zeros(rules=(Rule(when="sex = 'M'", then={"size": "b"}),)) == ((1, -1, -1, 0),)


def test_a_condition_that_a_missing_value_leaves_open_forbids_nothing_there() -> None:
    assert (0, -1, -1, 2) not in zeros(impossible=("sex = 'F' AND size <> 'a'",))


def test_a_rule_on_numbers_is_left_to_drawing_again() -> None:
    assert zeros(impossible=("sex = 'F' AND pay > 1",)) == ()
