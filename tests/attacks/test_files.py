"""The door of the attacks: every fault is told, and all of them together."""

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.columns import alike, numbered, ordered
from lookalike.attacks.files import Files
from lookalike.attacks.linkage import Linkage
from lookalike.attacks.matching import Matching
from lookalike.attacks.overlap import shared_records
from lookalike.errors import BadPlan

FILE = pl.DataFrame({"age": [30, 31, 32], "sex": ["F", "M", "F"], "ill": ["y", "n", "n"]})


def people(n: int, seed: int, levels: int = 40) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({c: rng.integers(0, levels, n) for c in "abc"})


def test_no_common_columns() -> None:
    with pytest.raises(BadPlan, match=r"no column in common\. Check that both files are meant"):
        Files(original=FILE, releases=(FILE.rename({"age": "a", "sex": "b", "ill": "c"}),))


def test_empty_files_are_told_together() -> None:
    with pytest.raises(BadPlan) as told:
        Files(original=FILE.head(0), releases=(FILE.head(0),), population=FILE.head(0))
    assert told.value.faults == (
        "The original has no records.",
        "The release has no records.",
        "The population has no records.",
    )
    with pytest.raises(BadPlan, match="no release to attack"):
        Files(original=FILE, releases=())


def test_a_key_that_is_the_target_and_unknown_columns_are_told_together() -> None:
    files = Files(original=FILE, releases=(FILE, FILE.drop("sex")))
    with pytest.raises(BadPlan) as told:
        Attribution(known=("agee", "sex", "ill"), target="ill", certain=0).attack(files)
    assert told.value.faults == (
        "The share from which an attacker is sure must lie above 0 and not above 1.",
        "Column 'ill' is both known and wanted: nobody guesses what they know. Take it out of one of the two.",
        "Column 'agee' is not in the original. Did you mean 'age'? Columns: age, sex, ill.",
        "Column 'agee' is not in the release 1. Did you mean 'age'? Columns: age, sex, ill.",
        "Column 'agee' is not in the release 2. Did you mean 'age'? Columns: age, ill.",
        "Column 'sex' is not in the release 2. Columns: age, ill.",
    )


def test_a_column_named_twice_is_told() -> None:
    with pytest.raises(BadPlan, match=r"Column 'age' is named twice\."):
        Matching(known=("age", "age")).attack(Files(original=FILE, releases=(FILE,)))


def test_an_attacker_must_know_something() -> None:
    with pytest.raises(BadPlan, match="The attacker knows nothing"):
        Matching(known=()).attack(Files(original=FILE, releases=(FILE,)))


def test_an_unlinked_release_is_refused_for_matching_by_row() -> None:
    files = Files(original=FILE, releases=(FILE,))
    with pytest.raises(BadPlan, match=r"Matching by row counts a match as true .* This release is not linked") as told:
        Matching(known=("age",)).attack(files, by_row=True)
    assert "Take attribution instead, or say linked=True" in str(told.value)
    with pytest.raises(BadPlan, match="Record linkage counts a match as true"):
        Linkage(known=("age",)).attack(files, rng=np.random.default_rng(1))
    assert Matching(known=("age",)).attack(files).hits is None


def test_a_linked_release_has_as_many_rows_as_the_original() -> None:
    with pytest.raises(BadPlan, match=r"The release has 2 rows and the original 3 records, so row i cannot be made"):
        Files(original=FILE, releases=(FILE.head(2),), linked=True)


def test_a_control_that_overlaps_the_original_is_detected() -> None:
    original = people(1000, 1)
    half = pl.concat([original.tail(200), people(200, 2)])
    with pytest.raises(
        BadPlan, match=r"About (19|20)\d of the 400 records of the control are records of the original\."
    ):
        Files(original=original, releases=(original,), control=half)
    with pytest.raises(BadPlan, match="About 1,000 of the 1,000"):
        Files(original=original, releases=(original,), control=original)
    with pytest.raises(BadPlan, match="The control and the original have no column in common"):
        Files(original=original, releases=(original,), control=FILE)


def test_a_copy_of_a_file_with_few_values_is_detected() -> None:
    coarse = people(500, 3, levels=3)
    with pytest.raises(BadPlan, match="About 500 of the 500"):
        Files(original=coarse, releases=(coarse,), control=coarse.sample(fraction=1, shuffle=True, seed=1))


@pytest.mark.parametrize("levels", [2, 5, 12, 40])
def test_other_people_are_rarely_taken_for_the_same(levels: int) -> None:
    refused = 0
    for seed in range(100):
        both = people(600, seed, levels)
        found = numbered([both.head(400), both.tail(200)], ["a", "b", "c"])
        refused += shared_records(np.concatenate(found.files).astype(np.int32), 400) > 0
    assert refused <= 1


def test_a_value_in_common_far_down_the_file_is_found() -> None:
    original = pl.DataFrame({"a": np.arange(5_000)})
    apart = original.with_columns(pl.col("a") + 5_000)
    assert len(Files(original=original, releases=(apart,)).strangers(["a"])) == 1
    assert Files(original=original, releases=(apart.with_columns(pl.col("a") - 1),)).strangers(["a"]) == ()


def test_columns_of_different_types_are_compared_as_a_person_would() -> None:
    whole, real, text = pl.Series([1, 2]), pl.Series([1.0, float("nan")]), pl.Series(["1", "x"])
    assert [c.to_list() for c in alike([whole, real])] == [[1.0, 2.0], [1.0, None]]
    assert [c.to_list() for c in alike([real, text])] == [["1", None], ["1", "x"]]
    words = pl.Series(["b", "a"], dtype=pl.Categorical)
    assert [c.to_list() for c in alike([words, pl.Series(["a"])])] == [["b", "a"], ["a"]]
    empty = pl.Series([None, None])
    assert [c.to_list() for c in alike([empty, whole])] == [[None, None], [1, 2]]
    assert [c.tolist() for c in ordered([text, whole])] == [[0, 2], [0, 1]]


def test_nothing_of_the_input_is_changed() -> None:
    before = FILE.clone()
    files = Files(original=FILE, releases=(FILE,), linked=True)
    Matching(known=("age", "sex")).attack(files)
    Attribution(known=("age",), target="ill").attack(files)
    assert FILE.equals(before)
