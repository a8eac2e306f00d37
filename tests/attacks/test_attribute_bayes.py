"""Bayesian attribute risk: closed forms with one latent class, the papers' weights, controls, refusals."""

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.attribute_bayes import BayesianAttribute
from lookalike.attacks.files import Files
from lookalike.attacks.latent_guesses import Codes, coded, guess_weights, latent_draws
from lookalike.errors import BadPlan
from lookalike.models.latent_mixed import DPMPM

ONE_CLASS = DPMPM(classes=1, sweeps=2_500, burn_in=100, kept=1_200, prior="uniform")
ORIGINAL = pl.DataFrame({"a": list("xyyxxyxy"), "t": list("pppqqrpq")})
RELEASE = pl.DataFrame({"a": list("xxyxy"), "t": list("prrrq")})


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def people(n: int, draw: np.random.Generator) -> pl.DataFrame:
    age, area = draw.integers(18, 60, n), draw.integers(0, 12, n)
    ill = (age // 14 + draw.integers(0, 3, n)) % 4
    return pl.DataFrame({"age": age.astype(str), "area": area.astype(str), "ill": ill.astype(str)})


@pytest.mark.parametrize("prior", ["uniform", "margin", "others"])
def test_with_one_class_the_posterior_has_a_closed_form(prior) -> None:
    """θ ~ Dirichlet(1, 1, 1): the factor of level y* is (1 + c + s)/(1 + c), c other records and s rows with it."""
    files = Files(original=ORIGINAL, releases=(RELEASE,))
    found = BayesianAttribute(known=("a",), target="t", model=ONE_CLASS, prior=prior).attack(files, rng=rng())
    counts, rows = np.array([4, 3, 1]), np.array([1, 1, 3])
    for record, truth in ((0, 0), (3, 1), (5, 2)):
        others = counts - np.eye(3, dtype=int)[truth]
        before = np.ones(3) if prior == "uniform" else (others + 1.0)
        exact = before * (1 + others + rows) / (1 + others)
        assert found.people.posterior[record] == pytest.approx(exact / exact.sum(), abs=0.03)
        assert found.people.prior[record] == pytest.approx(before / before.sum(), abs=0.03)
    assert found.people.truth.tolist() == [0, 0, 0, 1, 1, 2, 0, 1]
    assert found.levels == ("p", "q", "r")


def test_with_one_class_the_control_is_not_taken_out_of_the_original() -> None:
    control = pl.DataFrame({"a": ["x", "x"], "t": ["q", "r"]})
    files = Files(original=ORIGINAL, releases=(RELEASE,), control=control)
    attack = BayesianAttribute(known=("a",), target="t", model=ONE_CLASS, prior="uniform")
    found = attack.attack(files, rng=rng())
    exact = np.array([(1 + 4 + 1) / 5, (1 + 3 + 1) / 4, (1 + 1 + 3) / 2])
    assert found.others.posterior[0] == pytest.approx(exact / exact.sum(), abs=0.03)
    assert found.others.truth.tolist() == [1, 2]


def test_two_releases_multiply_their_factors() -> None:
    files = Files(original=ORIGINAL, releases=(RELEASE, RELEASE))
    attack = BayesianAttribute(known=("a",), target="t", model=ONE_CLASS, prior="uniform")
    found = attack.attack(files, rng=rng())
    exact = np.array([(1 + 3 + 1) / 4, (1 + 3 + 1) / 4, (1 + 1 + 3) / 2]) ** 2
    assert found.people.posterior[0] == pytest.approx(exact / exact.sum(), abs=0.04)


def densities(levels: np.ndarray, shares: np.ndarray, codes: Codes, rows: np.ndarray) -> np.ndarray:
    part = np.tile(shares, (len(rows), 1))
    for j in range(rows.shape[1]):
        part = part * levels[codes.first[j] + rows[:, j]]
    return part.sum(axis=1)


def test_drawing_given_both_files_is_the_papers_mean_without_its_weights() -> None:
    """P(S | y*, O₋ᵢ) ≈ Σ_h P(S | θ_h) w_h, w_h ∝ f(y* | θ_h)/f(y_i | θ_h), on a release so small that it works."""
    model = DPMPM(classes=4, sweeps=6_500, burn_in=500, kept=2_000, prior="uniform", alpha_shape=2, alpha_rate=1)
    files = Files(original=ORIGINAL, releases=(RELEASE,))
    attack = BayesianAttribute(known=("a",), target="t", model=model, prior="uniform")
    found = attack.attack(files, rng=rng())
    codes = coded(files, ("a", "t"), "t", 5)
    original, release = codes.files[0], codes.releases[0]
    draws = latent_draws(model, original, codes, rng(2))
    seen = np.array([np.log(densities(d.levels, d.shares, codes, release)).sum() for d in draws])
    own = np.array([densities(d.levels, d.shares, codes, original) for d in draws])
    likelihood = []
    for guess in range(3):
        guessed = original.copy()
        guessed[:, 1] = guess
        weights = np.array([densities(d.levels, d.shares, codes, guessed) for d in draws]) / own
        likelihood.append((np.exp(seen - seen.max())[:, None] * weights).sum(axis=0) / weights.sum(axis=0))
    exact = np.array(likelihood).T
    assert found.people.posterior == pytest.approx(exact / exact.sum(axis=1, keepdims=True), abs=0.03)


def test_weights_leave_out_what_is_not_known_but_take_out_the_whole_record() -> None:
    file = pl.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "t": ["p", "q"]})
    codes = coded(Files(original=file, releases=(file,)), ("a", "b", "t"), "t", 5)
    model = DPMPM(classes=2, sweeps=5, burn_in=1, kept=4, prior="uniform")
    draws = latent_draws(model, codes.files[0], codes, rng())
    log_mean, effective = guess_weights(draws, codes, codes.files[0], [0], taken_out=True)
    exact = []
    for draw in draws:
        part = draw.shares * draw.levels[codes.first[0] + codes.files[0][0, 0]]
        whole = densities(draw.levels, draw.shares, codes, codes.files[0])[0]
        exact.append((part * draw.levels[codes.first[2] + 1]).sum() / whole)
    assert log_mean[0, 1] == pytest.approx(np.log(np.mean(exact)))
    assert effective[0, 1] == pytest.approx(np.sum(exact) ** 2 / np.sum(np.square(exact)))


