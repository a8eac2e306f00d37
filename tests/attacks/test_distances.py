"""Distances: Gower's by hand and by brute force, shares and ratios by hand, controls, refusals."""

from datetime import date
from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import norm

from lookalike.attacks.adversarial import privacy_loss
from lookalike.attacks.chance import chance_of_equal, chance_of_return
from lookalike.attacks.distance_space import clustered, subsets
from lookalike.attacks.distances import Distances
from lookalike.attacks.files import Files
from lookalike.attacks.gower import Gower, distance, nearest
from lookalike.attacks.outcome import Outcome, Share
from lookalike.attacks.several import mean_outcome
from lookalike.errors import BadPlan


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def people(n: int, draw: np.random.Generator) -> pl.DataFrame:
    age, area = draw.integers(18, 90, n), draw.choice(list("abcdef"), n)
    pay = np.where(draw.random(n) < 0.05, np.nan, age * 10 + draw.normal(0, 100, n))
    born = [date(1930 + int(90 - a), 1, 1) for a in age]
    return pl.DataFrame({"age": age, "area": area, "pay": pay, "born": born, "size": draw.choice(["S", "M", "L"], n)})


def gap(one: pl.DataFrame, other: pl.DataFrame, gower: Gower | None = None) -> float:
    first, second = (gower or Gower()).points([one, other], one.columns)
    return float(distance(first, second)[0])


MIXED = pl.DataFrame(
    {
        "age": [20, 30, 40, None],
        "sex": ["F", "M", "F", None],
        "size": ["S", "M", "L", None],
        "day": [date(2020, 1, 1), date(2020, 1, 5), date(2020, 1, 11), None],
    }
)


def test_the_distance_of_each_kind_of_column_by_hand() -> None:
    ordered = Gower(ordered={"size": ("S", "M", "L")})
    points = ordered.points([MIXED], MIXED.columns)[0]

    def columns(i: int, j: int) -> list[float]:
        return np.minimum(1, np.abs(points[i] - points[j])).round(4).tolist()

    assert columns(0, 1) == pytest.approx([0.5, 1, 0.5, 0.4])
    assert columns(1, 2) == pytest.approx([0.5, 1, 0.5, 0.6])
    assert columns(0, 2) == pytest.approx([1, 0, 1, 1])
    assert columns(0, 3) == [1, 1, 1, 1]
    assert columns(3, 3) == [0, 0, 0, 0]
    nominal = Gower().points([MIXED], MIXED.columns)[0]
    assert min(1, abs(nominal[0, 2] - nominal[1, 2])) == 1


def test_by_rank_one_far_value_does_not_make_the_others_near() -> None:
    file = pl.DataFrame({"pay": [1.0, 2.0, 3.0, 1e9, 2.0]})
    assert Gower(scale="rank").points([file], ["pay"])[0][:, 0].tolist() == [0, 0.375, 0.75, 1, 0.375]
    assert Gower().points([file], ["pay"])[0][:3, 0].max() < 1e-8


def test_a_constant_column_a_column_of_gaps_and_huge_numbers_have_distances() -> None:
    file = pl.DataFrame({"one": [5, 5], "gap": pl.Series([None, None], dtype=pl.Float64), "huge": [-1e308, 1e308]})
    for scale in ("range", "rank"):
        first, second = Gower(scale=scale).points([file], file.columns)[0]
        assert np.minimum(1, np.abs(first - second)).tolist() == [0, 0, 1]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 5), st.integers(0, 10**6))
def test_nearest_rows_are_those_of_brute_force(targets: int, rows: int, columns: int, seed: int) -> None:
    draw = rng(seed)
    file = pl.DataFrame(
        {
            f"c{j}": draw.integers(0, 5, targets + rows) if j % 2 else draw.choice(list("abc"), targets + rows)
            for j in range(columns)
        }
    )
    one, other = Gower().points([file[:targets], file[targets:]], file.columns)
    every = np.minimum(1, np.abs(one[:, None].astype(float) - other[None])).mean(axis=2)
    falling = np.sort(every, axis=1)
    found = nearest(one, other)
    assert found.first == pytest.approx(falling[:, 0], abs=1e-6)
    assert every[np.arange(targets), found.which] == pytest.approx(falling[:, 0], abs=1e-6)
    if rows > 1:
        assert found.second == pytest.approx(falling[:, 1], abs=1e-6)
    else:
        assert np.isinf(found.second).all()
        assert np.isnan(found.ratio).all()


def test_numbers_alone_are_at_scipys_distance_also_in_several_blocks() -> None:
    x, y = rng().random((7, 3)).astype(np.float32), rng(2).random((5000, 3)).astype(np.float32)
    found = nearest(x, y)
    every = np.sort(cdist(x, y, "cityblock"), axis=1) / 3
    assert found.first == pytest.approx(every[:, 0], abs=1e-6)
    assert found.second == pytest.approx(every[:, 1], abs=1e-6)


