"""Singling out: predicates by hand and by brute force, every kind of cell, controls of any size, faults."""

from datetime import date, datetime, time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.control_size import control_share, grown, weights
from lookalike.attacks.files import Files
from lookalike.attacks.outcome import Reading
from lookalike.attacks.predicate_search import all_univariate, at_random, some_multivariate
from lookalike.attacks.predicates import TOP, Counted, Predicates, ranked
from lookalike.attacks.singling_out import SinglingOut
from lookalike.errors import BadPlan, NotAssessable


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def run(original: pl.DataFrame, release: pl.DataFrame, control: pl.DataFrame | None = None, **settings):
    files = Files(original=original, releases=(release,), control=control)
    return SinglingOut(**settings).attack(files, rng=rng())


def told(found) -> list[str]:
    return sorted(found.tell(i) for i in range(found.predicates[0]))


def test_predicates_of_one_column_by_hand() -> None:
    release = pl.DataFrame({"x": [-5, -1, -1, 8], "g": ["a", "a", None, "b"]})
    original = pl.DataFrame({"x": [-7, -5, 8, 9], "g": ["a", None, None, "c"]})
    found = run(original, release, conditions=1)
    assert told(found) == ["g == b", "g is missing", "x <= -5", "x == -5", "x == 8", "x >= 8"]
    # true for one of the original: x == -5, x == 8; two records are missing, two lie at or below -5, two at or above 8
    assert (found.predicates, found.hits) == ((6,), (2,))
    assert found.records.tolist() == [1, 2]
    assert found.outcome.main.value == 2 / 6


def test_negative_numbers_keep_their_order() -> None:
    release = pl.DataFrame({"x": [-10.5, -3.0, 0.0, 4.0], "y": ["a", "a", "b", "b"]})
    found = run(release, release, conditions=2)
    assert "x <= -10.5 and y == a" in told(found)
    assert "x >= 4.0 and y == b" in told(found)
    assert found.outcome.main.value == 1


@pytest.mark.parametrize(
    "values",
    [
        [date(1950, 1, 1), date(1980, 5, 5), date(1980, 5, 5), date(2001, 2, 3)],
        [datetime(1950, 1, 1, 3), datetime(1980, 5, 5), datetime(1980, 5, 5), datetime(2001, 2, 3)],
        [time(1), time(12), time(12), time(23, 59)],
    ],
)
def test_dates_and_times_have_predicates_of_their_own(values) -> None:
    file = pl.DataFrame({"when": values})
    found = run(file, file, conditions=1)
    first, last = values[0], values[-1]
    bounds = (("<=", first), ("==", first), ("==", last), (">=", last))
    assert told(found) == sorted(f"when {op} {v}" for op, v in bounds)


def test_a_date_is_a_date_however_it_is_stored() -> None:
    original = pl.DataFrame({"when": [date(1950, 1, 1), date(1990, 1, 1)]})
    release = pl.DataFrame({"when": pl.Series([datetime(1950, 1, 1), datetime(1990, 1, 1)], dtype=pl.Datetime("ms"))})
    assert run(original, release, conditions=1).outcome.main.value == 1


def test_a_predicate_of_several_columns_asks_for_what_is_beyond_the_median() -> None:
    release = pl.DataFrame({"x": [1, 2, 3, 4, 5], "g": ["a", "b", "b", "b", None]})
    found = run(release, release, conditions=2, attacks=50)
    assert told(found) == ["x <= 1 and g == a", "x <= 2 and g == b", "x >= 4 and g == b", "x >= 5 and g is missing"]


def test_equal_records_are_two_people() -> None:
    release = pl.DataFrame({"x": [1, 2], "g": ["a", "b"]})
    twice = pl.DataFrame({"x": [1, 1, 2, 2], "g": ["a", "a", "b", "b"]})
    found = run(twice, release, conditions=2)
    assert found.predicates[0] > 0
    assert found.hits == (0,)
    assert found.outcome.reading is Reading.NOT_INFORMATIVE
    assert found.outcome.risk.value is None
    assert "does not show that the release is safe" in found.outcome.risk.caveats[0]


def test_a_cell_that_stands_for_several_values_is_asked_for_as_a_range() -> None:
    original = pl.DataFrame({"age": [21, 24, 35, -4], "sex": ["F", "M", "M", "F"]})
    release = pl.DataFrame({"age": ["[20;29]", "[20;29]", "[30;39]", "[-9;0]"], "sex": ["F", "M", "M", "F"]})
    found = run(original, release, conditions=2)
    assert found.predicates[0] == 4
    assert found.outcome.main.value == 1
    assert "age in a range" in told(found)[0]


