"""Worked examples 2.6.1 to 2.6.11 of the thesis (seed 003) on attribution, with the corrections of errata.md."""

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.bins import Edges, EqualFrequency, EqualLength, ReleaseIntervals
from lookalike.attacks.cap import Undefined, dataset_cap, itself, record_cap
from lookalike.attacks.cap_classes import ClassCap, class_cap, sweep
from lookalike.attacks.cap_knowledge import unsure_of_presence, with_beliefs
from lookalike.attacks.cells import Cells
from lookalike.attacks.coarse import coarse_cells
from lookalike.attacks.columns import ordered
from lookalike.attacks.files import Files


def people(sex: str, test: str) -> pl.DataFrame:
    return pl.DataFrame({"sex": list(sex), "test": list(test)})


X, Y = people("MMFF", "PPPN"), people("MFFF", "PPNN")


def named(found: ClassCap, original: pl.DataFrame, release: pl.DataFrame) -> dict[tuple[str, str], tuple]:
    """(2.6), (2.7) and (2.8) by the names of the classes instead of their numbers."""
    both = pl.concat([original, release])
    codes = {c: ordered([both[c]])[0] for c in both.columns}
    places = {c: dict(zip(both[c].to_list(), codes[c].tolist(), strict=True)) for c in both.columns}
    key, target = both.columns
    return {(k, t): found.pair(places[key][k], places[target][t]) for k in places[key] for t in places[target]}


def test_example_2_6_1_record_scores_and_equal_dataset_scores() -> None:
    cells = Cells.of(X, Y, ["sex"], "test")
    assert record_cap(itself(cells)).tolist() == [1, 1, 1 / 2, 1 / 2]
    assert record_cap(cells).tolist() == [1, 1, 1 / 3, 2 / 3]
    assert dataset_cap(record_cap(itself(cells))).value == 3 / 4
    assert dataset_cap(record_cap(cells)).value == pytest.approx(3 / 4)


AGES = pl.DataFrame({"age": [18, 19, 20, 21] * 2, "sex": list("MMMMFFFF"), "test": list("ABCDEFGH")})


@pytest.mark.parametrize("written", ["18-21", "[18;21]"])
def test_example_2_6_2_intervals_in_keys(written: str) -> None:
    release = AGES.with_columns(age=pl.lit(written))
    exact = Cells.of(AGES, release, ["age", "sex"], "test")
    assert record_cap(itself(exact)).tolist() == [1] * 8
    # Printed: 1/4 by equation 2.4. By its own equality no key matches, and there is no score (errata.md).
    assert np.isnan(record_cap(exact)).all()
    ranges = coarse_cells(AGES, release, ["age", "sex"], "test")
    assert record_cap(ranges).tolist() == [1 / 4] * 8
    assert dataset_cap(record_cap(ranges)).value == 1 / 4
    found = Attribution(known=("age", "sex"), target="test").attack(Files(original=AGES, releases=(release,)))
    assert (found["DCAP"].main.value, found["DCAP"].original.value) == (1 / 4, 1)
    rules = {"age": ReleaseIntervals()}
    assert class_cap(AGES, release, ["age", "sex"], "test", rules).release.value == 1 / 4


HEIGHTS = pl.DataFrame({"height": [160, 161, 168, 170], "weight": [48.0, 52.0, 52.0, 59.0]})


def test_example_2_6_3_a_hair_of_noise_hides_everything_from_equality() -> None:
    noisy = HEIGHTS.with_columns(pl.col("weight") + 0.01)
    cells = Cells.of(HEIGHTS, noisy, ["height"], "weight")
    assert dataset_cap(record_cap(cells), Undefined.ZERO).value == 0
    rules = {"weight": Edges((45, 50, 55, 60))}
    assert class_cap(HEIGHTS, noisy, ["height"], "weight", rules).release.value == 1
    # Equality is then not a low risk but no answer.
    found = Attribution(known=("height",), target="weight").attack(Files(original=HEIGHTS, releases=(noisy,)))
    assert found["DCAP"].main.value == 0
    assert found["DCAP"].reading.value == "not informative"
    assert found["DCAP"].risk.value is None


