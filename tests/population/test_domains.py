"""From the values of a column to its domain: lines of numbers and dates, groups of codes."""

import polars as pl

from lookalike.classes import EquivalenceClasses
from lookalike.data import Kind, Variable, read
from lookalike.population.domains import domain_of, domains_of


def kind(name: Kind) -> Variable:
    return Variable(name="x", kind=name)


def test_dates_lie_on_days_and_decimals_on_their_unit() -> None:
    days = pl.Series(["1990-01-01", "1990-01-03", "1991-01-01"]).str.to_date()
    line = domain_of(kind(Kind.DATE), days).line
    assert line is not None
    assert (line - line[0]).tolist() == [0, 2, 365]
    tenths = domain_of(kind(Kind.NUMERIC), pl.Series([36.5, 36.7, 40.0])).line
    assert tenths is not None
    assert (tenths - tenths[0]).tolist() == [0, 2, 35]


def test_codes_have_prefixes_and_few_or_wordy_values_have_none() -> None:
    codes = pl.Series([f"{state:02d}{place:03d}" for state in range(12) for place in range(8)])
    assert domain_of(kind(Kind.NOMINAL), codes).groups
    assert domain_of(kind(Kind.NOMINAL), codes.str.to_integer()).groups
    assert domain_of(kind(Kind.NOMINAL), codes.head(10)).groups == ()
    names = pl.Series([f"{a}{b}" for a in "abcdefgh" for b in "ijklmnop"])
    assert domain_of(kind(Kind.NOMINAL), names).groups == ()


def test_a_missing_value_has_no_place_on_the_line() -> None:
    file = read(pl.DataFrame({"age": [None, 30, 31, 31]}), quasi_identifiers=["age"])
    [domain] = domains_of(EquivalenceClasses.of(file))
    assert domain.off_line is not None
    assert domain.off_line.tolist() == [True, False, False]
