"""Matching against the definitions written out, on small tables of any kind."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.files import Files
from lookalike.attacks.fits import Fits
from lookalike.attacks.matching import Matching
from lookalike.attacks.ranges import Radius
from lookalike.errors import BadPlan

cell = st.one_of(st.none(), st.integers(0, 3))


def tables(rows: int, columns: int = 2):
    return st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=rows, max_size=rows).map(
        lambda cells: pl.DataFrame(cells, schema=dict.fromkeys("ab"[:columns], pl.Int64), orient="row")
    )


def agrees(known: object, found: object, radius: float | None) -> bool:
    if known is None or found is None or radius is None:
        return known == found
    return abs(known - found) <= radius + 1e-9


def by_definition(original, releases, population, radius, linked_row=True) -> list[tuple[int, bool]]:
    """P(J = j) over the rows and "none", c and T of each target, written out."""
    answers = []
    for i, target in enumerate(original.rows()):

        def fits(row, target=target):
            return all(agrees(t, r, radius.get(c)) for t, r, c in zip(target, row, original.columns, strict=True))

        chance, none = np.zeros(original.height), 0.0
        people = None if population is None else sum(map(fits, population.rows()))
        for release in releases:
            met = [j for j, row in enumerate(release.rows()) if fits(row)]
            f = 0 if people is None else max(people, sum(map(fits, original.rows())))
            for j in met:
                chance[j] += 1 / max(len(met), f)
            none += 0 if population is None else 1 - len(met) / max(len(met), f, 1)
        most = chance.max()
        if most == 0 or none > most + 1e-9:
            answers.append((0, False))
            continue
        tied = int((chance >= most - 1e-9).sum()) + (population is not None and abs(none - most) <= 1e-9)
        answers.append((tied, bool(chance[i] >= most - 1e-9)))
    return answers


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 7), st.integers(1, 3), st.booleans(), st.sampled_from([None, 0.0, 1.0, 2.0]))
def test_matching_is_what_the_formula_says(data, n: int, m: int, in_sample: bool, radius: float | None) -> None:
    original = data.draw(tables(n))
    releases = tuple(data.draw(tables(n)) for _ in range(m))
    population = None if in_sample else pl.concat([original, data.draw(tables(4))])
    files = Files(original=original, releases=releases, linked=True, population=population)
    radii = {} if radius is None else {"a": Radius(value=radius)}
    found = Matching(known=("a", "b"), radius=radii, in_sample=in_sample).attack(files)
    plain = {c: r.value for c, r in radii.items()}
    expected = by_definition(original, releases, population, plain)
    assert list(zip(found.pooled.candidates.tolist(), found.pooled.own.tolist(), strict=True)) == expected
    for release, one in zip(releases, found.releases, strict=True):
        alone = by_definition(original, [release], population, plain)
        assert list(zip(one.candidates.tolist(), one.own.tolist(), strict=True)) == alone
    assert found.hits.main.successes == pytest.approx(sum(t / c for c, t in expected if c))


def test_the_original_released_is_found_as_often_as_it_has_classes() -> None:
    original = pl.DataFrame({"age": [30, 30, 31, 32], "sex": ["F", "F", "M", "M"]})
    found = Matching(known=("age", "sex")).attack(Files(original=original, releases=(original,), linked=True))
    assert found.pooled.expected_match_risk == 3  # K classes
    assert found.hits.original.successes == 3
    assert (found.pooled.true_match_rate.value, found.pooled.false_match_rate.value) == (2 / 4, 0)
    assert found.found.main.value == 1


def test_a_radius_as_a_share_is_of_the_known_value() -> None:
    original = pl.DataFrame({"pay": [100.0, 1000.0]})
    release = pl.DataFrame({"pay": [109.0, 1110.0]})
    files = Files(original=original, releases=(release,), linked=True)
    found = Matching(known=("pay",), radius={"pay": Radius(value=0.1, share=True)}).attack(files)
    assert found.pooled.candidates.tolist() == [1, 0]


def test_the_edge_of_a_radius_counts_in_floating_point() -> None:
    files = Files(original=pl.DataFrame({"x": [0.8]}), releases=(pl.DataFrame({"x": [0.7]}),), linked=True)
    assert Matching(known=("x",), radius={"x": Radius(value=0.1)}).attack(files).pooled.candidates.tolist() == [1]


def test_intervals_masks_and_wildcards_of_a_release_are_matched_by_what_they_hold() -> None:
    original = pl.DataFrame({"age": [18, 25, 40], "zip": ["93701", "93702", "10001"]})
    release = pl.DataFrame({"age": ["[10;20]", "[21;30]", "*"], "zip": ["937**", "937**", "10001"]})
    found = Matching(known=("age", "zip")).attack(Files(original=original, releases=(release,), linked=True))
    assert found.pooled.candidates.tolist() == [1, 1, 1]
    assert found.pooled.own.all()


def test_a_target_that_may_be_outside_is_matched_only_if_that_is_likelier_than_not() -> None:
    original = pl.DataFrame({"age": [30, 31, 32]})
    population = pl.DataFrame({"age": [30, 31, 31, 32, 32, 32]})
    files = Files(original=original, releases=(original,), linked=True, population=population)
    found = Matching(known=("age",), in_sample=False).attack(files)
    # F = 1: surely the row; F = 2: the row or none, each 1/2; F = 3: none is likelier.
    assert found.pooled.candidates.tolist() == [1, 2, 0]
    assert found.pooled.expected_match_risk == 1.5


def test_several_releases_point_at_the_record_they_agree_on() -> None:
    original = pl.DataFrame({"age": [30, 31]})
    one, other = pl.DataFrame({"age": [30, 30]}), pl.DataFrame({"age": [30, 31]})
    found = Matching(known=("age",)).attack(Files(original=original, releases=(one, other), linked=True))
    assert found.pooled.candidates.tolist() == [1, 1]
    assert found.releases[0].candidates.tolist() == [2, 0]
    assert found.pooled.own.all()


def test_an_unlinked_release_of_another_size_has_no_hits_but_is_searched() -> None:
    original, release = pl.DataFrame({"age": [30, 31, 33]}), pl.DataFrame({"age": [30, 30, 31, 31, 32]})
    control = pl.DataFrame({"age": [32, 34]})
    found = Matching(known=("age",)).attack(Files(original=original, releases=(release,), control=control))
    assert found.hits is None
    assert (found.found.main.value, found.found.control.value) == (2 / 3, 1 / 2)
    assert (found.unique.value, found.unique_in_control.value) == (0, 1 / 2)
    # by chance: each age has w = 2/5, 2/5, 0 of the rows, and 5 rows to fit
    assert found.found.baseline.value == pytest.approx(2 * (1 - (3 / 5) ** 5) / 3)


def test_one_record_one_constant_column_and_all_missing_columns() -> None:
    one = pl.DataFrame({"a": [1], "b": [None]})
    found = Matching(known=("a", "b")).attack(Files(original=one, releases=(one,), linked=True))
    assert found.pooled.expected_match_risk == 1
    constant = pl.DataFrame({"a": [7] * 4, "b": pl.Series([None] * 4, dtype=pl.Float64)})
    files = Files(original=constant, releases=(constant,), linked=True)
    assert Matching(known=("a",)).attack(files).pooled.expected_match_risk == 1
    near = Matching(known=("a", "b"), radius={"b": Radius(value=1)}).attack(files)
    assert near.pooled.candidates.tolist() == [4] * 4  # missing equals missing, within a radius too


def test_faults_of_the_request_are_told_together() -> None:
    file = pl.DataFrame({"a": ["x"], "b": [1.0]})
    files = Files(original=file, releases=(file,), linked=True)
    radius = {"a": Radius(value=1), "c": Radius(value=-1)}
    with pytest.raises(BadPlan) as told:
        Matching(known=("a", "b"), radius=radius, in_sample=False).attack(files)
    assert told.value.faults == (
        "Column 'c' has a radius but is not known. Add it to the known columns, or drop its radius.",
        "The radius of column 'c' must be a number of at least 0.",
        "Column 'a' has a radius, but in the original it does not hold numbers. Drop the radius.",
        "Column 'a' has a radius, but in the release it does not hold numbers. Drop the radius.",
        "Matching of people who may not be in the file needs the population: how many fit each target.",
    )


def test_control_records_have_no_row_of_their_own() -> None:
    rng = np.random.default_rng(1)
    drawn = pl.DataFrame({"a": rng.integers(0, 1000, 300)})
    files = Files(original=drawn.head(200), releases=(drawn.head(200),), control=drawn.tail(100), linked=True)
    found = Matching(known=("a",)).attack(files)
    assert found.hits.control is None
    assert found.hits.caveats == (
        "Records of the control have no row of their own in the release, so this figure has no control.",
    )
    assert found.found.excess.low > 0.5


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=30), st.data())
def test_the_walk_over_ranges_finds_all_that_meet(rows: list[tuple[int, int, int]], data) -> None:
    release = pl.DataFrame({"x": [f"[{min(a, b)};{max(a, b)}]" for a, b, _ in rows], "g": [str(g) for *_, g in rows]})
    people = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=10))
    original = pl.DataFrame({"x": [x for x, _ in people], "g": [str(g) for _, g in people]})
    fits = Fits.of(Files(original=original, releases=(release,)), ["x", "g"])
    expected = [sum(min(a, b) <= x <= max(a, b) and h == g for a, b, h in rows) for x, g in people]
    assert fits.count(fits.targets[0], fits.rows[1]).tolist() == expected
