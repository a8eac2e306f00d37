"""Shares of levels with intervals and overlap."""

import numpy as np
import polars as pl
import pytest

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.combining import Rule
from lookalike.utility.origin import How, Origin
from lookalike.utility.overlap import interval_overlap
from lookalike.utility.proportions import proportions


def flags(yes: int, no: int) -> pl.DataFrame:
    return pl.DataFrame({"flag": ["yes"] * yes + ["no"] * no})


def test_shares_and_intervals_as_arithmetic() -> None:
    found = proportions(flags(30, 70), flags(80, 120))
    no, yes = found.rows
    assert (yes.column, yes.level, yes.original, yes.release) == ("flag", "yes", 0.3, 0.4)
    half = 1.959964 * np.sqrt(0.3 * 0.7 / 100)
    assert yes.original_interval == pytest.approx((0.3 - half, 0.3 + half), rel=1e-6)
    half = 1.959964 * np.sqrt(0.4 * 0.6 / 200 * 200 / 100)  # v k/n
    assert yes.release_interval == pytest.approx((0.4 - half, 0.4 + half), rel=1e-6)
    assert yes.overlap == pytest.approx(float(interval_overlap(yes.original_interval, yes.release_interval)))
    assert no.overlap == pytest.approx(yes.overlap)
    assert found.overlap == pytest.approx(yes.overlap)


def test_copies_are_combined_by_the_rule_of_the_release() -> None:
    copies = [flags(28, 72), flags(32, 68), flags(36, 64)]
    found = proportions(flags(30, 70), copies, origin=Origin(how=How.PARTIAL), rule=None)
    mean = np.mean([p * (1 - p) / 100 for p in (0.28, 0.32, 0.36)])
    between = np.var([0.28, 0.32, 0.36], ddof=1)
    yes = found.rows[1]
    assert found.rule is Rule.PARTIAL
    assert yes.release == pytest.approx(0.32)
    from scipy.stats import t

    half = t.ppf(0.975, 2 * (1 + 3 * mean / between) ** 2) * np.sqrt(mean + between / 3)
    assert yes.release_interval == pytest.approx((0.32 - half, 0.32 + half))


PRINTED = {
    "alc": ((0.09881582, 0.11598418), (0.1003487, 0.1178113), 0.9050747),
    "drug": ((0.1486669, 0.1689331), (0.1486263, 0.1689737), 0.9916403),
    "cann": ((0.8052571, 0.8267429), (0.800584, 0.826056), 0.8922849),
    "cash": ((0.1857772, 0.2078228), (0.1853604, 0.2103196), 0.9416327),
    "NYC": ((0.4579597, 0.4856403), (0.4545112, 0.4825288), 0.8822547),
}


@pytest.mark.parametrize("name", ["cann", "cash", "NYC"])
def test_overlaps_printed_in_table_2_of_seed_002(name) -> None:
    original, release, overlap = PRINTED[name]
    assert float(interval_overlap(original, release)) == pytest.approx(overlap, abs=5e-7)


@pytest.mark.parametrize(("name", "ours"), [("alc", 0.9030422), ("drug", 0.9980047)])
def test_two_overlaps_of_table_2_are_not_those_of_its_intervals(name, ours) -> None:
    original, release, overlap = PRINTED[name]
    assert float(interval_overlap(original, release)) == pytest.approx(ours, abs=5e-7)
    assert abs(ours - overlap) > 0.001


def test_intervals_of_table_2_are_those_of_5000_records() -> None:
    for share, (low, high) in {
        0.1074: PRINTED["alc"][0],
        0.1588: PRINTED["drug"][0],
        0.4718: PRINTED["NYC"][0],
    }.items():
        file = flags(round(5000 * share), 5000 - round(5000 * share))
        yes = proportions(file, file).rows[1]
        # The last digits are those of a t law or of n − 1 in the print.
        assert yes.original_interval == pytest.approx((low, high), abs=4e-6)


def test_missing_values_are_a_level_and_numbers_are_left_out() -> None:
    file = pl.DataFrame({"age": [30, 40, 50], "sex": ["F", None, "M"]})
    found = proportions(file, file)
    assert [(row.column, row.level) for row in found.rows] == [("sex", "F"), ("sex", "M"), ("sex", "missing")]
    coded = proportions(file, file, columns=["age"], variables=[Variable(name="age", kind=Kind.NOMINAL)])
    assert [row.level for row in coded.rows] == ["30", "40", "50"]


def test_a_level_that_one_file_lacks_has_an_interval() -> None:
    found = proportions(flags(50, 50), flags(0, 100))
    assert found.rows[1].release == 0
    assert found.rows[1].overlap < 0
    assert np.isfinite([row.overlap for row in found.rows]).all()
    assert found.overlap_not_below_zero == 0


def test_bad_requests_are_refused() -> None:
    file = pl.DataFrame({"age": [30, 40], "pay": [1.5, 2.5]})
    with pytest.raises(BadPlan) as told:
        proportions(file, file, columns=["age", "pay"])
    assert told.value.faults == (
        "Column 'age' holds numbers: declare it nominal, or group it, to count shares.",
        "Column 'pay' holds numbers: declare it nominal, or group it, to count shares.",
    )
    with pytest.raises(NotAssessable, match="No column has levels whose shares could be compared"):
        proportions(file, file)
    with pytest.raises(BadPlan, match="Column 'flag' is not in the release"):
        proportions(flags(1, 1), file, columns=["flag"])
    with pytest.raises(NotAssessable, match="needs the variance between copies"):
        proportions(flags(5, 5), flags(5, 5), origin=Origin(how=How.PARTIAL), rule=None)
