"""Propensity scores: measures by hand, the null, models, bad input."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, mannwhitneyu

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Numbers
from lookalike.utility.designs import Design, estimable
from lookalike.utility.formula import all_terms
from lookalike.utility.glm_fits import fit_logistic
from lookalike.utility.origin import How, Origin
from lookalike.utility.propensity import propensity
from lookalike.utility.propensity_columns import giveaways
from lookalike.utility.propensity_models import Cart, Logistic, Perceptron
from lookalike.utility.propensity_null import chi_square, shrinks
from lookalike.utility.propensity_scores import apart
from lookalike.utility.stacked import stack


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def people(n: int, seed: int = 1, shift: float = 0.0) -> pl.DataFrame:
    g = rng(seed)
    age = g.normal(40 + shift, 10, n)
    return pl.DataFrame(
        {
            "age": age,
            "sex": g.choice(["F", "M"], n),
            "job": g.choice(["a", "b", "c", "d"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "pay": 1000 + 20 * age + g.normal(0, 100, n),
        }
    )


# Measures


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_measures_agree_with_scipy(seed, n1, n2, ties) -> None:
    g = rng(seed)
    scores = g.random(n1 + n2).round(1 if ties else 12)
    drawn = np.arange(n1 + n2) < n2
    found = apart(scores, drawn)
    assert found.u == mannwhitneyu(scores[drawn], scores[~drawn]).statistic
    steps = np.unique(scores)
    theirs = [(scores[drawn] <= s).mean() - (scores[~drawn] <= s).mean() for s in steps]
    assert found.specks == pytest.approx(np.abs(theirs).max(), abs=1e-12)
    assert -50 <= found.po50 <= 50


def test_scores_that_say_nothing_have_no_po50_at_any_sizes() -> None:
    for n2 in (3, 10, 40):
        drawn = np.arange(20 + n2) < n2
        found = apart(np.full(20 + n2, n2 / (20 + n2)), drawn)
        assert (found.pmse, found.specks, found.po50, found.auc) == pytest.approx((0, 0, 0, 0.5))


def test_files_that_are_told_apart_for_certain_reach_the_bounds() -> None:
    found = propensity(people(300), people(100, 2, shift=500), rng=rng())
    assert found.share == pytest.approx(1, abs=1e-6)
    assert (found.specks.value, found.po50.value, found.auc.value) == (1, 50, 1)
    assert "told apart for certain" in found.caveats[0]


def test_a_copy_of_the_file_cannot_be_told_apart() -> None:
    file = people(200)
    for model in (Logistic(), Logistic(order=2), Cart()):
        found = propensity(file, file, rng=rng(), model=model, permutations=0)
        assert found.pmse.value == pytest.approx(0, abs=1e-12)


# The null


@pytest.mark.parametrize(
    ("origin", "factor"),
    [
        (Origin(), 0.75),
        (Origin(proper=True), 1.0),
        (Origin(how=How.INDEPENDENT), 1.0),
        (Origin(how=How.POPULATIONS, proper=True), 1.0),
    ],
    ids=str,
)
def test_expectation_and_deviation_as_arithmetic(origin, factor) -> None:
    """n₁ = 600, n₂ = 200, c = 1/4; age, sex, three of four jobs, pay: 6 coefficients."""
    found = propensity(people(600), people(200, 2), rng=rng(), origin=origin)
    assert found.free == 6
    unit = 0.25 * 0.75 * factor / 800
    assert found.pmse.expected == pytest.approx(6 * unit)
    assert found.pmse.sd == pytest.approx(np.sqrt(12) * unit)
    assert found.pmse.ratio == pytest.approx(found.pmse.value / (6 * unit))
    assert found.pmse.z == pytest.approx((found.pmse.value - 6 * unit) / (np.sqrt(12) * unit))
    assert 0 < found.pmse.p_value < 1


def test_the_printed_deviation_of_the_thesis_is_another() -> None:
    """Section 4.4.4 prints √(2(k−1)(1−c)²c/N); the law gives √(2(k−1)) (1−c)² c/N (errata)."""
    found = chi_square(0.001, 5, 500, 500, 0.5)
    assert found.sd == pytest.approx(np.sqrt(2 * 5) * 0.5**2 * 0.5 / 1000)
    assert found.sd < 0.02 * np.sqrt(2 * 5 * 0.5**2 * 0.5 / 1000)


def test_a_partial_release_counts_only_what_was_drawn() -> None:
    file = people(400)
    release = file.with_columns(job=people(400, 3)["job"])
    partial = Origin(how=How.PARTIAL, drawn=("job",))
    assert propensity(file, release, rng=rng(), origin=partial).free == 3
    # With products: job, age:job, sex:job, job:pay.
    assert propensity(file, release, rng=rng(), origin=partial, model=Logistic(order=2)).free == 3 + 3 + 3 + 3


def test_columns_that_are_copies_of_others_are_not_counted() -> None:
    one, other = (people(300, s).with_columns(again=pl.col("age") * 2, gender=pl.col("sex")) for s in (1, 2))
    found = propensity(one, other, rng=rng())
    plain = propensity(one.drop("again", "gender"), other.drop("again", "gender"), rng=rng())
    assert found.free == plain.free == 6
    assert found.pmse.value == pytest.approx(plain.pmse.value, rel=1e-6)


def test_a_changed_file_has_no_null() -> None:
    file = people(200)
    found = propensity(
        file, file.with_columns((pl.col("age") / 10).round() * 10), rng=rng(), origin=Origin(how=How.CHANGED)
    )
    assert (found.pmse.expected, found.pmse.ratio, found.pmse.z, found.null) == (None, None, None, "none")
    assert "there is no law it should follow" in found.caveats[0]


def law_of(file: pl.DataFrame, proper: bool, g: np.random.Generator) -> tuple:
    """Three numbers, normal: mean and covariance at their estimates, or drawn from their posterior."""
    x = file.to_numpy()
    mean, scatter = x.mean(axis=0), (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
    if not proper:
        return mean, scatter / len(x)
    # Bartlett's decomposition of a Wishart matrix.
    root = np.diag(np.sqrt(g.chisquare(len(x) - 1 - np.arange(3)))) + np.tril(g.normal(size=(3, 3)), -1)
    inverse = np.linalg.cholesky(np.linalg.inv(scatter)) @ root
    covariance = np.linalg.inv(inverse @ inverse.T)
    return g.multivariate_normal(mean, covariance / len(x)), covariance


@pytest.mark.parametrize("kind", ["improper", "proper", "independent"])
@pytest.mark.parametrize("n2", [400, 200, 1200])
def test_the_null_is_calibrated(kind, n2) -> None:
    """Short form of `benchmarks/utility_propensity.py --calibration`: 9 coefficients, 60 replications.

    The mean ratio has a standard error of √(2/9)/√60 = 6 %, so 18 % is three of them.
    """
    g = rng(100 + n2)
    origin = {"improper": Origin(), "proper": Origin(proper=True), "independent": Origin(how=How.INDEPENDENT)}[kind]
    truth, ratios, chances = (np.zeros(3), np.eye(3) + 0.5), [], []
    for _ in range(60):
        file = pl.DataFrame(g.multivariate_normal(*truth, 400), schema=["x", "y", "z"])
        law = truth if kind == "independent" else law_of(file, kind == "proper", g)
        release = pl.DataFrame(g.multivariate_normal(*law, n2), schema=["x", "y", "z"])
        squares = [f.with_columns((pl.col("x", "y", "z") ** 2).name.suffix("2")) for f in (file, release)]
        terms = "(x + y + z)^2 + x2 + y2 + z2"
        found = propensity(*squares, rng=g, origin=origin, model=Logistic(terms=terms)).pmse
        ratios.append(found.ratio)
        chances.append(found.p_value)
    assert np.mean(ratios) == pytest.approx(1, abs=0.18)
    assert np.std(ratios) == pytest.approx(np.sqrt(2 / 9), rel=0.35)
    assert kstest(chances, "uniform").pvalue > 0.001


def test_shuffled_labels_give_the_chi_square_law() -> None:
    one, other = people(300, 1), people(200, 2)
    improper = propensity(one, other, rng=rng(), permutations=200, folds=0)
    assert improper.null == "χ² for pMSE, 200 shuffles of the labels for the others"
    by_folds = propensity(one, other, rng=rng(), folds=2, permutations=30)
    assert by_folds.null == "30 shuffles of the labels"
    assert shrinks(Origin(), 300, 200, folds=2) == 1 - 0.5 * 0.4
    assert by_folds.specks.expected is None
    assert "guessed worse than by chance" in by_folds.caveats[0]
    independent = propensity(one, other, rng=rng(), folds=2, permutations=30, origin=Origin(how=How.INDEPENDENT))
    assert independent.auc.expected == pytest.approx(0.5, abs=0.03)
    assert independent.caveats == ()


def test_shuffles_within_pairs_of_a_partial_release() -> None:
    """Kept columns tell nothing: what is expected is what the drawn column alone gives."""
    file = people(300)
    release = file.with_columns(job=people(300, 9)["job"])
    partial = Origin(how=How.PARTIAL, drawn=("job",), proper=True)
    found = propensity(file, release, rng=rng(), origin=partial, permutations=60)
    assert found.pmse.expected == pytest.approx(3 * 0.25 / 600)
    shuffles = propensity(file, release, rng=rng(), origin=partial, model=Cart(), permutations=20)
    assert shuffles.pmse.expected is not None
    assert shuffles.caveats == ()


def test_trees_and_networks_have_a_ceiling_where_the_law_was_fitted() -> None:
    one, other = people(150, 1), people(150, 2)
    for model in (Cart(), Perceptron(rounds=5)):
        found = propensity(one, other, rng=rng(), model=model, permutations=4)
        assert found.pmse.ceiling == pytest.approx(2 * found.pmse.expected)
        assert found.auc.ceiling - 0.5 == pytest.approx(np.sqrt(2) * (found.auc.expected - 0.5))
        assert "up to the ceiling" in found.caveats[0]
        again = propensity(one, other, rng=rng(), model=model, permutations=4)
        assert again == found


def test_a_tree_sees_what_main_effects_do_not() -> None:
    """Two columns that agree in the file and disagree in the release.

    With as many a as b a tree would see nothing: neither column tells anything alone, and it looks at one at a time.
    """
    flag = np.repeat(["a", "b"], [505, 495])
    file = pl.DataFrame({"x": flag, "y": flag})
    release = pl.DataFrame({"x": flag, "y": np.where(flag == "a", "b", "a")})
    assert propensity(file, release, rng=rng()).share < 0.001
    assert propensity(file, release, rng=rng(), model=Cart(), permutations=0).share == 1
    assert propensity(file, release, rng=rng(), model=Logistic(order=2)).share == pytest.approx(1)
    assert propensity(file, release, rng=rng(), model=Perceptron(), permutations=0).share > 0.5


# Which columns


def test_the_shifted_column_gives_the_release_away() -> None:
    file, release = people(500, 1), people(500, 2)
    release = release.with_columns(pay=pl.col("pay") * 1.1)
    found = giveaways(file, release, rng=rng())
    assert found[0].column == "pay"
    assert found[0].alone == max(g.alone for g in found)
    assert found[0].p_value < 1e-6
    assert all(g.p_value > 0.001 for g in found if g.column in ("sex", "job"))
    by_tree = giveaways(file, release, rng=rng(), model=Cart())
    assert by_tree[0].column == "pay"
    assert by_tree[0].p_value is None


def test_giveaways_with_chosen_terms_drop_all_terms_of_a_column() -> None:
    file, release = people(300, 1), people(300, 2)
    found = giveaways(file, release, rng=rng(), model=Logistic(terms="age*sex"), columns=["age", "sex"])
    sex_alone = propensity(file, release, rng=rng(), columns=["sex"]).pmse.value
    assert next(g for g in found if g.column == "age").without == pytest.approx(sex_alone)


# Coding and fits


def test_a_missing_number_is_a_flag_and_a_missing_level_a_level() -> None:
    frame = pl.DataFrame({"pay": [1.0, None, float("nan"), 4.0], "job": ["b", None, "a", "b"]})
    both = stack([frame, frame])
    assert both.names == ("pay", "pay missing", "job")
    pay, flag, job = both.table.columns
    assert isinstance(pay, Numbers)
    assert pay.values[:4].tolist() == [1.0, 0.0, 0.0, 4.0]
    assert isinstance(flag, Categories)
    assert flag.codes[:4].tolist() == [0, 1, 1, 0]
    assert both.labels[2] == ("a", "b", "missing")
    assert isinstance(job, Categories)
    assert job.codes[:4].tolist() == [1, 2, 0, 1]


def test_codes_that_mean_missing_are_missing_and_numbers_can_be_levels() -> None:
    frame = pl.DataFrame({"pay": [1, -8, 3], "code": [10, 2, 10]})
    kinds = [
        Variable(name="pay", kind=Kind.NUMERIC, missing=("-8",)),
        Variable(name="code", kind=Kind.NOMINAL),
    ]
    both = stack([frame, frame], variables=kinds)
    assert both.names == ("pay", "pay missing", "code")
    assert both.labels[2] == ("2", "10")


def test_generalized_numbers_are_what_an_analyst_makes_of_them() -> None:
    file = pl.DataFrame({"age": [21, 29, 35]})
    both = stack([file, pl.DataFrame({"age": ["[20;30]", "[20;30]", "*"]})])
    assert both.names == ("age", "age missing")
    assert both.table.columns[0].values.tolist() == [21, 29, 35, 25, 25, 0]


def test_levels_of_one_file_only_are_levels() -> None:
    found = propensity(
        pl.DataFrame({"x": ["a"] * 50 + ["b"] * 50}), pl.DataFrame({"x": ["a"] * 90 + ["c"] * 10}), rng=rng()
    )
    assert found.free == 2
    assert "in one file only" in found.caveats[0]


def test_columns_missing_altogether_are_handled() -> None:
    file = people(60).with_columns(gone=pl.lit(None, dtype=pl.Float64), none=pl.lit(None, dtype=pl.String))
    found = propensity(file, file, rng=rng())
    assert found.free == 6
    lost = people(60, 2).with_columns(pay=pl.lit(None, dtype=pl.Float64))
    assert propensity(people(60), lost, rng=rng()).share == pytest.approx(1, abs=1e-6)


def test_one_record_and_constant_columns_are_handled() -> None:
    one = pl.DataFrame({"x": [1.0], "y": ["a"]})
    found = propensity(one, one, rng=rng())
    assert found.free == 0
    assert found.pmse.value == 0
    assert found.caveats == ("No column that could tell the files apart varies.",)
    constant = pl.DataFrame({"x": [0.1] * 30, "y": ["a"] * 30})
    for model in (Logistic(), Cart(), Perceptron()):
        assert propensity(constant, constant, rng=rng(), model=model, permutations=0).pmse.value == 0


def test_dates_are_numbers() -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 4, 9), eager=True)
    found = propensity(pl.DataFrame({"day": days}), pl.DataFrame({"day": days.dt.offset_by("30d")}), rng=rng())
    plain = [pl.DataFrame({"day": np.arange(100.0) + shift}) for shift in (0, 30)]
    assert found.pmse.value == pytest.approx(propensity(*plain, rng=rng()).pmse.value)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_design_is_the_matrix_it_stands_for(seed) -> None:
    """Products, sums and x b by the kernels against the full matrix; the rank against that of linear algebra."""
    g = rng(seed)
    frame = pl.DataFrame(
        {
            "a": g.choice(["p", "q", "r"], 40),
            "b": g.choice(["u", "v"], 40),
            "x": g.normal(50, 3, 40),
            "y": g.integers(0, 3, 40),
        }
    )
    both = stack([frame, frame])
    design = Design.of(both, all_terms(frame.columns, 2))
    rows = slice(7, 71)
    matrix, weights = design.matrix(rows), g.random(80)
    assert matrix.shape[1] == len(design.names) == len(design.owners)
    assert np.allclose(design.products(rows, weights), matrix.T @ (weights[rows, None] * matrix))
    assert np.allclose(design.sums(rows, weights), matrix.T @ weights[rows])
    b = g.normal(size=design.width)
    assert np.allclose(design.times(rows, b), matrix @ b)
    assert len(estimable(design.products(rows))) == np.linalg.matrix_rank(matrix)


def test_a_fit_far_from_zero_is_as_good_as_one_near_it() -> None:
    one, other = people(400, 1), people(400, 2)
    shifted = [f.with_columns(pl.col("age") + 1e7) for f in (one, other)]
    near, far = (propensity(*files, rng=rng(), model=Logistic(order=2)).pmse.value for files in ((one, other), shifted))
    assert far == pytest.approx(near, rel=1e-5)


def test_the_logistic_fit_agrees_with_statsmodels() -> None:
    import statsmodels.api as sm

    both = stack([people(200, 1), people(300, 2, shift=3)])
    design, rows = Design.of(both, all_terms(("age", "sex", "job", "pay"), 2)), slice(0, 500)
    drawn = both.member(1).astype(float)
    fit = fit_logistic(design, drawn, rows)
    other = sm.Logit(drawn, design.matrix(rows)).fit(disp=0, tol=1e-12)
    assert fit.coefficients[0] == pytest.approx(other.params, rel=1e-6)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(other.bse, rel=1e-6)
    assert fit.gain == pytest.approx(other.llf, rel=1e-10)


# Bad input


def test_bad_input_is_refused_with_all_faults() -> None:
    file = people(20)
    with pytest.raises(BadPlan) as told:
        propensity(file, file.drop("age").rename({"job": "jobs"}).clear(), rng=rng())
    assert told.value.faults[0] == (
        "Column 'jobs' is not in the original. Did you mean 'job'? Columns: age, sex, job, pay."
        " Name the columns to compare."
    )
    assert told.value.faults[1].startswith("Column 'age' is not in the release.")
    assert told.value.faults[2].startswith("Column 'job' is not in the release. Did you mean 'jobs'?")
    assert told.value.faults[3] == "The release has no records."
    with pytest.raises(
        BadPlan, match="Column 'age' holds numbers or dates in one file and something else in the release"
    ):
        propensity(file, file.with_columns(age=pl.lit("old")), rng=rng())
    with pytest.raises(BadPlan, match="Column 'pay' holds infinite numbers"):
        propensity(file, file.with_columns(pay=pl.lit(float("inf"))), rng=rng())
    with pytest.raises(BadPlan, match="No column is named to compare"):
        propensity(file, file, rng=rng(), columns=[])


def test_bad_settings_are_refused_with_all_faults() -> None:
    file = people(20)
    partial = Origin(how=How.PARTIAL, drawn=("jb",))
    with pytest.raises(BadPlan) as told:
        propensity(file, file.head(10), rng=rng(), origin=partial, folds=1, permutations=-1)
    assert told.value.faults == (
        "Drawn column 'jb' is not in the original. Did you mean 'job'? Columns: age, sex, job, pay.",
        "Rows of a partial release are those of the file, but there are 10 and 20.",
        "Folds are 0, or at least 2 and no more than the records of each file.",
        "Permutations cannot be fewer than 0.",
    )
    with pytest.raises(BadPlan, match="A partial release needs the names of the columns that were drawn"):
        propensity(file, file, rng=rng(), origin=Origin(how=How.PARTIAL))
    with pytest.raises(BadPlan, match="The order of a logistic regression is at least 1"):
        Logistic(order=0)
    with pytest.raises(BadPlan, match="A leaf has at least 1 record, and the depth is at least 0"):
        Cart(leaf=0)
    with pytest.raises(BadPlan, match="column 'agee' is not in the data"):
        propensity(file, file, rng=rng(), model=Logistic(terms="agee"))


def test_too_many_coefficients_are_refused() -> None:
    names = pl.DataFrame({"name": [f"n{i}" for i in range(3000)]})
    with pytest.raises(BadPlan, match="more than 2,000 coefficients"):
        propensity(names, names, rng=rng())


def test_no_cell_value_is_in_a_fault_or_caveat() -> None:
    secret = pl.DataFrame({"x": ["SECRET"] * 30 + ["b"] * 30})
    found = propensity(secret, pl.DataFrame({"x": ["b"] * 60}), rng=rng())
    assert "SECRET" not in json.dumps(found.caveats)
