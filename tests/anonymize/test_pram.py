import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.pram import Pram
from lookalike.anonymize.perturbing.transitions import invariant
from lookalike.errors import BadPlan

N = 60_000
SHARES = np.array([0.6, 0.3, 0.09, 0.01])
LEVELS = np.array(["a", "b", "c", "d"])


def table(n: int = N) -> pl.DataFrame:
    codes = np.repeat(np.arange(4), (SHARES * n).round().astype(int))
    return pl.DataFrame({"x": LEVELS[codes], "half": np.arange(len(codes)) % 2})


def run(method: Pram, data: pl.DataFrame, seed: int = 1, **options: object) -> Changed:
    return method.change(Asked(file=la.read(data, **options), rng=np.random.default_rng(seed)))  # type: ignore[arg-type]


def told(method: Pram, data: pl.DataFrame) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, data)
    return list(caught.value.faults)


def moves(data: pl.DataFrame, done: Changed) -> np.ndarray:
    """How often each level became each other, as shares of the rows."""
    one, other = (np.searchsorted(LEVELS, cells.to_numpy()) for cells in (data["x"], done.columns["x"]))
    counts = np.bincount(one * 4 + other, minlength=16).reshape(4, 4)
    return counts / counts.sum(axis=1, keepdims=True)


def near(found: np.ndarray, chances: np.ndarray, sizes: np.ndarray) -> None:
    """Each share within six standard errors of its chance, and a record more for what is never seen."""
    error = 6 * np.sqrt(chances * (1 - chances) / sizes[:, None]) + 1 / sizes[:, None]
    assert (np.abs(found - chances) <= error).all()


MATRIX = ((0.7, 0.1, 0.1, 0.1), (0.05, 0.9, 0.05, 0.0), (0.2, 0.0, 0.8, 0.0), (0.25, 0.25, 0.25, 0.25))


@pytest.mark.parametrize(
    ("method", "chances"),
    [
        (Pram(columns=("x",), keep=0.7), 0.7 * np.eye(4) + 0.3 * SHARES),
        (Pram(columns=("x",), keep=0.7, invariant=False), np.where(np.eye(4) > 0, 0.7, 0.1)),
        (Pram(matrix={"x": MATRIX}, invariant=False), np.array(MATRIX)),
        (Pram(matrix={"x": MATRIX}), invariant(np.array(MATRIX), SHARES)),
    ],
)
def test_levels_move_with_the_chances_that_are_told(method: Pram, chances: np.ndarray) -> None:
    data = table()
    done = run(method, data)
    near(moves(data, done), chances, SHARES * N)
    assert np.array(done.details["columns"]["x"]["matrix"]) == pytest.approx(chances, abs=1e-9)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    if method.invariant:
        assert SHARES @ chances == pytest.approx(SHARES, abs=1e-12)
        assert np.diag(chances).min() >= method.keep or method.matrix
    # Bayes' formula, by hand, and counted in the release.
    right = np.diag(chances) * SHARES / (SHARES @ chances)
    facts = done.details["columns"]["x"]
    assert facts["right_least"] == pytest.approx(right.min())
    assert facts["right_most"] == pytest.approx(right.max())
    assert facts["right"] == pytest.approx(float(SHARES @ np.diag(chances)))
    same = data["x"] == done.columns["x"]
    for level in range(3):
        released = done.columns["x"] == LEVELS[level]
        assert same.filter(released).mean() == pytest.approx(right[level], abs=6 * 0.5 / np.sqrt(released.sum()))
    assert facts["unchanged"] == pytest.approx(float(same.mean()))


def test_an_analyst_gets_the_shares_back() -> None:
    data = table()
    done = run(Pram(columns=("x",), keep=0.6, invariant=False), data)
    chances = np.array(done.details["columns"]["x"]["matrix"])
    seen = done.columns["x"].value_counts().sort("x")["count"].to_numpy() / N
    assert seen != pytest.approx(SHARES, abs=0.05)
    # The released shares have errors below 0.5/√N each; the inverse enlarges them at most by its largest row sum.
    reach = np.abs(np.linalg.inv(chances)).sum(axis=0).max()
    assert seen @ np.linalg.inv(chances) == pytest.approx(SHARES, abs=6 * reach * 0.5 / np.sqrt(N))


