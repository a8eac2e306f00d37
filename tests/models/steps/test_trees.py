"""Every tree keeps the contract of a step, and what it draws are cells of donors from leaves of the promised size."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps import FittedStep, Step
from lookalike.models.steps.forest import Bagging, Forest
from lookalike.models.steps.inference_tree import ConditionalTree
from lookalike.models.steps.tree import Cart
from lookalike.models.steps.tree_coding import code_columns

STEPS = {
    "cart": Cart(),
    "bayes": Cart(donors="bayes", entropy=0.2),
    "conditional": ConditionalTree(),
    "forest": Forest(trees=3),
    "bagging": Bagging(trees=3),
}
every_step = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
N = 400
MANY = 20_000
"""Rows drawn: more than one stream's."""


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def codes(values: Any, levels: int, *, ordered: bool = False) -> Categories:
    return Categories(np.asarray(values, np.int32), levels, ordered)


def predictors(n: int = N, seed: int = 1) -> Mixed:
    draw = rng(seed)
    return Mixed(
        (Numbers(draw.normal(size=n)), codes(draw.integers(0, 7, n), 8), codes(draw.integers(0, 5, n), 5, ordered=True))
    )


def responses() -> dict[str, Column]:
    x = predictors().columns
    signal = x[0].values + x[1].codes / 2  # type: ignore[union-attr]
    noisy = signal + rng(2).normal(size=N) / 2
    return {
        "numbers": Numbers(noisy),
        "nominal": codes(np.digitize(noisy, [0, 1.5]), 4),
        "ordered": codes(np.digitize(noisy, [0, 1, 2]), 4, ordered=True),
    }


every_response = pytest.mark.parametrize("kind", ["numbers", "nominal", "ordered"])


def cells(column: Column) -> np.ndarray:
    return column.values if isinstance(column, Numbers) else column.codes


def one_column(n: int) -> Mixed:
    return Mixed((codes(np.zeros(n), 1),))


@every_step
@every_response
@pytest.mark.parametrize("proper", [False, True])
def test_the_same_seed_draws_the_same_cells_of_the_file_in_one_thread_and_in_two(
    step: Step, kind: str, proper: bool
) -> None:
    response, table, new = responses()[kind], predictors(), predictors(MANY, seed=3)
    before = [cells(c).copy() for c in (response, *table.columns, *new.columns)]
    runs = []
    for threads in (1, 2, None):
        fitted = step.fit(response, table, rng=rng(4), proper=proper, threads=threads)
        assert isinstance(fitted, FittedStep)
        runs.append(fitted.draw(new, rng=rng(5), threads=threads))
    assert all((cells(run) == cells(runs[0])).all() for run in runs)
    assert all((cells(c) == b).all() for c, b in zip((response, *table.columns, *new.columns), before, strict=True))
    assert len(runs[0]) == MANY
    assert type(runs[0]) is type(response)
    assert cells(runs[0]).dtype == cells(response).dtype
    assert set(cells(runs[0]).tolist()) <= set(cells(response).tolist())
    if isinstance(response, Categories):
        assert isinstance(runs[0], Categories)
        assert (runs[0].levels, runs[0].ordered) == (response.levels, response.ordered)
    assert (cells(fitted.draw(new, rng=rng(6))) != cells(runs[0])).any()


@pytest.mark.parametrize("step", [step for name, step in STEPS.items() if name != "bayes"], ids=repr)
@every_response
def test_without_predictors_cells_are_a_bootstrap_of_the_file(step: Step, kind: str) -> None:
    response = responses()[kind]
    fitted = step.fit(response, Mixed(()), rng=rng())
    found = cells(fitted.draw(one_column(MANY), rng=rng(2)))
    values, counts = np.unique(cells(response), return_counts=True)
    seen = (found[:, None] == values).mean(axis=0)
    assert np.abs(seen - counts / N).max() < 5 * np.sqrt(counts.max() / N / MANY)
    assert len(fitted.draw(Mixed(()), rng=rng(2))) == 0


@every_step
@every_response
def test_one_row_is_drawn_again_and_again(step: Step, kind: str) -> None:
    response = responses()[kind].take(np.array([7]))
    fitted = step.fit(response, predictors().take(np.array([7])), rng=rng(), proper=True)
    assert (cells(fitted.draw(predictors(), rng=rng(2))) == cells(response)[0]).all()
    assert "100.0% of the fitted records are in leaves of fewer than 5 donors." in fitted.caveats


