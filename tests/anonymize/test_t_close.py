"""Algorithm S4 of seed 004: its table, a literal transcription, and what is true of t."""

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import lookalike as la
from lookalike import risk
from lookalike.anonymize.grouping.t_bound import Stretches, paper_bound, size_for, t_bound
from lookalike.anonymize.grouping.t_close import TClose, smallest
from lookalike.anonymize.method import Asked, Changed
from lookalike.classes import earth_mover
from lookalike.data import Microdata
from lookalike.errors import BadPlan


def file_of(table: pl.DataFrame) -> Microdata:
    quasi = [name for name in table.columns if name != "pay"]
    return la.read(table, quasi_identifiers=quasi, sensitive=["pay"], kinds={"pay": "numeric"})


def changed(table: pl.DataFrame, method: TClose) -> Changed:
    return method.change(Asked(file=file_of(table), rng=np.random.default_rng(1)))


def measured(table: pl.DataFrame, made: Changed) -> tuple[la.EquivalenceClasses, float]:
    release = la.read(
        table.with_columns(**made.columns),
        quasi_identifiers=list(made.columns),
        sensitive=["pay"],
        kinds={"pay": "numeric"},
    )
    classes = la.EquivalenceClasses.of(release)
    return classes, risk.earth_mover_closeness(la.Spread.of(classes, "pay")).t


def test_bounds_are_those_of_table_s9() -> None:
    assert [round(paper_bound(3_985_166, k), 2) for k in (2, 3, 5, 10)] == [0.25, 0.17, 0.10, 0.05]


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_equations_6_and_7_undo_each_other(k: int) -> None:
    assert size_for(3_985_166, paper_bound(3_985_166, k)) == k
    assert size_for(3_985_166, paper_bound(3_985_166, k) * 0.999) == k + 1


def test_a_table_made_by_hand() -> None:
    # By pay: 10 20 | 30 40 | 50 60, and inside each stretch by age: (1, 2), (4, 3), (6, 5).
    table = pl.DataFrame({"age": [31, 22, 33, 24, 25, 46], "pay": [10, 20, 30, 40, 50, 60]})
    made = changed(table, TClose(k=3))
    assert made.columns["age"].to_list() == ["[31;46]", "[22;25]", "[31;46]", "[22;25]", "[22;25]", "[31;46]"]
    # One group holds 20, 40 and 50, places 2, 4 and 5 of 6: |1/6| + 0 + |1/3 − 1/2| ... as Li et al. count it.
    shares = [earth_mover(np.isin(np.arange(1, 7), group) / 3, [1 / 6] * 6) for group in ((2, 4, 5), (1, 3, 6))]
    assert made.figures["t"] == pytest.approx(max(shares))
    assert made.figures["t of equation 6"] == pytest.approx((6 - 3) / (2 * 5 * 3))


def test_records_that_are_left_over_are_the_highest_and_join_the_first_groups() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7], "pay": [1, 2, 3, 4, 5, 6, 7]})
    made = changed(table, TClose(k=3))  # stretches 1 2 | 3 4 | 5 6 and 7
    assert made.columns["age"].to_list() == ["[1;7]", "[2;6]", "[1;7]", "[2;6]", "[1;7]", "[2;6]", "[1;7]"]
    assert (made.figures["groups"], made.figures["group size"]) == (2, 3)


def literal(rows: list[tuple[int, int]], k: int, t: float) -> list[tuple[int, int]]:
    """Algorithm S4 line by line, for one quasi-identifier and one confidential variable."""
    n, deviation = len(rows), np.std([a for a, _ in rows])
    k = max(k, int(np.ceil(n / (2 * (n - 1) * t + 1) - 1e-9)))
    k += (n % k) // (n // k)
    ordered = sorted(range(n), key=lambda i: rows[i][1])
    size = n // k
    subsets = [ordered[j * size : (j + 1) * size] for j in range(k)] + [ordered[k * size :]]
    for subset in subsets:
        subset.sort(key=lambda i: abs(rows[i][0]) / deviation if deviation else 0)
    found = [(0, 0)] * n
    while any(subsets):
        cluster = [subset.pop(0) for subset in subsets if subset]
        ages = [rows[i][0] for i in cluster]
        for i in cluster:
            found[i] = (min(ages), max(ages))
    return found


ROWS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 12)), min_size=2, max_size=40)


@given(rows=ROWS, k=st.integers(2, 8), t=st.floats(0.01, 1))
@settings(max_examples=60, deadline=None)
def test_it_is_the_algorithm_as_printed(rows: list[tuple[int, int]], k: int, t: float) -> None:
    k = min(k, len(rows))
    made = changed(pl.DataFrame(rows, schema=["age", "pay"], orient="row"), TClose(k=k, t=t))
    wanted = [f"{a}" if a == b else f"[{a};{b}]" for a, b in literal(rows, k, t)]
    assert made.columns["age"].to_list() == wanted


