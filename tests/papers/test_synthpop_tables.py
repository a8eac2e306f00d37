"""synthpop's figures of tables on fixed pairs (shared/reference): every measure, and where its scaling is off."""

import json
from math import log

import polars as pl
import pytest

from lookalike.utility.pair import CodedPair
from lookalike.utility.table_nulls import Null
from lookalike.utility.table_utility import measured, table_utility
from lookalike.utility.tables import Table

TOY = ("VW", "FT", "JSD", "G", "MabsDD", "SPECKS", "WMabsDD", "pMSE", "dBhatt", "U", "PO50")
ADULT = ("pMSE", "SPECKS", "U", "PO50", "WMabsDD", "dBhatt", "VW", "FT", "G", "JSD")


@pytest.fixture(scope="module")
def reference(shared):
    return shared / "reference"


@pytest.fixture(scope="module")
def toy(reference) -> CodedPair:
    return CodedPair.of(pl.read_csv(reference / "toy_orig.csv"), pl.read_csv(reference / "toy_syn.csv"))


@pytest.fixture(scope="module")
def adult(reference) -> CodedPair:
    original = pl.read_csv(reference / "adult5000_10.csv")
    return CodedPair.of(original, pl.read_csv(reference / "adult5000_syn_cart.csv").select(original.columns))


@pytest.mark.parametrize("variables", [("dx",), ("age", "dx"), ("sex", "age", "dx")])
def test_the_toy_pair_to_nine_digits(toy, reference, variables) -> None:
    theirs = json.loads((reference / "synthpop_toy.json").read_text())[f"syn:{','.join(variables)}"]
    table = Table.of(toy, variables)
    ours = measured(table, Null.IMPROPER)
    assert {name: ours.values[name] for name in TOY} == pytest.approx({n: theirs[n] for n in TOY}, rel=1e-9, abs=1e-9)
    assert ours.df == theirs["df"]
    assert ours.expected["G"] == theirs["dfG"]
    for name in ("VW", "FT", "pMSE", "G"):
        assert ours.ratio(name) == pytest.approx(theirs[f"S_{name}"], abs=1e-9)
    # The corrected expectations.
    assert ours.ratio("JSD") == pytest.approx(theirs["S_JSD_correct"], abs=1e-9)
    assert ours.expected["WMabsDD"] == pytest.approx(theirs["E_WMabsDD_correct"], abs=1e-9)
    assert ours.expected["SPECKS"] == pytest.approx(theirs["E_SPECKS_null"], abs=1e-9)
    assert ours.values["PO50"] == pytest.approx(theirs["BalAcc_minus_half_x100"], abs=1e-9)
    # Its own scaling: JSD by df ln 2/(2N) where df/(8 n ln 2) belongs, WMabsDD by K − 1 where Σ √(1 − p) belongs.
    n = sum(table.records)
    assert ours.values["JSD"] / (ours.df * log(2) / (2 * n)) == pytest.approx(theirs["S_JSD"], abs=1e-9)
    assert ours.values["WMabsDD"] / ours.df == pytest.approx(theirs["S_WMabsDD"], abs=1e-9)


@pytest.mark.parametrize(("file", "ways", "tables"), [("oneway", 1, 10), ("twoway", 2, 45)])
def test_all_tables_of_the_adult_pair_to_the_digits_given(adult, reference, file, ways, tables) -> None:
    theirs = pl.read_csv(reference / f"syn_cart_{file}.csv")
    ours = {":".join(t.variables): t for t in table_utility(adult, ways=(ways,)).tables}
    assert theirs.height == len(ours) == tables
    for row in theirs.iter_rows(named=True):
        one = ours[":".join(name[3:] for name in row["rn"].split(":"))]
        assert one.df == row["df"]
        assert {n: one.values[n] for n in ADULT} == pytest.approx({n: row[n] for n in ADULT}, rel=1e-10)
        assert one.ratio("pMSE") == pytest.approx(row["S_pMSE"], rel=1e-10)
