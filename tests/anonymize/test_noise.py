import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymize.columns.kept_form import decimals_of, in_form_of
from lookalike.anonymize.columns.nearest import linked
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.noise import Noise
from lookalike.anonymize.perturbing.noise_laws import folded, with_moments_of
from lookalike.errors import BadPlan

N = 20_000


def people(n: int = N) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, n)
    pay = 1000.0 + 30 * age + rng.normal(0, 500, n)
    return pl.DataFrame({"age": age, "pay": pay, "height": np.round(rng.normal(170, 9, n), 1)})


def run(method: Noise, table: pl.DataFrame, seed: int = 1) -> Changed:
    return method.change(Asked(file=la.read(table), rng=np.random.default_rng(seed)))


def told(method: Noise, table: pl.DataFrame) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table)
    return list(caught.value.faults)


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
def test_noise_has_its_size_no_mean_and_keeps_the_interval_it_tells(law: str) -> None:
    table = people()
    done = run(Noise(columns=("pay",), law=law, share=0.2), table)  # type: ignore[arg-type]
    noise = (done.columns["pay"] - table["pay"]).to_numpy()
    size = 0.2 * table["pay"].std()
    facts = done.details["columns"]["pay"]
    assert facts["sd_of_noise"] == pytest.approx(size)
    # The standard deviation of an estimated one is σ √((κ − 1)/4n), κ = 3 and 6.
    assert noise.std() == pytest.approx(size, rel=6 * np.sqrt({"gaussian": 2, "laplace": 5}[law] / (4 * N)))
    assert noise.mean() == pytest.approx(0, abs=6 * size / np.sqrt(N))
    assert (np.abs(noise) <= facts["within_95"]).mean() == pytest.approx(0.95, abs=6 * np.sqrt(0.0475 / N))
    kurtosis = (noise**4).mean() / noise.var() ** 2
    assert kurtosis == pytest.approx({"gaussian": 3, "laplace": 6}[law], rel=0.2)


def test_correlated_noise_has_the_covariance_of_the_data() -> None:
    table = people()
    done = run(Noise(columns=("age", "pay"), share=0.5, correlated=True), table)
    noise = np.column_stack([(done.columns[c] - table[c]).to_numpy() for c in ("age", "pay")])
    true = np.cov(table.select("age", "pay").to_numpy().T)
    error = 6 / np.sqrt(N)
    assert np.cov(noise.T)[0, 1] == pytest.approx(0.25 * true[0, 1], rel=2 * error)
    # Kim (1986): the covariance of the release is (1 + share²) times that of the file, so correlations stay.
    after = np.cov(np.column_stack([done.columns[c].to_numpy() for c in ("age", "pay")]).T)
    assert after == pytest.approx(1.25 * true, rel=2 * error)
    alone = run(Noise(columns=("age", "pay"), share=0.5), table)
    weak = np.corrcoef(alone.columns["age"].to_numpy(), alone.columns["pay"].to_numpy())[0, 1]
    assert weak == pytest.approx(np.corrcoef(table["age"], table["pay"])[0, 1] / 1.25, abs=error)


def test_means_and_deviations_can_be_kept() -> None:
    table = people(500).with_columns(pay=pl.when(pl.int_range(500) % 9 > 0).then("pay"))
    done = run(Noise(columns=("pay",), share=0.3, keep_moments=True), table)
    assert done.columns["pay"].mean() == pytest.approx(table["pay"].mean(), rel=1e-12)
    assert done.columns["pay"].std() == pytest.approx(table["pay"].std(), rel=1e-12)
    assert done.columns["pay"].null_count() == table["pay"].null_count()


def test_whole_numbers_stay_whole_and_decimals_stay_as_many() -> None:
    done = run(Noise(columns=("age", "height")), people(300))
    assert done.columns["age"].dtype == pl.Int64
    assert decimals_of(done.columns["height"].to_numpy()) == 1
    assert done.perturbed == {"age", "height"}


def test_values_turn_back_at_the_ends() -> None:
    table = people(3000)
    done = run(Noise(columns=("age", "height"), share=1.0, within={"age": (18, 100)}), table)
    assert done.columns["age"].min() >= 18
    assert done.columns["age"].max() <= 100
    done = run(Noise(columns=("age", "height"), share=1.0, within="range"), table)
    for name in ("age", "height"):
        assert done.columns[name].min() >= table[name].min()
        assert done.columns[name].max() <= table[name].max()
    done = run(Noise(columns=("age",), share=1.0, within=(0.5, np.inf)), table)
    assert done.columns["age"].min() >= 1


def test_files_without_spread_get_no_noise() -> None:
    table = pl.DataFrame({"one": [5.0] * 4, "none": pl.Series([None] * 4, dtype=pl.Float64), "x": [1, 2, 3, None]})
    done = run(Noise(columns=("one", "none", "x"), share=2.0), table)
    assert done.columns["one"].to_list() == [5.0] * 4
    assert done.columns["none"].null_count() == 4
    assert done.columns["x"].null_count() == 1
    assert done.caveats[0] == "'one', 'none': fewer than two different values, so no noise was added."
    alone = run(Noise(columns=("x",)), table.head(1))
    assert alone.columns["x"].to_list() == [1]
    assert alone.figures == {}


def test_noise_that_is_rounded_away_is_told() -> None:
    done = run(Noise(columns=("x",), share=0.1), pl.DataFrame({"x": [0, 1, 2, 3] * 100}))
    assert done.columns["x"].to_list() == [0, 1, 2, 3] * 100
    assert "'x': 100% of the values are unchanged, as the noise was rounded away. Raise the share." in done.caveats