MAYBE = st.lists(st.tuples(st.integers(0, 6), st.one_of(st.none(), st.integers(0, 9))), min_size=2, max_size=40)


@given(rows=MAYBE, k=st.integers(2, 9), spread=st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_class_has_k_and_t_is_never_above_its_bound(
    rows: list[tuple[int, int | None]], k: int, spread: bool
) -> None:
    assume(any(pay is not None for _, pay in rows))
    table = pl.DataFrame(rows, schema={"age": pl.Int64, "pay": pl.Int64}, orient="row")
    k = min(k, table.height)
    made = changed(table, TClose(k=k, remainder="spread" if spread else "last"))
    classes, t = measured(table, made)
    assert classes.sizes.min() >= k
    # Classes may be several groups with the same ranges: t of the release is at most that of the groups.
    assert t <= made.figures["t"] + 1e-9
    assert made.figures["t"] <= made.figures["t bound"] + 1e-9
    assert made.figures["t of ranks"] <= made.figures["t bound of ranks"] + 1e-9


@given(groups=st.integers(1, 9), k=st.integers(2, 6), seed=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_equation_6_holds_without_ties_if_k_divides_the_records(groups: int, k: int, seed: int) -> None:
    n, rng = groups * k, np.random.default_rng(seed)
    table = pl.DataFrame({"age": rng.integers(0, 90, n), "pay": rng.permutation(n)})
    made = changed(table, TClose(k=k))
    assert made.figures["t"] <= paper_bound(n, k) + 1e-9
    assert made.figures["t bound"] == pytest.approx(paper_bound(n, k))
    assert made.caveats == ()


@given(n=st.integers(4, 200), k=st.integers(2, 60), seed=st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_spread_remainders_exceed_equation_6_by_less_than_a_quarter_of_a_step(n: int, k: int, seed: int) -> None:
    k = min(k, n)
    rng = np.random.default_rng(seed)
    table = pl.DataFrame({"age": rng.integers(0, 90, n), "pay": rng.permutation(n)})
    made = changed(table, TClose(k=k, remainder="spread"))
    assert made.figures["t"] <= made.figures["t of equation 6"] + 0.25 / (n - 1)


def test_equation_6_does_not_hold_for_what_is_left_over() -> None:
    """17 records, k = 4: a group of five has two of the highest. The paper's bound is 0.1016."""
    table = pl.DataFrame({"age": [9, 9, 9, 0] * 4 + [0], "pay": list(range(17))})
    made = changed(table, TClose(k=4))
    assert made.figures["t of equation 6"] == 0.1015625
    assert made.figures["t"] == pytest.approx(0.15)
    assert changed(table, TClose(k=4, remainder="spread")).figures["t"] < 0.1102942
    assert made.caveats[0] == (
        "t is 0.15, above 0.1016. Equation 6 counts every record as a value of its own: with ties, or if the group "
        "size does not divide the number of records, t can be larger. With keep_t groups grow until t is kept."
    )


def test_equation_6_does_not_hold_with_ties() -> None:
    """Pay 0, 1, 1, 1, k = 2: one group has half its pay at 0, the file a quarter. The paper's bound is 0.1667."""
    table = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [0, 1, 1, 1]})
    made = changed(table, TClose(k=2))
    assert (made.figures["t"], made.figures["t bound"]) == (0.25, 0.25)
    assert made.figures["t of ranks"] <= made.figures["t of equation 6"] == pytest.approx(1 / 6)


@given(rows=ROWS, k=st.integers(2, 5), t=st.floats(0.02, 0.6))
@settings(max_examples=50, deadline=None)
def test_with_keep_t_the_t_that_is_measured_is_kept(rows: list[tuple[int, int]], k: int, t: float) -> None:
    table = pl.DataFrame(rows, schema=["age", "pay"], orient="row")
    made = changed(table, TClose(k=min(k, len(rows)), t=t, keep_t=True))
    assert made.figures["t"] <= t + 1e-12
    assert measured(table, made)[1] <= t + 1e-9


@given(values=st.lists(st.integers(0, 4), min_size=2, max_size=9), k=st.integers(2, 4), spread=st.booleans())
@settings(max_examples=50, deadline=None)
def test_the_bound_is_the_largest_t_of_all_ways_to_take_records(values: list[int], k: int, spread: bool) -> None:
    n, k = len(values), min(k, len(values))
    ordered = np.unique(np.sort(values), return_inverse=True)[1]
    m = int(ordered[-1]) + 1
    cut = Stretches.of(n, k, spread=spread)
    kinds = [[*part] for part in cut.parts if part.size]
    kinds += [[*cut.parts[0], cut.left]] if len(cut.left) else []
    whole = np.bincount(ordered, minlength=m) / n
    worst = max(
        earth_mover(np.bincount(ordered[list(taken)], minlength=m) / len(taken), whole)
        for kind in kinds
        for taken in product(*kind)
    )
    assert t_bound(ordered, cut) == pytest.approx(worst)


def test_t_is_scipys_distance_between_places() -> None:
    rng = np.random.default_rng(5)
    pay = rng.integers(0, 30, 50)
    table = pl.DataFrame({"age": rng.integers(0, 9, 50), "pay": pay})
    made = changed(table, TClose(k=7))
    places = np.unique(pay, return_inverse=True)[1]
    labels = made.columns["age"].to_numpy()
    found = [wasserstein_distance(places[labels == text], places) / places.max() for text in set(labels)]
    assert max(found) <= made.figures["t"] + 1e-9
    if len(set(labels)) == made.figures["groups"]:
        assert max(found) == pytest.approx(made.figures["t"])


def test_k_comes_from_t_alone() -> None:
    table = pl.DataFrame({"age": list(range(20)), "pay": list(range(20))})
    assert changed(table, TClose(t=0.1)).figures["group size"] == 5  # 20 / (2 · 19 · 0.1 + 1) = 4.2
    assert changed(table, TClose(t=1)).figures["group size"] == 2
    assert changed(table, TClose(k=3, t=0.1)).figures["group size"] == 5
    assert changed(table, TClose(k=10, t=0.1)).figures["group size"] == 10


def test_k_grows_so_that_fewer_records_are_left_than_groups() -> None:
    # n = 11, k = 4: two groups, 3 left; 4 + ⌊3/2⌋ = 5 leaves one.
    assert changed(pl.DataFrame({"age": range(11), "pay": range(11)}), TClose(k=4)).figures["group size"] == 5
    assert changed(pl.DataFrame({"age": range(5), "pay": range(5)}), TClose(k=4)).figures["groups"] == 1


def test_missing_pay_is_shared_out() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [None, 1, None, 2]})
    made = changed(table, TClose(k=2))
    assert made.columns["age"].to_list() == ["[1;2]", "[1;2]", "[3;4]", "[3;4]"]
    empty = changed(table.with_columns(pay=pl.lit(None, pl.Int64)), TClose(k=2))
    assert (empty.figures["t"], empty.figures["t bound"]) == (0, 0)