def test_example_2_6_4_a_claim_that_no_record_has() -> None:
    original, release = people("MMMM", "PPPP"), people("MMFF", "PNPN")
    scores = named(class_cap(original, release, ["sex"], "test"), original, release)
    assert scores["M", "P"][1:] == (1 / 2, 1 / 2)
    assert scores["M", "N"][1:] == (1 / 2, 0)  # (2.7) counts it, (2.8) does not
    # The text says that no row of the release is F; two are (errata.md). No record is, so there is no score.
    assert scores["F", "P"][1] == 1 / 2
    assert np.isnan(scores["F", "P"][2])


KEYS = [0.5, 1.3, 1.5, 2.1, 2.2, 2.5, 3.1, 3.3, 4.3]
TARGETS = [0.5, 0.5, 2.3, 1.3, 1.4, 2.6, 1.7, 1.8, 2.2]


def test_example_2_6_5_record_values() -> None:
    original = pl.DataFrame({"k": KEYS, "t": TARGETS})
    release = pl.DataFrame({"k": [0.3, 0.7, 1.5, 2.3, 2.8, 3.3, 3.7], "t": [0.7, 2.5, 1.5, 1.7, 2.5, 1.7, 2.7]})
    rules = {"k": Edges((0, 1, 2, 3, 4)), "t": Edges((0, 1, 2, 3))}
    found = Attribution(known=("k",), target="t", classes=rules).attack(Files(original=original, releases=(release,)))
    assert found.after[:8].tolist() == [1 / 2, 0, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2]
    assert np.isnan(found.after[8])  # 4.3 lies in no class: no match, and no prediction
    scores = class_cap(original, release, ["k"], "t", rules)
    assert scores.release.of == 8
    assert scores.release.value == pytest.approx(6 * (1 / 2) / 8)


def test_example_2_6_6_low_and_high_knowledge() -> None:
    original, release = people("MMFF", "PPNN"), people("MFFF", "NNNN")
    scores = named(class_cap(original, release, ["sex"], "test"), original, release)
    assert {pair: s[0] for pair, s in scores.items()} == {("M", "P"): 1, ("M", "N"): 0, ("F", "P"): 0, ("F", "N"): 1}
    # Printed for (M, P): 0/1 = 1; it is 0 (errata.md).
    assert {pair: s[2] for pair, s in scores.items()} == {("M", "P"): 0, ("M", "N"): 0, ("F", "P"): 0, ("F", "N"): 1}
    men = np.array([0.0, 1.0])  # P(T_a = P | M), P(T_a = N | M)
    assert with_beliefs(men, np.array([[1, 0], [1, 0]]))[0] == 1
    assert with_beliefs(men, np.eye(2))[0] == scores["M", "P"][2]
    women = np.array(scores["F", "N"][2])
    assert unsure_of_presence(women, present=1 / 2, levels=2) == 3 / 4


def test_example_2_6_7_probability_of_a_correct_prediction() -> None:
    found = class_cap(X, Y, ["sex"], "test")
    assert found.release.value == pytest.approx(2 / 4 * 1 + 1 / 4 * 1 / 3 + 1 / 4 * 2 / 3)
    assert found.release.value == pytest.approx(0.75)
    assert found.original.value == pytest.approx(2 / 4 * 1 + 1 / 4 * 1 / 2 + 1 / 4 * 1 / 2)
    assert found.change == pytest.approx(0)
    # (2.13): the pairs are (M, P) 1 − 1, (F, P) 1/3 − 1/2, (F, N) 2/3 − 1/2.
    assert found.least_change == pytest.approx(1 / 3 - 1 / 2)
    assert found.least_drop == pytest.approx(1 / 2 - 2 / 3)


def test_example_2_6_9_intervals_change_the_score() -> None:
    release = HEIGHTS.with_columns(height=pl.Series(["160-165", "160-165", "165-170", "165-170"]))
    fine = class_cap(HEIGHTS, release, ["height"], "weight", {"height": ReleaseIntervals()})
    assert sorted(fine.before.tolist()) == sorted(fine.after.tolist()) == [1 / 2] * 4  # all other pairs are 0
    assert fine.original.value == fine.release.value == 1 / 2
    numbers = HEIGHTS.with_columns(height=pl.Series([162.5, 162.5, 167.5, 167.5]))
    wide = class_cap(HEIGHTS, numbers, ["height"], "weight", {"height": Edges((160, 170)), "weight": Edges((48, 59))})
    assert wide.original.value == wide.release.value == 1  # all classes are one: nothing is measured any more