def test_the_risk_statement_names_interval_linkage_and_what_it_is_not() -> None:
    done = run(Noise(columns=("pay",), share=0.01), people(1000))
    reach = done.details["columns"]["pay"]["within_95"]
    assert done.caveats == (
        f"In about 95 of 100 cases the true value lies within 'pay' ± {reach:.3g} of the released one.",
        f"Who knows the true values of these columns and takes the nearest record is right for "
        f"{done.figures['linked']:.1%} of records (by at most 1,000 of them).",
        "This noise is not differential privacy: nothing is promised for a single record.",
    )


def test_more_columns_give_more_records_away() -> None:
    table = people(1000)
    one, three = (run(Noise(columns=c, share=0.05), table) for c in (("height",), ("age", "pay", "height")))
    assert three.figures["linked"] > 5 * one.figures["linked"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 3), st.integers(0, 1000))
def test_linkage_is_what_comparing_all_pairs_tells(n: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 6, (n, columns)).astype(float)
    after = before + rng.integers(-1, 2, (n, columns))
    spread = before.std(axis=0)
    if not (spread > 0).any():
        assert linked(before, after, rng=rng) is None
        return
    a, b = (m[:, spread > 0] / spread[spread > 0] for m in (before, after))
    distance = np.linalg.norm(b[:, None] - a[None], axis=2)
    nearest = distance <= distance.min(axis=1, keepdims=True) + 1e-9
    expected = (np.diag(nearest) / nearest.sum(axis=1)).mean()
    assert linked(before, after, rng=rng) == pytest.approx(expected)


@given(st.floats(-1e6, 1e6), st.floats(-100, 100), st.floats(0.001, 100))
def test_folding_keeps_inside_and_leaves_what_is_inside(number: float, low: float, width: float) -> None:
    found = folded(np.array([number, low + width / 2]), low, low + width)
    assert low <= found[0] + 1e-9
    assert found[0] <= low + width + 1e-9
    assert found[1] == pytest.approx(low + width / 2)


def test_folding_at_one_end_and_moments_of_nothing() -> None:
    assert folded(np.array([-2.0, 3.0]), 0, np.inf).tolist() == [2.0, 3.0]
    assert folded(np.array([-2.0, 3.0]), -np.inf, 0).tolist() == [-2.0, -3.0]
    assert folded(np.array([-2.0, np.nan]), 1, 1).tolist()[0] == 1.0
    same = np.array([3.0, 3.0])
    assert with_moments_of(same, same).tolist() == [3.0, 3.0]


def test_a_short_type_is_widened_where_noise_leaves_it() -> None:
    assert in_form_of(pl.Series("x", [1, 2], dtype=pl.UInt8), np.array([-3.2, 2.0])).to_list() == [-3, 2]


def test_same_seed_same_noise() -> None:
    table = people(200)
    method = Noise(columns=("age", "pay"), correlated=True)
    assert run(method, table, 4).columns["pay"].equals(run(method, table, 4).columns["pay"])
    assert not run(method, table, 4).columns["pay"].equals(run(method, table, 5).columns["pay"])


def test_columns_that_follow_from_each_other_get_noise_that_does_too() -> None:
    table = people(300).with_columns(twice=pl.col("pay") * 2)
    done = run(Noise(columns=("pay", "twice"), correlated=True), table)
    noise = [(done.columns[c] - table[c]).to_numpy() for c in ("pay", "twice")]
    assert noise[1] == pytest.approx(2 * noise[0], abs=1e-6)


def test_all_faults_are_told_together() -> None:
    table = pl.DataFrame({"x": [1.0, None, 5.0], "y": [None, 2.0, 3.0], "sex": ["F", "M", "F"]})
    wrong = Noise(columns=("sex", "z"), law="normal", share=0, within={"x": (2, 1)})  # type: ignore[arg-type]
    assert told(wrong, table) == [
        "noise: law must be one of gaussian, laplace.",
        "noise: share must be a number above 0, not 0.",
        "noise: within must be two numbers, the lower one first, or 'range'.",
        "Column 'z' is not in the data. Columns: x, y, sex.",
        "Column 'sex' does not hold numbers. Leave it out.",
        "noise: 'x' has ends (within), but gets no noise.",
    ]
    assert told(Noise(columns=("x", "y"), correlated=True, within=(2, 9)), table) == [
        "Column 'x': 1 values lie outside the ends given (within). Widen them.",
        "Correlated noise needs 2 records with a value in every column; there are 1.",
    ]
    assert Noise(law="laplace", correlated=True).faults() == [
        "noise: correlated noise is gaussian. Choose that law, or noise for each column alone."
    ]


def test_numbers_too_large_to_compute_with_are_refused_without_being_told() -> None:
    table = pl.DataFrame({"x": pl.Series([1, 2, 3, None, 2**63 + 5], dtype=pl.UInt64)})
    assert told(Noise(columns=("x",)), table) == [
        "Column 'x' holds whole numbers of 16 digits or more, too large to be changed by size. Leave it out."
    ]


def test_decimals_of_an_exact_type_stay_and_huge_noise_ends_somewhere() -> None:
    table = pl.DataFrame({"x": pl.Series(["1.50", "2.25", None]).cast(pl.Decimal(10, 2)), "y": [1, 2**52, None]})
    done = run(Noise(columns=("x", "y"), share=1e6), table)
    assert done.columns["x"].dtype.is_numeric()
    assert done.columns["x"].null_count() == 1
    assert done.columns["y"].abs().max() <= 2**62
    assert run(Noise(columns=("x",)), table).columns["x"].dtype == pl.Decimal(10, 2)