def test_a_record_is_not_its_own_neighbour_when_told_so() -> None:
    points = np.array([[0.0], [0.1], [0.5]], np.float32)
    found = nearest(points, points, itself=True)
    assert found.first == pytest.approx([0.1, 0.1, 0.4])
    assert found.which.tolist() == [1, 0, 1]
    alone = nearest(points[:1], points[:1], itself=True)
    assert np.isinf(alone.first[0])


def line(*values: float) -> pl.DataFrame:
    return pl.DataFrame({"x": [float(v) for v in values]})


def test_the_shares_by_hand() -> None:
    """On a line from 0 to 10: rows at 0 (a copy), 4 (nearer to the control), 5 (as near to both) and 10 (nearer)."""
    files = Files(original=line(0, 4.5, 9, 2), releases=(line(0, 4, 5, 10),), control=line(1, 4.1, 5.5, 7))
    found = Distances().attack(files, rng=rng())
    assert found.closer.main.value == (1 + 0 + 0.5 + 1) / 4
    assert found.closer.baseline.value == found.closer.control.value == 0.5
    assert found.identical.main.value == 1 / 4
    assert found.identical.control.value == 0
    assert found.identical.baseline.value == 1 / 4
    assert found.closest.original == pytest.approx(np.median([0, 0.5, 0.5, 1]) / 10)
    assert found.closest.control == pytest.approx(np.median([1, 0.1, 0.5, 3]) / 10)
    ratios = [0, 0.5 / 2, 0.5 / 3, 1 / 5.5]
    assert found.ratio_low.original == pytest.approx(np.quantile(ratios, 0.05), abs=1e-5)
    assert found.closer.original.value == found.identical.original.value == found.near.original.value == 1
    assert found.worst is None


def test_near_records_are_those_nearer_than_95_percent_of_the_control() -> None:
    files = Files(original=line(0, 5.01, 10), releases=(line(1, 5, 9),), control=line(0.5, 5.2, 7))
    found = Distances().attack(files, rng=rng())
    limit = np.quantile([0.5, 0.2, 2], 0.05)
    assert found.near.main.value == sum(d <= limit for d in (1, 0.01, 1)) / 3
    assert found.near.control.value == 1 / 3


def test_missing_values_are_copied_too() -> None:
    file = pl.DataFrame({"a": [1, None, 3, None], "b": ["x", None, None, "y"]})
    other = pl.DataFrame({"a": [2, 7, 8, 9], "b": ["q", "r", "s", "t"]})
    found = Distances().attack(Files(original=file, releases=(file,), control=other), rng=rng())
    assert found.identical.main.value == 1
    assert found.closer.main.value == 1


