"""The synthetic estimators: L/N of a drawn population, its limits and its refusals."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lookalike.models import DVineCopula, GaussianCopula
from lookalike.population import ESTIMATORS, Sample, SyntheticPopulation

KEYS = ("gaussian_copula", "d_vine", "average")
KEY7 = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def sample_of(codes: np.ndarray, weights: np.ndarray | None = None) -> Sample:
    found, sizes = np.unique(codes, axis=0, return_counts=True)
    return Sample.from_codes(found, sizes, weights)


def population(people: int = 60_000) -> np.ndarray:
    z = rng(2).multivariate_normal(np.zeros(4), 0.4 + 0.6 * np.eye(4), people)
    return np.floor(z * [2, 3, 1, 4]).astype(int)


def true_rate(people: np.ndarray, drawn: np.ndarray) -> float:
    _, place, sizes = np.unique(people, axis=0, return_inverse=True, return_counts=True)
    return float((1 / sizes[place.ravel()[drawn]]).mean())


@pytest.mark.parametrize("key", KEYS)
def test_a_normal_population_is_estimated_well(key: str) -> None:
    people = population()
    drawn = rng(3).choice(len(people), 3_000, replace=False)
    found = ESTIMATORS[key].estimate(sample_of(people[drawn]), len(people), rng=rng()).match_rate
    assert found.value == pytest.approx(true_rate(people, drawn), abs=0.02)
    assert found.method == key


@pytest.mark.parametrize("key", KEYS)
def test_the_same_generator_gives_the_same_answer(key: str) -> None:
    sample = sample_of(population(500))
    one, other = (ESTIMATORS[key].estimate(sample, 50_000, rng=rng(4)) for _ in range(2))
    assert one.match_rate == other.match_rate


def test_the_second_draw_of_the_paper_adds_noise_only() -> None:
    people = population()
    sample = sample_of(people[rng(5).choice(len(people), 2_000, replace=False)])
    counted, literal = ESTIMATORS["gaussian_copula"], replace(ESTIMATORS["gaussian_copula"], second_draw=True)
    differences = [
        literal.estimate(sample, 20_000, rng=rng(s)).match_rate.value
        - counted.estimate(sample, 20_000, rng=rng(s)).match_rate.value
        for s in range(40)
    ]
    assert abs(np.mean(differences)) < 4 * np.std(differences) / np.sqrt(40)


def test_the_average_is_the_mean_of_both_and_says_so() -> None:
    sample = sample_of(population(2_000))
    both, stream = ESTIMATORS["average"].estimate(sample, 50_000, rng=rng(6)).match_rate, rng(6)
    parts = [ESTIMATORS[k].estimate(sample, 50_000, rng=stream).match_rate.value for k in KEYS[:2]]
    assert both.value == pytest.approx(np.mean(parts))
    assert f"the mean of {parts[0]:.4g} and {parts[1]:.4g}, both drawn anew" in both.caveats


def test_a_census_needs_no_model() -> None:
    found = ESTIMATORS["average"].estimate(sample_of(np.array([[0], [0], [1]])), 3, rng=rng()).match_rate
    assert found.value == pytest.approx(2 / 3)


def test_one_record_is_not_assessable() -> None:
    found = ESTIMATORS["average"].estimate(sample_of(np.array([[0, 1]])), 100, rng=rng()).match_rate
    assert found.value is None
    assert found.caveats == ("one record does not tell how the quasi-identifiers vary",)


def test_a_sample_without_variables_is_not_assessable() -> None:
    sample = Sample.from_codes(np.empty((1, 0), int), np.array([5]))
    assert ESTIMATORS["d_vine"].estimate(sample, 100, rng=rng()).match_rate.value is None


def test_a_population_too_large_to_draw_is_not_assessable() -> None:
    found = ESTIMATORS["average"].estimate(sample_of(population(500)), 8_000_000_000, rng=rng()).match_rate
    assert found.value is None
    assert "8,000,000,000 is not drawn (at most 1,073,741,824)" in found.caveats[0]


def test_one_constant_variable_has_one_class() -> None:
    found = ESTIMATORS["average"].estimate(sample_of(np.zeros((200, 1), int)), 1000, rng=rng()).match_rate
    assert found.value == pytest.approx(1 / 1000)
    assert not any("moved" in caveat for caveat in found.caveats)


def test_unique_values_carry_a_caveat() -> None:
    codes = np.column_stack([np.arange(300), rng(7).permutation(300)])
    found = ESTIMATORS["average"].estimate(sample_of(codes), 10_000, rng=rng()).match_rate
    assert 0 < found.value <= 1
    assert any("100% of the records hold a value seen once" in caveat for caveat in found.caveats)


def test_few_records_carry_a_caveat() -> None:
    found = ESTIMATORS["d_vine"].estimate(sample_of(population(50)), 1000, rng=rng()).match_rate
    assert "rests on 50 records only" in found.caveats


@pytest.mark.parametrize("levels", [2, 9])
def test_forty_variables_have_an_answer(levels: int) -> None:
    sample = sample_of(rng(8).integers(0, levels, (400, 40)))
    assert ESTIMATORS["average"].estimate(sample, 5_000, rng=rng()).match_rate.value == pytest.approx(1, abs=0.01)


def test_a_hundred_thousand_levels_have_an_answer() -> None:
    codes = np.column_stack([np.arange(100_000), rng(9).integers(0, 5, 100_000)])
    found = ESTIMATORS["average"].estimate(sample_of(codes), 300_000, rng=rng()).match_rate
    assert 0.3 < found.value <= 1


def test_weights_move_the_margins() -> None:
    # Ten values equally often in the file; by the weights two of them are 99 % of the people.
    codes = np.column_stack([np.repeat(np.arange(10), 100), np.tile(np.arange(100), 10)])
    weights = np.where(np.arange(1000) < 200, 495.0, 1.25)
    average = replace(ESTIMATORS["average"], within_limits=False)
    plain, weighted = (
        average.estimate(sample_of(codes, w), 2_000, rng=rng()).match_rate.value for w in (None, weights)
    )
    assert weighted < plain / 2


def test_an_impossible_answer_is_moved_to_the_limit_and_says_so() -> None:
    # Pairs of values that always go together, in an order no normal copula can follow: K/n is 10/1000.
    values = np.repeat(np.arange(10), 100)
    sample = sample_of(np.column_stack([values, (values * 7) % 10, (values * 3) % 10]))
    bounded = ESTIMATORS["average"].estimate(sample, 2_000, rng=rng()).match_rate
    free = replace(ESTIMATORS["average"], within_limits=False).estimate(sample, 2_000, rng=rng()).match_rate
    assert bounded.value == pytest.approx(10 / 1000)
    assert free.value > 10 / 1000
    assert any("moved to the limit" in caveat for caveat in bounded.caveats)


def test_an_estimator_is_a_choice_that_can_be_printed_and_compared() -> None:
    made = SyntheticPopulation(key="average", models=(GaussianCopula(), DVineCopula()))
    assert made == ESTIMATORS["average"]
    assert "DVineCopula(order='given')" in repr(made)


@pytest.mark.shared
def test_adult_at_five_percent(shared: Path) -> None:
    people = pl.read_csv(shared / "data" / "adult_arx.csv")
    rows = pl.read_csv(shared / "reference" / "sample_idx_f0.05.csv")["row0"].to_numpy()
    codes = np.column_stack([people[k].rank("dense").to_numpy() for k in KEY7]).astype(int)
    found = ESTIMATORS["average"].estimate(sample_of(codes[rows]), len(people), rng=rng()).match_rate
    assert found.value == pytest.approx(0.36800, abs=0.02)


def test_a_population_may_have_values_that_the_sample_lacks() -> None:
    sizes = np.exp(rng().standard_normal(1500))
    people = np.column_stack([rng(2).integers(0, 60, 60_000), rng(3).choice(1500, 60_000, p=sizes / sizes.sum())])
    truth = len(np.unique(people, axis=0)) / len(people)
    sample = sample_of(people[:600])
    found = [
        SyntheticPopulation(key="g", models=(GaussianCopula(),), unseen=unseen).estimate(sample, 60_000, rng=rng(4))
        for unseen in (False, True)
    ]
    faithful, wider = (finding.match_rate for finding in found)
    assert faithful.value < wider.value < 1.1 * truth
    assert any("never saw are not drawn" in caveat for caveat in faithful.caveats)
    assert not any("never saw are not drawn" in caveat for caveat in wider.caveats)
