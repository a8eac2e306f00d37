"""Worked examples 2.1.2 to 2.4.2 of the thesis (seed 003), with the corrections of errata.md."""

import math

import polars as pl
import pytest

import lookalike as la
from lookalike import risk as r

BORN_Z = {
    "Female": [1942, 1941, 1952, 1955, 1956, 1961, 1966, 1966, 1968, 1964, 1974, 1975, 1975, 1978, 1987, 1988],
    "Male": [1954, 1959, 1959, 1959, 1961, 1962, 1967, 1967, 1968, 1978, 1973, 1971, 1975, 1974],
}
X = [
    ("Female", 1942, "-"), ("Female", 1955, "-"), ("Female", 1964, "-"), ("Female", 1966, "0"),
    ("Female", 1975, "-"), ("Female", 1975, "-"), ("Female", 1987, "-"), ("Male", 1959, "-"),
    ("Male", 1959, "+"), ("Male", 1959, "+"), ("Male", 1962, "-"), ("Male", 1967, "-"),
    ("Male", 1975, "-"), ("Male", 1978, "-"),
]  # fmt: skip
Y = [
    ("Female", "1970-1979", "-"), ("Female", "1970-1979", "-"), ("Female", "1960-1969", "-"),
    ("Female", "1960-1969", "0"), ("Male", "1950-1959", "+"), ("Male", "1950-1959", "+"),
    ("Male", "1950-1959", "-"), ("Male", "1960-1969", "-"), ("Male", "1960-1969", "-"),
    ("Male", "1970-1979", "-"), ("Male", "1970-1979", "-"),
]  # fmt: skip
KEYS = ["gender", "born"]


def table(rows: list[tuple[str, object, str]]) -> la.EquivalenceClasses:
    frame = pl.DataFrame(rows, schema=["gender", "born", "result"], orient="row")
    return la.EquivalenceClasses.of(la.read(frame), KEYS)


@pytest.fixture(scope="module")
def z() -> la.EquivalenceClasses:
    rows = [(gender, year) for gender, years in BORN_Z.items() for year in years]
    return la.EquivalenceClasses.of(la.read(pl.DataFrame(rows, schema=KEYS, orient="row")), KEYS)


@pytest.fixture(scope="module")
def x() -> la.EquivalenceClasses:
    return table(X)


@pytest.fixture(scope="module")
def y() -> la.EquivalenceClasses:
    return table(Y)


def test_example_2_1_2_proportion_of_unique_entries(z, x, y) -> None:
    assert z.records == 30  # the text says 31 people, the table has 30 (errata.md)
    assert r.unique_classes(z).value == 21 / 25
    assert r.unique_classes(x).value == 9 / 11
    assert r.unique_classes(x).value != pytest.approx(11 / 13)  # printed, against its own formula (errata.md)
    assert r.unique_classes(y).value == 0


def test_example_2_1_4_estimated_relative_frequency(x) -> None:
    assert r.estimated_frequency_of_uniques(x, 31) == pytest.approx(0.9361, abs=5e-4)
    one = 9 * 14 / 31
    two = 1 * (14 * 13) / (31 * 30)
    three = 1 * (14 * 13 * 12) / (31 * 30 * 29)
    assert r.estimated_frequency_of_uniques(x, 31) == pytest.approx(one / (one + two + three), rel=1e-12)


def test_definition_2_1_3_with_the_population_given(x, z) -> None:
    # Of the nine unique classes of X, Female 1966 and Male 1967 have a second person in Z.
    assert r.relative_frequency_of_uniques(x, z).value == 7 / 9


def test_example_2_2_2_y_is_2_anonymous(y) -> None:
    assert r.k_anonymity(y) == 2
    assert sorted(y.sizes.tolist()) == [2, 2, 2, 2, 3]


def test_example_2_3_2_diversity_is_1(y) -> None:
    diversity = r.distinct_diversity(la.Spread.of(y, "result"))
    assert diversity.minimum == 1
    assert sorted(diversity.per_class.tolist()) == [1, 1, 1, 2, 2]


def test_example_2_4_2_closeness_by_class(y) -> None:
    closeness = r.kullback_leibler_closeness(la.Spread.of(y, "result"))
    males_fifties = 2 / 3 * math.log((2 / 3) / (2 / 11)) + 1 / 3 * math.log((1 / 3) / (8 / 11))
    only_negative = math.log(1 / (8 / 11))
    females_sixties = 1 / 2 * math.log((1 / 2) / (8 / 11)) + 1 / 2 * math.log((1 / 2) / (1 / 11))
    # The third "0.318" is printed for Females 1950-1959; the class is Females 1970-1979 (errata.md).
    expected = sorted([males_fifties, only_negative, only_negative, only_negative, females_sixties])
    assert sorted(closeness.per_class.tolist()) == pytest.approx(expected, rel=1e-12)
    assert [round(v, 3) for v in expected] == [0.318, 0.318, 0.318, 0.606, 0.665]
    # Printed for Females 1960-1969: 0.752. The printed formula itself gives 0.665 (docs/concepts/closeness.md).
    assert round(closeness.t, 3) == 0.665


def test_example_2_4_2_closeness_after_merging() -> None:
    # Record 7 is "Zero", as in table 2.4; table 2.5 prints "+ve" (errata.md).
    merged = [(g, "1960-1979" if g == "Female" else "1950-1979", result) for g, _, result in Y]
    closeness = r.kullback_leibler_closeness(la.Spread.of(table(merged), "result"))
    assert sorted(round(v, 3) for v in closeness.per_class.tolist()) == [0.116, 0.276]
    printed = [(g, b, "+" if (g, result) == ("Female", "0") else result) for g, b, result in merged]
    other = r.kullback_leibler_closeness(la.Spread.of(table(printed), "result"))
    assert round(other.t, 3) != 0.276
