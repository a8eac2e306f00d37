"""Formulas, regressions against another tool, overlap, lack of fit, bad input."""

from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.utility.combining import Rule
from lookalike.utility.formula import Formula, all_terms, read_terms
from lookalike.utility.origin import How, Origin
from lookalike.utility.overlap import interval_overlap, not_below_zero
from lookalike.utility.regression_overlap import expected_difference, regression_overlap
from lookalike.utility.regressions import Family, fit_all

COLUMNS = ["y", "a", "b", "c", "job title", "x+y"]


def people(n: int = 400, seed: int = 1) -> pl.DataFrame:
    g = np.random.default_rng(seed)
    age, sex, job = g.normal(40, 10, n), g.choice(["F", "M"], n), g.choice(["a", "b", "c"], n)
    pay = 1000 + 20 * age + 100 * (sex == "M") + 5 * age * (job == "b") + g.normal(0, 100, n)
    rich = g.random(n) < 1 / (1 + np.exp(-(age - 40) / 10 - (sex == "M")))
    mood = np.array(["bad", "good", "so-so"])[(g.random(n) * 3 + (age > 40)).astype(int) % 3]
    return pl.DataFrame(
        {"age": age, "sex": sex, "job": job, "pay": pay, "rich": np.where(rich, "yes", "no"), "mood": mood}
    )


