from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lookalike.errors import BadFile, BadPlan, NotAssessable
from lookalike.risk._boxes import COVERED, UNDECIDED, judge
from lookalike.risk._boxtree import grow
from lookalike.risk.fitting import fitting_uniques


def boxes(*cells):
    """Each record as a list of values or (low, high) pairs, one record a class."""
    ends = [[cell if isinstance(cell, tuple) else (cell, cell) for cell in row] for row in cells]
    both = np.array(ends, dtype=np.int64)
    return both[:, :, 0], both[:, :, 1], np.ones(len(cells), dtype=np.int64)


def brute(low, high, sizes):
    """For every point of each box, does another record fit?"""
    unique = []
    for row in range(len(low)):
        others = np.arange(len(low)) != row
        points = product(*(range(a, b + 1) for a, b in zip(low[row], high[row], strict=True)))
        alone = any(not ((low[others] <= p) & (p <= high[others])).all(axis=1).any() for p in points)
        unique.append(bool(alone and sizes[row] == 1))
    return unique


def people(count, rng):
    spans = [90, 2, 5, 7, 16, 40, 8, 50, 20]
    return np.column_stack([rng.integers(0, span, count) for span in spans])


def test_an_age_that_fits_a_range_is_not_unique():
    # Seed 004: 26 fits [24-28] when all else is equal.
    assert fitting_uniques(*boxes([26, 1], [(24, 28), 1])).unique.tolist() == [False, True]
    assert fitting_uniques(*boxes([26, 1], [(24, 28), 2])).unique.tolist() == [True, True]


def test_a_range_is_unique_if_one_of_its_values_fits_no_other_record():
    # Seed 004: [24-28] against 24, 25, 26, 27 and 28, then without 27.
    assert not fitting_uniques(*boxes([(24, 28)], [24], [25], [26], [27], [28])).unique[0]
    assert fitting_uniques(*boxes([(24, 28)], [24], [25], [26], [28])).unique[0]
    assert not fitting_uniques(*boxes([(24, 28)], [(20, 25)], [(26, 26)], [(27, 90)])).unique[0]


def test_two_records_with_the_same_box_are_not_unique():
    low, high, _ = boxes([(24, 28)], [90])
    result = fitting_uniques(low, high, np.array([2, 1]))
    assert result.unique.tolist() == [False, True]
    assert (result.records, result.share) == (3, 1 / 3)


def test_two_boxes_that_together_cover_a_third_leave_it_not_unique():
    # The square 0..3 by 0..3: its left and right halves cover it; take a corner away and it is open.
    halves = [[(0, 1), (0, 3)], [(2, 3), (0, 3)]]
    assert not fitting_uniques(*boxes([(0, 3), (0, 3)], *halves)).unique[0]
    halves[1] = [(2, 3), (0, 2)]
    assert fitting_uniques(*boxes([(0, 3), (0, 3)], *halves)).unique[0]


def test_a_wildcard_fits_everybody_and_all_wildcards_fit_all():
    wild = (0, 85)
    assert fitting_uniques(*boxes([30, 1], [40, 2], [wild, wild])).unique.tolist() == [False, False, True]
    assert fitting_uniques(*boxes([wild, 1], [wild, 2], [5, (1, 2)])).unique.tolist() == [True, True, False]
    assert fitting_uniques(*boxes([wild, 1], [wild, (1, 2)], [wild, 2])).unique.tolist() == [False] * 3


def test_a_file_of_one_record_is_unique():
    result = fitting_uniques(*boxes([(0, 5), 3]))
    assert result.share == 1
    assert result.undecided == 0


def test_ends_at_the_limits_of_integers_are_allowed():
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    cells = [[(least, most)], [(least, 0)], [(1, most)], [most]] + [[(v, v + 1)] for v in range(20)]
    assert not fitting_uniques(*boxes(*cells)).unique.any()
    assert fitting_uniques(*boxes([(least, most)], [(least, 0)], [(2, most)])).unique.tolist() == [
        True,
        False,
        False,
    ]


