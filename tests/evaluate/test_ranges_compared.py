"""A release of ranges, compared: every attack that the files allow is assessed."""

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.attacks.files import Files
from lookalike.attacks.matching import Matching
from lookalike.evaluate.comparison.attackable import attackable

FAST = {"models": ["logistic"], "draws": 0, "ways": [1, 2]}


def people(rows: int = 240, seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": draw.choice(["F", "M"], rows),
            "town": draw.choice(["a", "b", "c"], rows),
            "ill": draw.choice(["yes", "no"], rows),
            "pay": age * 40.0 + draw.normal(0, 200, rows),
        }
    )


def tens(file: pl.DataFrame) -> pl.DataFrame:
    low = pl.col("age") // 10 * 10
    return file.with_columns(age=pl.format("[{};{}]", low, low + 9))


def overlapping(file: pl.DataFrame) -> pl.DataFrame:
    low, high = np.random.default_rng(2).integers(0, 9, (2, file.height))
    ages = [f"[{a - i};{a + j}]" for a, i, j in zip(file["age"], low, high, strict=True)]
    sex = pl.when(pl.col("town") == "a").then(pl.lit("*")).otherwise("sex")
    return file.with_columns(sex.alias("sex"), pl.Series("age", ages))


@pytest.mark.parametrize("made", [tens, overlapping])
def test_only_what_needs_a_control_is_not_assessed(made) -> None:
    file = people()
    roles = {"quasi_identifiers": ["age", "sex", "town"], "sensitive": ["ill", "pay"]}
    asked = {**roles, **FAST, "models": ["logistic", "mlp"]}
    found = la.compare(file, made(file), how="changed", linked=True, **asked).attacks
    assert list(found.not_assessed) == ["distances, membership"]
    for target in ("ill", "pay"):
        attributed, classes = found.attribution[target], found.classes[target]
        assert classes.release.value == pytest.approx(attributed["DCAP matched"].main.value)
        assert len(found.subsets[target].sets) == 7
        assert found.subsets[target].sets[-1].outcome.main.value == pytest.approx(attributed["DiSCO"].main.value)
    assert found.attribution["pay"]["DCAP"].baseline.value == pytest.approx(0.1, abs=0.01)  # ten classes
    assert found.linkage.outcome.main.value > 0.9  # what is paid is released as it is
    assert found.linkage.outcome.baseline.value < 0.3


def test_an_emptied_cell_fits_everybody_so_that_blanks_do_not_look_safe() -> None:
    original = pl.DataFrame({"age": [30, 31, 47, None], "sex": ["F", "F", "M", "M"]})
    release = pl.DataFrame({"age": [None, 31, None, None], "sex": ["F", "F", "M", "M"]})
    ready = attackable(Files(original=original, releases=(release,), linked=True), ("age", "sex"))
    assert ready.notes == ("'age': a cell that was emptied in the release may be anything, and fits everybody.",)
    found = Matching(known=("age", "sex")).attack(ready.files).pooled
    assert found is not None
    # Record 1 fits its own blank row; 31 fits its row and the blank one; 47 and the missing age fit both men.
    assert found.candidates.tolist() == [1, 2, 2, 2]
    assert found.own.all()


def test_missing_cells_of_a_file_that_is_not_linked_stay_missing_where_the_original_has_some() -> None:
    original = pl.DataFrame({"age": [30, None]})
    files = Files(original=original, releases=(pl.DataFrame({"age": [None, None]}, schema={"age": pl.Int64}),))
    assert attackable(files, ("age",)).files.releases[0]["age"].null_count() == 2
    whole = Files(original=original.head(1), releases=(pl.DataFrame({"age": [30, None]}),))
    assert attackable(whole, ("age",)).files.releases[0]["age"].to_list() == ["30", "*"]


def test_a_column_in_ranges_keeps_its_tables_and_loses_what_lies_inside_a_range() -> None:
    file = people()
    roles = {"quasi_identifiers": ["age", "sex", "town"], "sensitive": ["pay"]}
    found = la.compare(file, tens(file), how="changed", linked=True, **roles, **FAST).utility
    assert {name: (c.read.value, c.classes) for name, c in found.coarse.items()} == {
        "age": ("in the ranges of the release", 7)
    }
    ages = next(margin for margin in found.margins if margin.variable == "age")
    assert ages.distance == 0.0, "counted in the ranges of both files"
    assert ages.means[0] != ages.means[1], "the mean of the numbers, and that of the middles"
    assert "age" not in found.touched


def test_a_pay_that_is_mostly_nothing_is_a_target_of_nothing_or_something() -> None:
    rng = np.random.default_rng(4)
    file = people(400).with_columns(pay=pl.Series(np.where(rng.random(400) < 0.8, 0, rng.integers(100, 9000, 400))))
    found = la.compare(
        file, file, how="changed", linked=True, quasi_identifiers=["age", "town"], sensitive=["pay"], **FAST
    )
    paid = found.attacks.attribution["pay"]["DCAP"]
    assert paid.baseline.value == pytest.approx((file["pay"] == 0).mean() ** 2, abs=0.05)
    assert paid.main.value > paid.baseline.value


def test_what_ranges_do_to_pairs_is_graded() -> None:
    file = people()
    release = file.with_columns(age=pl.when(pl.col("age") < 50).then(pl.lit("[18;49]")).otherwise(pl.lit("[50;80]")))
    found = la.compare(file, release, how="changed", linked=True, attacks=False, **FAST)
    assert not found.utility.touched
    pairs = next(one for one in found.findings if one.analysis == "pairs")
    assert set(pairs.figures["pair"]) == {"age", "pay"}
    assert pairs.figures["release"] < pairs.figures["original"]
