"""Record linkage of a release of ranges: pairs, links and the chance level beside counts over all of them."""

from functools import cache
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks import linkage_ranges
from lookalike.attacks.files import Files
from lookalike.attacks.linkage import Linkage, Links, Weights
from lookalike.attacks.linkage_pairs import Pairs
from lookalike.attacks.linkage_ranges import RangedPairs, linkable
from lookalike.data.cells import ends_of
from lookalike.errors import BadPlan, NotAssessable

TOP = 5
WEIGHT = np.array([-1.0, 0.5, 1.0, 2.0])
records = st.lists(st.tuples(st.integers(0, TOP), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4)
cells = st.tuples(st.integers(0, TOP), st.integers(0, TOP)).map(lambda e: f"[{min(e)};{max(e)}]") | st.just("*")
rows = st.lists(st.tuples(cells, st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def coded(people: list[tuple], released: list[tuple]) -> RangedPairs:
    original = pl.DataFrame(people, schema=["g", "a", "b"], orient="row")
    release = pl.DataFrame(released, schema=["g", "a", "b"], orient="row")
    return RangedPairs.of(original, release, ["g"], ["a", "b"], {})


def fits(person: tuple, row: tuple) -> bool:
    low, high = ends_of(row[0])
    return low is None or low <= person[0] <= high


def pattern(person: tuple, row: tuple) -> int:
    return (person[1] == row[1]) + 2 * (person[2] == row[2])


def weighed(people: list[tuple], released: list[tuple]) -> dict[tuple[int, int], float]:
    return {(i, j): WEIGHT[pattern(p, r)] for i, p in enumerate(people) for j, r in enumerate(released) if fits(p, r)}


@settings(max_examples=80, deadline=None)
@given(records, rows)
def test_pairs_and_patterns_are_those_that_fit(people: list[tuple], released: list[tuple]) -> None:
    pairs = coded(people, released)
    held = weighed(people, released)
    assert pairs.total == len(held)
    counted = np.bincount([pattern(people[i], released[j]) for i, j in held], minlength=4)
    assert (pairs.patterns() == counted).all()
    if len(people) == len(released):
        own = [i for i in range(len(people)) if (i, i) in held]
        assert pairs.true_pairs == len(own)
        agrees = [[people[i][f] == released[i][f] for f in (1, 2)] for i in own]
        assert pairs.own_agreement() == pytest.approx(np.mean(agrees, axis=0) if own else [0, 0])


def best(people: list[tuple], released: list[tuple]) -> tuple[int, float]:
    """The most links and, of these, the largest sum of weights, by trying every assignment."""
    held, n, k = weighed(people, released), len(people), len(released)
    spare = list(range(k)) + [-1] * n
    found = [[(i, j) for i, j in enumerate(order) if (i, j) in held] for order in set(permutations(spare, n))]
    return max((len(links), sum(held[link] for link in links)) for links in found)


@settings(max_examples=60, deadline=None)
@given(records, rows)
def test_links_are_one_to_one_among_the_rows_that_fit(people: list[tuple], released: list[tuple]) -> None:
    pairs, held = coded(people, released), weighed(people, released)
    for link in (pairs.greedy, pairs.optimal):
        links = [(i, int(j)) for i, j in enumerate(link(WEIGHT, above=None, rng=rng())) if j >= 0]
        assert set(links) <= set(held)
        assert len({j for _, j in links}) == len(links)
    assert (len(links), sum(held[pair] for pair in links)) == pytest.approx(best(people, released))


@settings(max_examples=60, deadline=None)
@given(records, rows, st.integers(0, 9))
def test_greedy_leaves_no_pair_that_beats_both_its_links(people: list[tuple], released: list[tuple], seed: int) -> None:
    links = coded(people, released).greedy(WEIGHT, above=None, rng=rng(seed))
    held = weighed(people, released)
    of_record = {i: held[i, int(j)] for i, j in enumerate(links) if j >= 0}
    of_row = {int(j): held[i, int(j)] for i, j in enumerate(links) if j >= 0}
    for (i, j), weight in held.items():
        assert weight <= max(of_record.get(i, -np.inf), of_row.get(j, -np.inf))


def test_pairs_at_or_below_the_limit_are_left() -> None:
    people = [(1, 0, 0), (2, 0, 1)]
    released = [("[1;2]", 0, 0), ("[0;5]", 2, 2)]
    for link in (coded(people, released).greedy, coded(people, released).optimal):
        assert link(WEIGHT, above=0.0, rng=rng()).tolist() == [0, -1]


def expected_at_random(held: dict[int, tuple[int, ...]]) -> float:
    """True links of records that come in any order and each take a free row that fits, all as likely."""

    @cache
    def after(left: frozenset[int], taken: frozenset[int]) -> float:
        found = 0.0
        for i in left:
            free = [j for j in held[i] if j not in taken]
            rest = left - {i}
            hits = [(i == j) + after(rest, taken | {j}) for j in free] or [after(rest, taken)]
            found += float(np.mean(hits)) / len(left)
        return found

    return after(frozenset(held), frozenset())


CHAIN = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(f"[{i};{min(i + 1, 3)}]", 0, 0) for i in range(4)]
NESTED = [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [("[0;2]", 0, 0), ("[1;2]", 0, 0), ("[2;2]", 0, 0)]
APART = [(0, 0, 0), (0, 0, 0), (4, 0, 0)], [("[0;1]", 0, 0), ("[0;1]", 0, 0), ("[4;5]", 0, 0)]


@pytest.mark.parametrize(("people", "released"), [CHAIN, NESTED, APART])
def test_the_chance_level_is_that_of_links_that_compare_nothing(people: list[tuple], released: list[tuple]) -> None:
    pairs = coded(people, released)
    held = {i: tuple(j for j, r in enumerate(released) if fits(p, r)) for i, p in enumerate(people)}
    expected = expected_at_random(held)
    chance = np.mean([pairs.chance(optimal=False, rng=rng(s)) for s in range(100)])
    assert chance == pytest.approx(expected, abs=0.08)  # 2,000 draws
    own = np.arange(len(people))
    linked = [np.count_nonzero(pairs.greedy(np.zeros(4), above=None, rng=rng(s)) == own) for s in range(2000)]
    assert np.mean(linked) == pytest.approx(expected, abs=0.08)


def test_the_chance_of_optimal_links_is_higher_where_one_choice_forces_the_others() -> None:
    pairs = coded(*NESTED)
    assert pairs.chance(optimal=True, rng=rng()) == 3  # only one way to link all three
    assert pairs.chance(optimal=False, rng=rng()) < 3


def simulated(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    sizes = {"age": 60, "sex": 2, "a": 8, "b": 8, "c": 8, "d": 8}
    return pl.DataFrame({name: draw.integers(0, size, n) for name, size in sizes.items()})


def tens(file: pl.DataFrame) -> pl.DataFrame:
    low = pl.col("age") // 10 * 10
    return file.with_columns(age=pl.format("[{};{}]", low, low + 9))


def shaken(file: pl.DataFrame, kept: float, seed: int) -> pl.DataFrame:
    """Each compared cell kept with a chance, else drawn from its column."""
    draw = np.random.default_rng(seed)
    columns = [file[name].to_numpy() for name in "abcd"]
    changed = [np.where(draw.random(file.height) < kept, v, draw.choice(v, file.height)) for v in columns]
    return file.with_columns(pl.Series(name, v) for name, v in zip("abcd", changed, strict=True))


@pytest.mark.parametrize("weights", list(Weights))
@pytest.mark.parametrize("links", list(Links))
def test_ranges_that_do_not_overlap_are_linked_as_blocks(weights: Weights, links: Links) -> None:
    original = simulated(300, 1)
    release = shaken(original, 0.9, 2)
    attack = Linkage(known=("age", "sex"), compared=tuple("abcd"), weights=weights, links=links)
    found = attack.attack(Files(original=original, releases=(tens(release),), linked=True), rng=rng())
    decades = original.with_columns(pl.col("age") // 10)
    blocks = Pairs.of(decades, release.with_columns(pl.col("age") // 10), ["age", "sex"], list("abcd"), {})
    ranged = RangedPairs.of(original, tens(release), ["age", "sex"], list("abcd"), {})
    assert (ranged.patterns() == blocks.patterns()).all()
    assert (ranged.total, ranged.true_pairs) == (blocks.total, blocks.true_pairs)
    assert sum(map(sum, found.table.rows)) == blocks.total
    assert found.outcome.baseline.successes == pytest.approx(blocks.chance(), abs=4)  # Σ 1/b, there as draws
    assert found.outcome.main.value > 0.9
    assert found.twins.main.value > 0.5


def test_a_release_of_overlapping_ranges_that_compares_nothing_is_linked_by_chance() -> None:
    original, draw = simulated(300, 3), np.random.default_rng(4)
    low, high = draw.integers(0, 9, (2, 300))
    ages = [f"[{a - i};{a + j}]" for a, i, j in zip(original["age"], low, high, strict=True)]
    release = original.with_columns(age=pl.Series(ages))
    outcomes = []
    for seed in range(20):
        files = Files(original=original, releases=(shaken(release, 0.0, seed),), linked=True)
        outcomes.append(Linkage(known=("age",), compared=tuple("abcd")).attack(files, rng=rng(seed)).outcome)
    # A row picked at random among those that fit would be right less often: links one to one tell something.
    chance = np.mean([o.baseline.value for o in outcomes])
    assert np.mean([o.main.value for o in outcomes]) == pytest.approx(chance, abs=0.005)
    assert sum(o.reading.value == "informative" for o in outcomes) <= 1


def test_the_same_seed_gives_the_same_links() -> None:
    original = simulated(200, 5)
    files = Files(original=original, releases=(shaken(tens(original), 0.5, 6),), linked=True)
    one, other = (Linkage(known=("age",)).attack(files, rng=rng(9)) for _ in range(2))
    assert one.table == other.table
    assert one.outcome == other.outcome


def test_a_compared_field_agrees_if_the_range_holds_the_value() -> None:
    original = pl.DataFrame({"sex": ["F"] * 3, "age": [21, 34, 58], "day": ["2024-01-05", "2024-05-09", "2025-02-01"]})
    release = pl.DataFrame({"sex": ["F"] * 3, "age": ["[20;29]", "[30;39]", "50+"], "day": ["2024-Q1", "2024-Q2", "*"]})
    files = Files(original=original, releases=(release,), linked=True)
    assert Linkage(known=("sex",)).attack(files, rng=rng()).table.rows == ((6, 0), (0, 3))
    by_day = Linkage(known=("day",), compared=("age",)).attack(files, rng=rng())
    assert by_day.table.rows == ((2, 0), (0, 3))  # the row without a day fits the two others too


def test_one_record_and_nobody_in_reach() -> None:
    original = pl.DataFrame({"age": [30], "a": [1]})
    one = Files(original=original, releases=(pl.DataFrame({"age": ["[30;39]"], "a": [1]}),), linked=True)
    assert Linkage(known=("age",)).attack(one, rng=rng()).outcome.main.value == 1
    none = Files(original=original, releases=(pl.DataFrame({"age": ["[40;49]"], "a": [1]}),), linked=True)
    with pytest.raises(NotAssessable, match="No record shares its known values with a row of the release"):
        Linkage(known=("age",)).attack(none, rng=rng())


def test_too_many_pairs_are_refused_before_they_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    original = simulated(100, 7)
    release = original.with_columns(age=pl.lit("*"))
    monkeypatch.setattr(linkage_ranges, "MOST_PAIRS", 5_000)
    with pytest.raises(BadPlan, match=r"hold 10,000 pairs of a record and a row, more than 5,000\. Let more columns"):
        RangedPairs.of(original, release, ["age"], ["a"], {})
    assert linkable(original, release, ["age"], most=5_000) == 70
    monkeypatch.setattr(linkage_ranges, "MOST_PAIRS", 100_000)
    monkeypatch.setattr(linkage_ranges, "MOST_OPTIMAL", 5_000)
    pairs = RangedPairs.of(original, release, ["age"], ["a"], {})
    with pytest.raises(BadPlan, match=r"100 records and 100 rows hang together by their ranges, too many for optimal"):
        pairs.optimal(np.zeros(2), above=None, rng=rng())
