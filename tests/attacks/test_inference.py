"""Inference by models: learners against scikit-learn, losses by hand, baselines, controls."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsRegressor

from lookalike.attacks.files import Files
from lookalike.attacks.inference import Inference
from lookalike.attacks.learners import Neighbours, Perceptron, Points, features
from lookalike.attacks.predictions import Prediction, Truth
from lookalike.attacks.ranges import Radius
from lookalike.errors import BadPlan, NotAssessable


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def people(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    age, sex = draw.integers(20, 80, n), draw.choice(["F", "M"], n)
    ill = np.where(draw.random(n) < np.where(age > 50, 0.8, 0.1), "yes", "no")
    return pl.DataFrame({"age": age, "sex": sex, "ill": ill, "pay": 100.0 * age + draw.normal(0, 50, n)})


def points(x: np.ndarray) -> Points:
    return Points(x, np.arange(len(x)))


def test_neighbours_are_those_of_scikit_learn_where_none_tie() -> None:
    x, y, asked = rng().normal(size=(200, 3)), rng().normal(size=200), np.random.default_rng(2).normal(size=(50, 3))
    found = Neighbours(k=7).on_numbers(points(x), y, rng=rng()).number(points(asked))
    assert found == pytest.approx(KNeighborsRegressor(7).fit(x, y).predict(asked))


def test_neighbours_at_the_same_distance_all_count() -> None:
    x, y = Points(np.array([[0.0], [1.0]]), np.repeat([0, 1], [8, 2])), np.arange(10.0)
    model = Neighbours(k=3).on_numbers(x, y, rng=rng())
    assert model.number(points(np.array([[0.0], [1.0]]))).tolist() == [np.mean(range(8)), np.mean(range(10))]
    kinds = Neighbours(k=3).on_categories(x, np.array([0] * 8 + [1] * 2), 3, rng=rng())
    assert kinds.chances(points(np.array([[0.0]])))[0].tolist() == pytest.approx([(8 + 0.8) / 9, 0.2 / 9, 0])


def test_losses_by_hand() -> None:
    chances = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]])
    found = Prediction(np.array([1.0, 3.0]), np.array([1.5, 2.0]), chances, np.array([0.5, 0.25, 0.25]))
    errors = found.errors()
    assert errors.squared == pytest.approx((0.5**2 + 1) / 2)
    assert errors.brier == pytest.approx((0.3**2 + 0.2**2 + 0.1**2 + 1 + 1) / 2)
    clipped = np.array([[0.7, 0.2, 0.1], [1e-6, 1.0, 1e-6]])
    assert errors.log_loss == pytest.approx(
        log_loss([1, 3], clipped / clipped.sum(axis=1)[:, None], labels=[1, 2, 3]), abs=1e-5
    )
    assert found.right(Radius(value=0)).value == 1 / 2
    assert found.guess().errors().squared == pytest.approx(((1 - 1.75) ** 2 + (3 - 1.75) ** 2) / 2)


def test_a_negative_number_is_not_right_by_being_negative() -> None:
    found = Prediction(np.array([100.0, -100.0, 0.0]), np.array([-5.0, -95.0, 0.0]), None, np.array([0.0]))
    assert found.right(Radius(value=0.1, share=True)).successes == 2


@pytest.mark.parametrize("learner", [Neighbours(k=15), Perceptron(rounds=30)])
def test_what_everybody_shares_is_no_excess_over_the_control(learner) -> None:
    files = Files(original=people(600, 1), releases=(people(600, 2),), control=people(600, 3))
    found = Inference(known=("age", "sex"), targets=("ill", "pay"), learner=learner).attack(files, rng=rng())
    ill, pay = found.targets
    assert ill.outcome.main.value > 0.78 > 0.65 > ill.outcome.baseline.value
    assert ill.outcome.reading.value == "informative"
    assert ill.outcome.excess.low < 0 < ill.outcome.excess.high
    assert ill.release.log_loss < ill.guess.log_loss
    assert ill.release.brier < ill.guess.brier
    assert pay.release.log_loss is None
    assert pay.release.squared < 0.1 * pay.guess.squared
    assert found.release_error == pytest.approx((ill.release.squared + pay.release.squared) / 2)


def test_a_copy_is_predicted_better_than_the_control() -> None:
    draw = np.random.default_rng(4)
    both = pl.DataFrame({"x": draw.normal(size=800), "ill": draw.choice(["yes", "no"], 800)})
    files = Files(original=both.head(400), releases=(both.head(400),), control=both.tail(400))
    found = Inference(known=("x",), targets=("ill",), learner=Neighbours(k=1)).attack(files, rng=rng()).targets[0]
    assert found.outcome.main.value == 1
    assert found.outcome.excess.low > 0.8
    assert (found.better.value, found.equal.value) == (0, 1)  # the original itself does no worse


def test_better_and_equal_count_records() -> None:
    original = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 2.0, 3.0]})
    release = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 9.0, 9.0]})
    found = Inference(known=("x",), targets=("y",), learner=Neighbours(k=1)).attack(
        Files(original=original, releases=(release,)), rng=rng()
    )
    assert (found.targets[0].better.value, found.targets[0].equal.value) == (0, 1 / 2)
    assert (found.release_error, found.original_error) == ((49 + 36) / 4, 0)


@pytest.mark.parametrize("learner", [Neighbours(), Perceptron(rounds=5)])
def test_the_same_seed_gives_the_same_predictions(learner) -> None:
    files = Files(original=people(100, 1), releases=(people(100, 2),))
    attack = Inference(known=("age", "sex"), targets=("ill",), learner=learner)
    one, other = (attack.attack(files, rng=np.random.default_rng(3)).targets[0] for _ in range(2))
    assert (one.release, one.outcome) == (other.release, other.outcome)


def test_missing_values_single_categories_and_new_categories() -> None:
    original = pl.DataFrame(
        {"x": [1.0, None, 3.0, 2.0], "g": ["a", None, "b", "c"], "t": ["p", "p", None, "q"], "y": [1.0, None, 2.0, 3.0]}
    )
    release = pl.DataFrame({"x": [None, 2.0], "g": ["a", "z"], "t": ["p", "p"], "y": [1.0, 2.0]})
    files = Files(original=original, releases=(release,))
    for learner in (Neighbours(), Perceptron(rounds=5)):
        found = Inference(known=("x", "g"), targets=("t", "y"), learner=learner).attack(files, rng=rng())
        assert found.targets[0].outcome.main.value == 2 / 4
        assert found.targets[1].outcome.main.of == 3  # a missing number has no truth
    empty = files.original.with_columns(y=pl.Series([None] * 4, dtype=pl.Float64))
    with pytest.raises(NotAssessable, match="only missing values in the file to train on"):
        Inference(known=("x",), targets=("y",)).attack(Files(original=empty, releases=(release,)), rng=rng())


def test_features_are_scaled_by_the_file_trained_on() -> None:
    _, other = features([pl.DataFrame({"x": [0.0, 10.0]}), pl.DataFrame({"x": [5.0, None]})], ["x"])
    assert other.spread(other.distinct).tolist() == [[0.0, 0.0], [0.0, 1.0]]
    _, constant = features([pl.DataFrame({"x": [3, 3]}), pl.DataFrame({"x": [4]})], ["x"])
    assert constant.distinct.tolist() == [[1.0, 0.0]]
    assert np.isnan(Truth.of([pl.Series([1, None])])[0].values).tolist() == [False, True]


def test_without_a_target_or_with_one_that_is_known_it_is_refused() -> None:
    file = people(10, 1)
    files = Files(original=file, releases=(file,))
    with pytest.raises(BadPlan, match="Name at least one target to predict"):
        Inference(known=("age",), targets=()).attack(files, rng=rng())
    with pytest.raises(BadPlan, match="Column 'age' is both known and wanted"):
        Inference(known=("age",), targets=("age",)).attack(files, rng=rng())


def test_large_files_are_sampled(monkeypatch) -> None:
    from lookalike.attacks import inference

    monkeypatch.setattr(inference, "MOST_ROWS", 50)
    files = Files(original=people(200, 1), releases=(people(200, 2),))
    found = Inference(known=("age", "sex"), targets=("ill",)).attack(files, rng=rng())
    assert found.targets[0].outcome.main.of == 200
