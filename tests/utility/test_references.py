"""Coefficients side by side mean the same: levels set against one that all files hold, no part of another taken."""

import numpy as np
import polars as pl
import pytest

from lookalike.errors import NotAssessable
from lookalike.utility.regression_overlap import RegressionOverlap, regression_overlap
from lookalike.utility.regressions import fit_all

MEANS = {"d": 9.0, "m": 5.0, "w": 5.5}
SAID = "Set against the first level that all files hold, for some lack the very first: sex."


def people(levels: str = "dmw", n: int = 60, seed: int = 1) -> pl.DataFrame:
    """The pay is the mean of the sex, and a little noise."""
    g = np.random.default_rng(seed)
    sex = [level for level in levels for _ in range(n)]
    area = ["n", "s"] * (len(sex) // 2)
    pay = [MEANS.get(s, 7.0) + e for s, e in zip(sex, g.normal(0, 0.1, len(sex)), strict=True)]
    mood = g.choice(["bad", "good", "so-so"], len(sex))
    return pl.DataFrame({"sex": sex, "area": area, "pay": pay, "age": g.normal(40, 10, len(sex)), "mood": mood})


def told(found: RegressionOverlap) -> dict[str, tuple[float, float]]:
    return {c.name: (c.original, c.release) for c in found.coefficients}


def mean(frame: pl.DataFrame, level: str) -> float:
    return frame.filter(sex=level)["pay"].mean()


def test_a_release_without_the_first_level_is_set_against_the_first_that_both_hold() -> None:
    """The release lacks d: both files tell w against m, where m against d would stand beside m against w."""
    file, release = people(), people("mw", seed=2)
    found = regression_overlap(file, release, "pay ~ sex")
    both = [(mean(f, "m"), mean(f, "w") - mean(f, "m")) for f in (file, release)]
    names = dict(zip(("intercept", "sex=w"), zip(*both, strict=True), strict=True))
    assert told(found) == {name: pytest.approx(values) for name, values in names.items()}
    assert found.untold == ("sex=d",)
    assert found.never_told == frozenset()
    assert found.references == {"sex": "m"}
    assert SAID in found.caveats


def test_an_original_without_the_first_level_is_set_against_the_first_that_both_hold() -> None:
    found = regression_overlap(people("mw"), people(seed=2), "pay ~ sex")
    assert [c.name for c in found.coefficients] == ["intercept", "sex=w"]
    assert found.never_told == {"sex=d"}
    assert SAID in found.caveats


def test_the_level_must_be_in_every_copy() -> None:
    copies = [people("dw", seed=2), people("mw", seed=3)]
    found = regression_overlap(people(), copies, "pay ~ sex")
    assert found.references == {"sex": "w"}
    assert [c.name for c in found.coefficients] == ["intercept"]


def test_where_all_files_hold_the_first_level_nothing_is_said_and_nothing_moves() -> None:
    found = regression_overlap(people(), people("dm", seed=2), "pay ~ sex")
    assert found.references == {"sex": "d"}
    assert [c.name for c in found.coefficients] == ["intercept", "sex=m"]
    assert not any("Set against" in said for said in found.caveats)


def test_levels_count_among_the_records_that_are_regressed() -> None:
    """The release has the first level, but not among the records without a missing value."""
    release = people(seed=2).with_columns(pay=pl.when(pl.col("sex") != "d").then("pay"))
    assert regression_overlap(people(), release, "pay ~ sex").references == {"sex": "m"}


def test_products_are_set_against_the_same_level() -> None:
    file, release = people(), people("mw", seed=2)
    found = regression_overlap(file, release, "pay ~ age*sex")
    assert [c.name for c in found.coefficients] == ["intercept", "age", "sex=w", "age:sex=w"]
    _, _, (alone,) = fit_all([file.filter(sex="m")], "pay ~ age")
    assert told(found)["age"][0] == pytest.approx(alone.estimates[1])


def test_the_response_of_a_multinomial_regression_is_set_against_a_level_of_both() -> None:
    file, release = people(n=200), people(n=200, seed=2).filter(pl.col("mood") != "bad")
    found = regression_overlap(file, release, "mood ~ age")
    assert [c.name for c in found.coefficients] == ["so-so: intercept", "so-so: age"]
    assert found.references == {"mood": "good"}
    _, _, (alone,) = fit_all([release], "mood ~ age")
    assert [c.release for c in found.coefficients] == pytest.approx(alone.estimates, rel=1e-4)


# No level in common, or none in a cell: what would mean something else is not told


def test_without_a_shared_level_the_intercept_is_not_told_and_slopes_are() -> None:
    found = regression_overlap(people(), people("xy", seed=2), "pay ~ age + sex")
    assert [c.name for c in found.coefficients] == ["age"]
    assert found.untold == ("intercept", "sex=m", "sex=w", "sex=x", "sex=y")
    assert found.never_told == {"sex=x", "sex=y"}


def test_without_a_shared_level_a_slope_of_the_reference_is_not_told() -> None:
    with pytest.raises(NotAssessable, match="too few records, or too few shared levels"):
        regression_overlap(people(), people("xy", seed=2), "pay ~ age*sex")


def test_an_empty_cell_of_the_references_takes_what_rests_on_it() -> None:
    """Without records of m in n nothing of sex and area can be told apart; the slope can."""
    file, release = people("mw"), people("mw", seed=2)
    release = release.filter((pl.col("sex") != "m") | (pl.col("area") != "n"))
    found = regression_overlap(file, release, "pay ~ age + sex*area")
    assert [c.name for c in found.coefficients] == ["age"]


def test_an_empty_cell_elsewhere_takes_its_own_coefficient_alone() -> None:
    file, release = people("mw"), people("mw", seed=2)
    release = release.filter((pl.col("sex") != "w") | (pl.col("area") != "s"))
    found = regression_overlap(file, release, "pay ~ sex*area")
    assert found.untold == ("sex=w:area=s",)


def test_a_number_that_is_constant_in_the_release_takes_the_intercept_along() -> None:
    constant = people(seed=2).with_columns(age=pl.lit(40.0))
    assert regression_overlap(people(), constant, "pay ~ age + sex").untold == ("intercept", "age")
    nothing = people(seed=2).with_columns(age=pl.lit(0.0))
    assert regression_overlap(people(), nothing, "pay ~ age + sex").untold == ("age",)


def test_columns_that_make_up_another_in_all_files_change_nothing() -> None:
    """Two scales of one thing: the second is told by none, the first means the same in both."""
    files = [people(seed=s).with_columns(months=12 * pl.col("age") + 3) for s in (1, 2)]
    found = regression_overlap(*files, "pay ~ age + months")
    assert [c.name for c in found.coefficients] == ["intercept", "age"]
    other = files[1].with_columns(months=6 * pl.col("age"))
    with pytest.raises(NotAssessable):
        regression_overlap(files[0], other, "pay ~ age + months")


def test_a_column_that_another_makes_up_in_one_file_alone_takes_both() -> None:
    file = people().with_columns(size=pl.Series(np.random.default_rng(3).normal(size=180)))
    release = people(seed=2).with_columns(size=pl.col("age") / 10)
    found = regression_overlap(file, release, "pay ~ age + size + sex")
    assert found.untold == ("age", "size")