def test_rows_that_fall_together_count_as_fewer() -> None:
    hits = np.repeat([1.0, 0.0], 50)
    assert clustered(hits, np.arange(100), "rows").of == 100
    assert clustered(hits, np.arange(100) // 5, "rows").of == 20
    assert str(clustered(np.ones(7), np.arange(7), "rows")) == "7 of 7 rows"
    assert clustered(np.full(7, 0.5), np.zeros(7, np.int64), "rows").of == 7


def test_the_interval_of_the_worst_subset_is_that_of_bonferroni() -> None:
    draw = rng()
    original, control, release = (people(200, draw) for _ in range(3))
    found = Distances(subsets=5).attack(Files(original=original, releases=(release,), control=control), rng=rng())
    share, z = found.worst.main, norm.ppf(1 - 0.025 / 5)
    free = share.of / (norm.ppf(0.975) / z) ** 2
    centre = (share.value * free + z * z / 2) / (free + z * z)
    half = z / (free + z * z) * sqrt(free * share.value * (1 - share.value) + z * z / 4)
    assert share.low == pytest.approx(centre - half, abs=1e-6)
    assert "The worst of 5 random column subsets, so its interval is one of 99.00%." in found.worst.caveats
    assert 2 <= len(found.worst_columns) < 5


def test_subsets_differ_and_none_is_whole() -> None:
    found = subsets(4, 100, rng())
    assert len(found) == len({tuple(s) for s in found}) == 6 + 4
    assert subsets(5, 0, rng()) == []


def test_privacy_loss_of_a_copy_by_hand() -> None:
    """Each record's copy is nearer than its own neighbour, each row's record too; the control lies far from both."""
    own = np.array([[0.0], [0.1], [0.2]], np.float32)
    other = np.array([[0.8], [0.9], [1.0]], np.float32)
    assert privacy_loss(own, other, own, rng=rng(), most=10).value == (1 - 0 + 1 - 0) / 2
    assert privacy_loss(own, own, own, rng=rng(), most=10).value == 0
    alone = privacy_loss(own[:1], other, own, rng=rng(), most=10)
    assert alone.value is None
    assert alone.caveats == ("A record alone has no neighbour in its own file.",)


def test_chances_by_hand() -> None:
    records, release = line(1, 2), line(1, 1, 3, 4)
    assert chance_of_equal(records, release).tolist() == [0.5, 0]
    assert chance_of_return(records, release) == pytest.approx([1 - 0.5**4, 0])
    assert chance_of_return(line(1), line(1, 1)) == pytest.approx([1])


def test_several_releases_give_the_mean_and_the_least_sure_width() -> None:
    def outcome(successes: float, of: int, control: Share | None) -> Outcome:
        share = Share(successes=successes, of=of, what="rows")
        return Outcome(attack="a", measure="m", main=share, baseline=share, control=control)

    share = Share(successes=1, of=4, what="rows")
    found = mean_outcome([outcome(1, 10, share), outcome(3, 5, None)])
    assert (found.main.value, found.main.of, found.control) == (pytest.approx(0.35), 5, None)
    draw = rng()
    original, control = people(60, draw), people(60, draw)
    files = Files(original=original, releases=(original, people(60, draw)), control=control)
    both = Distances(subsets=2).attack(files, rng=rng())
    assert 0.6 < both.closer.main.value < 0.9
    assert len(both.privacy_loss) == 2
    assert "The worst of 4 random column subsets" in both.worst.caveats[1]


def test_a_seed_repeats_and_parts_are_told() -> None:
    draw = rng()
    files = Files(original=people(80, draw), releases=(people(90, draw),), control=people(50, draw))
    one, again = (Distances(most=40, subsets=3).attack(files, rng=rng(7)) for _ in range(2))
    assert one == again
    assert one.near.main.of == 40
    assert one.caveats == (
        "Distances can show that records were copied. They cannot show that a release is safe.",
        "Both files are taken as large as the smaller one: 50 of 80 records.",
        "A random part of 40 records or rows was looked for, among all of the others.",
    )


def test_one_record_in_each_file() -> None:
    files = Files(original=line(1), releases=(line(1),), control=line(2))
    found = Distances().attack(files, rng=rng())
    assert found.closer.main.value == 1
    assert found.singled_out.main.value == 0
    assert np.isnan(found.ratio_low.original)
    assert found.privacy_loss[0].value is None


def test_coarse_cells_are_told() -> None:
    files = Files(
        original=pl.DataFrame({"age": [21, 35], "x": [1, 2]}),
        releases=(pl.DataFrame({"age": ["[20;30]", "[30;40]"], "x": [1, 2]}),),
        control=pl.DataFrame({"age": [50, 60], "x": [3, 4]}),
    )
    assert Distances().attack(files, rng=rng()).caveats[1] == (
        "Column 'age' has cells in the release that stand for several values. They are compared as names, so nothing "
        "is near them: the distances of this column say nothing."
    )


def test_every_fault_is_told_at_once() -> None:
    file = line(1, 2)
    attack = Distances(
        columns=("x", "y"),
        subsets=-1,
        most=0,
        gower=Gower(scale="log", ordered={"z": ("a", "a")}),  # type: ignore[arg-type]
    )
    with pytest.raises(BadPlan) as found:
        attack.attack(Files(original=file, releases=(file,)), rng=rng())
    assert found.value.faults == (
        "scale must be 'range' or 'rank'.",
        "The order of column 'z' must name at least two levels, each once.",
        "subsets must be at least 0.",
        "most must be at least 1.",
        "Distances need a control: how near a row comes by chance depends on the file, so without records that were "
        "not used no distance is small. Keep some records out before the release is made, or take copies.",
        "Column 'y' is not in the original. Columns: x.",
        "Column 'y' is not in the release. Columns: x.",
    )


def test_orders_and_infinite_numbers_that_do_not_fit_are_told() -> None:
    file = pl.DataFrame({"x": [1.0, float("inf")], "size": ["S", "XXL"]})
    other = pl.DataFrame({"x": [3.0, 4.0], "size": ["M", "M"]})
    files = Files(original=file, releases=(file,), control=other)
    attack = Distances(gower=Gower(ordered={"size": ("S", "M", "L"), "shoe": ("1", "2")}))
    with pytest.raises(BadPlan) as found:
        attack.attack(files, rng=rng())
    assert found.value.faults == (
        "Column 'shoe' has an order but is not measured. Name it among the columns, or drop its order.",
        "Column 'x' holds infinite numbers, so it has no range. Measure by rank: scale='rank'.",
        "Column 'size' has 1 values that its order does not name. Name all of its levels.",
    )


@pytest.mark.parametrize("scale", ["range", "rank"])
def test_a_release_of_other_people_shows_no_excess_a_copy_does(scale) -> None:
    attack, found = Distances(gower=Gower(scale=scale), subsets=3), {"other": [], "copy": [], "again": []}
    for seed in range(20):
        draw = rng(seed)
        original, control, other = (people(200, draw) for _ in range(3))
        releases = {"other": other, "copy": original, "again": original[draw.integers(0, 200, 200)]}
        for kind, release in releases.items():
            result = attack.attack(Files(original=original, releases=(release,), control=control), rng=draw)
            found[kind].append([o.excess for o in result.outcomes])
    assert all(sum(e.low > 0 for e in measure) <= 2 for measure in zip(*found["other"], strict=True))
    for measure in zip(*found["copy"], strict=True):
        assert all(e.low > 0 for e in measure)
    near = {kind: np.mean([e[3].value for e in each]) for kind, each in found.items()}
    assert near["other"] + 0.3 < near["again"] < near["copy"] - 0.2
