"""The thesis (Qu 2024), sections 4.4.4 to 4.4.6: propensity scores, a table as one, shuffled labels.

Where a print and its formula disagree, the formula is implemented and the print kept beside it.
"""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp

from lookalike.utility.origin import How, Origin
from lookalike.utility.propensity import propensity
from lookalike.utility.propensity_models import Logistic
from lookalike.utility.propensity_null import chi_square
from lookalike.utility.propensity_scores import apart
from lookalike.utility.stacked import stack

ORIGINAL = pl.DataFrame(
    {
        "age": [22, 25, 28, 30, 35, 40, 45, 50, 55, 60],
        "income": [30000.0, 35000, 40000, 45000, 50000, 60000, 70000, 80000, 85000, 90000],
        "gender": list("MFMFMFMFMF"),
    }
)
SYNTHETIC = pl.DataFrame(
    {
        "age": [40, 22, 30, 30, 50, 60, 30, 40, 28, 35],
        "income": [60257.33, 33786.17, 45652.61, 40345.76, 75937.89, 95796.99, 49990.02, 60031.50, 47308.36, 49256.03],
        "gender": list("FMMMFFMFMM"),
    }
)
TABLE_4_4 = np.array(
    [
        *(0.4384, 0.6838, 0.6064, 0.3405, 0.3782, 0.5286, 0.7902, 0.4270, 0.8130, 0.3623),
        *(0.4978, 0.4424, 0.4909, 0.5222, 0.3984, 0.4254, 0.5569, 0.5842, 0.4598, 0.2535),
    ]
)
TABLE_4_6 = np.array([0.5906, 0.4523, 0.5546, 0.5346, 0.4002, 0.3638, 0.5634, 0.5252, 0.3911, 0.1241] * 2)
DRAWN = np.arange(20) < 10


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def scores(original: pl.DataFrame, release: pl.DataFrame) -> np.ndarray:
    both = stack([original, release])
    return Logistic().ready(both).scores(both.member(1), None, rng=rng())


def test_example_4_4_2_scores_and_pmse() -> None:
    """Table 4.4 to its four digits, and pMSE 0.0194 (4.1); what three coefficients on 20 records come to by chance."""
    found = scores(ORIGINAL, SYNTHETIC)
    assert np.concatenate([found[10:], found[:10]]).round(4) == pytest.approx(TABLE_4_4, abs=1e-9)
    measured = propensity(ORIGINAL, SYNTHETIC, rng=rng())
    assert measured.pmse.value == pytest.approx(0.0194, abs=5e-5)
    assert apart(TABLE_4_4, DRAWN).pmse == pytest.approx(0.0194, abs=5e-5)
    assert measured.free == 3
    assert measured.pmse.expected == pytest.approx(3 * 0.5**2 * 0.5 / 20)
    assert measured.pmse.p_value > 0.3
    assert "3 coefficients on 20 records: the expectation is a rough one." in measured.caveats


def test_example_4_4_2_the_printed_coefficients_are_not_those_of_its_scores() -> None:
    """−0.8473 + 0.0147·40 + 0.0001·60257.33 is 5.8, a score of 1.00 where table 4.4 has 0.4384."""
    printed = -0.8473 + 0.0147 * 40 + 0.0001 * 60257.33 + 0.6981 * np.array([0, 1])
    assert (1 / (1 + np.exp(-printed))).round(2).tolist() == [1.0, 1.0]


def test_example_4_4_3_record_10_of_the_copy_is_marked_as_original() -> None:
    """Table 4.5 has nine drawn records. So come the scores of table 4.6, and 0.0201 with c = ½; by 9 of 20, 0.0176."""
    found = scores(pl.concat([ORIGINAL, ORIGINAL.tail(1)]), ORIGINAL.head(9))
    assert np.concatenate([found[11:], found[10:11], found[:10]]).round(4) == pytest.approx(TABLE_4_6, abs=1e-9)
    assert np.mean((found - 0.5) ** 2) == pytest.approx(0.02009, abs=1e-5)
    assert np.mean((found - 0.45) ** 2) == pytest.approx(0.0176, abs=5e-5)


def test_example_4_4_3_a_copy_of_the_file_has_pmse_zero() -> None:
    """With all ten marked no model tells a copy from its file. That pMSE misleads here is the slip's doing."""
    assert propensity(ORIGINAL, ORIGINAL, rng=rng()).pmse.value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_example_4_4_4_pmse_rises_from_0_to_a_quarter_as_the_mean_moves(seed) -> None:
    """100 + 100 records, normal, correlation ½, the mean of the release (a, a) for a from 0 to 20."""
    g = rng(seed)
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    file = pl.DataFrame(g.multivariate_normal([0, 0], covariance, 100), schema=["x1", "x2"])
    values = []
    for a in range(21):
        release = pl.DataFrame(g.multivariate_normal([a, a], covariance, 100), schema=["x1", "x2"])
        values.append(propensity(file, release, rng=g).pmse.value)
    assert values[0] < 0.01
    assert values[1] > 0.02
    assert values[3] > 0.18
    assert values[6:] == pytest.approx([0.25] * 15, abs=0.005)
    assert values[-1] == pytest.approx(0.25, abs=1e-6)
    assert all(later > earlier - 0.005 for earlier, later in pairwise(values))


