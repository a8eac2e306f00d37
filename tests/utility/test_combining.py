"""Combining rules: variances as arithmetic, the right rule for each release, coverage of the intervals."""

import numpy as np
import pytest

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.combining import Rule, combine, rule_for
from lookalike.utility.origin import How, Origin

COMPLETE, PROPER = Origin(), Origin(proper=True)
PARTIAL, INCOMPLETE = Origin(how=How.PARTIAL), Origin(how=How.INCOMPLETE)
POPULATIONS, NESTED = Origin(how=How.POPULATIONS, proper=True), Origin(how=How.NESTED)

Q = [[1.0], [1.4], [1.8]]  # mean 1.4, b = 0.16
V = [[0.03], [0.05], [0.04]]  # mean 0.04


@pytest.mark.parametrize(
    ("origin", "variance", "df"),
    [
        (COMPLETE, 0.04 * (200 / 100 + 1 / 3), np.inf),
        (PROPER, 0.04 * (200 / 100 + (1 + 200 / 100) / 3), np.inf),
        (PARTIAL, 0.04 + 0.16 / 3, 2 * (1 + 3 * 0.04 / 0.16) ** 2),
        (INCOMPLETE, 0.04 * 200 / 100 + 0.16 / 3, np.inf),
        (POPULATIONS, (1 + 1 / 3) * 0.16 - 0.04, 2 * (1 - 0.04 / (4 / 3 * 0.16)) ** 2),
    ],
    ids=lambda value: str(value) if isinstance(value, Origin) else "",
)
def test_variance_and_degrees_of_freedom_as_arithmetic(origin, variance, df) -> None:
    found = combine(Q, V, n=100, k=200, origin=origin)
    assert found.estimate[0] == pytest.approx(1.4)
    assert found.variance[0] == pytest.approx(variance)
    assert found.df[0] == pytest.approx(df)


def test_what_the_original_would_have_given_leaves_the_drawing_out() -> None:
    found = combine(Q, V, n=100, k=200, origin=PARTIAL, rule=Rule.AS_ORIGINAL)
    assert found.variance[0] == pytest.approx(0.04 * 200 / 100)
    assert found.high[0] - found.low[0] == pytest.approx(2 * 1.959964 * np.sqrt(0.08), rel=1e-6)
    assert "error of drawing is not in it" in found.caveats[0]


def test_nests_as_arithmetic() -> None:
    """Two nests of two: means 1.1 and 1.5, B = 0.08, W = (0.02 + 0.18)/2."""
    found = combine([[1.0], [1.2], [1.2], [1.8]], [[0.04]] * 4, n=50, k=50, origin=NESTED, nests=2)
    outer, inner = 1.5 * 0.08, 0.1 / 2
    total = outer - inner + 0.04
    assert found.variance[0] == pytest.approx(total)
    assert found.df[0] == pytest.approx(total**2 / (outer**2 / 1 + inner**2 / (2 * 1)))


def test_a_nested_variance_below_zero_keeps_the_part_within_nests() -> None:
    estimates = [[0.0], [2.0], [0.1], [1.9]] * 4
    found = combine(estimates, [[0.01]] * 16, n=50, k=50, origin=NESTED, nests=4)
    assert found.variance[0] == pytest.approx(0.01)  # B is 0: all nests have mean 1
    assert found.df[0] == np.inf
    assert found.caveats == ("W/r was not taken off for 1 of 1 estimates.",)


def test_a_variance_of_populations_below_zero_is_replaced() -> None:
    found = combine([[1.0], [1.01]] * 30, [[0.04]] * 60, n=100, k=50, origin=POPULATIONS)
    assert found.variance[0] == pytest.approx(0.04 * 50 / 100)
    assert found.caveats == (
        "The variance of 1 of 1 estimates came out below 0 and was replaced by v̄ k/n: draw more copies.",
    )


def test_equal_copies_have_endless_degrees_of_freedom() -> None:
    found = combine([[1.0]] * 5, [[0.04]] * 5, n=100, k=100, origin=PARTIAL)
    assert found.variance[0] == 0.04
    assert found.df[0] == np.inf