def test_numbers_are_in_bins_and_missing_is_a_level() -> None:
    file = pl.DataFrame({"n": [1.0, None, 9.0, float("nan")], "c": [None, "x", "y", "x"], "gap": [None] * 4})
    file = file.with_columns(pl.col("gap").cast(pl.Int64))
    codes = coded(Files(original=file, releases=(file,)), ("n", "c", "gap"), "n", 5)
    assert codes.files[0].tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 1], [2, 0, 1]]
    assert codes.guesses == ("bin 1", "bin 2", "missing")


def test_one_record_and_a_seed_repeats() -> None:
    file = pl.DataFrame({"a": ["x"], "t": ["p"]})
    model = DPMPM(classes=2, sweeps=20, burn_in=10, kept=5, prior="uniform")
    files = Files(original=file, releases=(file,))
    attack = BayesianAttribute(known=("a",), target="t", model=model)
    one, again = (attack.attack(files, rng=rng(3)) for _ in range(2))
    assert one.chance == again.chance
    assert one.people.chance.tolist() == [1.0]
    assert one.people.rank.tolist() == [1]
    assert one.likeliest.reading.value == "not informative"


def test_caveats_tell_parts_few_draws_and_a_prior_made_from_the_file() -> None:
    draw = rng()
    model = DPMPM(classes=5, sweeps=40, burn_in=10, kept=4, prior="margin")
    attack = BayesianAttribute(known=("age",), target="ill", model=model, most=20)
    found = attack.attack(Files(original=people(60, draw), releases=(people(60, draw),)), rng=draw)
    assert found.caveats == (
        "For 20 of 20 records fewer than 10 draws of the posterior count. "
        "Keep more draws: raise `kept` and `sweeps` of the model.",
        "The model's prior holds the margins of the file, which a record cannot be taken out of: figures of the "
        "original lie somewhat below those of the control. Take prior='uniform'.",
        "A random part of 20 of 60 records was asked for.",
    )
    assert len(found.asked) == 20
    assert found.gain.method == "mean gain"
    assert found.chance.caveats == found.caveats


def test_every_fault_is_told_at_once() -> None:
    model = DPMPM(most_records=10, zeros=((0, 0),))
    attack = BayesianAttribute(known=("t", "z"), target="t", model=model, prior="none", most=0)  # type: ignore[arg-type]
    with pytest.raises(BadPlan) as found:
        attack.attack(Files(original=ORIGINAL, releases=(ORIGINAL,), linked=True), rng=rng())
    assert found.value.faults == (
        "most must be at least 1.",
        "prior must be 'margin', 'uniform' or 'others'.",
        "Structural zeros are not taken into account here. Give the model without them.",
        "Column 't' is both known and wanted: nobody guesses what they know. Take it out of one of the two.",
        "Column 'z' is not in the original. Columns: a, t.",
        "Column 'z' is not in the release. Columns: a, t.",
        "The Bayesian attribute risk is for releases whose rows were all drawn from the model. In a linked release "
        "rows were made from records. Take attribution instead, or say linked=False if they were not.",
        "The model learns from 10 records at most, and the original and a release have 16 together. Give a random "
        "part of each, or raise most_records of the model.",
    )


def test_others_show_no_excess_and_a_copy_does() -> None:
    model = DPMPM(classes=10, sweeps=200, burn_in=80, kept=60, prior="uniform")
    attack = BayesianAttribute(known=("age", "area"), target="ill", model=model)
    found: dict[str, list] = {"other": [], "copy": []}
    for seed in range(8):
        draw = rng(seed)
        original, control, other = (people(250, draw) for _ in range(3))
        for kind, release in {"other": other, "copy": original}.items():
            files = Files(original=original, releases=(release,), control=control)
            result = attack.attack(files, rng=draw)
            found[kind].append([*(o.excess for o in result.outcomes), result.gain])
    assert all(sum(e.low > 0 for e in measure) <= 1 for measure in zip(*found["other"], strict=True))
    assert all(e[2].low > 0 and e[3].low > 0 for e in found["copy"])
