"""The posterior estimator on populations whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from lookalike.models import LatentClasses
from lookalike.population import Margin, Posterior, Sample, backtest, profile
from lookalike.population.interval import Spread, interval
from lookalike.population.margins import Raking
from lookalike.population.sample import part_of
from lookalike.population.trust import Trust

QUICK = Posterior(model=LatentClasses(classes=15, sweeps=90, burn_in=40))


def population(people: int = 20_000, seed: int = 1) -> np.ndarray:
    """People in two latent classes, with four variables."""
    rng = np.random.default_rng(seed)
    old = rng.random(people) < 0.4
    age = np.where(old, rng.integers(30, 60, people), rng.integers(0, 40, people))
    area = rng.choice(50, people, p=np.arange(1, 51) / np.arange(1, 51).sum())
    return np.column_stack([age, area, rng.integers(0, 2, people), np.where(old, rng.integers(0, 5, people), 0)])


def sampled(codes: np.ndarray, n: int, seed: int = 2) -> tuple[Sample, float]:
    """A sample of a population and its B."""
    rng = np.random.default_rng(seed)
    _, labels, people = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    rows = rng.choice(len(codes), n, replace=False)
    truth = float((1 / people[labels[rows]]).mean())
    kept, sizes = np.unique(codes[rows], axis=0, return_counts=True)
    return Sample.from_codes(kept, sizes), truth


@pytest.mark.parametrize("n", [400, 2000, 12_000])
def test_b_is_near_the_truth_at_low_and_high_fractions(n: int) -> None:
    sample, truth = sampled(population(), n)
    found = QUICK.estimate(sample, 20_000, rng=np.random.default_rng(3)).match_rate
    assert found.value == pytest.approx(truth, abs=0.03 if n < 1000 else 0.015)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high


def test_b_is_the_mean_of_the_risk_of_records() -> None:
    sample, _ = sampled(population(), 1000)
    found = QUICK.estimate(sample, 20_000, rng=np.random.default_rng(3))
    assert found.risk is not None
    assert sample.mean(found.risk) == pytest.approx(found.match_rate.value)
    assert (found.risk <= 1 / sample.sizes + 1e-12).all()
    assert found.population_uniques is not None
    assert 0 < found.population_uniques < (sample.sizes == 1).sum()


def test_a_larger_population_lowers_b_and_the_sensitivity_says_so() -> None:
    sample, _ = sampled(population(), 1000)
    found = QUICK.estimate(sample, 20_000, rng=np.random.default_rng(3))
    assert found.sensitivity is not None
    values = list(found.sensitivity.values())
    assert values == sorted(values, reverse=True)
    again = QUICK.estimate(sample, 26_000, rng=np.random.default_rng(3)).match_rate.value
    assert found.sensitivity[1.3] == pytest.approx(again, rel=0.03)


def test_a_wrong_n_below_the_sample_is_not_told() -> None:
    sample, _ = sampled(population(2000), 1700)
    found = QUICK.estimate(sample, 2000, rng=np.random.default_rng(3))
    assert found.sensitivity is not None
    assert list(found.sensitivity) == [0.9, 1.1, 1.2, 1.3]


def test_weights_repair_a_sample_that_favours_some() -> None:
    codes = population()
    rng = np.random.default_rng(4)
    chance = np.where(codes[:, 3] > 0, 0.02, 0.1)
    rows = np.flatnonzero(rng.random(len(codes)) < chance)
    _, labels, people = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    truth = float((1 / people[labels[rows]]).mean())
    kept, inverse, sizes = np.unique(codes[rows], axis=0, return_inverse=True, return_counts=True)
    weights = np.bincount(inverse, weights=1 / chance[rows])
    plain, weighted = Sample.from_codes(kept, sizes), Sample.from_codes(kept, sizes, weights)
    errors = [
        abs(QUICK.estimate(s, 20_000, rng=np.random.default_rng(5)).match_rate.value - truth) for s in (plain, weighted)
    ]
    assert errors[1] < errors[0]


def margin_of(codes: np.ndarray, sample_codes: np.ndarray, columns: list[int]) -> Margin:
    """The people of a population by some variables, in the codes of a sample (made dense as `Counts` does)."""
    books = [np.unique(sample_codes[:, j]) for j in columns]
    dense = np.column_stack([np.searchsorted(b, codes[:, j]) for b, j in zip(books, columns, strict=True)])
    known = np.all([np.isin(codes[:, j], b) for b, j in zip(books, columns, strict=True)], axis=0)
    cells, people = np.unique(dense[known], axis=0, return_counts=True)
    mine = np.column_stack([np.searchsorted(b, sample_codes[:, j]) for b, j in zip(books, columns, strict=True)])
    at = [int(np.flatnonzero((cells == row).all(axis=1))[0]) for row in mine]
    return Margin(
        name="margin",
        variables=tuple(columns),
        cells=cells.astype(np.int32),
        people=people.astype(float),
        elsewhere=float((~known).sum()),
        of_class=np.array(at),
    )


def test_known_margins_repair_a_biased_sample() -> None:
    codes = population()
    rng = np.random.default_rng(6)
    rows = np.flatnonzero(rng.random(len(codes)) < np.where(codes[:, 1] < 25, 0.2, 0.02))
    _, labels, people = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    truth = float((1 / people[labels[rows]]).mean())
    kept, sizes = np.unique(codes[rows], axis=0, return_counts=True)
    sample = Sample.from_codes(kept, sizes)
    known = replace(sample, margins=(margin_of(codes, kept, [1]),))
    errors = [
        abs(QUICK.estimate(s, len(codes), rng=np.random.default_rng(7)).match_rate.value - truth)
        for s in (sample, known)
    ]
    assert errors[1] < 0.5 * errors[0]


def test_raking_gives_the_known_margins_outside_the_sample() -> None:
    codes = population()
    rows = np.random.default_rng(8).choice(len(codes), 1500, replace=False)
    kept, sizes = np.unique(codes[rows], axis=0, return_counts=True)
    sample = Sample.from_codes(kept, sizes)
    margins = (margin_of(codes, kept, [1]), margin_of(codes, kept, [0, 2]))
    draw_ = next(QUICK.model.draws(sample.table, rng=np.random.default_rng(9)))
    raking = Raking(margins, sample.sizes, len(codes))
    # The margin of the raked law over all cells of the table, not only the classes of the sample.
    levels = [np.arange(n) for n in sample.table.levels]
    grid = np.array(np.meshgrid(*levels, indexing="ij")).reshape(4, -1).T.astype(np.int32)
    cells = [{tuple(c): i for i, c in enumerate(m.cells)} for m in margins]
    of = [np.array([cells[t].get(tuple(g), -1) for g in grid[:, m.variables]]) for t, m in enumerate(margins)]
    inside = (of[0] >= 0) & (of[1] >= 0)
    whole = [replace(m, of_class=o[inside]) for m, o in zip(margins, of, strict=True)]
    raking.margins = whole
    p = raking(replace(draw_, probability=draw_.class_probabilities(grid[inside])))
    for t, (margin, target) in enumerate(zip(margins, raking.targets, strict=True)):
        other = raking.targets[1 - t].sum()
        found = np.bincount(of[t][inside], weights=p, minlength=len(margin.people))
        assert found == pytest.approx(target * other, abs=1e-5)


def test_trust_keeps_a_right_model_and_doubts_one_whose_classes_vary() -> None:
    rng = np.random.default_rng(10)
    p = rng.dirichlet(np.full(5000, 0.5))
    true = p * rng.gamma(0.5, 2, 5000)
    gaps = []
    for law in (p, true / true.sum()):
        sizes = rng.multinomial(20_000, law)
        seen = sizes > 0
        trust = Trust(sizes[seen].astype(float), rng=rng)
        trust.learn(p[seen])
        shares = p[seen] * np.mean([trust.factors(p[seen]) for _ in range(50)], axis=0)
        gaps.append([float(np.abs(s - law[seen]).sum()) for s in (p[seen], shares)])
    assert gaps[0][1] < 0.05
    assert gaps[1][1] < 0.4 * gaps[1][0]


def test_trust_sees_records_that_repeat_each_other() -> None:
    rng = np.random.default_rng(11)
    people = 1_000_000
    p = np.full(1500, 1 / people)
    once, some_twice = np.ones(1500), np.where(np.arange(1500) < 75, 2.0, 1.0)
    joined = []
    for sizes in (once, some_twice):
        trust = Trust(sizes, rng=rng)
        trust.learn(p)
        joined.append(float(np.mean([(p * trust.factors(p)).mean() for _ in range(200)])) * people)
    assert joined[0] == pytest.approx(1, abs=0.5)  # as the model says
    assert joined[1] > 5  # 75 pairs where the model foresees one


def test_the_interval_holds_the_value_and_stays_inside_the_bounds() -> None:
    for value in (0.001, 0.3, 0.89, 0.9):
        low, high = interval(value, Spread(0.05, 0.05, 0.01, 0.1), (0.0005, 0.9), records=500, level=0.9)
        assert 0.0005 <= low <= value <= high <= 0.9


def test_near_one_the_interval_does_not_explode() -> None:
    low, high = interval(0.9998, Spread(0.0, 0.001, 0.0, 0.0), (0.0, 1.0), records=5000, level=0.9)
    assert low == pytest.approx(0.9998 - 1.3 * 1.645 * 0.001, abs=1e-4)
    assert high <= 1


def test_where_perhaps_no_record_has_a_lookalike_outside_the_upper_end_is_what_b_can_be_at_most() -> None:
    spread = Spread(0.0, 0.002, 0.0, 0.0)
    assert interval(0.998, spread, (0.0, 1.0), records=40, level=0.9)[1] == 1.0  # 0.16 such records are expected
    assert interval(0.998, spread, (0.0, 1.0), records=4000, level=0.9)[1] < 1.0  # 16 of them


def test_a_drawn_part_of_a_sample_has_its_true_b() -> None:
    sample = Sample.from_codes(np.array([[0], [1], [2]]), np.array([6, 3, 1]))
    drawn, truth = part_of(sample, 10, rng=np.random.default_rng(1))
    assert drawn.records == 10
    assert truth == pytest.approx((6 / 6 + 3 / 3 + 1 / 1) / 10)


def test_a_backtest_leaves_out_samples_that_are_too_small() -> None:
    sample, _ = sampled(population(), 200)
    found = backtest(QUICK, sample, rng=np.random.default_rng(2))
    assert [b.fraction for b in found] == [0.3, 0.5]
    assert all(b.error is not None and abs(b.error) < 0.2 for b in found)


def test_the_profile_counts_records_and_names_no_value() -> None:
    sample = Sample.from_codes(np.array([[0, 0], [0, 1], [1, 0]]), np.array([500, 480, 6]))
    found = profile(sample, np.array([0.001, 0.02, 0.6]), ["age", "sex"], threshold=0.09)
    assert found.share_above_threshold == pytest.approx(6 / 986)
    assert sum(share for _, _, share in found.distribution) == pytest.approx(1)
    rare = next(g for g in found.groups if g.variable == "age" and g.group.startswith("rare"))
    assert (rare.records, rare.mean) == (6, pytest.approx(0.6))
    expected = 500 * 0.001 + 480 * 0.02 + 6 * 0.6
    assert rare.share == pytest.approx(3.6 / expected)


def test_where_records_repeat_each_other_a_caveat_gives_both_answers() -> None:
    rng = np.random.default_rng(5)
    people = np.column_stack([rng.integers(0, 60, 1500) for _ in range(5)])
    twice = np.concatenate([people, people[:150]])  # a tenth answered twice
    classes, sizes = np.unique(twice, axis=0, return_counts=True)
    found = Posterior().estimate(Sample.from_codes(classes, sizes), 1_000_000, rng=np.random.default_rng(1))
    assert any("people are in the file more than once" in caveat for caveat in found.match_rate.caveats)
