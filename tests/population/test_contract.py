"""What every estimator keeps to, whatever its method."""

from dataclasses import replace

import numpy as np
import pytest

from lookalike.population import ESTIMATORS, Estimator, Finding, Sample, SyntheticPopulation
from lookalike.population.limits import limits

# The paper's entropy baseline takes F = max(1, N p): it does not look at f, so F < f may come out of it.
_BLIND_TO_SIZES = {"entropy"}
_DRAWS = {"gaussian_copula", "d_vine", "average", "posterior", "log_linear"}
PEOPLE = (340_000_000, 8_000_000_000)


def sample_of(records: np.ndarray, weights: np.ndarray | None = None) -> Sample:
    codes, sizes = np.unique(np.asarray(records, np.int64), axis=0, return_counts=True)
    return Sample.from_codes(codes, sizes, weights)


def mixed(n: int = 300, variables: int = 4, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 3, n)
    return np.stack([(common + rng.geometric(0.4, n)) % (5 + j % 7) for j in range(variables)], axis=1)


CASES = {
    "mixed": mixed(),
    "one record": np.zeros((1, 3)),
    "two equal records": np.zeros((2, 2)),
    "all unique": np.stack([np.arange(40), np.arange(40) % 7], axis=1),
    "no uniques": np.repeat(np.arange(20)[:, None], 3, axis=0),
    "no uniques, sizes differ": np.repeat(np.arange(20), 2 + np.arange(20) % 5)[:, None],
    "one constant variable": np.zeros((50, 1)),
    "a constant variable among others": np.column_stack([mixed(), np.zeros(300)]),
    "one large class and one record": np.r_[np.zeros(200), [1]][:, None],
    "40 variables": mixed(120, 40),
}


def estimate(estimator: Estimator, sample: Sample, people: int) -> Finding:
    return estimator.estimate(sample, people, rng=np.random.default_rng(7))


def check(found: Finding, sample: Sample, people: int, key: str) -> None:
    rate = found.match_rate
    if rate.value is None:
        assert rate.caveats
        assert len(rate.caveats[0]) > 10
        assert found.risk is None
        return
    least, most = limits(sample, people)
    if key in _BLIND_TO_SIZES:
        most = 1.0
    assert least * (1 - 1e-9) <= rate.value <= most * (1 + 1e-9)
    for end in (rate.low, rate.high):
        assert end is None or 0 < end <= 1
    if rate.low is not None and rate.high is not None:
        assert rate.low <= rate.value <= rate.high
    if found.risk is not None:
        assert found.risk.shape == (len(sample),)
        assert np.isfinite(found.risk).all()
        assert (found.risk > 0).all()
        assert key in _BLIND_TO_SIZES or (found.risk <= (1 / sample.sizes) * (1 + 1e-9)).all()
        assert sample.mean(found.risk) == pytest.approx(rate.value, rel=1e-6)
    if found.population_uniques is not None:
        assert 0 <= found.population_uniques <= (sample.sizes == 1).sum() * (1 + 1e-9)


@pytest.fixture(params=list(ESTIMATORS), ids=str)
def estimator(request) -> Estimator:
    """Each estimator; those that draw a population draw a small one, and refuse a large one."""
    found = ESTIMATORS[request.param]
    return replace(found, largest=100_000) if isinstance(found, SyntheticPopulation) else found


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
def test_an_answer_within_the_limits_or_a_reason(estimator, case, weighted) -> None:
    sample = sample_of(CASES[case])
    if weighted:
        sample = replace(sample, weights=sample.sizes * (10.0 + np.arange(len(sample)) % 3))
    people = 11 * sample.records
    found = estimate(estimator, sample, people)
    assert found.match_rate.method == estimator.key
    check(found, sample, people, estimator.key)


@pytest.mark.parametrize("people", PEOPLE)
def test_a_population_of_a_continent_is_answered_or_refused_at_once(estimator, people) -> None:
    sample = sample_of(mixed())
    found = estimate(estimator, sample, people)
    assert found.match_rate.method == estimator.key
    check(found, sample, people, estimator.key)


@pytest.mark.parametrize("more", [1, 2])
def test_a_population_of_hardly_more_than_the_sample(estimator, more) -> None:
    sample = sample_of(mixed())
    people = sample.records + more
    found = estimate(estimator, sample, people)
    assert found.match_rate.method == estimator.key
    check(found, sample, people, estimator.key)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_census_is_exact(estimator, case) -> None:
    sample = sample_of(CASES[case])
    found = estimate(estimator, sample, sample.records)
    if estimator.key in _BLIND_TO_SIZES:
        check(found, sample, sample.records, estimator.key)
        return
    assert found.match_rate.value == len(sample) / sample.records
    if found.risk is not None:
        assert found.risk.tolist() == (1 / sample.sizes).tolist()


def test_the_same_seed_gives_the_same_answer(estimator) -> None:
    first, second = (estimate(estimator, sample_of(mixed()), 5_000) for _ in range(2))
    assert first.match_rate == second.match_rate
    assert first.population_uniques == second.population_uniques
    if first.risk is not None:
        assert first.risk.tolist() == second.risk.tolist()


def test_the_sample_is_not_changed(estimator) -> None:
    sample = replace(sample_of(mixed()), weights=np.linspace(5, 20, len(sample_of(mixed()))))
    held = sample.table.codes.copy(), sample.table.counts.copy(), sample.weights.copy()
    for array in (sample.table.codes, sample.table.counts, sample.weights):
        array.setflags(write=False)
    estimate(estimator, sample, 5_000)
    now = sample.table.codes, sample.table.counts, sample.weights
    assert all((a == b).all() for a, b in zip(held, now, strict=True))


def test_the_order_of_classes_does_not_matter(estimator) -> None:
    sample = sample_of(mixed())
    order = np.random.default_rng(1).permutation(len(sample))
    other = Sample.from_codes(sample.table.codes[order], sample.sizes[order])
    one, two = (estimate(estimator, s, 5_000).match_rate.value for s in (sample, other))
    # What is drawn may differ by the order; what is computed may not.
    assert two == pytest.approx(one, rel=0.1 if estimator.key in _DRAWS else 1e-6)
