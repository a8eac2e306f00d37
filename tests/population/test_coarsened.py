"""B of coarser versions of a file from one fit: the sums by brute force, the truth where it is known."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, nbinom

from lookalike.classes import encode
from lookalike.errors import BadPlan
from lookalike.models import LatentClasses, LatentDraw
from lookalike.population import Margin, Posterior, Sample
from lookalike.population import _coarsened as kernel
from lookalike.population.class_trust import pairs, trust_odds
from lookalike.population.coarsened import CoarsenedRisk
from lookalike.population.kept_draws import KeptDraws, thinned
from lookalike.population.margins import Raking
from lookalike.population.recoded import Recoded, grouped, keys
from lookalike.population.tilted import tilted
from lookalike.population.trust import Trust

LEVELS = (4, 3, 5)
QUICK = LatentClasses(classes=15, sweeps=120, burn_in=60)


def draw(seed: int, levels: Sequence[int] = LEVELS, classes: int = 4) -> LatentDraw:
    """A law nobody fitted."""
    rng = np.random.default_rng(seed)
    theta = np.concatenate([rng.dirichlet(np.ones(n), classes).T for n in levels])
    shares = rng.dirichlet(np.ones(classes))
    return LatentDraw(shares, theta, np.cumsum([0, *levels]), np.empty(0), 1.0, classes)


def population(people: int = 20_000, seed: int = 1) -> np.ndarray:
    """People in two latent classes, with four variables."""
    rng = np.random.default_rng(seed)
    old = rng.random(people) < 0.4
    age = np.where(old, rng.integers(30, 60, people), rng.integers(0, 40, people))
    area = rng.choice(50, people, p=np.arange(1, 51) / np.arange(1, 51).sum())
    return np.column_stack([age, area, rng.integers(0, 2, people), np.where(old, rng.integers(0, 5, people), 0)])


def fitted(people: np.ndarray, n: int, **choices: object) -> tuple[CoarsenedRisk, np.ndarray]:
    """One fit to a sample of some people, and their rows."""
    rows = np.random.default_rng(2).choice(len(people), n, replace=False)
    classes, sizes = np.unique(people[rows], axis=0, return_counts=True)
    made = CoarsenedRisk.of_codes(
        classes, sizes, len(people), rng=np.random.default_rng(3), **({"model": QUICK} | choices)
    )
    return made, rows


def truth(people: np.ndarray, rows: np.ndarray, maps: Sequence[np.ndarray]) -> float:
    coarse = np.column_stack([m[people[:, j]] for j, m in enumerate(maps)])
    _, labels, sizes = np.unique(coarse, axis=0, return_inverse=True, return_counts=True)
    return float((1 / sizes[labels[rows]]).mean())


MAPS = st.tuples(*(st.lists(st.integers(0, n - 1), min_size=n, max_size=n) for n in LEVELS))


@given(MAPS, st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_a_class_has_the_sum_of_the_probabilities_of_the_fine_classes_in_it(
    maps: tuple[list[int], ...], seed: int
) -> None:
    coarse = [np.unique(m, return_inverse=True)[1] for m in maps]
    draws = [draw(seed), draw(seed + 100)]
    fine = np.array(list(product(*(range(n) for n in LEVELS))))
    _, labels = grouped(np.column_stack([m[fine[:, j]] for j, m in enumerate(coarse)]))
    version = Recoded.of(fine, np.ones(len(fine), int), coarse)
    found = KeptDraws(draws, [np.arange(n) for n in LEVELS]).of_classes(version.codes, version.maps, version.levels)
    wanted = [np.bincount(labels, weights=d.class_probabilities(fine)) for d in draws]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_dropped_variable_leaves_its_factor_out() -> None:
    kept, maps = KeptDraws([draw(1)], [np.arange(n) for n in LEVELS]), [np.arange(n) for n in LEVELS]
    dropped = kept.of_classes(np.array([[1, 0, 2]]), [maps[0], np.zeros(3, int), maps[2]], [None] * 3)
    all_of_two = kept.of_classes(np.array([[1, v, 2] for v in range(3)]), maps, [None] * 3)
    assert dropped[0, 0] == pytest.approx(all_of_two.sum(), rel=1e-12)
    assert kept.of_classes(np.zeros((2, 3), int), [np.zeros(n, int) for n in LEVELS], [None] * 3).tolist() == [[1, 1]]


def test_a_level_is_merged_once_and_the_same_each_time() -> None:
    kept = KeptDraws([draw(1)], [np.arange(n) for n in LEVELS])
    halves = np.array([0, 0, 1, 1])
    assert kept.merged(0, halves, "halves") is kept.merged(0, halves, "halves")
    assert kept.merged(0, halves, None) is not kept.merged(0, halves, None)
    np.testing.assert_array_equal(kept.merged(0, halves, "halves"), kept.merged(0, halves, None))


@pytest.mark.parametrize("f", [1, 2, 7, 40, 65, 300])
@pytest.mark.parametrize("z", [1e-6, 0.3, 4.0, 2000.0])
@pytest.mark.parametrize("c", [1e-3, 0.4, 1.0, 30.0])
def test_the_mean_of_one_by_f_plus_a_negative_binomial(f: int, z: float, c: float) -> None:
    a = f + z
    x = np.arange(int(nbinom.ppf(1 - 1e-12, a, 1 / (1 + c))) + 5)
    wanted = float((nbinom.pmf(x, a, 1 / (1 + c)) / (f + x)).sum())
    assert kernel.mixed_inverse(float(f), a, c) == pytest.approx(wanted, rel=1e-4)


def test_the_plain_answer_is_the_mean_of_one_by_f_plus_a_binomial() -> None:
    codes, sizes = np.array([[0, 0, 0], [1, 2, 3], [3, 1, 4]]), np.array([1, 2, 4])
    kept = KeptDraws([draw(5)], [np.arange(n) for n in LEVELS])
    risk = CoarsenedRisk(kept, codes, sizes, 60)
    x = np.arange(54)
    expected = [
        (binom.pmf(x, 53, p) / (f + x)).sum() for f, p in zip(sizes, draw(5).class_probabilities(codes), strict=True)
    ]
    assert risk.answers(risk.as_it_is()).plain == pytest.approx(float(sizes @ np.array(expected)) / 7, rel=1e-5)


def test_trust_is_learned_as_by_the_estimator_itself() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(300, 0.3))
    sizes = rng.multinomial(2000, rng.dirichlet(np.full(300, 0.3))).astype(float)
    seen = sizes > 0
    whole = Trust(sizes[seen], rng=rng)
    whole.learn(p[seen])
    np.testing.assert_allclose(trust_odds(sizes[seen], [p[seen]], 2000), whole._odds)
    assert len(pairs(whole._odds, 7)) == 7


def test_trusted_answers_of_merged_classes_are_those_of_the_sum_if_records_repeat_alone() -> None:
    # Shares Gamma(θ p + f) / (θ + n) of two classes add up to the share of both: no version can be trusted by luck.
    codes, sizes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 2]]), np.array([1, 2, 4])
    risk = CoarsenedRisk(KeptDraws([draw(5)], [np.arange(n) for n in LEVELS]), codes, sizes, 10_000)
    risk.__dict__["_pairs"] = [(1e12, 300.0)]
    halves = [np.arange(4) // 2, np.arange(3), np.arange(5)]
    assert risk.rate(risk.version(halves)) < risk.rate(risk.as_it_is())


def test_b_of_coarser_versions_is_near_the_truth_and_near_a_fit_of_each() -> None:
    people = population()
    risk, rows = fitted(people, 2000)
    same = [np.arange(60), np.arange(50), np.arange(2), np.arange(5)]
    nodes = [
        same,
        [np.arange(60) // 5, *same[1:]],
        [np.arange(60) // 10, np.arange(50) // 10, *same[2:]],
        [np.zeros(60, int), *same[1:]],
    ]
    for maps in nodes:
        version = risk.version(maps)
        found = risk.rate(version)
        assert found == pytest.approx(truth(people, rows, maps), rel=0.08, abs=0.001)
        again = Posterior(model=QUICK, checks=0).estimate(
            Sample.from_codes(version.codes, version.sizes), 20_000, rng=np.random.default_rng(4)
        )
        assert found == pytest.approx(again.match_rate.value, rel=0.12, abs=0.001)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_merging_levels_never_raises_the_plain_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes, sizes = np.unique(rng.integers(0, LEVELS, (30, 3)), axis=0, return_counts=True)
    risk = CoarsenedRisk(KeptDraws([draw(seed)], [np.arange(n) for n in LEVELS]), codes, sizes, 500)
    halves = [np.arange(n) // 2 for n in LEVELS]
    assert risk.answers(risk.version(halves)).plain <= risk.answers(risk.as_it_is()).plain * (1 + 1e-4)


def test_same_seed_same_rates_and_names_of_levels_change_nothing() -> None:
    people = population(4000)
    (one, _), (two, _) = fitted(people, 800), fitted(people, 800)
    maps = [np.arange(60) // 10, np.arange(50), np.arange(2), np.arange(5)]
    named = two.version(maps, (1, 0, 0, 0))
    assert one.rate(one.version(maps)) == two.rate(named) == two.rate(named)


def test_codes_may_have_gaps_and_the_order_of_classes_does_not_matter() -> None:
    people = population(4000)
    risk, _ = fitted(people, 800)
    spread, _ = fitted(people * 3, 800)
    tens = [np.arange(60) // 10, np.arange(50), np.arange(2), np.arange(5)]
    wide = [np.repeat(m, 3) for m in tens]
    turned = replace(
        spread.version(wide), codes=spread.version(wide).codes[::-1], sizes=spread.version(wide).sizes[::-1]
    )
    assert risk.rate(risk.version(tens)) == pytest.approx(spread.rate(turned), rel=1e-9)


def test_classes_left_out_are_left_out_of_the_mean() -> None:
    risk, _ = fitted(population(), 2000)
    whole = risk.as_it_is()
    small = whole.sizes < 3
    parts = [replace(whole, codes=whole.codes[m], sizes=whole.sizes[m]) for m in (small, ~small)]
    together = sum(risk.rate(part) * part.sizes.sum() for part in parts) / 2000
    assert together == pytest.approx(risk.rate(whole), rel=1e-9)
    assert risk.rate(replace(whole, codes=whole.codes[:0], sizes=whole.sizes[:0])) == 0.0


def test_if_the_file_is_the_population_b_is_classes_by_records() -> None:
    classes, sizes = np.array([[0, 0], [0, 1], [1, 1]]), np.array([3, 1, 2])
    risk = CoarsenedRisk.of_codes(classes, sizes, 6, rng=np.random.default_rng(1), model=QUICK)
    assert risk.rate(risk.as_it_is()) == pytest.approx(3 / 6)
    assert risk.rate(risk.version([np.zeros(2, int), np.arange(2)])) == pytest.approx(2 / 6)
    assert risk.rate(risk.version([np.zeros(2, int), np.zeros(2, int)])) == pytest.approx(1 / 6)


def test_one_record_is_at_its_upper_limit() -> None:
    risk = CoarsenedRisk.of_codes(np.array([[0, 0]]), np.array([1]), 100, rng=np.random.default_rng(1), model=QUICK)
    assert risk.rate(risk.as_it_is()) == 1.0


def test_a_constant_variable_and_one_without_any_value_change_nothing() -> None:
    people = population(4000)
    wider = np.column_stack([people, np.zeros(4000, int)])
    (risk, _), (more, _) = fitted(people, 800), fitted(wider, 800)
    assert more.rate(more.as_it_is()) == pytest.approx(risk.rate(risk.as_it_is()), rel=0.05)


def test_a_variable_of_values_seen_once_gives_the_upper_limit_until_it_is_coarser() -> None:
    rng = np.random.default_rng(1)
    people = np.column_stack([np.arange(5000), rng.integers(0, 4, 5000)])
    risk, rows = fitted(people, 500)
    same = [np.arange(5000), np.arange(4)]
    assert risk.rate(risk.version(same)) == 1.0
    thousands = [np.arange(5000) // 1000, np.arange(4)]
    assert risk.rate(risk.version(thousands)) == pytest.approx(truth(people, rows, thousands), rel=0.05)


def margin(people: np.ndarray, codes: np.ndarray, *variables: int) -> Margin:
    """The people by some variables, whose values a file of these classes has."""
    cells, labels = np.unique(codes[:, variables], axis=0, return_inverse=True)
    counts = np.array([(people[:, variables] == cell).all(axis=1).sum() for cell in cells])
    return Margin(
        "m", variables, cells.astype(np.int32), counts.astype(float), float(len(people) - counts.sum()), labels
    )


def test_known_margins_move_the_draws_as_they_move_the_estimator() -> None:
    people = population(6000)
    rows = np.random.default_rng(2).choice(6000, 600, replace=False)
    classes, sizes = np.unique(people[rows], axis=0, return_counts=True)
    sample = Sample.from_codes(classes, sizes)
    seen = [np.unique(classes[:, j]) for j in range(4)]
    inside = np.column_stack([np.searchsorted(seen[j], classes[:, j]) for j in range(4)])
    ranks = np.column_stack([np.searchsorted(seen[j], people[:, j]) for j in range(4)])
    lacking = np.column_stack([~np.isin(people[:, j], seen[j]) for j in range(4)])
    ranks[lacking] = 10_000
    sample = replace(sample, margins=(margin(ranks, inside, 0), margin(ranks, inside, 3)))
    for one in QUICK.draws(sample.table, rng=np.random.default_rng(1)):
        moved = tilted(one, sample, 6000)
        wanted = Raking(sample.margins, sample.sizes, 6000)(one)
        np.testing.assert_allclose(moved.class_probabilities(sample.table.codes), wanted, rtol=1e-4)
        break
    risk = CoarsenedRisk.fit(sample, 6000, rng=np.random.default_rng(1), model=QUICK)
    assert risk.known == {0, 3}
    assert 0 < risk.rate(risk.as_it_is()) < 1


def test_a_margin_by_two_variables_is_refused() -> None:
    people = population(2000)
    classes, sizes = np.unique(people[:300], axis=0, return_counts=True)
    sample = Sample.from_codes(classes, sizes)
    joint = margin(people, sample.table.codes, 2, 3)
    with pytest.raises(BadPlan, match="Margin 'm' counts people by 2 variables together: one fit for all versions"):
        CoarsenedRisk.fit(replace(sample, margins=(joint,)), 2000, rng=np.random.default_rng(1), model=QUICK)


def test_survey_weights_enter_the_fit() -> None:
    classes, sizes = np.unique(population(3000)[:600], axis=0, return_counts=True)
    weights = sizes * np.where(classes[:, 3] > 0, 5.0, 1.0)
    rates = []
    for w in (None, weights):
        risk = CoarsenedRisk.fit(Sample.from_codes(classes, sizes, w), 9000, rng=np.random.default_rng(1), model=QUICK)
        rates.append(risk.rate(risk.as_it_is()))
    assert rates[0] != rates[1]


def test_draws_are_thinned_evenly_to_the_number_asked_for() -> None:
    draws = [draw(i) for i in range(50)]
    assert len(thinned(iter(draws), 20)) == 20
    assert thinned(iter(draws), 20)[0] is draws[0]
    assert len(thinned(iter(draws[:3]), 20)) == 3


def test_keys_stay_exact_where_levels_are_too_many_for_one_number() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2**20, (500, 6))
    codes[250:] = codes[:250]
    assert len(np.unique(keys(codes))) == len(np.unique(codes, axis=0))
    assert (np.argsort(keys(codes), kind="stable") == np.lexsort(codes.T[::-1])).all()


@pytest.mark.shared
def test_adult_by_one_fit(shared: Path) -> None:
    names = ["age", "education", "marital_status", "occupation", "race", "sex"]
    data = pl.read_csv(shared / "data" / "adult.csv", infer_schema_length=None)
    people = np.column_stack([np.unique(encode(data[c]), return_inverse=True)[1] for c in names])
    tens = [np.arange(people[:, 0].max() + 1) // 10, *(np.arange(people[:, j].max() + 1) for j in range(1, 6))]
    model = LatentClasses(classes=40, sweeps=120, burn_in=60)
    risk, rows = fitted(people, 4884, model=model, groups=[[tens[0]], [], [], [], [], []])
    versions = [[np.arange(people[:, 0].max() + 1), *tens[1:]], tens, [*tens[:3], tens[3] // 3, *tens[4:]]]
    for maps in versions:
        assert risk.rate(risk.version(maps)) == pytest.approx(truth(people, rows, maps), rel=0.05)
