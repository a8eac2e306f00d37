"""The noise cannot be seeded: margins are wide enough to fail once in millions of runs."""

import builtins
import math
import sys

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymize.method import Asked, Changed
from lookalike.anonymize.perturbing.local_noise import _flipped, _uniform, answered, noisy, scale_of, staying
from lookalike.anonymize.perturbing.local_privacy import LocalPrivacy
from lookalike.errors import BadPlan, MissingExtra
from lookalike.models.private import Ledger, gaussian_sigma, unrandomized
from lookalike.models.private.mechanisms import opendp

N = 20_000
REPLACE = "replace one record"


def account(epsilon: float = 10.0, delta: float = 0.0) -> Ledger:
    return Ledger(epsilon=epsilon, delta=delta, adjacency=REPLACE)


def run(method: LocalPrivacy, table: pl.DataFrame, **options: object) -> Changed:
    return method.change(Asked(file=la.read(table, **options), rng=np.random.default_rng(1)))  # type: ignore[arg-type]


def told(method: LocalPrivacy, table: pl.DataFrame) -> list[str]:
    with pytest.raises(BadPlan) as caught:
        run(method, table)
    return list(caught.value.faults)


@pytest.mark.parametrize(("epsilon", "levels"), [(0.1, 2), (1.0, 5), (3.0, 2), (20.0, 40), (0.5, 1000)])
def test_opendp_finds_no_more_spent_for_the_chance_to_stay(epsilon: float, levels: int) -> None:
    stay = staying(epsilon, levels)
    assert stay == pytest.approx(math.exp(epsilon) / (math.exp(epsilon) + levels - 1), rel=1e-9)
    spent = opendp().m.make_randomized_response(list(range(levels)), stay).map(1)
    # OpenDP takes 1 − stay, which loses digits where it is small.
    assert spent == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "levels"), [(1.5, 3), (0.2, 7), (1.0, 2)])
