"""Measures on hand-sized tables, the expected value written as arithmetic."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike import risk as r
from lookalike.classes import earth_mover, kullback_leibler, total_variation


def classes_of(frame: pl.DataFrame, *keys: str, missing: la.Missing = la.Missing.OWN) -> la.EquivalenceClasses:
    return la.EquivalenceClasses.of(la.read(frame), keys or frame.columns, missing=missing)


AGES = pl.DataFrame({"age": [30, 30, 30, 31, 31, 32]})


def test_uniqueness_by_classes_and_by_records() -> None:
    classes = classes_of(AGES)
    assert (r.unique_classes(classes).value, r.unique_records(classes).value) == (1 / 3, 1 / 6)


def test_counts_below_k() -> None:
    classes = classes_of(AGES)
    assert [r.records_below(classes, k).count for k in (1, 2, 3, 4)] == [0, 1, 3, 6]
    assert [r.classes_below(classes, k).count for k in (1, 2, 3, 4)] == [0, 1, 2, 3]
    assert r.k_anonymity(classes) == 1


def test_prosecutor() -> None:
    risk = r.prosecutor(classes_of(AGES), threshold=0.4)
    assert risk.maximum == 1
    assert risk.mean == pytest.approx(3 / 6)
    assert risk.share_above_threshold == 3 / 6  # the pair at 1/2 and the single at 1


def test_missing_values_change_lookalikes_as_stated() -> None:
    frame = pl.DataFrame({"age": [30, 30, None, None, 31]})
    found = {m: sorted(classes_of(frame, missing=m).size_per_record().tolist()) for m in la.Missing}
    assert found[la.Missing.OWN] == [1, 2, 2, 2, 2]
    assert found[la.Missing.WILDCARD] == [3, 4, 4, 5, 5]  # 31: itself and two nulls; 30: two and two; null: all
    assert found[la.Missing.CONSERVATIVE] == [1, 1, 1, 2, 2]


def test_conservative_counts_every_incomplete_record_as_a_class() -> None:
    classes = classes_of(pl.DataFrame({"age": [30, 30, None, None, 31]}), missing=la.Missing.CONSERVATIVE)
    assert len(classes) == 4
    assert r.unique_records(classes).count == 3
    assert classes.size_per_record().tolist() == [2, 2, 1, 1, 1]
    assert sorted(classes.sizes_on(["age"]).tolist()) == [1, 1, 1, 2]


def test_match_rates_with_a_population() -> None:
    sample = classes_of(pl.DataFrame({"age": [30, 30, 31, None]}))
    people = classes_of(pl.DataFrame({"age": [30, 30, 30, 30, 31, 32, None, None, None]}))
    found = sample.sizes_in(people)
    assert r.sample_to_population(sample, found) == pytest.approx((2 / 4 + 1 / 1 + 1 / 3) / 4)
    assert r.population_to_sample(sample, 9) == 3 / 9
    assert r.k_map(sample, found) == 1
    assert r.delta_presence(sample, people) == (0, 1)
    assert r.relative_frequency_of_uniques(sample, people).value == 1 / 2


def test_a_record_that_the_population_lacks_keeps_its_own_lookalikes() -> None:
    sample = classes_of(pl.DataFrame({"age": [30, 30, 40]}))
    people = classes_of(pl.DataFrame({"age": [30, 31, 32]}))
    found = sample.sizes_in(people)
    assert sorted(found.tolist()) == [0, 1]
    assert r.sample_to_population(sample, found) == pytest.approx((2 / 2 + 1) / 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.data())
def test_b_lies_between_its_bounds_for_every_population(file: list[int], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.integers(0, 8), max_size=80))
    sample = classes_of(pl.DataFrame({"x": file}))
    people = classes_of(pl.DataFrame({"x": file + others}))
    b = r.sample_to_population(sample, sample.sizes_in(people))
    low, high = r.bounds_of_sample_to_population(sample, len(file) + len(others))
    assert low - 1e-12 <= b <= high + 1e-12


def test_a_does_not_bound_every_b_but_ours_does() -> None:
    """Classes of 4 and 1 in a population of 2:1: B = 1.8/N, below A = 2/N."""
    sample = classes_of(pl.DataFrame({"x": [0, 0, 0, 0, 1]}))
    people = classes_of(pl.DataFrame({"x": [0] * 200 + [1] * 100}))
    b = r.sample_to_population(sample, sample.sizes_in(people))
    assert b == pytest.approx((4 / 200 + 1 / 100) / 5)
    assert b < r.population_to_sample(sample, 300)
    assert r.bounds_of_sample_to_population(sample, 300)[0] == pytest.approx(b)


def test_no_unique_class_is_not_a_share_of_zero() -> None:
    with pytest.raises(la.NotAssessable, match="No class is unique"):
        r.estimated_frequency_of_uniques(classes_of(pl.DataFrame({"x": [1, 1]})), 10)


SICK = pl.DataFrame({"g": list("aaaabbbc"), "d": ["x", "x", "y", None, "x", "y", "z", "z"]})


def test_diversity_of_a_hand_made_table() -> None:
    spread = la.Spread.of(classes_of(SICK, "g"), "d")
    assert sorted(r.distinct_diversity(spread).per_class.tolist()) == [1, 2, 3]
    two_thirds = math.exp(-(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3)))
    assert sorted(r.entropy_diversity(spread).per_class) == pytest.approx([1, two_thirds, 3])
    assert r.entropy_diversity(spread).mean == pytest.approx((3 * two_thirds + 3 * 3 + 1 * 1) / 7)
    # c = 1.5: a: 2 < 1.5·3, 2 < 1.5·1 no → 1; b: 1 < 1.5·1 → 3; c: 1 < 1.5 → 1
    assert sorted(r.recursive_diversity(spread, c=1.5).per_class.tolist()) == [1, 1, 3]


def test_disclosure_of_values_and_ranges() -> None:
    frame = pl.DataFrame({"g": list("aabbcc"), "pay": [200, 300, 50, 400, 10, 20]})
    spread = la.Spread.of(classes_of(frame, "g"), "pay")
    assert r.attribute_disclosure(spread, r.in_range(spread, above=100)).value == 2 / 3
    assert r.attribute_disclosure(spread, r.in_range(spread, below=100)).value == 2 / 3
    assert r.any_disclosure(spread).count == 0
    with pytest.raises(la.NotAssessable, match="No record has the value of 'pay'"):
        r.attribute_disclosure(spread, r.equal_to(spread, 7))
    words = la.Spread.of(classes_of(SICK, "g"), "d")
    assert r.attribute_disclosure(words, r.equal_to(words, "z")).value == 1 / 2
    with pytest.raises(la.NotAssessable, match="not numeric"):
        r.in_range(words, above=1)


def test_a_variable_that_is_always_missing_is_not_assessable() -> None:
    frame = pl.DataFrame({"g": ["a", "b"], "d": pl.Series([None, None], dtype=pl.String)})
    with pytest.raises(la.NotAssessable, match="'d' is missing in all records"):
        la.Spread.of(classes_of(frame, "g"), "d")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 5)), min_size=1, max_size=60))
def test_closeness_is_the_largest_distance_of_a_class(rows: list[tuple[int, int]]) -> None:
    frame = pl.DataFrame(rows, schema=["g", "v"], orient="row")
    spread = la.Spread.of(classes_of(frame, "g"), "v")
    values = sorted(set(frame["v"].to_list()))

    def shares(part: pl.DataFrame) -> np.ndarray:
        return np.array([(part["v"] == v).sum() for v in values]) / part.height

    whole = shares(frame)
    parts = [shares(part) for part in frame.partition_by("g")]
    assert r.earth_mover_closeness(spread).t == pytest.approx(max(earth_mover(p, whole) for p in parts), abs=1e-12)
    assert r.total_variation_closeness(spread).t == pytest.approx(max(total_variation(p, whole) for p in parts))
    assert r.kullback_leibler_closeness(spread).t == pytest.approx(
        max(kullback_leibler(p, whole) for p in parts), abs=1e-12
    )


def test_earth_mover_agrees_with_scipy() -> None:
    from scipy.stats import wasserstein_distance

    p, q = np.array([0.2, 0.5, 0.0, 0.3]), np.array([0.1, 0.1, 0.4, 0.4])
    assert earth_mover(p, q) == pytest.approx(wasserstein_distance(range(4), range(4), p, q) / 3)


def test_household_risk_is_that_of_at_least_one_member() -> None:
    risk = r.household_risk(np.array([0.5, 0.2, 0.1, 1.0, 0.3]), np.array([0, 0, 1, 2, -1]))
    assert risk == pytest.approx([1 - 0.5 * 0.8, 1 - 0.5 * 0.8, 0.1, 1.0, 0.3])


def test_a_file_without_a_household_variable_is_not_assessable() -> None:
    with pytest.raises(la.NotAssessable, match="No variable has the role household"):
        r.households(la.read(AGES))


def test_knowledge_of_all_subsets_and_of_groups() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 1, 1, 2]})
    found = r.by_knowledge(classes_of(frame), groups={"first": ["a"], "rest": ["b", "c"]})
    unique = {(k.group, k.variables): k.unique_records.count for k in found}
    assert unique[("", ("a",))] == 0
    assert unique[("", ("c",))] == 1
    assert unique[("", ("a", "b"))] == 4
    assert unique[("rest", ("b", "c"))] == 2
    assert unique[("first + rest", ("a", "b", "c"))] == 4
    assert len(found) == 7 + 3


def test_knowledge_up_to_a_size_adds_the_full_set() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    assert [len(k.variables) for k in r.by_knowledge(classes_of(frame), up_to=1)] == [1, 1, 1, 3]


def test_drivers_order_variables_by_what_is_gained_without_them() -> None:
    frame = pl.DataFrame({"id": [1, 2, 3, 4], "sex": ["f", "f", "f", "m"]})
    first, second = r.drivers(classes_of(frame))
    assert (first.variable, first.distinct, first.uniques_without, first.unique_share_lost) == ("id", 4, 1, 3 / 4)
    assert (second.variable, second.uniques_without, second.mean_without) == ("sex", 4, 1.0)


def test_knowledge_gives_b_for_each_subset_of_a_population() -> None:
    sample = classes_of(pl.DataFrame({"a": [1, 2], "b": [1, 1]}))
    people = classes_of(pl.DataFrame({"a": [1, 1, 2, 2, 2], "b": [1, 2, 1, 1, 2]}))
    found = {k.variables: k.sample_to_population for k in r.by_knowledge(sample, population=people)}
    assert found[("a",)] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert found[("b",)] == pytest.approx(1 / 3)
    assert found[("a", "b")] == pytest.approx((1 / 1 + 1 / 2) / 2)
    assert found[("a", "b")] == r.sample_to_population(sample, sample.sizes_in(people))


def test_wildcards_are_followed_into_subsets() -> None:
    frame = pl.DataFrame({"a": [1, None, 2], "b": [1, 1, 2]})
    classes = classes_of(frame, missing=la.Missing.WILDCARD)
    found = {k.variables: (k.unique_records.count, k.mean) for k in r.by_knowledge(classes)}
    assert found[("a",)] == (0, pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3))  # the null matches all three
    assert found[("a", "b")] == (1, pytest.approx((1 / 2 + 1 / 2 + 1) / 3))
    assert found[("a", "b")][1] == pytest.approx(r.prosecutor(classes).mean)
    assert {d.variable: d.uniques_without for d in r.drivers(classes)} == {"a": 1, "b": 0}