def test_few_copies_are_told() -> None:
    told = "Intervals by the rule 'v̄ + b/m' are too short with fewer than 3 copies; there are 2."
    assert combine(Q[:2], V[:2], n=100, k=100, origin=PARTIAL).caveats == (told,)
    assert combine(Q, V, n=100, k=100, origin=PARTIAL).caveats == ()


def test_few_imputations_and_few_copies_of_each_are_told() -> None:
    short = "Intervals by the rule '(1 + 1/M) B − W/r + v̄' are too short with fewer than 4 imputations; there are {}."
    long = "Intervals by the rule '(1 + 1/M) B − W/r + v̄' are too long with fewer than 4 copies of each; there are {}."

    def caveats(nests: int, each: int) -> tuple[str, ...]:
        estimates = np.random.default_rng(1).normal(size=(nests * each, 1))
        return combine(estimates, np.full_like(estimates, 1.0), n=50, k=50, origin=NESTED, nests=nests).caveats

    assert caveats(4, 4) == ()
    assert caveats(5, 2) == (long.format(2),)
    assert caveats(3, 5) == (short.format(3),)
    assert caveats(2, 3) == (short.format(2), long.format(3))


@pytest.mark.parametrize("origin", [COMPLETE, PROPER, PARTIAL, INCOMPLETE, POPULATIONS, NESTED], ids=str)
def test_every_wrong_rule_is_refused(origin) -> None:
    right = rule_for(origin)
    also = {right, Rule.AS_ORIGINAL} | ({Rule.COMPLETE_PROPER} if origin is POPULATIONS else set())
    for rule in Rule:
        if rule in also:
            assert rule_for(origin, rule) is rule
        else:
            with pytest.raises(BadPlan, match="is for another kind of release") as told:
                rule_for(origin, rule)
            assert right.value in str(told.value)
            assert str(origin) in str(told.value)


def test_a_changed_file_is_taken_as_it_is() -> None:
    changed = Origin(how=How.CHANGED)
    assert combine([[1.0]], [[0.04]], n=100, k=100, origin=changed).variance[0] == 0.04
    with pytest.raises(BadPlan, match="is one file; there are 3"):
        combine(Q, V, n=100, k=100, origin=changed)


@pytest.mark.parametrize("origin", [PARTIAL, INCOMPLETE, POPULATIONS], ids=str)
def test_one_copy_is_too_few_where_the_variance_between_copies_is_needed(origin) -> None:
    with pytest.raises(NotAssessable, match="needs the variance between copies, and there is 1"):
        combine([[1.0]], [[0.04]], n=100, k=100, origin=origin)


def test_all_faults_are_told_together() -> None:
    with pytest.raises(BadPlan) as told:
        combine(Q, V[:2], n=0, k=1, level=95, nests=2)
    assert told.value.faults == (
        "Estimates are (3, 1), variances (2, 1): give one each for a copy and a quantity.",
        "The file and the copies have at least 1 record.",
        "The level of an interval is between 0 and 1.",
        "Nests are for releases of imputed files only.",
    )
    with pytest.raises(BadPlan, match="at least 2 nests of at least 2 copies, all of one size; there are 3 copies"):
        combine(Q, V, n=10, k=10, origin=NESTED, nests=2)


def test_origins_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(BadPlan, match="draws all columns: leave `drawn` empty, or say that it is partial"):
        Origin(drawn=("a",))
    with pytest.raises(BadPlan, match="are drawn from a posterior: set proper to true"):
        Origin(how=How.POPULATIONS)


# Coverage. The mean of normal records: means and variances of copies are drawn from their exact laws, so that many
# replications cost nothing; each replication is one quantity. The truth is 0.

MANY = 20_000


def sample(mean, variance, k, rng):
    """The mean of k records, and its variance as estimated from them."""
    spread = variance * rng.chisquare(k - 1, np.shape(mean)) / (k - 1)
    return rng.normal(mean, np.sqrt(variance / k)), spread / k


def posterior(mean, spread, n, rng):
    """Mean and variance of the people, given n records of them and no prior knowledge."""
    variance = spread * (n - 1) / rng.chisquare(n - 1, np.shape(mean))
    return rng.normal(mean, np.sqrt(variance / n)), variance


