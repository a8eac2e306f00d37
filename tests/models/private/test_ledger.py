import json

import pytest

from lookalike.errors import BadPlan
from lookalike.models.private import Adjacency, Ledger, Spend, gaussian_sigma, rho_of, rho_of_gaussian


def pure(epsilon: float) -> Spend:
    return Spend(what="a table", mechanism="discrete Laplace noise", epsilon=epsilon)


def concentrated(rho: float) -> Spend:
    return Spend(what="a table", mechanism="discrete normal noise", rho=rho)


def test_pure_epsilons_add_up() -> None:
    ledger = Ledger(epsilon=1.0)
    for epsilon in (0.5, 0.3, 0.2):
        ledger.spend(pure(epsilon))
    assert ledger.epsilon_spent == pytest.approx(1.0)
    with pytest.raises(BadPlan, match=r"The privacy budget is spent: with a table the total would be ε = 1\.01"):
        ledger.spend(pure(0.01))
    assert len(ledger.spends) == 3


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"), [(1.0, 1e-5, 0.03056), (1.0, 1e-9, 0.01497), (3.0, 1e-6, 0.18507)]
)
def test_rhos_add_up_and_are_turned_into_epsilon_tightly(epsilon: float, delta: float, rho: float) -> None:
    ledger = Ledger(epsilon=epsilon, delta=delta)
    for _ in range(10):
        ledger.spend(concentrated(rho_of(epsilon, delta) / 10))
    assert ledger.epsilon_spent == pytest.approx(epsilon, rel=1e-6)
    assert sum(s.rho or 0 for s in ledger.spends) == pytest.approx(rho, abs=5e-6)
    with pytest.raises(BadPlan, match="The privacy budget is spent"):
        ledger.spend(concentrated(rho / 100))


def test_many_small_pure_spends_are_cheaper_by_rho_and_few_large_ones_by_the_sum() -> None:
    many = Ledger(epsilon=2.0, delta=1e-6)
    for _ in range(1000):
        many.spend(pure(0.01))
    assert many.epsilon_spent < 10 / 5
    few = Ledger(epsilon=2.0, delta=1e-6)
    few.spend(pure(1.5))
    assert few.epsilon_spent == 1.5


def test_one_normal_noise_by_the_analytic_calibration_costs_what_it_says() -> None:
    ledger = Ledger(epsilon=1.0, delta=1e-5)
    rho = rho_of_gaussian(gaussian_sigma(1.0, 1e-5))
    assert rho > rho_of(1.0, 1e-5)
    ledger.spend(Spend(what="a table", mechanism="normal noise", epsilon=1.0, delta=1e-5, rho=rho))
    assert ledger.epsilon_spent == 1.0


def test_a_delta_spent_is_not_there_for_the_rest() -> None:
    ledger = Ledger(epsilon=5.0, delta=1e-6)
    ledger.spend(Spend(what="a", mechanism="some", epsilon=0.5, delta=0.5e-6))
    ledger.spend(concentrated(0.01))
    alone = Ledger(epsilon=5.0, delta=0.5e-6)
    alone.spend(concentrated(0.01))
    assert ledger.epsilon_spent == pytest.approx(0.5 + alone.epsilon_spent)
    with pytest.raises(BadPlan, match="The privacy budget is spent"):
        ledger.spend(Spend(what="b", mechanism="some", epsilon=0.1, delta=1e-6))


def test_normal_noise_needs_a_delta() -> None:
    with pytest.raises(BadPlan, match="the total would be ε = inf"):
        Ledger(epsilon=1.0).spend(concentrated(1e-6))


def test_costs_must_be_said_and_not_negative() -> None:
    ledger = Ledger(epsilon=1.0)
    with pytest.raises(BadPlan, match="What a table costs is not said: it needs epsilon or rho"):
        ledger.spend(Spend(what="a table", mechanism="none"))
    with pytest.raises(BadPlan, match="What a table costs cannot be negative"):
        ledger.spend(pure(-0.5))
    assert ledger.epsilon_spent == 0


def test_the_account_is_plain_data_and_sentences() -> None:
    ledger = Ledger(epsilon=1.0, delta=1e-6, adjacency="replace one record")
    ledger.take(1, "5 levels", given=True)
    ledger.take(3, "smallest and largest number", given=False)
    ledger.spend(concentrated(0.001))
    told = json.loads(json.dumps(ledger.as_dict()))
    assert told["adjacency"] == "replace one record"
    assert told["spends"][0]["rho"] == 0.001
    assert [domain["given"] for domain in told["domains"]] == [True, False]
    assert "a table, by discrete normal noise: ρ = 0.001." in str(ledger)
    assert "The values that column 3 may have" in str(ledger)
    assert ledger.read == (3,)


def test_replacing_a_record_moves_two_cells() -> None:
    assert (Adjacency.ADD_REMOVE.moved, Adjacency.REPLACE.moved) == (1, 2)
    with pytest.raises(ValueError):
        Ledger(epsilon=1.0, adjacency="one person")