def test_section_4_4_4_the_deviation_is_not_the_printed_one() -> None:
    """Printed √(2(k−1)(1−c)²c/N); the variance of a χ² law gives √(2(k−1)) (1−c)² c/N."""
    found = chi_square(0.001, 3, 100, 100, 0.5)
    assert found.expected == pytest.approx(3 * 0.5**2 * 0.5 / 200)
    assert found.sd == pytest.approx(np.sqrt(6) * 0.5**2 * 0.5 / 200)
    printed = np.sqrt(2 * 3 * 0.5**2 * 0.5 / 200)
    assert printed / found.sd == pytest.approx(40, rel=0.01)


def groups(low: int, high: int) -> pl.DataFrame:
    return pl.DataFrame({"group": ["1"] * low + ["2"] * high})


def test_example_4_4_5_a_table_is_a_saturated_regression() -> None:
    """Counts 6, 4 in the file and 5, 5 in the release.

    The thesis divides by the release's count: VW = 1/5 + 1/5 = 0.4. By expected counts, 1/5.5 + 1/4.5, and pMSE is
    VW c (1 − c)²/N. SPECKS is 0.1 either way.
    """
    found = propensity(groups(6, 4), groups(5, 5), rng=rng(), model=Logistic())
    vw = 1 / 5.5 + 1 / 4.5
    assert found.pmse.value == pytest.approx(vw * 0.5 * 0.25 / 20, rel=1e-9)
    assert found.pmse.ratio == pytest.approx(vw)
    assert found.specks.value == pytest.approx(0.1)
    assert vw != pytest.approx(0.4, abs=1e-3)


def test_example_4_4_5_by_its_own_rule_the_groups_are_the_same() -> None:
    """Record 10 of the release has an income of 49,256.03 and is printed in group 2, above 60,000."""
    rule = pl.when(pl.col("income") <= 60000).then(pl.lit("1")).otherwise(pl.lit("2")).alias("group")
    files = [frame.select(rule) for frame in (ORIGINAL, SYNTHETIC)]
    assert [frame.filter(group="1").height for frame in files] == [6, 6]
    assert propensity(*files, rng=rng()).pmse.value == pytest.approx(0, abs=1e-15)


def test_example_4_4_6_the_file_released_as_it_is() -> None:
    found = propensity(groups(6, 4), groups(6, 4), rng=rng())
    assert (found.pmse.value, found.specks.value) == pytest.approx((0, 0), abs=1e-15)


def test_example_4_4_8_three_laws_of_the_ks_distance() -> None:
    """Shuffled labels give the law of independent samples, and not that of samples that depend on each other.

    Normal with variance 100 and covariance 50, as printed. The printed means, 50 and 55, differ, so that no null holds;
    here both are 50.
    """
    g, n = rng(8), 200
    covariance = np.array([[100.0, 50.0], [50.0, 100.0]])
    pairs = [g.multivariate_normal([50, 50], covariance, n) for _ in range(400)]
    dependent = [ks_2samp(*pair.T).statistic for pair in pairs]
    independent = [ks_2samp(g.normal(50, 10, n), g.normal(50, 10, n)).statistic for _ in range(400)]
    pooled = pairs[0].ravel()
    shuffled = []
    for _ in range(400):
        drawn = g.permutation(pooled)
        shuffled.append(ks_2samp(drawn[:n], drawn[n:]).statistic)
    assert np.mean(shuffled) == pytest.approx(np.mean(independent), rel=0.05)
    assert np.mean(dependent) < 0.9 * np.mean(independent)
    assert ks_2samp(dependent, shuffled).pvalue < 0.001


def test_example_4_4_8_the_factor_for_drawn_releases_mends_shuffled_labels() -> None:
    """A release drawn from the law fitted to the file: shuffled labels alone expect twice its pMSE."""
    g, plain, mended = rng(9), [], []
    for _ in range(40):
        x = g.multivariate_normal([50, 55], [[100.0, 50.0], [50.0, 100.0]], 200)
        file = pl.DataFrame(x, schema=["x1", "x2"])
        release = pl.DataFrame(g.multivariate_normal(x.mean(axis=0), np.cov(x.T), 200), schema=["x1", "x2"])
        for origin, found in ((Origin(how=How.INDEPENDENT), plain), (Origin(), mended)):
            found.append(propensity(file, release, rng=g, origin=origin).pmse.ratio)
    assert np.mean(mended) == pytest.approx(1, abs=0.5)
    assert np.mean(plain) == pytest.approx(np.mean(mended) / 2)
