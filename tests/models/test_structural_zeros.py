"""Slices made disjoint hold the same records, and none twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import BadPlan
from lookalike.models.structural_zeros import ANY, Zeros, checked, disjoint, slices_of

LEVELS = (2, 3, 2, 4)
SLICES = st.tuples(*(st.integers(ANY, size - 1) for size in LEVELS)).filter(lambda s: any(c != ANY for c in s))


def cover(slices: tuple[tuple[int, ...], ...], levels: tuple[int, ...] = LEVELS) -> np.ndarray:
    """How many slices hold each cell of the table."""
    count = np.zeros(levels, int)
    for piece in slices:
        count[tuple(slice(None) if c == ANY else c for c in piece)] += 1
    return count


@given(st.lists(SLICES, max_size=8))
def test_disjoint_slices_have_the_same_union_and_do_not_overlap(slices: list[tuple[int, ...]]) -> None:
    found = cover(disjoint(slices, LEVELS))
    assert found.max(initial=0) <= 1
    assert ((found > 0) == (cover(tuple(slices)) > 0)).all()


@given(st.lists(st.booleans(), min_size=24, max_size=24))
def test_slices_of_a_table_of_truths_hold_its_true_cells_once(cells: list[bool]) -> None:
    table = np.array(cells).reshape(3, 2, 4)
    found = cover(slices_of(table, columns=(1, 0, 3), width=4))
    expected = np.broadcast_to(table.transpose(1, 0, 2)[:, :, None, :], LEVELS)
    assert (found == expected).all()


def test_a_slice_inside_another_vanishes() -> None:
    assert disjoint([(0, 1, ANY, ANY), (0, ANY, ANY, ANY)], LEVELS) == ((0, ANY, ANY, ANY),)


def test_a_side_that_does_not_matter_is_left_open() -> None:
    impossible = np.zeros((2, 5), bool)
    impossible[1] = True
    assert slices_of(impossible, columns=(0, 1), width=2) == ((1, ANY),)


def test_the_kernels_see_the_fixed_cells_of_every_slice() -> None:
    zeros = Zeros.of([(1, ANY, 0, ANY), (ANY, 2, ANY, ANY)], LEVELS)
    assert zeros.start.tolist() == [0, 2, 3]
    assert zeros.column.tolist() == [0, 2, 1]
    # Levels of all columns one after another: column 0 has 0 and 1, column 1 begins at 2, column 2 at 5.
    assert zeros.at.tolist() == [1, 5, 2 + 2]


def test_slices_that_do_not_fit_the_table_are_refused_together() -> None:
    with pytest.raises(BadPlan) as refused:
        checked([(0,), (ANY, ANY), (2, ANY), (ANY, 0), (0, ANY)], [2, None])
    assert refused.value.faults == (
        "Structural zero 1 has 1 codes; the table has 2 columns.",
        "Structural zero 2 fixes no column: nothing would be possible.",
        "Structural zero 3 names a code in column 1 that is no level of a category there.",
        "Structural zero 4 names a code in column 2 that is no level of a category there.",
    )


def test_too_many_disjoint_slices_are_refused() -> None:
    chain = [tuple(0 if i in (j, j + 1) else ANY for i in range(40)) for j in range(39)]
    with pytest.raises(BadPlan, match="more than 5,000 disjoint slices"):
        disjoint(chain, (9,) * 40)


def test_a_table_of_truths_must_have_a_side_a_column() -> None:
    with pytest.raises(BadPlan, match="has 2 sides for 1 columns"):
        slices_of(np.ones((2, 2), bool), columns=(0,), width=2)
