"""Order and predictors: the thesis's examples, and what is refused."""

import numpy as np
import pytest

from lookalike.errors import BadPlan
from lookalike.models.sequential.visits import Visits, matrix

NAMES = ("X1", "X2", "X3", "X4")
ASKED = {"X1": ("X2", "X3", "X4"), "X2": ("X3", "X4"), "X3": (), "X4": ("X3",)}
INPUT = np.array([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 1, 0]])


def test_thesis_example_4_2_2_uses_all_that_was_asked_for() -> None:
    found = Visits.of(NAMES, order=("X3", "X4", "X2", "X1"), predictors=ASKED)
    assert np.array_equal(matrix(NAMES, found.asked), INPUT)
    assert np.array_equal(matrix(NAMES, found.usable), INPUT)


def test_thesis_example_4_2_3_drops_what_is_visited_later() -> None:
    order = ("X4", "X3", "X1", "X2")
    found = Visits.of(NAMES, order=order, predictors=ASKED, drop_later=True)
    assert np.array_equal(matrix(NAMES, found.asked), INPUT)
    assert np.array_equal(matrix(NAMES, found.usable), [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(BadPlan) as error:
        Visits.of(NAMES, order=order, predictors=ASKED)
    assert list(error.value.faults) == [
        "'X3' is named as a predictor of 'X4' but is drawn later. Change the order, or take drop_later = true to go on "
        "without it.",
        "'X2' is named as a predictor of 'X1' but is drawn later. Change the order, or take drop_later = true to go on "
        "without it.",
    ]


def test_without_an_order_predictors_come_before_what_they_predict() -> None:
    assert Visits.of(NAMES, predictors=ASKED).order == ("X3", "X4", "X2", "X1")


def test_without_anything_the_order_is_that_of_the_file_and_all_before_predict() -> None:
    found = Visits.of(NAMES, predictors={})
    assert found.order == NAMES
    assert np.array_equal(matrix(NAMES, found.usable), np.tril(np.ones((4, 4)), -1))


def test_what_is_given_comes_first() -> None:
    found = Visits.of(NAMES, order=("X2", "X1"), predictors={}, given=("X4",))
    assert found.order == ("X4", "X2", "X1", "X3")


@pytest.mark.parametrize(
    ("order", "predictors", "said"),
    [
        (
            (),
            {"X1": ("X2",), "X2": ("X3",), "X3": ("X1",)},
            "'X1', 'X2', 'X3' are predictors of each other in a circle",
        ),
        (("X5",), {}, "In order: column 'X5' is not among those modelled."),
        ((), {"X1": ("Y",)}, "In predictors: column 'Y' is not among those modelled."),
        (("X1", "X1"), {}, "In order: column 'X1' stands twice."),
        ((), {"X1": ("X1",)}, "Column 'X1' is asked to predict itself."),
    ],
)
def test_refusals(order: tuple[str, ...], predictors: dict[str, tuple[str, ...]], said: str) -> None:
    with pytest.raises(BadPlan, match=said):
        Visits.of(NAMES, order=order, predictors=predictors)
