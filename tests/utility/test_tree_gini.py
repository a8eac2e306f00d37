"""The Gini index of nodes, leaves and fitted trees."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.table_measures import Cells, propensity_error
from lookalike.utility.tree_gini import gini, overall_gini, tree_gini


def people(seed: int, n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 80, n), [["a", "b", "c", None][i] for i in rng.integers(0, 4, n)]
    rich = rng.random(n) < np.where(age > 40, 0.8, 0.2)
    return pl.DataFrame({"age": age, "job": job, "rich": np.where(rich, "yes", "no")})


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=6))
def test_gini_is_the_chance_that_two_records_of_a_node_differ(leaves) -> None:
    table = np.array(leaves)
    for node in table:
        people = np.repeat(np.arange(3), node)
        differ = (people[:, None] != people[None, :]).mean()
        assert gini(node) == pytest.approx(differ)
    weights = table.sum(axis=1) / table.sum()
    assert overall_gini(table) == pytest.approx((weights * [gini(node) for node in table]).sum())


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(any), min_size=2, max_size=8))
def test_a_tree_that_tells_files_apart_has_gini_two_c_times_rest_less_two_pmse(cells) -> None:
    table = np.array(cells)
    n1, n2 = table.sum(axis=0)
    if n1 and n2:
        c = n2 / (n1 + n2)
        pmse = float(propensity_error(Cells.of(table[:, 0], table[:, 1])))
        assert overall_gini(table) == pytest.approx(2 * (c * (1 - c) - pmse))


def test_the_fitted_half_has_the_impurity_that_scikit_learn_gives_its_leaves() -> None:
    file = people(1).select("age", "rich")
    found = tree_gini(file, file, "rich", rng=np.random.default_rng(1), least_leaf=20)
    half = file[np.random.default_rng(1).permutation(600)[:300]]
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    tree.fit(half["age"].to_numpy()[:, None], half["rich"].to_numpy())
    leaf = tree.tree_.children_left < 0
    impurity = np.average(tree.tree_.impurity[leaf], weights=tree.tree_.n_node_samples[leaf])
    assert found.leaves == tree.get_n_leaves()
    assert found.fitted == pytest.approx(impurity)
    assert found.root == pytest.approx(tree.tree_.impurity[0])
    # The release is the original: half of it was fitted to.
    assert found.release == pytest.approx((found.fitted + found.original) / 2)


def test_another_sample_differs_from_the_original_by_chance_alone() -> None:
    found = [
        tree_gini(people(2 * seed), people(2 * seed + 1), "rich", rng=np.random.default_rng(seed)) for seed in range(60)
    ]
    z = np.array([one.difference / one.deviation for one in found])
    assert abs(z.mean()) < 0.4
    assert z.std() == pytest.approx(1, abs=0.3)
    assert all(one.fitted < one.original for one in found)  # what a tree was fitted to looks purer than new records


def test_a_release_that_lost_the_relation_is_told() -> None:
    original = people(1)
    shuffled = original.with_columns(pl.col("rich").shuffle(seed=1))
    lost = tree_gini(original, shuffled, "rich", rng=np.random.default_rng(1), least_leaf=30)
    assert lost.release == pytest.approx(0.5, abs=0.05)
    assert lost.difference > 3 * lost.deviation


def test_categories_levels_of_one_file_alone_and_missing_numbers_are_taken() -> None:
    original = pl.DataFrame({"x": [1.0, None, 3.0, 1e300] * 20, "v": ["a", "b", "a", None] * 20, "t": ["p", "q"] * 40})
    release = original.with_columns(v=pl.lit("new"))
    found = tree_gini(original, release, "t", rng=np.random.default_rng(1))
    assert 0 <= found.original <= 1
    assert 0 <= found.release <= 1


def test_a_class_that_only_the_release_has_is_never_right() -> None:
    original = pl.DataFrame({"x": list(range(40)), "t": ["p", "q"] * 20})
    release = original.with_columns(t=pl.lit("r"))
    assert tree_gini(original, release, "t", rng=np.random.default_rng(1)).release == 1


def test_a_constant_target_is_pure_everywhere() -> None:
    file = pl.DataFrame({"x": list(range(20)), "t": ["p"] * 20})
    found = tree_gini(file, file, "t", rng=np.random.default_rng(1))
    assert (found.leaves, found.fitted, found.original, found.release) == (1, 0, 0, 0)


def test_faults_are_told_together() -> None:
    file = pl.DataFrame({"x": [1, 2], "t": ["p", "q"]})
    with pytest.raises(BadPlan) as told:
        tree_gini(file, file, "tt", rng=np.random.default_rng(1), least_leaf=0)
    assert told.value.faults == (
        "Column 'tt' is not in the original. Did you mean 't'? Columns: x, t.",
        "Column 'tt' is not in the release. Did you mean 't'? Columns: x, t.",
        "A leaf needs 1 record at least.",
    )
    with pytest.raises(BadPlan, match=r"No column is left to predict 't' from."):
        tree_gini(file, file, "t", rng=np.random.default_rng(1), columns=["t"])
    with pytest.raises(
        BadPlan, match=r"The original has 1 record: a tree is fitted to one half and judged by the other"
    ):
        tree_gini(file.head(1), file, "t", rng=np.random.default_rng(1))
    with pytest.raises(NotAssessable, match=r"A node without records has no Gini index."):
        gini([0, 0])
    with pytest.raises(NotAssessable, match=r"A tree without records has no Gini index."):
        overall_gini([[0, 0]])