def test_whole_columns_of_randomized_answers_have_the_chances_of_single_ones(epsilon: float, levels: int) -> None:
    codes = np.repeat(np.arange(levels), N // levels)
    seen = answered(codes, levels=levels, epsilon=epsilon, ledger=account(), what="it")
    stay = staying(epsilon, levels)
    for level in range(levels):
        found = np.bincount(seen[codes == level], minlength=levels) / (N // levels)
        expected = np.full(levels, (1 - stay) / (levels - 1))
        expected[level] = stay
        assert found == pytest.approx(expected, abs=6 * 0.5 / math.sqrt(N // levels))
    truth = np.bincount(codes, minlength=levels) / len(codes)
    go = (1 - stay) / (levels - 1)
    assert unrandomized(seen, levels=levels, epsilon=epsilon) == pytest.approx(
        truth, abs=3 / math.sqrt(N) / (stay - go)
    )


def test_bits_and_numbers_from_bits_are_fair_to_the_last() -> None:
    assert _flipped(0, 0.5).shape == (0,)
    assert _flipped(13, 0.5).shape == (13,)
    last = np.mean([_flipped(3, 0.25) for _ in range(1000)], axis=0)
    assert last == pytest.approx(np.full(3, 0.25), abs=6 * math.sqrt(0.1875 / 1000))
    for below in (1, 2, 5, 8):
        found = np.bincount(_uniform(8000, below), minlength=below)
        assert len(found) == below
        assert found / 8000 == pytest.approx(np.full(below, 1 / below), abs=6 * 0.5 / math.sqrt(8000))


def test_noise_has_its_scale_and_the_ledger_its_cost() -> None:
    ledger = account(1.0)
    noise = noisy(np.full(N, 40), most=100, epsilon=1.0, delta=0.0, ledger=ledger, what="it") - 40
    assert np.abs(noise).mean() == pytest.approx(100, rel=6 / math.sqrt(N))
    assert noise.mean() == pytest.approx(0, abs=6 * 142 / math.sqrt(N))
    assert ledger.epsilon_spent == pytest.approx(1.0)
    ledger = account(1.0, 1e-6)
    noise = noisy(np.zeros(N, np.int64), most=100, epsilon=1.0, delta=1e-6, ledger=ledger, what="it")
    assert noise.std() == pytest.approx(scale_of(100, 1.0, 1e-6), rel=6 / math.sqrt(2 * N))
    assert ledger.epsilon_spent <= 1.0 + 1e-9
    # Not more than a tenth above the least normal noise there is (Balle and Wang 2018).
    assert 1.0 <= scale_of(100, 1.0, 1e-6) / gaussian_sigma(1.0, 1e-6, sensitivity=100) < 1.1


def people(n: int = 3000) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n),
            "age": rng.integers(18, 90, n),
            "pay": rng.normal(3000, 500, n),
            "note": rng.choice(["x", "y"], n),
        }
    )


BOOK = LocalPrivacy(
    columns=("sex", "age", "pay"),
    epsilon=6.0,
    bounds={"age": (0, 120), "pay": (0.0, 10_000.0)},
    levels={"sex": ("F", "M", "X")},
)


def test_the_budget_adds_up_over_the_columns_and_is_told() -> None:
    done = run(BOOK, people())
    assert done.figures["epsilon"] == pytest.approx(6.0)
    assert done.figures["epsilon_a_column"] == 2.0
    assert done.figures["epsilon_a_person"] == pytest.approx(6.0)
    assert done.perturbed == {"sex", "age", "pay"}
    facts = done.details["columns"]
    assert facts["sex"]["stays"] == pytest.approx(math.exp(2) / (math.exp(2) + 2))
    assert facts["age"]["scale"] == pytest.approx(60)
    assert facts["pay"]["scale"] == pytest.approx(5000)
    assert done.columns["age"].dtype == pl.Int64
    assert set(done.columns["sex"]) == {"F", "M", "X"}
    assert [spend["what"] for spend in done.details["account"]["spends"]] == ["'sex'", "'age'", "'pay'"]
    assert done.caveats == (
        "Differentially private with ε = 6, δ = 0 for 3 columns of a record together (neighbouring files: replace one "
        "record). Seeing a record changes the odds between two values of it by a factor of at most e^ε = 403.",
        "Besides, 1 column released as before: the guarantee says nothing of that.",
        "Whether a value is missing, and the number of records, are not protected.",
        "The noise comes from the system and cannot be seeded: the same seed gives another release, and each costs ε.",
    )


def test_means_come_out_without_bias() -> None:
    table = people(N)
    done = run(LocalPrivacy(columns=("pay",), epsilon=2.0, bounds={"pay": (0.0, 10_000.0)}), table)
    assert done.columns["pay"].mean() == pytest.approx(table["pay"].mean(), abs=6 * math.sqrt(2) * 5000 / math.sqrt(N))
    cut = run(LocalPrivacy(columns=("pay",), epsilon=2.0, bounds={"pay": (0.0, 10_000.0)}, inside=True), table)
    assert cut.columns["pay"].min() >= 0
    assert cut.columns["pay"].max() <= 10_000


def test_what_lies_beyond_the_bounds_is_taken_to_them_first() -> None:
    table = pl.DataFrame({"x": [10**6, -(10**6), None]})
    done = run(LocalPrivacy(columns=("x",), epsilon=50.0, bounds={"x": (0, 10)}), table)
    assert done.columns["x"].to_list()[:2] == pytest.approx([10, 0], abs=20)
    assert done.columns["x"][2] is None


def test_values_read_from_the_file_are_told() -> None:
    done = run(LocalPrivacy(columns=("sex", "age")), people())
    assert done.caveats[1] == (
        "'sex', 'age': which values can be was read from the file; the guarantee does not cover that. Give bounds or "
        "levels for it to hold."
    )
    assert not done.details["columns"]["sex"]["given"]


def test_normal_noise_has_its_delta() -> None:
    method = LocalPrivacy(columns=("age", "pay"), epsilon=1.0, delta=1e-6, law="gaussian", bounds=BOOK.bounds)
    done = run(method, people())
    assert done.figures["epsilon"] <= 1.0 + 1e-9
    assert done.figures["delta"] == 1e-6
    assert "δ = 1e-06" in done.caveats[0]


def test_a_person_with_several_records_costs_more() -> None:
    table = people(10).with_columns(id=pl.Series([1, 1, 1, 2, 2, 3, 4, 5, 6, None]))
    done = run(LocalPrivacy(columns=("sex",), epsilon=0.5), table, identifiers=["id"])
    assert done.figures["epsilon_a_person"] == pytest.approx(1.5)
    assert "A person has up to 3 records: for a person ε is up to 1.5." in done.caveats


def test_columns_without_two_values_stay() -> None:
    table = pl.DataFrame({"one": ["a"] * 3, "same": [4.0] * 3, "none": pl.Series([None] * 3, dtype=pl.Float64)})
    done = run(LocalPrivacy(columns=("one", "same", "none")), table, kinds={"same": "numeric", "none": "numeric"})
    for name in table.columns:
        assert done.columns[name].equals(table[name], null_equal=True)
        assert done.details["columns"][name]["mechanism"] == "none"
    assert done.figures["epsilon"] == 0.0


def test_codes_are_answered_as_categories_if_levels_are_given() -> None:
    table = pl.DataFrame({"code": [1, 2, 9, None] * 50})
    done = run(LocalPrivacy(columns=("code",), levels={"code": ("1", "2", "9")}), table)
    assert done.columns["code"].dtype == pl.Int64
    assert set(done.columns["code"].drop_nulls()) == {1, 2, 9}
    assert done.columns["code"].null_count() == 50


def test_a_short_type_is_widened() -> None:
    table = pl.DataFrame({"age": pl.Series([20, 90] * 100, dtype=pl.Int8)})
    done = run(LocalPrivacy(columns=("age",), epsilon=0.1, bounds={"age": (0, 120)}), table)
    assert done.columns["age"].dtype == pl.Int64
    assert done.columns["age"].null_count() == 0


def test_all_faults_are_told_together() -> None:
    table = people(5).with_columns(day=pl.date(2024, 1, 1))
    wrong = LocalPrivacy(
        columns=("day", "sx", "note"),
        epsilon=0,
        law="normal",  # type: ignore[arg-type]
        bounds={"note": (2, 1), "age": (0, 9)},
        levels={"note": ("x",)},
    )
    assert told(wrong, table) == [
        "local-dp: law must be one of laplace, gaussian.",
        "local-dp: epsilon must be above 0 and at most 50, not 0.",
        "local-dp: 'note' has bounds and levels. Give one of them.",
        "local-dp: the bounds of 'note' must be two numbers, the lower one first.",
        "local-dp: 'note' needs at least 2 levels.",
        "Column 'sx' is not in the data. Did you mean 'sex'? Columns: sex, age, pay, note, day.",
        "Column 'day' does not hold numbers or categories. Leave it out.",
        "local-dp: 'age' has bounds or levels, but gets no noise.",
        "Column 'note' does not hold numbers: give its levels, not bounds.",
    ]
    assert LocalPrivacy(law="gaussian").faults() == [
        "local-dp: normal noise needs a delta above 0 and below 1, best far below 1/n."
    ]
    assert LocalPrivacy(delta=0.1).faults() == ["local-dp: delta is for normal noise (law gaussian). Leave it out."]
    book = LocalPrivacy(columns=("sex", "age"), levels={"sex": ("F", "f")}, bounds={"age": (0.2, 0.8)})
    men = int((table["sex"] == "M").sum())
    assert told(book, table) == [
        f"Column 'sex': {men} records hold a value that is not among its levels, or a level is no value.",
        "Column 'age' holds whole numbers: there must be two of them between its bounds.",
    ]
    assert told(LocalPrivacy(columns=("age",), levels={"age": ("a", "b")}), table) == [
        "Column 'age': 5 records hold a value that is not among its levels, or a level is no value."
    ]


def test_without_opendp_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "opendp":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    for module in [name for name in sys.modules if name.partition(".")[0] == "opendp"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"Differential privacy needs the extra 'dp': pip install 'lookalike\[dp\]'"):
        run(LocalPrivacy(columns=("sex",)), people(5))


def test_numbers_too_large_to_compute_with_are_refused_without_being_told() -> None:
    table = pl.DataFrame({"x": pl.Series([1, 2, 3, None, 2**63 + 5], dtype=pl.UInt64)})
    assert told(LocalPrivacy(columns=("x",)), table) == [
        "Column 'x' holds whole numbers of 16 digits or more, too large to be changed by size. Leave it out."
    ]


def test_yes_and_no_have_levels_too() -> None:
    table = pl.DataFrame({"ill": [True, False, None] * 40})
    done = run(LocalPrivacy(columns=("ill",), levels={"ill": ("true", "false")}), table)
    assert done.columns["ill"].dtype == pl.Boolean
    assert done.columns["ill"].null_count() == 40


def test_noise_beyond_every_number_ends_somewhere() -> None:
    table = pl.DataFrame({"x": [1, 2**52] * 20})
    done = run(LocalPrivacy(columns=("x",), epsilon=1e-6), table, kinds={"x": "numeric"})
    assert done.columns["x"].null_count() == 0