def test_a_variable_without_order_is_told_with_its_total_variation() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["a", "b", "c", "d"], "pay": [1, 2, 3, 4]})
    file = la.read(table, quasi_identifiers=["age"], sensitive=["ill", "pay"])
    made = TClose(k=2, confidential="ill").change(Asked(file=file, rng=np.random.default_rng(1)))
    assert made.caveats == (
        "t was looked at for 'ill' alone; pay may still tell something about a group.",
        "'ill' has no order of its own: t is that of the order of its texts. The total variation is 0.5.",
    )


def test_sizes_are_found_by_doubling_and_halving() -> None:
    assert [smallest(2, 50, lambda k, least=least: k >= least) for least in (1, 2, 3, 17, 50, 99)] == [
        2,
        2,
        3,
        17,
        50,
        50,
    ]


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (TClose(k=2, t=0), ("t must lie in (0, 1], not 0. Only the whole file as one group has a t of 0.",)),
        (TClose(k=9), ("k = 9 is more than the 4 records of the file. Choose a smaller k.",)),
        (TClose(), ("Neither k nor t is given. Give one of them, or both.",)),
        (
            TClose(k=1, t=2),
            (
                "k must be at least 2, not 1.",
                "t must lie in (0, 1], not 2. Only the whole file as one group has a t of 0.",
            ),
        ),
        (TClose(k=2, confidential="age"), ("Column 'age' cannot be both confidential and changed. Choose one.",)),
        (
            TClose(k=2, confidential="pays"),
            ("Column 'pays' is not in the data. Did you mean 'pay'? Columns: age, pay.",),
        ),
        (TClose(k=2, remainder="first"), ("The remainder must be 'last' or 'spread'.",)),  # type: ignore[arg-type]
    ],
)
def test_it_refuses(method: TClose, told: tuple[str, ...]) -> None:
    with pytest.raises(BadPlan) as caught:
        changed(pl.DataFrame({"age": [1, 2, 3, 4], "pay": [1, 2, 3, 4]}), method)
    assert caught.value.faults == told


@pytest.mark.parametrize(
    ("sensitive", "told"),
    [
        ([], "The file has no sensitive variable: name the confidential one (confidential)."),
        (["pay", "ill"], "The file has 2 sensitive variables: name the confidential one (confidential)."),
    ],
)
def test_it_refuses_to_guess_the_confidential_variable(sensitive: list[str], told: str) -> None:
    table: Any = pl.DataFrame({"age": [1, 2], "pay": [1, 2], "ill": ["x", "y"]})
    file = la.read(table, quasi_identifiers=["age"], sensitive=sensitive)
    with pytest.raises(BadPlan) as caught:
        TClose(k=2).change(Asked(file=file, rng=np.random.default_rng(1)))
    assert str(caught.value) == told