def test_categories_are_exchanged_only_within_strata() -> None:
    data = pl.DataFrame(
        {
            "x": ["a", "b"] * 500 + ["c", "d"] * 500 + ["e"] * 10 + [None] * 10,
            "of": [1] * 1000 + [2] * 1000 + [3] * 10 + [4] * 10,
        }
    )
    matrix = tuple(tuple(np.where(row, 0.6, 0.1).tolist()) for row in np.eye(5, dtype=bool))
    for method in (
        Pram(columns=("x",), keep=0.3, within=("of",)),
        Pram(columns=("x",), keep=0.3, within=("of",), invariant=False),
        Pram(matrix={"x": matrix}, within=("of",)),
    ):
        done = run(method, data)
        both = data.select("of", x=done.columns["x"])
        assert set(both.filter(pl.col("of") == 1)["x"].unique()) == {"a", "b"}
        assert set(both.filter(pl.col("of") == 2)["x"].unique()) == {"c", "d"}
        assert set(both.filter(pl.col("of") == 3)["x"].unique()) == {"e"}
        assert done.columns["x"].is_null().equals(data["x"].is_null())
        assert done.details["columns"]["x"]["strata"] == 3
        assert "matrix" not in done.details["columns"]["x"]
        assert done.details["columns"]["x"]["right_most"] == 1.0
    plain = run(Pram(columns=("x",), keep=0.3, within=("of",)), data)
    assert not any("nobody has" in caveat for caveat in plain.caveats)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_any_matrix_can_be_made_to_keep_the_shares(levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.full(levels, 0.5), levels)
    shares = rng.dirichlet(np.full(levels, 0.5)) * (rng.random(levels) < 0.8)
    shares = shares / shares.sum() if shares.sum() else np.full(levels, 1 / levels)
    found = invariant(matrix, shares)
    assert shares @ found == pytest.approx(shares, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert (found >= 0).all()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.sampled_from("abcde")), min_size=1, max_size=60),
    st.booleans(),
    st.integers(0, 99),
)
def test_missing_stays_missing_and_no_level_is_invented(values: list[str | None], kept: bool, seed: int) -> None:
    data = pl.DataFrame({"x": pl.Series(values, dtype=pl.String)})
    method = Pram(columns=("x",), keep=0.5, invariant=kept)
    done = run(method, data, seed, kinds={"x": "nominal"})
    assert done.columns["x"].is_null().equals(data["x"].is_null())
    assert set(done.columns["x"]) <= set(values)
    assert done.columns["x"].equals(run(method, data, seed, kinds={"x": "nominal"}).columns["x"], null_equal=True)
    assert done.perturbed == {"x"}


def test_codes_and_yes_no_answers_keep_their_type() -> None:
    data = pl.DataFrame({"code": [1, 2, 3] * 50, "ill": [True, False, True] * 50})
    done = run(Pram(columns=("code", "ill"), keep=0.5), data)
    assert done.columns["code"].dtype == pl.Int64
    assert done.columns["ill"].dtype == pl.Boolean
    assert set(done.columns["code"]) == {1, 2, 3}


def test_the_risk_statement_has_its_figures() -> None:
    data = table(1000).with_columns(one=pl.lit("z"))
    done = run(Pram(columns=("x", "one"), keep=0.8), data)
    facts = done.details["columns"]["x"]
    # 0.8 + 0.2 t for t = 0.01 and 0.6; over all records 0.8 + 0.2 Σ t².
    assert facts["right"] == pytest.approx(0.8 + 0.2 * float((SHARES**2).sum()))
    assert done.caveats == (
        "'x': a released category is the true one with a chance of 0.80 to 0.92, 0.89 over all records (Bayes' "
        f"formula); {facts['unchanged']:.1%} of the records are unchanged.",
        "'one': it has no two categories, so nothing was changed.",
        "Columns are changed one by one: combinations may come out that nobody has (see within).",
    )
    assert done.figures == {"unchanged": facts["unchanged"], "right_most": pytest.approx(0.92)}
    both = run(Pram(columns=("x", "half"), keep=0.8), data, kinds={"half": "nominal"})
    assert both.caveats[2] == "All 2 columns of a record are true with a chance of about 0.80."  # 0.892 · 0.9


def test_a_column_without_values_is_left() -> None:
    data = pl.DataFrame({"x": pl.Series([None, None], dtype=pl.String)})
    done = run(Pram(columns=("x",)), data, kinds={"x": "nominal"})
    assert done.columns["x"].to_list() == [None, None]
    assert done.figures == {}


def test_by_default_the_categories_among_the_quasi_identifiers_are_changed() -> None:
    data = pl.DataFrame({"sex": ["F", "M"] * 20, "area": ["a", "b", "c", "d"] * 10, "age": range(40)})
    done = run(Pram(within=("area",)), data, quasi_identifiers=["sex", "area", "age"])
    assert list(done.columns) == ["sex"]
    with pytest.raises(BadPlan, match="No quasi-identifier holds categories"):
        run(Pram(), data, quasi_identifiers=["age"])


def test_all_faults_are_told_together() -> None:
    data = table(100).with_columns(pay=pl.int_range(100) * 1.5)
    wrong = Pram(columns=("x", "pay", "y"), keep=1.0, matrix={"z": ((0.5, 0.6), (1.0, 0.0))}, within=("x", "w"))
    assert told(wrong, data) == [
        "pram: keep must lie in (0, 1), not 1.",
        "pram: 'x' cannot be changed within itself.",
        "pram: 'z' has a matrix, but is not among the columns.",
        "pram: the matrix of 'z' must be square, of chances from 0 to 1, and each row must add up to 1.",
        "Column 'y' is not in the data. Columns: x, half, pay.",
        "Column 'pay' does not hold categories. Leave it out.",
        "Column 'w' is not in the data. Columns: x, half, pay.",
    ]
    assert told(Pram(matrix={"x": ((1.0,),)}), data) == ["pram: the matrix of 'x' has 1 rows; the column has 4 levels."]
    odd = Pram(matrix={"x": (("a",), (1.0, 0.0))})  # type: ignore[arg-type, dict-item]
    assert len(odd.faults()) == 1
