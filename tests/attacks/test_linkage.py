"""Record linkage: weights recovered from a known law, links against all assignments, tables that add up."""

from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.files import Files
from lookalike.attacks.linkage import Linkage, Links, Weights
from lookalike.attacks.linkage_em import Agreement, counted, learn, patterns
from lookalike.attacks.linkage_pairs import Pairs
from lookalike.attacks.ranges import Radius
from lookalike.errors import BadPlan, NotAssessable


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def noisy(original: pl.DataFrame, kept: float, columns: list[str], seed: int) -> pl.DataFrame:
    """The same rows, each cell of some columns kept with a chance, else drawn from its column."""
    draw = np.random.default_rng(seed)
    changed = []
    for name in columns:
        values = original[name].to_numpy()
        changed.append(
            pl.Series(name, np.where(draw.random(len(values)) < kept, values, draw.choice(values, len(values))))
        )
    return original.with_columns(changed)


def simulated(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    sizes = {"block": 5, "a": 8, "b": 8, "c": 8, "d": 8}
    return pl.DataFrame({name: draw.integers(0, size, n) for name, size in sizes.items()})


@pytest.mark.parametrize("free", [False, True])
def test_weights_of_a_known_law_are_recovered(free: bool) -> None:
    m, u, share = np.array([0.95, 0.9, 0.8, 0.7]), np.array([0.3, 0.1, 0.2, 0.05]), 0.05
    agrees = patterns(4)
    law = [np.prod(np.where(agrees == 1, p, 1 - p), axis=1) for p in (m, u)]
    counts = np.random.default_rng(3).multinomial(2_000_000, share * law[0] + (1 - share) * law[1])
    found = learn(counts, None if free else share, free=free)
    assert found.m == pytest.approx(m, abs=0.01)
    assert found.u == pytest.approx(u, abs=0.002)
    assert found.matches == pytest.approx(share, abs=0.002)
    truth = Agreement(m=m, u=u, matches=share, rounds=0)
    assert found.weights() == pytest.approx(truth.weights(), abs=0.15)
    exact = law[0] * share / (law[0] * share + law[1] * (1 - share))
    assert truth.chances() == pytest.approx(exact)


def test_each_round_raises_the_likelihood() -> None:
    counts = np.random.default_rng(5).integers(1, 1000, 16)
    agrees, seen = patterns(4), counts / counts.sum()

    def likelihood(found: Agreement) -> float:
        law = [np.prod(np.where(agrees == 1, p, 1 - p), axis=1) for p in (found.m, found.u)]
        return float(seen @ np.log(found.matches * law[0] + (1 - found.matches) * law[1]))

    from lookalike.attacks import linkage_em

    values = []
    for rounds in (1, 2, 5, 20, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(linkage_em, "ROUNDS", rounds)
            values.append(likelihood(learn(counts, 0.3, free=True)))
    assert all(b >= a - 1e-12 for a, b in pairwise(values))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=8, max_size=8).filter(any), st.floats(0.001, 0.9), st.booleans())
def test_agreement_never_speaks_against_a_pair(counts: list[int], share: float, free: bool) -> None:
    found = learn(np.array(counts), share, free=free)
    assert (found.m >= found.u - 1e-9).all()
    weight = found.weights()
    for pattern_ in range(8):
        for field in range(3):
            assert weight[pattern_ | 1 << field] >= weight[pattern_] - 1e-6


def test_without_pairs_there_are_no_weights() -> None:
    with pytest.raises(NotAssessable, match="there are no pairs to compare"):
        learn(np.zeros(4, np.int64))
    with pytest.raises(NotAssessable, match="there are no pairs to compare"):
        counted(np.zeros(4, np.int64), np.array([0.5, 0.5]), 0.1)


def total(pairs: Pairs, links: np.ndarray, weight: np.ndarray) -> float:
    return sum(weight[pattern(pairs, i, j)] for i, j in enumerate(links) if j >= 0)


def pattern(pairs: Pairs, i: int, j: int) -> int:
    agrees = (pairs.row_low[j] <= pairs.high[i]) & (pairs.row_high[j] >= pairs.low[i])
    return int(agrees @ (1 << np.arange(pairs.fields)))


small = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(small, st.data())
def test_links_are_one_to_one_and_optimal_links_are_the_best_of_all(rows: list[tuple], data) -> None:
    others = data.draw(st.lists(st.tuples(st.just(0), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5))
    original = pl.DataFrame([(0, a, b) for _, a, b in rows], schema=["g", "a", "b"], orient="row")
    release = pl.DataFrame(others, schema=["g", "a", "b"], orient="row")
    pairs = Pairs.of(original, release, ["g"], ["a", "b"], {})
    weight = np.array([-1.0, 0.5, 1.0, 2.0])
    n, k = len(rows), len(others)
    chosen = permutations(range(max(n, k)), min(n, k))
    pairings = ([(i, j) if n <= k else (j, i) for i, j in enumerate(order)] for order in chosen)
    best = max(sum(weight[pattern(pairs, i, j)] for i, j in pairing) for pairing in pairings)
    for link in (pairs.greedy, pairs.optimal):
        links = link(weight, above=None, rng=rng())
        used = links[links >= 0]
        assert len(used) == len(set(used.tolist())) == min(n, k)
        assert total(pairs, links, weight) <= best + 1e-12
    assert total(pairs, pairs.optimal(weight, above=None, rng=rng()), weight) == pytest.approx(best)
    assert (
        pairs.patterns() == np.bincount([pattern(pairs, i, j) for i in range(n) for j in range(k)], minlength=4)
    ).all()


@settings(max_examples=40, deadline=None)
@given(small)
def test_greedy_takes_the_best_pair_first(rows: list[tuple]) -> None:
    original = pl.DataFrame(rows, schema=["g", "a", "b"], orient="row")
    pairs = Pairs.of(original, original, ["g"], ["a", "b"], {})
    weight = np.array([0.0, 1.0, 2.0, 3.0])
    links = pairs.greedy(weight, above=None, rng=rng())
    # No pair that is left could be linked at a higher weight than both of its members have now.
    own = np.array([weight[pattern(pairs, i, j)] if j >= 0 else -1 for i, j in enumerate(links)])
    by_row = dict(zip(links.tolist(), own.tolist(), strict=True))
    for i, j in ((i, j) for i in range(len(rows)) for j in range(len(rows)) if rows[i][0] == rows[j][0]):
        assert weight[pattern(pairs, i, j)] <= max(own[i], by_row.get(j, -1.0))


def test_pairs_at_or_below_the_limit_are_left() -> None:
    original = pl.DataFrame({"g": [0, 0], "a": [1, 2]})
    release = pl.DataFrame({"g": [0, 0], "a": [1, 3]})
    for how in Links:
        found = Linkage(known=("g",), weights=Weights.AGREEMENTS, links=how, above=0).attack(
            Files(original=original, releases=(release,), linked=True), rng=rng()
        )
        assert found.table.rows == ((2, 0), (1, 1))


@pytest.mark.parametrize("weights", list(Weights))
@pytest.mark.parametrize("links", list(Links))
def test_the_table_adds_up_and_a_careful_copy_is_found(weights: Weights, links: Links) -> None:
    original = simulated(400, 1)
    release = noisy(original, 0.9, ["a", "b", "c", "d"], 2)
    files = Files(original=original, releases=(release,), linked=True)
    found = Linkage(known=("block",), weights=weights, links=links).attack(files, rng=rng())
    (false_left, false_linked), (true_left, true_linked) = found.table.rows
    sizes = original["block"].value_counts()["count"]
    assert false_left + false_linked + true_left + true_linked == int((sizes**2).sum())
    assert true_left + true_linked == false_linked + true_linked == 400
    assert found.outcome.baseline.value == pytest.approx(5 / 400)  # Σ 1/f over records = blocks
    assert found.outcome.main.value > 0.75
    assert found.outcome.reading.value == "informative"
    assert found.original.true_linked > 380


def test_a_release_drawn_at_random_inside_the_blocks_is_linked_by_chance() -> None:
    original = simulated(500, 1)
    rates = []
    for seed in range(20):
        release = noisy(original, 0.0, ["a", "b", "c", "d"], seed)
        files = Files(original=original, releases=(release,), linked=True)
        rates.append(Linkage(known=("block",)).attack(files, rng=np.random.default_rng(seed)).outcome)
    assert np.mean([o.main.value for o in rates]) == pytest.approx(5 / 500, abs=0.004)
    assert sum(o.reading.value == "informative" for o in rates) <= 1


def test_ties_are_not_resolved_by_the_order_of_rows() -> None:
    original = pl.DataFrame({"g": [0] * 200, "a": [1] * 200})
    files = Files(original=original, releases=(original,), linked=True)
    for how in Links:
        found = [Linkage(known=("g",), links=how).attack(files, rng=np.random.default_rng(s)) for s in range(20)]
        assert np.mean([f.table.true_linked for f in found]) < 4  # chance: one of 200


def test_the_same_seed_gives_the_same_links() -> None:
    original = simulated(300, 3)
    files = Files(original=original, releases=(noisy(original, 0.5, ["a", "b"], 4),), linked=True)
    one, other = (Linkage(known=("block",)).attack(files, rng=np.random.default_rng(9)).table for _ in range(2))
    assert one == other


def test_numbers_agree_within_a_radius_and_missing_with_missing() -> None:
    original = pl.DataFrame({"g": [0, 0, 0], "x": [1.0, 50.0, None]})
    release = pl.DataFrame({"g": [0, 0, 0], "x": [1.4, 49.8, None]})
    files = Files(original=original, releases=(release,), linked=True)
    found = Linkage(known=("g",), within={"x": Radius(value=0.5)}).attack(files, rng=rng())
    assert found.table.rows == ((6, 0), (0, 3))
    assert found.twins.main.value == 1


def test_several_releases_are_averaged_and_the_control_has_twins_alone() -> None:
    both = simulated(600, 5)
    original, control = both.head(400), both.tail(200)
    releases = tuple(noisy(original, kept, ["a", "b", "c", "d"], 6) for kept in (1.0, 0.0))
    files = Files(original=original, releases=releases, control=control, linked=True)
    found = Linkage(known=("block",)).attack(files, rng=rng())
    assert len(found.releases) == 2
    assert found.table.true_linked == pytest.approx(np.mean([t.true_linked for t in found.releases]))
    assert found.twins.main.value > found.twins.control.value
    assert found.outcome.caveats == ("Records of the control have no row of their own in the release; see the twins.",)


def test_what_cannot_be_linked_is_refused() -> None:
    file = pl.DataFrame({"g": [0, 1], "a": [1, 2]})
    files = Files(original=file, releases=(file,), linked=True)
    with pytest.raises(BadPlan, match="There is no column left to compare"):
        Linkage(known=("g", "a")).attack(files, rng=rng())
    wide = pl.DataFrame({"g": [0]} | {f"c{i}": [1] for i in range(17)})
    with pytest.raises(BadPlan, match="17 columns are compared; choose at most 16"):
        Linkage(known=("g",)).attack(Files(original=wide, releases=(wide,), linked=True), rng=rng())
    apart = Files(original=file, releases=(file.with_columns(g=pl.lit(9)),), linked=True)
    with pytest.raises(NotAssessable, match="No record shares its known values"):
        Linkage(known=("g",)).attack(apart, rng=rng())
    large = pl.DataFrame({"g": [0] * 10_001, "a": [1] * 10_001})
    with pytest.raises(
        BadPlan, match=r"One block has 100,020,001 pairs, more than 100,000,000\. Let more columns be known"
    ):
        Linkage(known=("g",)).attack(Files(original=large, releases=(large,), linked=True), rng=rng())


def test_tables_of_the_partial_synthesis(shared) -> None:
    """Blocks of sex, race and education: 1.96 to 2.03 million pairs; every record's own row is in its block."""
    original, release = (pl.read_csv(shared / "reference" / f"npb_eight_{n}.csv") for n in ("orig", "syn1"))
    files = Files(original=original, releases=(release,), linked=True)
    found = Linkage(known=("sex", "race", "education"), weights=Weights.AGREEMENTS).attack(files, rng=rng())
    assert sum(map(sum, found.table.rows)) == int(
        (original.group_by("sex", "race", "education").len()["len"] ** 2).sum()
    )
    assert found.table.true_linked + found.table.true_left == 5000
    assert found.outcome.baseline.successes == pytest.approx(original.n_unique(["sex", "race", "education"]))
    assert 150 < found.table.true_linked < 350 < 2500 < found.original.true_linked
