import numpy as np
import pytest
from scipy.stats import poisson

from lookalike.population import HypothesisTest, Sample

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("truncated", [False, True])
def test_the_class_size_is_the_largest_the_rule_accepts(alpha, truncated) -> None:
    sizes, k = np.array([1, 2, 3, 7, 30]), np.arange(1, 2000)
    for fraction in (0.04, 0.3, 0.75):
        found = HypothesisTest(alpha=alpha, truncated=truncated).class_sizes(sizes, fraction)
        for f, size in zip(sizes.tolist(), found.tolist(), strict=True):
            law = poisson(fraction * k)
            below, none = law.cdf(f - 1), law.pmf(0) if truncated else 0.0
            accepted = k[(below - none) / (1 - none) >= 1 - alpha]
            assert size == max(f, *accepted.tolist(), 0)


def test_the_release_rule_and_the_estimate_say_the_same() -> None:
    # k' = 1 + the smallest c with P(X <= c) >= 1 - alpha; f >= k' lets F = k pass.
    fraction, alpha, k = 0.1, 0.05, 40
    needed = 1 + int(poisson(fraction * k).ppf(1 - alpha))
    found = HypothesisTest(alpha=alpha).class_sizes(np.array([needed - 1, needed]), fraction)
    assert found[0] < k <= found[1]


def test_understates_at_low_and_overstates_at_high_fractions() -> None:
    """The pattern of Jiang et al. (2022), section 3."""
    rng = np.random.default_rng(11)
    people = np.repeat(np.arange(4000), 1 + rng.negative_binomial(0.4, 0.08, 4000))
    sizes = np.bincount(people)
    errors = []
    for fraction in (0.05, 0.1, 0.6, 0.8):
        drawn = rng.choice(people, int(fraction * len(people)), replace=False)
        classes, f = np.unique(drawn, return_counts=True)
        truth = (f / sizes[classes]).sum() / len(drawn)
        found = HypothesisTest().estimate(Sample.from_codes(classes[:, None], f), len(people), rng=RNG)
        errors.append(found.match_rate.value - truth)
    assert max(errors[:2]) < -0.02
    assert min(errors[2:]) > 0


def test_truncated_gives_a_sample_unique_the_risk_one() -> None:
    sample = Sample.from_codes(np.arange(3)[:, None], np.array([1, 1, 4]))
    found = HypothesisTest(truncated=True).estimate(sample, 1000, rng=RNG)
    assert found.risk[:2].tolist() == [1, 1]
    assert found.risk[2] < 1 / 4


def test_the_level_is_checked() -> None:
    with pytest.raises(ValueError, match="alpha is the level of a test, between 0 and 1, and was 1"):
        HypothesisTest(alpha=1)