def holds(file: pl.DataFrame, name: str, words: str, value) -> list[bool]:
    column = file[name].to_list()
    return {
        "==": [v == value for v in column],
        "<=": [v is not None and v <= value for v in column],
        ">=": [v is not None and v >= value for v in column],
    }[words]


tables = st.lists(
    st.tuples(st.sampled_from([-2, -1, 0, 1, 3, None]), st.sampled_from(["a", "b", None]), st.sampled_from([0.5, 2.5])),
    min_size=1,
    max_size=12,
).map(lambda rows: pl.DataFrame(rows, schema={"x": pl.Int64, "g": pl.String, "y": pl.Float64}, orient="row"))


@settings(deadline=None, max_examples=60)
@given(original=tables, release=tables, columns=st.integers(1, 3), seed=st.integers(0, 99))
def test_counts_are_those_of_brute_force(original, release, columns, seed) -> None:
    (one, rows), kinds = ranked([original, release], original.columns, [1])
    if columns == 1:
        found = all_univariate(rows, kinds.ordered, most=100, rng=rng(seed))
    else:
        found = some_multivariate(rows, kinds.ordered, columns=columns, most=30, tries=200, rng=rng(seed))
    for file, ranks in ((original, one), (release, rows)):
        counts = found.count(ranks).counts
        for i, count in enumerate(counts):
            true = np.ones(file.height, bool)
            for c, first, last in zip(found.column[i], found.first[i], found.last[i], strict=True):
                values = kinds.values[c]
                if last == -1:
                    true &= file[kinds.names[c]].is_null().to_numpy()
                elif last == TOP:
                    true &= holds(file, kinds.names[c], ">=", values[int(first) - 1])
                else:
                    true &= holds(file, kinds.names[c], "<=" if first == 0 else "==", values[int(last) - 1])
            assert count == true.sum()
        if file is release:
            assert (counts == 1).all()
    assert len(set(found.names())) == len(found)


def test_random_predicates_use_every_comparison() -> None:
    file = pl.DataFrame({"x": [1, 2, 3, None], "g": ["a", "b", "b", "c"]})
    (ranks,), kinds = ranked([file], file.columns, [])
    found = at_random(ranks, kinds.ordered, columns=1, number=2000, rng=rng())
    counts = dict(zip([found.words(i, kinds) for i in range(2000)], found.count(ranks).counts.tolist(), strict=True))
    assert counts["g == b"] == counts["g != b"] == 2
    assert counts["x != 2"] == counts["x <= 2"] == 2
    assert counts["x is missing"] == 1
    assert counts["x is not missing"] == 3
    assert counts["x == 3"] == 1
    assert counts["x above all values"] == counts["x below all values"] == 0


def test_dependence_by_hand() -> None:
    # record 0 alone answers two predicates, records 0 and 1 a third: K = (2, 0), L = (1, 1)
    found = Counted(np.array([1, 1, 2, 5]), np.array([[0, -1], [0, -1], [0, 1], [0, 1]]), 3)
    assert found.dependence == 1  # ((1 − 2)² + 1²)/4 is below 1
    found = Counted(np.array([1, 1, 1]), np.array([[0, -1]] * 3), 3)
    assert found.dependence == 9 / 3


def test_a_control_as_large_as_the_original_is_counted() -> None:
    found = Counted(np.array([0, 1, 2, 1]), np.array([[-1, -1], [3, -1], [0, 1], [5, -1]]), 9)
    share = control_share(found, 9)
    assert (share.value, share.of) == (0.5, 4)


def test_a_larger_control_is_averaged_over_all_its_parts() -> None:
    from itertools import combinations

    records, wanted = 6, 3
    truths = [{0}, {0, 1}, {1, 2, 3}, set(range(6)), set()]
    parts = list(combinations(range(records), wanted))
    expected = np.mean([[len(true & set(part)) == 1 for part in parts] for true in truths])
    found = Counted(np.array([len(t) for t in truths]), np.full((5, 2), -1), records)
    assert control_share(found._replace(which=np.zeros((5, 2), int)), wanted).value == pytest.approx(expected)


@pytest.mark.parametrize(("times", "off"), [(2, 0.02), (5, 0.07)])
def test_a_smaller_control_is_carried_over_by_the_weights(times: int, off: float) -> None:
    """Counts from known weights: what is predicted for more people is Σ n w (1 − w)^(n−1)."""
    draw, n = rng(3), 2_000
    m = n // times
    w = draw.choice([0.0, 0.5 / n, 1.0 / n, 2.0 / n], 4_000)
    counts = draw.binomial(m, w)
    expected = np.mean(n * w * (1 - w) ** (n - 1))
    assert grown(counts, m, n) == pytest.approx(expected, abs=off)
    assert abs(grown(counts, m, n) - expected) < abs(np.mean(counts == 1) - expected)
    grid, share = weights(counts, m)
    assert share.sum() == pytest.approx(1)
    assert float(grid @ share) == pytest.approx(counts.mean() / m, rel=0.02)
    share = control_share(Counted(counts, np.arange(8_000).reshape(-1, 2) % m, m), n)
    assert share.value == pytest.approx(grown(counts, m, n))
    assert share.of <= 4_000 / times


