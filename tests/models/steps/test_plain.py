"""Steps that copy: a value at random, a constant, a donor in the same cell."""

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.steps.cells import Nested, Saturated
from lookalike.models.steps.plain import Constant, Sample


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def codes(*values: int, levels: int = 3, ordered: bool = False) -> Categories:
    return Categories(np.array(values, np.int32), levels, ordered)


def nothing(records: int) -> Mixed:
    return Mixed((Categories(np.zeros(records, np.int32), 1),))


def test_a_sample_has_the_shares_of_the_file() -> None:
    drawn = Sample().fit(codes(0, 0, 0, 1), Mixed(()), rng=rng()).draw(nothing(40_000), rng=rng())
    assert drawn.codes.mean() == pytest.approx(1 / 4, abs=0.01)


def test_a_proper_sample_varies_twice_as_much() -> None:
    # The share in a copy: p(1 − p)/n from the draw, and as much again from the bootstrap sample it is drawn from.
    y = codes(*[0] * 70, *[1] * 30, levels=2)

    def variance(proper: bool) -> float:
        r = rng(2)
        step = Sample()
        shares = [
            step.fit(y, Mixed(()), rng=r, proper=proper).draw(nothing(100), rng=r).codes.mean() for _ in range(4_000)
        ]
        return float(np.var(shares))

    assert variance(False) == pytest.approx(0.3 * 0.7 / 100, rel=0.1)
    assert variance(True) == pytest.approx(2 * 0.3 * 0.7 / 100, rel=0.1)


def test_copied_numbers_carry_a_caveat_and_copied_categories_none() -> None:
    assert Sample().fit(codes(0, 1), Mixed(()), rng=rng()).caveats == ()
    assert "may point to its record" in Sample().fit(Numbers(np.ones(2)), Mixed(()), rng=rng()).caveats[0]


def test_a_constant_is_the_value_given_or_the_only_one() -> None:
    only = Constant().fit(codes(2, 2), Mixed(()), rng=rng()).draw(nothing(3), rng=rng())
    assert only.codes.tolist() == [2, 2, 2]
    given = Constant(value=1).fit(codes(2, 2, ordered=True), Mixed(()), rng=rng()).draw(nothing(2), rng=rng())
    assert (given.codes.tolist(), given.levels, given.ordered) == ([1, 1], 3, True)


def test_a_constant_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadPlan, match="more than one value; say which"):
        Constant().fit(codes(0, 1), Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="the code of a level, from 0 to 2"):
        Constant(value=3).fit(codes(0, 1), Mixed(()), rng=rng())
    with pytest.raises(BadPlan, match="must be a finite number"):
        Constant(value=np.inf).fit(Numbers(np.ones(1)), Mixed(()), rng=rng())


def test_donors_come_from_the_same_cell_with_its_shares() -> None:
    x = Mixed((codes(0, 0, 0, 1, 1), codes(0, 0, 0, 0, 2)))
    step = Saturated().fit(codes(0, 0, 1, 2, 1), x, rng=rng())
    at = Mixed((codes(*[0] * 9_000), codes(*[0] * 9_000)))
    assert np.bincount(step.draw(at, rng=rng()).codes) / 9_000 == pytest.approx([2 / 3, 1 / 3], abs=0.02)
    assert step.draw(Mixed((codes(1, 1), codes(2, 0))), rng=rng()).codes.tolist() == [1, 2]
    assert step.figures["alone"] == pytest.approx(2 / 5)
    assert step.caveats == (
        "40.0% of the records are alone in their cell of predictors: there the one value of the file is always drawn.",
    )


def test_an_empty_cell_is_refused_or_takes_fewer_predictors() -> None:
    x = Mixed((codes(0, 0, 1), codes(0, 1, 0)))
    y, new = codes(0, 0, 2), Mixed((codes(1, 0, 2), codes(2, 2, 0)))
    with pytest.raises(BadPlan, match=r"3 of 3 records have a combination .* take unseen='fewer'"):
        Saturated().fit(y, x, rng=rng()).draw(new, rng=rng())
    step = Saturated(unseen="fewer").fit(y, x, rng=rng())
    drawn = [step.draw(new, rng=rng(seed)).codes.tolist() for seed in range(50)]
    assert {row[0] for row in drawn} == {2}  # of the records with 1 in the first column
    assert {row[1] for row in drawn} == {0}
    assert {row[2] for row in drawn} == {0, 2}  # nobody has 2 there: all records
    assert "agrees on fewer predictors" in step.caveats[-1]


def test_nested_draws_the_detail_of_the_group() -> None:
    region, other = codes(0, 0, 1, 1), Numbers(np.arange(4.0))
    town = codes(5, 6, 7, 7, levels=9)
    x = Mixed((other, region))
    drawn = Nested(column=1).fit(town, x, rng=rng(), proper=True).draw(x, rng=rng())
    assert set(drawn.codes[:2]) <= {5, 6}
    assert drawn.codes[2:].tolist() == [7, 7]
    with pytest.raises(BadPlan, match="1 of 1 records have a combination"):
        Nested(column=1).fit(town, x, rng=rng()).draw(Mixed((Numbers(np.zeros(1)), codes(2))), rng=rng())


def test_cells_of_numbers_and_wrong_places_are_refused() -> None:
    x = Mixed((Numbers(np.zeros(2)),))
    with pytest.raises(BadPlan, match="column 1 of the predictors holds numbers"):
        Saturated().fit(codes(0, 1), x, rng=rng())
    with pytest.raises(BadPlan, match="'column' is 3; there are 1 predictors"):
        Nested(column=3).fit(codes(0, 1), x, rng=rng())
    with pytest.raises(BadPlan, match="'unseen' is 'refuse' or 'fewer'"):
        Saturated(unseen="any")  # type: ignore[arg-type]