@given(hnp.arrays(np.int64, st.tuples(st.integers(1, 60), st.integers(1, 4)), elements=st.integers(0, 3)))
def test_with_values_only_it_is_plain_uniqueness(records):
    points, counts = np.unique(records, axis=0, return_counts=True)
    result = fitting_uniques(points, points, counts)
    assert result.unique.tolist() == (counts == 1).tolist()
    assert result.records == len(records)


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(1, 40), st.integers(1, 3), st.just(2)), elements=st.integers(0, 4)),
    st.data(),
)
def test_it_equals_the_definition_on_any_small_grid(ends, data):
    low, high = ends.min(axis=2), ends.max(axis=2)
    sizes = data.draw(hnp.arrays(np.int64, len(ends), elements=st.integers(1, 2)))
    result = fitting_uniques(low, high, sizes)
    assert result.unique.tolist() == brute(low, high, sizes)
    assert result.undecided == 0


def test_it_equals_the_definition_on_values_ranges_and_wildcards():
    rng = np.random.default_rng(7)
    centre = rng.integers(0, 6, (400, 4))
    width = rng.choice([0, 0, 0, 1, 6], (400, 4))
    low, high = np.maximum(centre - width, 0), np.minimum(centre + width, 5)
    sizes = np.ones(400, dtype=np.int64)
    assert fitting_uniques(low, high, sizes).unique.tolist() == brute(low, high, sizes)


def test_what_the_budget_does_not_decide_counts_as_unique_and_is_told():
    cells = [[(0, 99)]] + [[value] for value in range(100)]
    assert fitting_uniques(*boxes(*cells)).share == 0
    short = fitting_uniques(*boxes(*cells), budget=20)
    assert short.undecided == 1
    assert short.unique.tolist() == [True] + [False] * 100


def cube_under_a_grid(side):
    steps = np.arange(side)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    low = np.vstack([np.zeros((1, 3), dtype=np.int64), grid])
    return low, np.vstack([np.full((1, 3), side - 1), grid])


def test_a_cube_is_covered_when_each_of_its_points_is_a_record():
    low, high = cube_under_a_grid(12)
    sizes = np.ones(len(low), dtype=np.int64)
    assert fitting_uniques(low, high, sizes).share == 0
    assert fitting_uniques(low[:-1], high[:-1], sizes[:-1]).unique.tolist() == [True] + [False] * (12**3 - 1)


def test_more_pieces_than_there_is_room_for_leave_a_record_undecided():
    low, high = cube_under_a_grid(12)
    verdicts, _ = judge(grow(low, high), np.ones(len(low), dtype=bool), 10**9, 1)
    assert verdicts[0] == UNDECIDED
    assert (verdicts[1:] == COVERED).all()


def points_only(records, rng):
    return records, records


def some_wildcards(records, rng):
    wild = rng.random(records.shape) < 0.01
    return np.where(wild, 0, records), np.where(wild, 90, records)


def wildcards_in_two_columns(records, rng):
    wild = np.zeros(records.shape, dtype=bool)
    wild[:, [0, 7]] = rng.random((len(records), 2)) < 0.8
    return np.where(wild, 0, records), np.where(wild, 90, records)


def neighbours_as_ranges(records, rng):
    groups = records[np.lexsort(records.T[::-1])].reshape(-1, 3, records.shape[1])
    return groups.min(axis=1), groups.max(axis=1)


@pytest.mark.parametrize("mask", [points_only, some_wildcards, wildcards_in_two_columns, neighbours_as_ranges])
def test_the_work_is_far_from_one_test_for_each_pair(mask):
    rng = np.random.default_rng(3)
    low, high = mask(people(30_000, rng), rng)
    result = fitting_uniques(low, high, np.ones(len(low), dtype=np.int64))
    assert result.work < len(low) ** 2 / 40
    assert result.undecided == 0


def test_refusals_say_what_is_wrong():
    low, high, sizes = boxes([(0, 5), (3, 4)], [(1, 2), 5])
    with pytest.raises(BadPlan, match="budget must be at least 1, got 0"):
        fitting_uniques(low, high, sizes, budget=0)
    with pytest.raises(BadFile, match="Quasi-identifier 2 has intervals that end before they start, in 1 cl"):
        fitting_uniques(low, np.array([[5, 2], [2, 5]]), sizes)
    with pytest.raises(NotAssessable, match="at least one record and one quasi-identifier"):
        fitting_uniques(low[:0], high[:0], sizes[:0])


def test_the_input_is_not_changed():
    low, high, sizes = boxes(*[[(value, value + 3), 1] for value in range(20)])
    before = low.copy(), high.copy()
    fitting_uniques(low, high, sizes)
    assert (low == before[0]).all()
    assert (high == before[1]).all()
