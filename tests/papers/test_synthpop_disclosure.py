"""Figures of synthpop and of IdentificationRiskCalculation on fixed files (shared/reference/README.md)."""

import json

import polars as pl
import pytest

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.cap_measures import DCAP_MATCHED, TCAP_D
from lookalike.attacks.cells import Cells
from lookalike.attacks.disclosure import Disclosure, disclosure
from lookalike.attacks.files import Files
from lookalike.attacks.matching import Matching

SYNTHPOP = {
    "UiO": "unique_in_original",
    "UiS": "unique_in_release",
    "UiOiS": "unique_in_original_and_in_release",
    "repU": "replicated_uniques",
    "Dorig": "certain_in_original",
    "Dsyn": "certain_in_release",
    "iS": "in_release",
    "DiS": "certain_for_the_attacker",
    "DiSCO": "right_and_certain",
    "DiSDiO": "right_and_certain_in_both",
    "baseCAPd": "guess",
    "CAPd": "cap_of_original",
    "CAPs": "cap_of_release",
    "DCAP": "cap",
    "TCAP_synthpop": "targeted_cap",
}
KEYS = ["age", "sex", "race", "marital_status", "education"]
OCCUPATION = {
    "UiO": 28.82, "UiS": 23.94, "UiOiS": 11.2, "repU": 7.16, "Dorig": 32.66, "Dsyn": 29.76, "iS": 77.04, "DiS": 17.56,
    "DiSCO": 5.88, "DiSDiO": 3.6, "baseCAPd": 10.607432, "CAPd": 54.256367, "CAPs": 54.623082, "DCAP": 18.820251,
    "TCAP_synthpop": 7.6323988,
}  # fmt: skip
SALARY = {"DiSCO": 38.04, "DCAP": 57.881155}


def percent(found: Disclosure, name: str) -> float:
    return 100 * getattr(found, SYNTHPOP[name]).value


@pytest.fixture(scope="module")
def adult(shared) -> tuple[pl.DataFrame, pl.DataFrame]:
    folder = shared / "reference"
    return pl.read_csv(folder / "adult5000_10.csv"), pl.read_csv(folder / "adult5000_syn_cart.csv")


@pytest.mark.parametrize(("target", "figures"), [("occupation", OCCUPATION), ("salary_class", SALARY)])
def test_adult_pair(adult, target: str, figures: dict[str, float]) -> None:
    found = disclosure(Cells.of(*adult, KEYS, target))
    assert {name: percent(found, name) for name in figures} == pytest.approx(figures, abs=5e-7)


def test_the_attack_gives_the_same_figures(adult) -> None:
    files = Files(original=adult[0], releases=(adult[1],))
    found = Attribution(known=tuple(KEYS), target="occupation").attack(files)
    assert 100 * found["DiSCO"].main.value == pytest.approx(5.88)
    assert 100 * found["DCAP"].main.value == pytest.approx(18.820251, abs=5e-7)
    assert 100 * found["TCAP B"].main.value == pytest.approx(7.6323988, abs=5e-8)
    assert 100 * found["DCAP"].original.value == pytest.approx(54.256367, abs=5e-7)
    assert found["DiSCO"].reading.value == "informative"


def test_toy_pair_to_twelve_digits(shared) -> None:
    folder = shared / "reference"
    figures = json.loads((folder / "synthpop_toy.json").read_text())["syn:disclosure sex,age,reg->dx"]
    files = (pl.read_csv(folder / f"toy_{name}.csv") for name in ("orig", "syn"))
    cells = Cells.of(*files, ["sex", "age", "reg"], "dx")
    found = disclosure(cells)
    assert {n: percent(found, n) for n in SYNTHPOP} == pytest.approx({n: figures[n] for n in SYNTHPOP}, abs=1e-9)
    matched, precise = (m.share(cells, cells.original).value for m in (DCAP_MATCHED, TCAP_D))
    assert 100 * matched == pytest.approx(figures["DCAP_matched_only"], abs=1e-9)
    assert 100 * precise == pytest.approx(figures["TCAP_Little2022"], abs=1e-9)


def test_matching_figures_of_the_partial_synthesis(shared) -> None:
    original, release = (pl.read_csv(shared / "reference" / f"npb_eight_{n}.csv") for n in ("orig", "syn1"))
    files = Files(original=original, releases=(release,), linked=True)
    found = Matching(known=tuple(original.columns)).attack(files).pooled
    assert found.expected_match_risk == pytest.approx(57.7817, abs=5e-5)
    assert found.true_match_rate.value == pytest.approx(0.0066)
    assert found.false_match_rate.value == pytest.approx(0.953652, abs=5e-7)
    assert found.unique_matches == 712
