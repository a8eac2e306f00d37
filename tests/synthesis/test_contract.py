"""What every model must do when it makes a release."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.errors import BadPlan
from lookalike.synthesis import MODELS, Release, Synthesis
from lookalike.synthesis import synthesize as draw

QUICK = {
    "latent-classes": {"classes": 10, "sweeps": 60, "burn_in": 30, "kept": 4},
    "private-tree": {"epsilon": 100.0},  # 400 records at ε = 1 would be noise
    "noisy-regression": {"experimental": True},
}
NUMBERS_ALONE = {"normal", "noisy-regression"}
WHOLE_RECORDS = {"all-others", "smote", "bootstrap", "interpolation", "private-tree", "noisy-regression"}
UNSEEDED = {"private-tree"}
"""Noise that protects cannot come from a seed."""
N = 400
NUMBERS = ("age", "pay", "score", "since")
# A step by itself: the columns it can draw, the others by trees.
STEPS = {
    **{f"sequential/{step}": NUMBERS for step in ("norm", "cubertnorm", "normrank")},
    **{f"sequential/{step}": ("age", "pay") for step in ("lognorm", "sqrtnorm")},
    "sequential/logreg": ("sex", "member"),
    "sequential/polyreg": ("area", "sex"),
    "sequential/polr": ("size",),
    "sequential/nested": ("area",),
    "sequential/satcat": ("area",),
    "sequential/catall": ("sex", "size"),
    "sequential/ipf": ("sex", "area", "size"),
    **{f"sequential/{step}": () for step in ("cart", "ctree", "rf", "bag", "sample", "parametric")},
}
CASES = (*MODELS, *STEPS)


def people(model: str) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    age = rng.integers(18, 90, N)
    numbers = pl.DataFrame(
        {
            "age": age,
            "pay": pl.Series(np.where(rng.random(N) < 0.1, np.nan, age * 500 + 1000 * rng.integers(0, 9, N))).fill_nan(
                None
            ),
            "score": np.round(rng.normal(size=N), 2),
        }
    )
    if model in NUMBERS_ALONE:
        return numbers.drop("pay")
    return numbers.with_columns(
        pl.Series("sex", rng.choice(["F", "M"], N)),
        pl.Series("area", [None if r < 0.05 else f"{int(20 * r):02d}" for r in rng.random(N)]),
        pl.Series("size", rng.choice(["small", "medium", "large"], N)),
        pl.Series("since", [date(2020, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 400, N)]),
        pl.Series("member", rng.random(N) < 0.3),
    )


def kinds(frame: pl.DataFrame) -> dict[str, str]:
    said = {"age": "numeric", "pay": "numeric", "score": "numeric", "size": "ordinal"}
    return {name: kind for name, kind in said.items() if name in frame.columns}


def drawn(model: str, frame: pl.DataFrame, *, threads: int | None = None, **choices: object) -> Release:
    file = la.read(frame, kinds=kinds(frame), sensitive=["note"] if "note" in frame.columns else [])
    name, options = (model, QUICK.get(model, {})) if model in MODELS else ("sequential", step(model, frame))
    asked = Synthesis(model=name, options=options, **choices)  # type: ignore[arg-type]
    return draw(file, asked, rng=np.random.default_rng(1), threads=threads)


def step(model: str, frame: pl.DataFrame) -> dict[str, object]:
    """A sequence in which some columns are drawn by one method."""
    method = model.partition("/")[2]
    if not STEPS[model]:
        return {"method": method}
    some = [name for name in STEPS[model] if name in frame.columns and frame[name].n_unique() > 1 and frame.height > 1]
    predictors = {"area": ["size"]} if method in ("nested", "satcat") and "area" in some else {}
    order = ["size", "area"] if predictors else []
    return {"methods": dict.fromkeys(some, method), "predictors": predictors, "order": order}


def cells(release: Release, copy: int = 0) -> pl.DataFrame:
    return release.copies[copy].head(10**6)


@pytest.mark.parametrize("model", [m for m in CASES if m not in UNSEEDED])
def test_the_same_seed_gives_the_same_cells_with_one_and_two_threads(model: str) -> None:
    frame = people(model)
    one, two = (drawn(model, frame, threads=threads, rows=40_000, copies=2) for threads in (1, 2))
    assert cells(one).equals(cells(two))
    assert cells(one, 1).equals(cells(two, 1))
    assert not cells(one, 0).equals(cells(one, 1))


@pytest.mark.parametrize("model", CASES)
def test_columns_types_and_kinds_stay_and_the_file_is_untouched(model: str) -> None:
    frame = people(model)
    before = frame.clone()
    release = drawn(model, frame)
    assert cells(release).schema == frame.schema
    assert frame.equals(before)
    assert [v.kind for v in release.data.variables] == [v.kind for v in la.read(frame, kinds=kinds(frame)).variables]


@pytest.mark.parametrize("model", [m for m in CASES if m not in NUMBERS_ALONE])
def test_missing_values_survive_and_values_stay_inside_their_column(model: str) -> None:
    frame = people(model)
    data = cells(drawn(model, frame, rows=5000))
    for name in ("pay", "area"):
        share = frame[name].null_count() / N
        # SMOTE takes the vote of neighbours: what is rare gets rarer.
        assert data[name].null_count() / 5000 == pytest.approx(share, abs=0.08 if model == "smote" else 0.04)
        assert data[name].null_count() > 0
    for name in ("sex", "area", "size", "member"):
        assert set(data[name].drop_nulls().unique()) <= set(frame[name].drop_nulls().unique())
    assert (data["score"].round(2) - data["score"]).abs().max() < 1e-12


@pytest.mark.parametrize("model", [m for m in CASES if m not in WHOLE_RECORDS])
def test_missing_values_are_imputed_if_asked(model: str) -> None:
    frame = people(model)
    assert sum(cells(drawn(model, frame, missing="impute")).null_count().row(0)) == 0


@pytest.mark.parametrize("model", CASES)
def test_one_row_one_constant_column_and_one_column_alone(model: str) -> None:
    one = people(model).drop_nulls().head(1)
    assert cells(drawn(model, one, rows=3)).height == 3
    constant = people(model).with_columns(age=pl.lit(30, dtype=pl.Int64))
    assert cells(drawn(model, constant))["age"].unique().to_list() == [30]
    assert cells(drawn(model, people(model).select("age"))).width == 1


@pytest.mark.parametrize("model", [m for m in MODELS if m not in NUMBERS_ALONE])
def test_a_column_of_different_texts_is_drawn_with_a_caveat(model: str) -> None:
    frame = people(model).with_columns(pl.Series("note", [f"text {i}" for i in range(N)]))
    release = drawn(model, frame)
    assert any("'note'" in caveat for caveat in release.caveats)
    assert cells(release)["note"].null_count() == 0


# A lasso of a thousand columns on a thousand others takes a minute and tells nothing new.
@pytest.mark.parametrize("model", [m for m in MODELS if m not in ("noisy-regression", "all-others")])
def test_a_thousand_columns(model: str) -> None:
    rng = np.random.default_rng(3)
    texts = {} if model in NUMBERS_ALONE else {f"t{i}": rng.choice(["a", "b", "c"], 60) for i in range(500)}
    wide = pl.DataFrame({**texts, **{f"n{i}": rng.normal(size=60).round(1) for i in range(1000 - len(texts))}})
    assert cells(drawn(model, wide, rows=60)).shape == (60, 1000)


@pytest.mark.parametrize("model", [m for m in MODELS if m not in WHOLE_RECORDS])
def test_some_columns_are_drawn_given_the_rest(model: str) -> None:
    frame = people(model)
    release = drawn(model, frame, columns=("score",), copies=2)
    assert release.linked
    assert cells(release).drop("score").equals(frame.drop("score"))
    assert not cells(release)["score"].equals(frame["score"])


@pytest.mark.parametrize("model", [m for m in MODELS if m not in WHOLE_RECORDS])
def test_given_values_are_held(model: str) -> None:
    data = cells(drawn(model, people(model), given={"age": "40"}, rows=30))
    assert data["age"].to_list() == [40] * 30
    assert data["score"].n_unique() > 5


@pytest.mark.parametrize("model", sorted(WHOLE_RECORDS))
def test_models_of_whole_records_refuse_to_hold_columns(model: str) -> None:
    with pytest.raises(BadPlan, match="it draws whole records"):
        drawn(model, people(model), columns=("score",))


@pytest.mark.parametrize("model", ["latent-classes", "gaussian-copula"])
def test_rules_hold(model: str) -> None:
    frame = people(model).with_columns(
        pl.when(pl.col("sex") == "F").then(pl.lit("small")).otherwise(pl.col("size")).alias("size")
    )
    data = cells(drawn(model, frame, rows=3000, impossible=("sex = 'F' AND size <> 'small'",)))
    assert data.filter((pl.col("sex") == "F") & (pl.col("size") != "small")).height == 0
    assert data.filter(pl.col("sex") == "F").height > 500


def test_latent_classes_learn_without_what_is_impossible() -> None:
    frame = people("latent-classes").with_columns(
        pl.when(pl.col("sex") == "F").then(pl.lit("small")).otherwise(pl.col("size")).alias("size")
    )
    release = drawn("latent-classes", frame, rows=3000, impossible=("sex = 'F' AND size <> 'small'",))
    assert release.redrawn == 0


def test_a_model_names_the_columns_of_the_file() -> None:
    with pytest.raises(BadPlan, match="'sex', 'area'"):
        drawn("normal", people("bootstrap").select("age", "sex", "area"))