def test_a_control_in_which_nothing_is_true_has_no_success() -> None:
    assert grown(np.zeros(50, np.int64), 100, 1_000) == pytest.approx(0, abs=0.2)
    none = Counted(np.zeros(4, np.int64), np.full((4, 2), -1), 100)
    assert control_share(none, 50).value == 0


def test_a_small_control_is_told() -> None:
    people = pl.DataFrame({"x": rng().normal(size=1_200), "y": rng(2).normal(size=1_200)})
    found = run(people.head(1_000), people.head(1_000), people.tail(100), conditions=2, attacks=200)
    assert any("The control has 100 records and the original 1,000" in c for c in found.outcome.caveats)
    assert found.outcome.excess.low > 0
    assert found.outcome.control.of <= 20


def test_the_same_seed_gives_the_same_predicates() -> None:
    people = pl.DataFrame({"x": rng().integers(0, 50, 300), "g": rng(2).choice(list("abcdef"), 300)})
    files = Files(original=people, releases=(people[::-1],))
    one, other, third = (SinglingOut(conditions=2, attacks=5).attack(files, rng=rng(s)) for s in (5, 5, 6))
    assert told(one) == told(other) != told(third)
    assert one.outcome == other.outcome


def test_several_releases_are_pooled() -> None:
    original = pl.DataFrame({"x": [1, 2, 3], "g": ["a", "b", "c"]})
    other = pl.DataFrame({"x": [7, 7, 7], "g": ["z", "z", "z"]})
    found = SinglingOut(conditions=1).attack(Files(original=original, releases=(original, other)), rng=rng())
    assert found.predicates == (8, 0)
    assert found.outcome.main.value == 1
    assert any("Of 2,000 predicates asked for, 0 were found" in c for c in found.outcome.caveats)


def test_one_row_is_singled_out_by_anything() -> None:
    one = pl.DataFrame({"x": [3], "g": ["a"]})
    found = run(one, one, conditions=1)
    assert told(found) == ["g == a", "x <= 3", "x == 3", "x >= 3"]
    assert found.outcome.main.value == 1


def test_a_release_without_a_row_of_its_own_cannot_be_tried() -> None:
    file = pl.DataFrame({"x": [1, 1, 2, 2], "g": ["a", "a", "b", "b"]})
    for conditions in (1, 2):
        with pytest.raises(NotAssessable, match="No predicate was found that is true for exactly one row"):
            run(file, file, conditions=conditions)


def test_columns_that_are_missing_or_constant_do_no_harm() -> None:
    file = pl.DataFrame({"x": [None, None, None], "c": [1, 1, 1], "g": ["a", "b", "b"]})
    assert told(run(file, file, conditions=1)) == ["g == a"]
    assert all("g == a" in words for words in told(run(file, file, conditions=2)))


def test_a_recoded_column_is_told() -> None:
    original = pl.DataFrame({"land": ["France", "Spain"]})
    found = run(original, pl.DataFrame({"land": ["1", "2"]}), conditions=1)
    assert "No value of column 'land' in the release occurs in the original" in found.outcome.caveats[0]
    assert found.outcome.reading is Reading.NOT_INFORMATIVE


def test_all_faults_are_told_at_once() -> None:
    file = pl.DataFrame({"x": [1, 2], "g": ["a", "b"]})
    files = Files(original=file, releases=(file,))
    with pytest.raises(BadPlan) as wrong:
        SinglingOut(known=("x", "gg"), conditions=0, attacks=0, tries=0).attack(files, rng=rng())
    assert wrong.value.faults[:3] == (
        "The number of conditions of a predicate must be at least 1.",
        "The number of attacks must be at least 1.",
        "The number of tries must be at least 1.",
    )
    assert any("Column 'gg' is not in the original. Did you mean 'g'?" in f for f in wrong.value.faults)
    with pytest.raises(BadPlan, match="A predicate is to have 3 conditions, each on a column of its own"):
        SinglingOut().attack(files, rng=rng())


def test_predicates_are_bytes_that_tell_them_apart() -> None:
    one = Predicates(*(np.array([[1], [1]], np.int32) for _ in range(3)), np.array([[False], [True]]))
    assert len(set(one.names())) == 2
