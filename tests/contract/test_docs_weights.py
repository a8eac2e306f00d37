"""What docs/concepts/roles-and-kinds.md says of weights is what the estimators do."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookalike.population import ESTIMATORS, Sample

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "roles-and-kinds.md"
ROW = re.compile(r"^\| B by (.+?) \| (used|not used)[:;]", re.MULTILINE)
SAID = {name: used == "used" for names, used in ROW.findall(PAGE.read_text()) for name in re.findall(r"`(\w+)`", names)}


@pytest.fixture(scope="module")
def samples() -> tuple[Sample, Sample]:
    """The same records, each standing for as many people as another, and not."""
    rng = np.random.default_rng(7)
    codes, sizes = np.unique(rng.geometric(0.25, (400, 3)), axis=0, return_counts=True)
    plain = Sample.from_codes(codes, sizes)
    return plain, replace(plain, weights=sizes * np.where(codes[:, 0] > 3, 40.0, 2.0))


def test_every_estimator_is_told_of() -> None:
    assert set(SAID) == set(ESTIMATORS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_weight_is_used_where_the_page_says_so(name: str, samples: tuple[Sample, Sample]) -> None:
    plain, weighted = (
        ESTIMATORS[name].estimate(sample, 4_000, rng=np.random.default_rng(1)).match_rate for sample in samples
    )
    assert plain.value is not None
    assert (plain.value != weighted.value) is SAID[name]
