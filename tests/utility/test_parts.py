"""A random part of the original beside a release of the whole: the null must know it."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import kstest

from lookalike.errors import BadPlan
from lookalike.utility.origin import Origin
from lookalike.utility.pair import CodedPair
from lookalike.utility.propensity import propensity
from lookalike.utility.table_bootstrap import bootstrap_null
from lookalike.utility.table_nulls import Null
from lookalike.utility.table_utility import table_utility
from lookalike.utility.tables import Table

LEVELS = np.array(list("abcdef"))
SHARES = np.array([0.3, 0.25, 0.2, 0.12, 0.08, 0.05])


def drawn(seed: int, whole: int, part: int, records: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A part of a file, and a release drawn from the shares of the whole file."""
    rng = np.random.default_rng([7, seed])
    file = rng.choice(LEVELS, whole, p=SHARES)
    release = rng.choice(file, records)
    return pl.DataFrame({"x": file[:part]}), pl.DataFrame({"x": release})


@pytest.mark.parametrize(("whole", "part", "records"), [(1000, 250, 400), (1000, 800, 1000), (3000, 300, 300)])
def test_tables_and_propensity_of_a_part_come_up_to_what_is_expected(whole: int, part: int, records: int) -> None:
    tables, scores, wrong = [], [], []
    for seed in range(400):
        one, other = drawn(seed, whole, part, records)
        pair = CodedPair.of(one, other)
        tables.append(table_utility(pair, ways=(1,), part=part / whole).tables[0].ratio())
        wrong.append(table_utility(pair, ways=(1,)).tables[0].ratio())
        if seed < 100:
            found = propensity(one, other, rng=np.random.default_rng(1), origin=Origin(part=part / whole))
            scores.append(found.pmse.ratio)
            assert found.pmse.ratio == pytest.approx(tables[-1], rel=0.02), "a table is a logistic regression"
    assert np.mean(tables) == pytest.approx(1, abs=4 * np.std(tables) / 20)
    assert np.mean(wrong) > 1.15


def test_drawn_tables_of_a_part_give_uniform_p_values() -> None:
    p_values = []
    for seed in range(300):
        table = Table.of(CodedPair.of(*drawn(seed, 1000, 300, 500)), ["x"])
        rng = np.random.default_rng([9, seed])
        p_values.append(
            bootstrap_null(table, Null.IMPROPER, rng=rng, draws=199, part=0.3, measures=["VW"])["VW"].p_value
        )
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_a_part_is_a_share() -> None:
    table = Table.of(CodedPair.of(*drawn(0, 100, 50, 50)), ["x"])
    with pytest.raises(BadPlan, match="above 0 and at most 1"):
        bootstrap_null(table, Null.IMPROPER, rng=np.random.default_rng(1), part=1.5)
    with pytest.raises(BadPlan, match="above 0 and at most 1"):
        Origin(part=0)
