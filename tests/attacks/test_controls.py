"""Controls work: nothing is found in a release of other people, everything in a copy, a bootstrap lies between."""

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.files import Files
from lookalike.attacks.inference import Inference
from lookalike.attacks.learners import Neighbours
from lookalike.attacks.linkage import Linkage, Weights
from lookalike.attacks.matching import Matching
from lookalike.attacks.outcome import Outcome

KNOWN = ("age", "sex", "area")


def people(n: int, rng: np.random.Generator) -> pl.DataFrame:
    age, sex, area = rng.integers(18, 60, n), rng.integers(0, 2, n), rng.integers(0, 12, n)
    ill = (age // 14 + sex + rng.integers(0, 3, n)) % 4
    return pl.DataFrame({"age": age, "sex": sex, "area": area, "ill": ill.astype(str)})


def files(release: Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame], seed: int) -> Files:
    rng = np.random.default_rng(seed)
    both = people(800, rng)
    original = both.head(400)
    return Files(original=original, releases=(release(original, rng),), control=both.tail(400), linked=True)


def outcomes(case: Files, seed: int) -> Iterator[tuple[str, Outcome]]:
    """Every attack's figure that has a control."""
    yield "matching", Matching(known=KNOWN).attack(case, by_row=False).found
    found = Attribution(known=KNOWN, target="ill").attack(case)
    for outcome in found.outcomes:
        yield outcome.measure, outcome
    rng = np.random.default_rng(seed)
    yield "twins", Linkage(known=("sex", "area"), weights=Weights.AGREEMENTS).attack(case, rng=rng).twins
    learner = Neighbours(k=1)
    yield (
        "inference",
        Inference(known=KNOWN, targets=("ill",), learner=learner).attack(case, rng=rng).targets[0].outcome,
    )


MEASURES = ["matching", "DCAP", "DCAP matched", "DiSCO", "TCAP B", "TCAP D", "TCAP A", "TCAP A0", "twins", "inference"]


def excesses(release, seeds: range) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    for seed in seeds:
        for name, outcome in outcomes(files(release, seed), seed):
            found[name].append((outcome.excess.low, outcome.excess.value))
    return found


@pytest.fixture(scope="module")
def independent() -> dict[str, list[tuple[float, float]]]:
    return excesses(lambda _, rng: people(400, rng), range(100))


@pytest.fixture(scope="module")
def copied() -> dict[str, list[tuple[float, float]]]:
    return excesses(lambda original, _: original, range(1000, 1010))


@pytest.fixture(scope="module")
def drawn_again() -> dict[str, list[tuple[float, float]]]:
    return excesses(lambda original, rng: original[rng.integers(0, 400, 400)], range(2000, 2010))


@pytest.mark.parametrize("name", MEASURES)
def test_a_release_of_other_people_shows_no_excess_in_95_of_100(independent, name: str) -> None:
    assert len(independent[name]) == 100
    assert sum(low > 0 for low, _ in independent[name]) <= 5


@pytest.mark.parametrize("name", MEASURES)
def test_a_copy_shows_that_the_attack_works(copied, name: str) -> None:
    assert all(low > 0 for low, _ in copied[name])


@pytest.mark.parametrize("name", ["matching", "DCAP", "DiSCO", "twins", "inference"])
def test_a_bootstrap_lies_between(independent, copied, drawn_again, name: str) -> None:
    other, same, between = (np.mean([v for _, v in found[name]]) for found in (independent, copied, drawn_again))
    assert other + 0.1 < between < same - 0.05


@pytest.mark.parametrize("name", ["DCAP matched", "TCAP B", "TCAP D", "TCAP A", "TCAP A0"])
def test_a_share_of_what_the_attacker_speaks_of_need_not_fall_when_they_speak_less(
    independent, drawn_again, name: str
) -> None:
    """A bootstrap leaves a third of the records out, and those are not in the denominator."""
    other, again = (np.mean([v for _, v in found[name]]) for found in (independent, drawn_again))
    assert other + 0.1 < again
