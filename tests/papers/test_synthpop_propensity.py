"""synthpop's figures on fixed pairs (shared/reference/README.md): propensity and a regression."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import norm

from lookalike.utility.designs import Design
from lookalike.utility.formula import all_terms
from lookalike.utility.propensity import propensity
from lookalike.utility.propensity_models import Cart, Logistic
from lookalike.utility.regression_overlap import regression_overlap
from lookalike.utility.stacked import stack

FORMULA = "salary_class ~ age + sex + education + hours_per_week"


@pytest.fixture(scope="module")
def pair(shared) -> list[pl.DataFrame]:
    return [pl.read_csv(shared / "reference" / name) for name in ("adult5000_10.csv", "adult5000_syn_cart.csv")]


def as_glm(matrix: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R's glm.fit: its start, and its stop when the deviance falls by less than 1e-8; coefficients and deviations."""
    mu = (y + 0.5) / 2
    eta, before = np.log(mu / (1 - mu)), np.inf
    for _ in range(25):
        weight = mu * (1 - mu)
        root = np.sqrt(weight)[:, None]
        b = np.linalg.lstsq(matrix * root, (eta + (y - mu) / weight) * root[:, 0], rcond=None)[0]
        eta = matrix @ b
        mu = expit(eta)
        deviance = -2 * np.sum(np.where(y == 1, np.log(mu), np.log1p(-mu)))
        if abs(deviance - before) / (deviance + 0.1) < 1e-8:
            break
        before = deviance
    # The deviations are those of the last weights that were used.
    return b, np.sqrt(np.diag(np.linalg.inv((matrix * weight[:, None]).T @ matrix)))


def test_main_effects_of_all_ten_columns(pair) -> None:
    found = propensity(*pair, rng=np.random.default_rng(1))
    assert found.free == 49
    assert found.pmse.value == pytest.approx(0.0006242980849, rel=1e-7)
    assert found.pmse.ratio == pytest.approx(1.0192622, abs=5e-8)
    assert found.specks.value == pytest.approx(0.0434, abs=1e-12)
    assert found.po50.value == pytest.approx(1.94, abs=1e-9)
    assert found.u == 13_212_487.5


def test_the_last_digits_of_its_pmse_are_those_of_an_early_stop(pair) -> None:
    """glm ends three steps in, at 0.0006242980849; the maximum of the likelihood has 0.0006242981160."""
    both = stack(pair)
    matrix = Design.of(both, all_terms(pair[0].columns, 1)).matrix(slice(0, both.records))
    b, _ = as_glm(matrix, both.member(1).astype(float))
    assert np.mean((expit(matrix @ b) - 0.5) ** 2) == pytest.approx(0.0006242980849, abs=5e-14)
    found = propensity(*pair, rng=np.random.default_rng(1))
    assert found.pmse.value == pytest.approx(0.0006242981160, abs=5e-14)


def test_products_of_three_columns(pair) -> None:
    found = propensity(*pair, rng=np.random.default_rng(1), model=Logistic(terms="(age + sex + salary_class)^2"))
    assert found.free == 6
    assert found.pmse.value == pytest.approx(0.0001827888693, abs=1e-13)
    assert found.pmse.ratio == pytest.approx(2.4371849, abs=5e-8)


def test_the_tree_is_that_of_rpart(pair) -> None:
    found = propensity(*pair, rng=np.random.default_rng(1), model=Cart(cp=0.001, leaf=5), permutations=0)
    assert found.pmse.value == pytest.approx(0.005550972711, abs=5e-13)
    assert found.specks.value == pytest.approx(0.1164, abs=1e-12)


@pytest.mark.parametrize("columns", ["dx", "age,dx", "sex,age,dx"])
def test_toy_tables_as_logistic_regressions_on_all_products(shared, columns) -> None:
    """A table is a saturated regression: pMSE, its ratio, SPECKS, PO50 and U are the same."""
    folder = shared / "reference"
    figures = json.loads((folder / "synthpop_toy.json").read_text())[f"syn:{columns}"]
    names = columns.split(",")
    files = [pl.read_csv(folder / name) for name in ("toy_orig.csv", "toy_syn.csv")]
    found = propensity(*files, rng=np.random.default_rng(1), columns=names, model=Logistic(order=len(names)))
    assert found.free == figures["df"]
    assert found.pmse.value == pytest.approx(figures["pMSE"], abs=1e-9)
    assert found.pmse.ratio == pytest.approx(figures["S_pMSE"], abs=1e-9)
    assert found.specks.value == pytest.approx(figures["SPECKS"], abs=1e-9)
    assert found.po50.value == pytest.approx(figures["BalAcc_minus_half_x100"], abs=1e-9)
    assert found.u == figures["U"]


def test_coefficients_intervals_and_overlap_of_a_regression(pair) -> None:
    """Its means are over 19 coefficients, of which one has no finite estimate: nobody of that schooling earns more.

    Where glm stops that coefficient has a value and a deviation, so the means depend on the stop. With glm's stop its
    two figures come out; the other 18 coefficients are ours. Its overlap is 1 − |d|/2z: intervals of equal length.
    """
    found = regression_overlap(*pair, FORMULA)
    assert found.untold == ("education=Preschool",)
    both = stack(pair, ["age", "sex", "education", "hours_per_week"])
    design = Design.of(both, all_terms(both.names, 1))
    fits = []
    for place, file in enumerate(pair):
        y = (file["salary_class"] == ">50K").to_numpy().astype(float)
        fits.append(as_glm(design.matrix(both.rows(place)), y))
    (ours, errors), (theirs, _) = fits
    differences = design.units @ (theirs - ours) / np.sqrt(np.diag(design.units) ** 2) / errors
    told = [i for i, name in enumerate(design.names) if i and name != "education=Preschool"]
    assert differences[told] == pytest.approx([c.difference for c in found.coefficients[1:]], abs=1e-4)
    start = found.coefficients[0].difference
    whole = np.abs([start, *differences[1:]])
    assert whole.mean() == pytest.approx(0.91313423, abs=2e-6)
    assert np.mean(1 - whole / (2 * norm.ppf(0.975))) == pytest.approx(0.76705331, abs=1e-6)


def test_the_same_means_without_the_coefficient_that_has_no_end(pair) -> None:
    found = regression_overlap(*pair, FORMULA)
    assert len(found.coefficients) == 18
    assert found.difference == pytest.approx(0.9637012, abs=1e-6)
    assert found.overlap_same_length == pytest.approx(0.7541533, abs=1e-6)
    assert found.overlap == pytest.approx(0.7416886, abs=1e-6)