@every_step
def test_constant_columns_and_constant_responses_make_one_leaf(step: Step) -> None:
    table, trees = predictors(), getattr(step, "trees", 1)
    for response in (Numbers(np.full(N, 0.1)), codes(np.full(N, 2), 3), codes(np.zeros(N), 1)):
        fitted = step.fit(response, table, rng=rng())
        assert fitted.figures["leaves"] == trees
        assert (cells(fitted.draw(table, rng=rng(2))) == cells(response)[0]).all()
    flat = Mixed((Numbers(np.full(N, 3.3)), codes(np.full(N, 4), 6)))
    assert step.fit(responses()["numbers"], flat, rng=rng()).figures["leaves"] == trees


@every_step
@every_response
def test_levels_as_many_as_rows_and_a_thousand_columns_can_be_fitted(step: Step, kind: str) -> None:
    response = responses()[kind]
    own = Mixed((codes(rng().permutation(N), N),))
    wide = Mixed(tuple(Numbers(column) for column in rng().normal(size=(1_000, N))))
    for table in (own, wide):
        found = step.fit(response, table, rng=rng()).draw(table, rng=rng(2))
        assert len(found) == N


@pytest.mark.parametrize("step", [Cart(leaf=9), ConditionalTree(leaf=9, alpha=1.0), Forest(leaf=9, trees=4)], ids=repr)
@every_response
@pytest.mark.parametrize("proper", [False, True])
def test_no_leaf_has_fewer_different_donors_than_promised(step: Any, kind: str, proper: bool) -> None:
    table = predictors()
    fitted = step.fit(responses()[kind], table, rng=rng(), proper=proper)
    assert fitted.figures["leaves"] > 4
    assert fitted.figures["fewest_donors"] >= 9
    column, donors = fitted.draw_traced(table, rng=rng(2))
    assert donors.donors.min() >= 9
    assert (cells(column) == cells(responses()[kind])[donors.rows]).all()
    assert (cells(column) == cells(fitted.draw(table, rng=rng(2)))).all()


def test_the_share_of_cells_from_few_donors_is_told() -> None:
    table = Mixed((codes([0] * 3 + [1] * 97, 2),))
    fitted = Cart(leaf=3).fit(Numbers(table.columns[0].codes * 1.0), table, rng=rng())  # type: ignore[union-attr]
    assert fitted.figures == {"leaves": 2, "depth": 1, "fewest_donors": 3, "share_below_5_donors": 0.03}
    assert fitted.caveats[1] == "3.0% of the fitted records are in leaves of fewer than 5 donors."
    drawn = fitted.draw_traced(Mixed((codes([0, 0, 0, 1], 2),)), rng=rng())[1]
    assert drawn.donors.tolist() == [3, 3, 3, 97]
    assert (drawn.share_below(5), drawn.share_below(3), drawn.share_below(98)) == (0.75, 0, 1)


@pytest.mark.parametrize("floor", [0.1, 0.4, 2.0])
def test_no_leaf_has_less_entropy_than_the_floor(floor: float) -> None:
    response = responses()["nominal"]
    assert isinstance(response, Categories)
    fitted = Cart(entropy=floor).fit(response, predictors(), rng=rng())
    # The largest floor is more than the whole file has: nothing is split.
    assert (fitted.figures["leaves"] == 1) == (floor == 2.0)
    nodes = fitted.trees.nodes
    for b, e in zip(nodes.begin[nodes.column < 0], nodes.end[nodes.column < 0], strict=True):
        shares = np.bincount(response.codes[fitted.trees.rows[b:e]]) / (e - b)
        assert floor == 2.0 or -(shares[shares > 0] * np.log(shares[shares > 0])).sum() >= floor


def test_a_level_the_tree_has_not_seen_goes_down_by_the_sizes_of_the_children() -> None:
    table = Mixed((codes([0] * 60 + [1] * 140, 3),))
    fitted = Cart().fit(table.columns[0], table, rng=rng())
    for unseen in (2, -1):
        found = fitted.draw(Mixed((codes(np.full(MANY, unseen), 3),)), rng=rng(2), threads=2)
        # 140 of 200 records are on the side of level 1.
        assert cells(found).mean() == pytest.approx(0.7, abs=4 * np.sqrt(0.21 / MANY))