def normal(mean: tuple[float, float], covariance: list[list[float]], n: int, seed: int) -> pl.DataFrame:
    drawn = np.random.default_rng(seed).multivariate_normal(mean, covariance, n)
    return pl.DataFrame({"key": drawn[:, 0], "target": drawn[:, 1]})


def test_example_2_6_8_more_noise_lower_score_until_the_classes_move_away() -> None:
    original = normal((10, 20), [[20, 10], [10, 20]], 1000, 1)
    rng = np.random.default_rng(2)
    rules = {"key": EqualLength(10), "target": EqualLength(10)}
    before, after, drop, worst = [], [], [], []
    for mean in range(0, 51, 5):
        noisy = original.with_columns(pl.col("target") + pl.Series(rng.normal(mean, 10, 1000)))
        found = class_cap(original, noisy, ["key"], "target", rules)
        before.append(found.original.value)
        after.append(found.release.value)
        drop.append(-found.change)
        worst += [found.least_drop] if found.least_drop is not None else []
    assert max(before[:3]) - min(before[:3]) < 0.2 * before[0]  # figure 2.3: stable at first …
    assert before[-1] < 0.1 * before[0]  # … and to zero in the end
    assert after[0] > after[2] > after[4] > after[-1]  # figure 2.4 falls
    assert max(drop[1:5]) > drop[0]  # figure 2.5 rises,
    assert drop[-1] < 0.5 * max(drop)  # then drops
    assert min(worst) < 0  # figure 2.6: some classes are easier to guess than before


@pytest.fixture(scope="module")
def surfaces() -> dict[str, pl.DataFrame]:
    original = normal((5, 15), [[15, 15], [15, 15]], 10_000, 3)
    noise = np.random.default_rng(4).exponential(1 / 0.5, 10_000)
    noisy = original.with_columns(pl.col("target") + pl.Series(noise))
    rules = {"length": EqualLength, "frequency": EqualFrequency}
    return {name: sweep(original, noisy, ["key"], "target", rule=rule) for name, rule in rules.items()}


def test_example_2_6_10_more_bins_of_the_target_lower_the_score(surfaces) -> None:
    for name, surface in surfaces.items():
        assert surface.height == 100
        by_target = surface.group_by("target_bins").agg(pl.col("release").mean()).sort("target_bins")["release"]
        rises = int((by_target.diff().drop_nulls() > 0).sum())
        assert by_target[9] < 0.6 * by_target[0]
        assert rises == 0 if name == "frequency" else rises <= 1  # equal length is bumpy: 4 bins split otherwise than 3
        # One bin is the whole range of the release, which a few records of the original leave.
        assert surface.filter(pl.col("target_bins") == 1)["release"].min() > 0.99
    # A perfectly dependent original, as many bins of either: nearly always right, the noisy release less so.
    square = surfaces["frequency"].filter((pl.col("key_bins") == pl.col("target_bins")) & (pl.col("key_bins") > 1))
    assert (square["original"] > square["release"]).all()


def test_example_2_6_10_equal_frequency_is_smoother(surfaces) -> None:
    def roughness(surface: pl.DataFrame) -> float:
        grid = surface.sort("key_bins", "target_bins")["release"].to_numpy().reshape(10, 10)[1:, 1:]
        return float(np.abs(np.diff(grid, 2, axis=0)).mean() + np.abs(np.diff(grid, 2, axis=1)).mean())

    assert roughness(surfaces["frequency"]) < roughness(surfaces["length"])


def test_example_2_6_11_two_files_and_two_noises_compared_over_all_bins(surfaces) -> None:
    other = normal((1, 5), [[5, 5], [5, 5]], 10_000, 5)
    noise = np.random.default_rng(6).exponential(1 / 5, 10_000)
    noisy = other.with_columns(pl.col("target") + pl.Series(noise))
    second = sweep(other, noisy, ["key"], "target", rule=EqualFrequency)
    # Noise of mean 2 on a spread of 3.9 against 0.2 on 2.2: the second is guessed better wherever there is a choice.
    choice = (pl.col("key_bins") > 1) & (pl.col("target_bins") > 1)
    gap = second.filter(choice)["release"] - surfaces["frequency"].filter(choice)["release"]
    assert gap.min() > -0.01
    assert gap.mean() > 0.05