def copies(n, k, m, proper, rng):
    mean, error = sample(np.zeros(MANY), np.ones(MANY), n, rng)
    laws = (posterior(mean, error * n, n, rng) if proper else (mean, error * n) for _ in range(m))
    return map(np.array, zip(*(sample(*law, k, rng) for law in laws), strict=True))


def imputed_copies(n, nests, r, rng, known=0.7):
    """30 % missing at random, imputed, then all records drawn anew."""
    ours, gaps = int(n * known), n - int(n * known)
    mean, error = sample(np.zeros(MANY), np.ones(MANY), ours, rng)
    found = []
    for _ in range(nests):
        filled, filled_error = sample(*posterior(mean, error * ours, ours, rng), gaps, rng)
        centre = (ours * mean + gaps * filled) / n
        squares = (ours - 1) * error * ours + (gaps - 1) * filled_error * gaps
        squares += ours * (mean - centre) ** 2 + gaps * (filled - centre) ** 2
        found += [sample(*posterior(centre, squares / (n - 1), n, rng), n, rng) for _ in range(r)]
    return map(np.array, zip(*found, strict=True))


def coverage(found) -> float:
    return float(np.mean((found.low <= 0) & (found.high >= 0)))


@pytest.mark.parametrize(
    ("origin", "n", "k", "m"),
    [
        *((origin, 500, k, m) for origin in (COMPLETE, PROPER) for k, m in ((500, 1), (500, 5), (250, 5), (1000, 1))),
        *((Origin(how=How.PARTIAL, proper=proper), 500, 500, m) for proper in (False, True) for m in (3, 5, 10)),
        *((INCOMPLETE, 500, k, 5) for k in (250, 500, 1000)),
        *((POPULATIONS, 500, 500, m) for m in (50, 100)),
    ],
    ids=str,
)
def test_intervals_cover_at_their_level(origin, n, k, m) -> None:
    rng = np.random.default_rng([2003, n, k, m])
    q, v = copies(n, k, m, origin.proper, rng)
    assert 0.93 <= coverage(combine(q, v, n=n, k=k, origin=origin)) <= 0.97


@pytest.mark.parametrize("known", [0.4, 0.7, 0.9])
@pytest.mark.parametrize(("nests", "r"), [(4, 4), (5, 5), (10, 5)])
def test_intervals_of_nested_releases_cover_at_their_level(nests, r, known) -> None:
    q, v = imputed_copies(500, nests, r, np.random.default_rng([2004, nests, r]), known)
    found = combine(q, v, n=500, k=500, origin=NESTED, nests=nests)
    assert 0.93 <= coverage(found) <= 0.97
    assert not [told for told in found.caveats if "fewer than" in told]


@pytest.mark.parametrize(("nests", "r", "known", "low", "high"), [(2, 10, 0.4, 0, 0.93), (5, 2, 0.9, 0.97, 1)])
def test_intervals_of_nested_releases_with_few_copies_miss_their_level(nests, r, known, low, high) -> None:
    """Why few imputations are told to make intervals short, and few copies of each to make them long."""
    q, v = imputed_copies(500, nests, r, np.random.default_rng([2004, nests, r]), known)
    assert low <= coverage(combine(q, v, n=500, k=500, origin=NESTED, nests=nests)) <= high


def test_the_wrong_rule_does_not_cover() -> None:
    """Why a wrong rule is refused: a complete release read as if it were real, and by the rule for partial ones."""
    rng = np.random.default_rng(2016)
    q, v = copies(500, 2000, 5, False, rng)
    real = combine(q.mean(axis=0, keepdims=True), v[:1], n=500, k=2000, origin=Origin(how=How.CHANGED))
    assert coverage(real) < 0.7
    assert coverage(combine(q, v, n=500, k=2000, origin=PARTIAL)) < 0.85
    assert 0.94 < coverage(combine(q, v, n=500, k=2000, origin=COMPLETE)) < 0.96


def test_what_the_original_would_have_given_is_what_it_gives() -> None:
    rng = np.random.default_rng(2)
    q, v = copies(500, 1000, 5, False, rng)
    found = combine(q, v, n=500, k=1000, rule=Rule.AS_ORIGINAL)
    assert np.sqrt(found.variance).mean() == pytest.approx(np.sqrt(1 / 500), rel=0.01)