def test_bayesian_weights_are_drawn_once_a_draw() -> None:
    values = Numbers(np.arange(20.0))
    squares = {"plain": [], "bayes": []}  # type: dict[str, list[float]]
    for law, found in squares.items():
        fitted = Cart(donors=law).fit(values, Mixed(()), rng=rng())  # type: ignore[arg-type]
        for seed in range(40):
            drawn = cells(fitted.draw(one_column(4_000), rng=rng(seed))).astype(int)
            found.append(float(((np.bincount(drawn, minlength=20) / 4_000) ** 2).sum()))
    # Σ w² is 1/20 for equal weights and 2/21 on average for Dirichlet(1, …, 1).
    assert np.mean(squares["plain"]) == pytest.approx(1 / 20, abs=0.001)
    assert np.mean(squares["bayes"]) == pytest.approx(2 / 21, abs=0.01)


def test_in_a_forest_every_tree_counts_the_same() -> None:
    values = Numbers(np.arange(60.0))
    table = Mixed((Numbers(np.arange(60.0)),))
    fitted = Forest(trees=4).fit(values, table, rng=rng())
    trees, expected = fitted.trees, np.zeros(60)
    for node in leaves_of(trees, 30.2):
        begin, end = trees.nodes.begin[node], trees.nodes.end[node]
        expected[trees.rows[begin:end]] += 1 / 4 / (end - begin)
    drawn = cells(fitted.draw(Mixed((Numbers(np.full(MANY, 30.2)),)), rng=rng(2))).astype(int)
    assert expected.sum() == pytest.approx(1)
    assert (expected > 0).sum() > 8
    assert np.abs(np.bincount(drawn, minlength=60) / MANY - expected).max() < 0.015


def leaves_of(trees: Any, value: float) -> list[int]:
    found = []
    for root in trees.roots:
        node = int(root)
        while trees.nodes.column[node] >= 0:
            node = int(trees.nodes.child[node] + (value > trees.nodes.low[node]))
        found.append(node)
    return found


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Of a logistic regression."""

    def loss(b: np.ndarray) -> float:
        return float(np.logaddexp(0, b[0] + b[1] * x).sum() - (y * (b[0] + b[1] * x)).sum())

    return float(minimize(loss, [-4.0, 0.5], method="BFGS").x[1])


@pytest.mark.parametrize(("step", "room"), [(Cart(), 0.15), (Forest(), 0.15)], ids=["cart", "forest"])
def test_a_rare_outcome_keeps_its_slope(step: Any, room: float) -> None:
    # Prevalence 2 %, n = 2,000, slope 0.96: pruning on misclassification left 0.34 of it.
    pairs, shares = [], []
    for seed in range(50):
        draw = rng(seed)
        x = draw.normal(size=2_000)
        y = draw.random(2_000) < 1 / (1 + np.exp(4.35 - 0.96 * x))
        table = Mixed((Numbers(x),))
        found = cells(step.fit(codes(y, 2), table, rng=draw).draw(table, rng=draw))
        pairs.append((slope(x, y), slope(x, found)))
        shares.append((y.mean(), found.mean()))
    original, synthetic = np.mean(pairs, axis=0)
    assert synthetic / original == pytest.approx(1, abs=room)
    assert np.mean(shares, axis=0)[1] == pytest.approx(np.mean(shares, axis=0)[0], rel=0.1)


def test_columns_coded_before_grow_the_same_tree() -> None:
    table, response = predictors(), responses()["nominal"]
    coded = code_columns(table).only([0, 2])
    a = Cart().fit_coded(response, coded, rng=rng(), proper=True)
    b = Cart().fit(response, table.only([0, 2]), rng=rng(), proper=True)
    assert a.figures == b.figures
    assert (cells(a.draw(table.only([0, 2]), rng=rng(2))) == cells(b.draw(table.only([0, 2]), rng=rng(2)))).all()


@pytest.mark.parametrize(
    ("choice", "settings", "fault"),
    [
        (Cart, {"leaf": 0}, "leaf must be at least 1."),
        (Cart, {"split": 0}, "split must be at least 1."),
        (Cart, {"depth": -1}, "depth must be at least 0."),
        (Cart, {"gain": -1.0}, "gain must be at least 0."),
        (Cart, {"entropy": float("nan")}, "entropy must be at least 0."),
        (Cart, {"donors": "none"}, "donors must be 'plain' or 'bayes'."),
        (ConditionalTree, {"alpha": 0.0}, "alpha must be above 0 and at most 1."),
        (ConditionalTree, {"donors": "none"}, "donors must be 'plain' or 'bayes'."),
        (Forest, {"trees": 0}, "trees must be at least 1."),
        (Forest, {"tried": 0}, "tried must be at least 1."),
        (Bagging, {"safe": 0}, "safe must be at least 1."),
    ],
)
def test_settings_that_make_no_sense_are_refused(choice: Any, settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadPlan) as found:
        choice(**settings)
    assert found.value.faults == (fault,)