# Formulas


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("y ~ a + b", [("a",), ("b",)]),
        ("y ~ a:b + a", [("a",), ("a", "b")]),
        ("y~a*b", [("a",), ("b",), ("a", "b")]),
        ("y ~ a*b*c", [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c")]),
        ("y ~ (a + b + c)^2", [("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]),
        ("y ~ (a + b):c", [("a", "c"), ("b", "c")]),
        ("y ~ a + a + a:a + b:a + a:b", [("a",), ("b", "a")]),
        ("y ~ 1", []),
        ("y ~ 1 + a", [("a",)]),
        ("y ~ .", [("a",), ("b",), ("c",), ("job title",), ("x+y",)]),
        ("y ~ `job title` + `x+y`:a", [("job title",), ("x+y", "a")]),
    ],
)
def test_formulas_are_read(text, terms) -> None:
    found = Formula.read(text, COLUMNS)
    assert found.response == "y"
    assert found.terms == tuple(terms)
    assert Formula.read(str(found), COLUMNS) == found


def test_names_may_hold_signs_that_formulas_do_not_use() -> None:
    assert Formula.read("salary-class ~ marital-status", ["marital-status", "salary-class"]).columns == (
        "salary-class",
        "marital-status",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a + b", "The formula 'a + b' has no response: write it as 'income ~ age + sex'."),
        ("y ~ a +", "The formula 'y ~ a +' cannot be read: a name is missing beside a sign."),
        ("y ~", "The formula 'y ~' cannot be read: a name is missing beside a sign."),
        ("y ~ a b", "cannot be read: a sign is missing between two words, or a bracket is not opened."),
        ("y ~ (a + b", "cannot be read: a bracket is not closed."),
        ("y ~ a)", "cannot be read: a sign is missing between two words, or a bracket is not opened."),
        ("y ~ log(a)", "functions of columns are not known; add the column to the files and name it."),
        ("y ~ a + 0", "the intercept stays, and terms cannot be taken away."),
        ("y ~ (a + b)^x", "after ^ stands a whole number."),
        ("y ~ `a", "a backquote is not closed, or there are two '~'."),
        ("y ~ a ~ b", "a backquote is not closed, or there are two '~'."),
        ("y ~ a + y", "explains 'y' by itself."),
    ],
)
def test_bad_formulas_are_told(text, fault) -> None:
    with pytest.raises(BadPlan) as told:
        Formula.read(text, COLUMNS)
    assert fault in str(told.value)


def test_all_unknown_names_are_told_with_the_nearest_known_one() -> None:
    with pytest.raises(BadPlan) as told:
        Formula.read("Y ~ aa + job_title", COLUMNS)
    assert told.value.faults == (
        "The formula 'Y ~ aa + job_title': column 'Y' is not in the data. Did you mean 'y'?"
        " Columns: y, a, b, c, job title, x+y.",
        "The formula 'Y ~ aa + job_title': column 'aa' is not in the data. Did you mean 'a'?"
        " Columns: y, a, b, c, job title, x+y.",
        "The formula 'Y ~ aa + job_title': column 'job_title' is not in the data. Did you mean 'job title'?"
        " Columns: y, a, b, c, job title, x+y.",
    )
    with pytest.raises(BadPlan, match="column 'z' is not in the data"):
        read_terms("a + z", COLUMNS)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text) -> None:
    with suppress(BadPlan):
        assert Formula.read(f"y ~ {text}", COLUMNS).response == "y"


def test_products_of_up_to_three_columns() -> None:
    assert len(all_terms("abcd", 3)) == 4 + 6 + 4


# Regressions


def other_tool(frame: pl.DataFrame, formula: str, kind: str):
    import statsmodels.formula.api as smf

    data = frame.to_pandas()
    if kind == "ols":
        return smf.ols(formula, data).fit()
    return smf.logit(formula, data.assign(rich=(data["rich"] == "yes").astype(int))).fit(disp=0, tol=1e-12)


RIGHT = ["age", "age + sex + job", "age*job + sex", "sex*job", "age:job + age", "age:job + job"]


@pytest.mark.parametrize(
    ("kind", "right"), [*((k, r) for k in ("ols", "logit") for r in RIGHT), ("logit", "age:pay + sex")]
)
def test_regressions_agree_with_statsmodels(kind, right) -> None:
    """Also where products stand without their parts: the columns span the same."""
    frame = people().with_columns(pay=pl.col("pay") / 1000)
    response = "pay" if kind == "ols" else "rich"
    theirs = other_tool(frame, f"{response} ~ {right}", kind)
    _, _, (ours,) = fit_all([frame], f"{response} ~ {right}")
    assert sorted(ours.estimates) == pytest.approx(sorted(theirs.params), rel=1e-5, abs=1e-8)
    assert sorted(ours.variances) == pytest.approx(sorted(theirs.bse**2), rel=1e-5)


def test_a_product_without_its_parts_is_coded_in_full_and_says_as_much() -> None:
    """Seven columns, of which the last is told by the others, as in R; the fit is that of sex*job."""
    _, _, (ours,) = fit_all([people()], "pay ~ sex:job")
    _, _, (whole,) = fit_all([people()], "pay ~ sex*job")
    assert len(ours.names) == 7
    assert ours.names[1] == "sex=F:job=a"
    assert np.isnan(ours.estimates).tolist() == [False] * 6 + [True]
    cell = ours.estimates[0] + ours.estimates[ours.names.index("sex=F:job=b")]
    assert cell == pytest.approx(whole.estimates[0] + whole.estimates[whole.names.index("job=b")])


def test_multinomial_regression_agrees_with_statsmodels() -> None:
    import statsmodels.formula.api as smf

    frame = people()
    data = frame.to_pandas()
    theirs = smf.mnlogit("mood ~ age + sex + age:sex", data.assign(mood=data["mood"].astype("category").cat.codes))
    theirs = theirs.fit(disp=0, tol=1e-12)
    family, _, (ours,) = fit_all([frame], "mood ~ age + sex + age:sex")
    assert family is Family.MULTINOMIAL
    assert ours.names[:2] == ("good: intercept", "good: age")
    place = {name.split(": ")[-1]: i for i, name in enumerate(ours.names[:4])}
    order = [place[n] for n in ("intercept", "sex=M", "age", "age:sex=M")]
    estimates, variances = (values.reshape(2, 4)[:, order].T for values in (ours.estimates, ours.variances))
    assert estimates == pytest.approx(theirs.params.to_numpy(), rel=1e-5, abs=1e-7)
    assert variances == pytest.approx(theirs.bse.to_numpy() ** 2, rel=1e-5)


def test_two_classes_are_the_same_logistic_or_multinomial() -> None:
    frame = people()
    _, _, (one,) = fit_all([frame], "rich ~ age + job")
    _, _, (other,) = fit_all([frame], "rich ~ age + job", family=Family.MULTINOMIAL)
    assert other.estimates == pytest.approx(one.estimates, rel=1e-6)
    assert other.covariance == pytest.approx(one.covariance, rel=1e-6)


def test_the_family_follows_the_response() -> None:
    frame = people(60).with_columns(flag=(pl.col("rich") == "yes").cast(pl.Int8), truth=pl.col("rich") == "yes")
    expected = {"pay": "linear", "rich": "logistic", "mood": "multinomial", "flag": "logistic", "truth": "logistic"}
    assert {name: fit_all([frame], f"{name} ~ age")[0].value for name in expected} == expected
    assert fit_all([frame], "flag ~ age", family=Family.LINEAR)[0] is Family.LINEAR


def test_an_intercept_alone_is_a_mean() -> None:
    frame = people(50)
    _, _, (fit,) = fit_all([frame], "pay ~ 1")
    assert fit.names == ("intercept",)
    assert fit.estimates[0] == pytest.approx(frame["pay"].mean())
    assert fit.variances[0] == pytest.approx(frame["pay"].var() / 50)


def test_numbers_far_from_zero_are_regressed_as_well() -> None:
    """A date as seconds since 1970 against the same number from its own zero."""
    frame = people().with_columns(far=pl.col("age") + 1.6e9)
    _, _, (near,) = fit_all([frame], "pay ~ age*sex")
    _, _, (far,) = fit_all([frame], "pay ~ far*sex")
    assert far.estimates[[1, 3]] == pytest.approx(near.estimates[[1, 3]], rel=1e-6)
    assert far.variances[[1, 3]] == pytest.approx(near.variances[[1, 3]], rel=1e-6)


def test_records_with_a_missing_value_are_left_out_and_counted() -> None:
    frame = people(100).with_columns(age=pl.when(pl.int_range(100) < 10).then(None).otherwise(pl.col("age")))
    coded = frame.with_columns(pl.col("age").fill_null(-8.0))
    _, _, (one,) = fit_all([frame], "pay ~ age")
    _, _, (other,) = fit_all(
        [coded], "pay ~ age", variables=[Variable(name="age", kind=Kind.NUMERIC, missing=("-8.0",))]
    )
    assert (one.records, one.left_out) == (other.records, other.left_out) == (90, 10)
    assert other.estimates == pytest.approx(one.estimates)
    found = regression_overlap(people(100), frame, "pay ~ age")
    assert "Records with a missing value are left out: 0 and 10." in found.caveats


# Overlap


def test_overlap_as_arithmetic() -> None:
    assert interval_overlap((0.0, 4.0), (1.0, 3.0)) == pytest.approx((2 / 4 + 2 / 2) / 2)
    assert interval_overlap((0.0, 1.0), (3.0, 5.0)) == pytest.approx((-2 / 1 - 2 / 2) / 2)
    assert interval_overlap((1.0, 1.0), (1.0, 1.0)) == 1
    assert interval_overlap((1.0, 1.0), (0.0, 2.0)) == -np.inf
    assert not_below_zero(np.array([-0.2, 0.3])).tolist() == [0.0, 0.3]


@given(st.tuples(st.floats(-5, 5), st.floats(0.1, 5)), st.tuples(st.floats(-5, 5), st.floats(0.1, 5)))
def test_overlap_is_at_most_one_and_the_same_both_ways(one, other) -> None:
    first, second = (one[0], one[0] + one[1]), (other[0], other[0] + other[1])
    found = float(interval_overlap(first, second))
    assert found <= 1 + 1e-12
    assert found == pytest.approx(float(interval_overlap(second, first)))


def test_a_release_that_is_the_file_keeps_everything() -> None:
    file = people()
    for formula in ("pay ~ age*job", "rich ~ age + sex", "mood ~ sex"):
        found = regression_overlap(file, file, formula)
        assert (found.overlap, found.overlap_same_length, found.difference) == pytest.approx((1, 1, 0), abs=1e-6)
        assert found.lack_of_fit.p_value == pytest.approx(1)
        assert all(c.same_conclusion for c in found.coefficients)


def test_standardized_differences_and_overlap_as_arithmetic() -> None:
    file, release = people(300, 1), people(500, 2)
    found = regression_overlap(file, release, "pay ~ age")
    _, _, (one, other) = fit_all([file, release], "pay ~ age")
    slope = found.coefficients[1]
    assert slope.difference == pytest.approx((other.estimates[1] - one.estimates[1]) / np.sqrt(one.variances[1]))
    error = np.sqrt(other.variances[1] * 500 / 300)
    assert slope.release_interval == pytest.approx(
        (other.estimates[1] - 1.959964 * error, other.estimates[1] + 1.959964 * error), rel=1e-6
    )
    assert found.rule is Rule.AS_ORIGINAL
    people_rule = regression_overlap(file, release, "pay ~ age", rule=None)
    assert people_rule.rule is Rule.COMPLETE_IMPROPER
    assert people_rule.coefficients[1].release_interval[0] < slope.release_interval[0]


def test_expected_differences() -> None:
    assert expected_difference(Origin(), 100, 400, 2) == pytest.approx(np.sqrt(2 * 100 / (np.pi * 2 * 400)))
    assert expected_difference(Origin(proper=True), 100, 400, 2) == pytest.approx(np.sqrt(2 * (1 + 0.25) / (np.pi * 2)))
    assert expected_difference(Origin(how=How.PARTIAL), 100, 100, 2) is None


def released(file: pl.DataFrame, k: int, proper: bool, g: np.random.Generator) -> pl.DataFrame:
    """x from a normal law, y from its regression on x; parameters at their estimates, or drawn."""
    x, y = file["x"].to_numpy(), file["y"].to_numpy()
    n, design = len(x), np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ y
    squares, spread, mean = np.sum((y - design @ b) ** 2), x.var(), x.mean()
    s2 = squares / n
    if proper:
        s2 = squares / g.chisquare(n - 2)
        b = g.multivariate_normal(b, s2 * inverse)
        spread = x.var() * n / g.chisquare(n - 1)
        mean = g.normal(mean, np.sqrt(spread / n))
    new = g.normal(mean, np.sqrt(spread), k)
    return pl.DataFrame({"x": new, "y": b[0] + b[1] * new + g.normal(0, np.sqrt(s2), k)})


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize(("k", "m"), [(200, 1), (400, 3)])
def test_lack_of_fit_and_differences_are_calibrated(proper, k, m) -> None:
    """100 releases from the right law: p-values are uniform and the mean |difference| is the expected one."""
    g, origin = np.random.default_rng([k, m, proper]), Origin(proper=proper)
    chances, apart = [], []
    for _ in range(100):
        x = g.normal(size=200)
        file = pl.DataFrame({"x": x, "y": 1 + x + g.normal(size=200)})
        found = regression_overlap(file, [released(file, k, proper, g) for _ in range(m)], "y ~ x", origin=origin)
        chances.append(found.lack_of_fit.p_value)
        apart.append(found.difference)
    from scipy.stats import kstest

    assert kstest(chances, "uniform").pvalue > 0.001
    assert np.mean(apart) == pytest.approx(expected_difference(origin, 200, k, m), rel=0.15)


def test_lack_of_fit_of_partial_copies_is_hotellings() -> None:
    file, copies = people(), [people(seed=s) for s in range(2, 8)]
    found = regression_overlap(file, copies, "pay ~ age", origin=Origin(how=How.PARTIAL), rule=None)
    assert found.lack_of_fit.df == (2.0, 4.0)
    few = regression_overlap(file, copies[:2], "pay ~ age", origin=Origin(how=How.PARTIAL), rule=None)
    assert few.lack_of_fit is None


def test_a_changed_file_is_taken_as_it_is() -> None:
    file = people()
    found = regression_overlap(
        file, file.with_columns(pl.col("age").round()), "pay ~ age", origin=Origin(how=How.CHANGED)
    )
    assert found.rule is Rule.AS_IT_IS
    assert found.lack_of_fit is None
    assert 0.5 < found.overlap < 1


def test_a_level_that_one_file_lacks_is_told_and_left_out() -> None:
    file = people()
    found = regression_overlap(file, people(seed=2).filter(pl.col("job") != "c"), "pay ~ age + job")
    assert found.untold == ("job=c",)
    assert "1 coefficients are not told by all files, and are left out." in found.caveats
    assert [c.name for c in found.coefficients] == ["intercept", "age", "job=b"]


def test_a_coefficient_without_end_is_told_and_left_out() -> None:
    file = people(200)
    sure = file.with_columns(rich=pl.when(pl.col("job") == "b").then(pl.lit("yes")).otherwise(pl.col("rich")))
    assert regression_overlap(file, sure, "rich ~ age + job").untold == ("job=b",)


def test_conclusions_that_change_are_seen() -> None:
    file = people()
    turned = file.with_columns(age=-pl.col("age"))
    found = regression_overlap(file, turned, "pay ~ age")
    assert not found.coefficients[1].same_conclusion
    assert found.overlap < 0
    assert found.overlap_not_below_zero == 0.5


# Bad input


def test_bad_requests_are_refused() -> None:
    file = people(50)
    with pytest.raises(BadPlan, match="column 'agee' is not in the data"):
        regression_overlap(file, file, "pay ~ agee")
    with pytest.raises(BadPlan, match="Column 'age' is not in the release"):
        regression_overlap(file, file.drop("age"), "pay ~ age")
    with pytest.raises(BadPlan, match="holds no numbers: a linear regression does not fit it"):
        regression_overlap(file, file, "sex ~ age", family=Family.LINEAR)
    with pytest.raises(BadPlan, match="has 3 levels: take multinomial regression"):
        regression_overlap(file, file, "mood ~ age", family=Family.LOGISTIC)
    names = file.with_columns(name=pl.int_range(50).cast(pl.String))
    with pytest.raises(BadPlan, match="has 50 levels; at most 30 can be regressed"):
        regression_overlap(names, names, "name ~ age")
    with pytest.raises(BadPlan, match="is for another kind of release"):
        regression_overlap(file, file, "pay ~ age", rule=Rule.PARTIAL)
    with pytest.raises(NotAssessable, match="needs the variance between copies"):
        regression_overlap(file, file, "pay ~ age", origin=Origin(how=How.PARTIAL), rule=None)


def test_files_that_tell_nothing_are_refused() -> None:
    file = people(50)
    empty = file.with_columns(age=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(
        NotAssessable, match="No record without a missing value in the columns of the formula: the release"
    ):
        regression_overlap(file, empty, "pay ~ age")
    same = file.with_columns(sex=pl.lit("F"))
    with pytest.raises(NotAssessable, match="The response 'sex' is the same in all records"):
        regression_overlap(same, same, "sex ~ age")
    with pytest.raises(NotAssessable, match="No coefficient can be estimated in all files"):
        regression_overlap(file, file.head(1), "pay ~ age")
