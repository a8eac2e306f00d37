"""Whole clusters: one record of each at random stands for all of it."""

from dataclasses import replace

import numpy as np
import pytest

from lookalike.models import LatentClasses
from lookalike.population import Clusters, Posterior, Sample

QUICK = Posterior(model=LatentClasses(classes=15, sweeps=90, burn_in=40))


def households(number: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Ages and areas of people in households, and the household of each."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, number)
    area = np.repeat(rng.integers(0, 200, number), sizes)
    return np.column_stack([rng.integers(0, 80, len(area)), area]), np.repeat(np.arange(number), sizes)


def sampled(people: np.ndarray, household: np.ndarray, number: int, seed: int) -> tuple[Sample, Sample, float]:
    """A sample of whole households: as if sampled one by one, with its clusters, and its true B."""
    drawn = np.random.default_rng(seed).choice(household.max() + 1, number, replace=False)
    rows = np.flatnonzero(np.isin(household, drawn))
    _, labels, counts = np.unique(people, axis=0, return_inverse=True, return_counts=True)
    truth = float((1 / counts[labels.ravel()[rows]]).mean())
    classes, of, sizes = np.unique(people[rows], axis=0, return_inverse=True, return_counts=True)
    pairs, records = np.unique(np.column_stack([household[rows], of.ravel()]), axis=0, return_counts=True)
    naive = Sample.from_codes(classes, sizes)
    return naive, replace(naive, clusters=Clusters(pairs[:, 0], pairs[:, 1], records)), truth


def test_a_thinned_sample_has_one_record_of_each_cluster_and_stands_for_all() -> None:
    people, household = households(4000)
    _, sample, _ = sampled(people, household, 300, 2)
    assert sample.clusters is not None
    thinned, classes = sample.clusters.thin(sample, rng=np.random.default_rng(3))
    assert thinned.records == 300
    assert thinned.represents is not None
    assert thinned.represents.sum() == sample.records
    np.testing.assert_array_equal(np.unique(classes), classes)
    for j in range(2):  # the same values under the codes of the thinned sample
        pairs = set(zip(sample.table.codes[classes, j].tolist(), thinned.table.codes[:, j].tolist(), strict=True))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def test_every_record_of_a_cluster_is_as_likely_to_stand_for_it() -> None:
    pairs = Clusters(cluster=np.array([0, 0, 1]), of_class=np.array([0, 1, 2]), records=np.array([3, 1, 2]))
    sample = Sample.from_codes(np.array([[0], [1], [2]]), np.array([3, 1, 2]))
    rng = np.random.default_rng(1)
    first = sum(0 in pairs.thin(sample, rng=rng)[1] for _ in range(2000))
    assert first / 2000 == pytest.approx(0.75, abs=0.04)


def test_members_of_a_household_do_not_make_areas_look_few() -> None:
    people, household = households(40_000)
    inside = 0
    for seed in range(4):
        naive, told, truth = sampled(people, household, 300, seed)
        too_low = QUICK.estimate(naive, len(people), rng=np.random.default_rng(seed)).match_rate
        right = QUICK.estimate(told, len(people), rng=np.random.default_rng(seed)).match_rate
        assert too_low.high < truth
        inside += right.low <= truth <= right.high
    assert inside >= 3


def test_classes_that_no_thinning_saw_have_the_risk_of_classes_of_their_size() -> None:
    people, household = households(4000)
    _, sample, _ = sampled(people, household, 300, 2)
    found = QUICK.estimate(sample, len(people), rng=np.random.default_rng(1))
    assert found.risk is not None
    assert len(found.risk) == len(sample)
    assert (found.risk > 0).all()
    assert (found.risk <= 1).all()
