"""A sequence: what each column is drawn from, gaps and spikes, rules, twins, strata, tables, steps of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.random import Generator

from lookalike.errors import BadPlan
from lookalike.models import Sequential
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.sequential import Asked, Fixed, SequentialLaw

N = 3_000


def rng(seed: int = 1) -> Generator:
    return np.random.default_rng(seed)


def category(codes: np.ndarray, levels: int | None = None) -> Categories:
    return Categories(codes.astype(np.int32), levels or int(codes.max()) + 1)


def line(n: int = N) -> Mixed:
    """x, and y = 2 x + 1 with a little noise."""
    x = rng(5).normal(size=n)
    return Mixed((Numbers(x), Numbers(2 * x + 1 + 0.1 * rng(6).normal(size=n))))


def fitted(model: Sequential, table: Mixed, names: str, **asked: object) -> SequentialLaw:
    law = model.fit_named(table, Asked(names=tuple(names.split()), **asked), rng=rng())  # type: ignore[arg-type]
    assert isinstance(law, SequentialLaw)
    return law


def numbers(column: Column) -> np.ndarray:
    assert isinstance(column, Numbers)
    return column.values


def codes(column: Column) -> np.ndarray:
    assert isinstance(column, Categories)
    return column.codes


@pytest.mark.parametrize("method", ["cart", "norm", "normrank", "rf", "bag", "ctree"])
def test_a_line_comes_back(method: str) -> None:
    drawn = fitted(Sequential(method=method), line(), "x y").sample(N, rng=rng(2))
    x, y = map(numbers, drawn.columns)
    slope, start = np.polyfit(x, y, 1)
    assert slope == pytest.approx(2, abs=0.05)
    assert start == pytest.approx(1, abs=0.05)
    assert np.std(y - slope * x - start) == pytest.approx(0.1, abs=0.06 if method in ("rf", "bag", "ctree") else 0.03)


def test_the_matrices_asked_for_and_used_are_both_told() -> None:
    table = Mixed((*line().columns, Numbers(np.zeros(N)), category(rng(3).integers(0, 3, N))))
    told = fitted(Sequential(predictors={"y": ["x"]}), table, "x y one g").details
    assert told["columns"] == ["x", "y", "one", "g"]
    assert told["predictors_asked"] == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
    assert told["predictors_used"] == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    assert told["not_used"] == {"one": ["one value in all records"]}


def test_a_number_with_gaps_is_drawn_in_two_steps_and_both_predict() -> None:
    group = rng(1).integers(0, 2, N)
    gap = rng(2).random(N) < np.where(group == 1, 0.6, 0.1)
    pay = np.where(gap, np.nan, 100 + 900 * group + rng(3).normal(size=N))
    rich = np.where(gap, rng(4).integers(0, 2, N), pay > 500)
    table = Mixed((category(group), Numbers(pay), category(gap, 2), category(rich)))
    drawn = fitted(Sequential(), table, "group pay pay rich").sample(20_000, rng=rng(5))
    g, gaps, r = codes(drawn.columns[0]), codes(drawn.columns[2]), codes(drawn.columns[3])
    for one in (0, 1):
        assert gaps[g == one].mean() == pytest.approx(gap[group == one].mean(), abs=0.02)
    there = gaps == 0
    p = numbers(drawn.columns[1])
    assert (r[there] == (p[there] > 500)).mean() > 0.995
    assert np.isfinite(p).all()


def test_spikes_come_back_as_often_and_the_rest_is_smooth() -> None:
    pay = np.where(rng(1).random(N) < 0.3, 0.0, np.exp(7 + rng(2).normal(size=N)))
    model = Sequential(methods={"pay": "lognorm"}, spikes={"pay": [0]})
    drawn = numbers(
        fitted(model, Mixed((*line().columns, Numbers(pay))), "x y pay").sample(20_000, rng=rng(3)).columns[2]
    )
    assert (drawn == 0).mean() == pytest.approx((pay == 0).mean(), abs=0.02)
    assert np.log(drawn[drawn > 0]).mean() == pytest.approx(7, abs=0.1)


def test_few_values_are_drawn_as_levels_and_come_back_as_numbers() -> None:
    rooms = rng(1).integers(1, 6, N).astype(float)
    drawn = fitted(Sequential(few_values=5, method="parametric"), Mixed((*line().columns, Numbers(rooms))), "x y r")
    assert drawn.details["methods"]["r"] == "polr"
    assert set(numbers(drawn.sample(1_000, rng=rng(2)).columns[2])) == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_given_columns_predict_the_others_though_they_stand_last() -> None:
    law = fitted(Sequential(method="norm"), line(), "x y", given=("y",))
    assert law.details["order"] == ["y", "x"]
    given = Mixed((Numbers(np.full(500, np.nan)), Numbers(np.full(500, 5.0))))
    drawn = law.complete(given, rng=rng(2))
    assert numbers(drawn.columns[0]).mean() == pytest.approx(2, abs=0.02)
    assert np.array_equal(numbers(drawn.columns[1]), numbers(given.columns[1]))


def test_known_cells_stay_and_only_unknown_ones_are_drawn() -> None:
    law = fitted(Sequential(), line(), "x y")
    some = Mixed((Numbers(np.array([1.0, np.nan])), Numbers(np.array([np.nan, 3.0]))))
    drawn = law.complete(some, rng=rng(2))
    assert numbers(drawn.columns[0])[0] == 1.0
    assert numbers(drawn.columns[1])[1] == 3.0
    assert np.isfinite([numbers(c) for c in drawn.columns]).all()


def test_a_rule_is_left_out_of_the_fit_and_holds_in_what_is_drawn() -> None:
    young = rng(1).integers(0, 2, N)
    married = np.where(young == 1, 0, rng(2).integers(0, 2, N))

    def holds(cells: Mapping[str, tuple[Column, ...]]) -> np.ndarray:
        return codes(cells["young"][0]) == 1

    rule = Fixed(name="married", needs=("young",), holds=holds, value=(category(np.array([0]), 2),))
    law = fitted(Sequential(), Mixed((category(young), category(married, 2))), "young married", fixed=(rule,))
    (visit,) = [v for v in law.visits if v.names == ("married",)]
    assert visit.fitted[0].figures["leaves"] == 1  # married is even among those who may be
    drawn = law.sample(5_000, rng=rng(3))
    assert codes(drawn.columns[1])[codes(drawn.columns[0]) == 1].sum() == 0
    assert codes(drawn.columns[1])[codes(drawn.columns[0]) == 0].mean() == pytest.approx(0.5, abs=0.03)


def test_a_label_follows_its_code() -> None:
    code = rng(1).integers(0, 6, N)
    table = Mixed((category(code), *line().columns, category(5 - code)))
    law = fitted(Sequential(), table, "code x y label")
    drawn = law.sample(2_000, rng=rng(2))
    assert np.array_equal(codes(drawn.columns[3]), 5 - codes(drawn.columns[0]))
    assert law.details["predictors_used"][3] == [1, 0, 0, 0]


def test_texts_of_one_record_each_are_not_tied_together() -> None:
    one, two = np.arange(60), rng(1).permutation(60)
    drawn = fitted(Sequential(), Mixed((category(one), category(two))), "a b").sample(2_000, rng=rng(2))
    pairs = set(zip(one.tolist(), two.tolist(), strict=True))
    again = [p in pairs for p in zip(codes(drawn.columns[0]).tolist(), codes(drawn.columns[1]).tolist(), strict=True)]
    assert np.mean(again) < 0.5


def test_strata_are_fitted_apart() -> None:
    group = rng(1).integers(0, 2, N)
    x = rng(2).normal(size=N)
    table = Mixed((Numbers(x), category(group), Numbers(np.where(group == 1, 3 * x, -3 * x))))
    model = Sequential(method="norm", methods={"g": "logreg"}, strata=("g",))
    law = model.fit_named(table, Asked(names=("x", "g", "y")), rng=rng())
    drawn = law.sample(4_000, rng=rng(3))
    x2, g2, y2 = numbers(drawn.columns[0]), codes(drawn.columns[1]), numbers(drawn.columns[2])
    assert g2.mean() == pytest.approx(group.mean(), abs=0.03)
    assert [round(float(np.polyfit(x2[g2 == s], y2[g2 == s], 1)[0]), 3) for s in (0, 1)] == [-3.0, 3.0]
    only = law.complete(
        Mixed((Numbers(np.full(50, np.nan)), category(np.ones(50), 2), Numbers(np.full(50, np.nan)))), rng=rng(4)
    )
    assert codes(only.columns[1]).tolist() == [1] * 50
    assert law.details["strata"] == ["g"]
    assert law.details["order"][0] == "g"
    assert law.figures["strata"] == 2
    with pytest.raises(BadPlan, match="Stratum 'x' holds numbers"):
        Sequential(strata=("x",)).fit_named(table, Asked(names=("x", "g", "y")), rng=rng())


@pytest.mark.parametrize("method", ["catall", "ipf"])
def test_a_table_comes_first_and_keeps_its_pairs(method: str) -> None:
    a = rng(1).integers(0, 3, N)
    b = (a + (rng(2).random(N) < 0.2)) % 3
    x = a + rng(3).normal(size=N)
    law = fitted(Sequential(methods={"a": method, "b": method}), Mixed((Numbers(x), category(a), category(b))), "x a b")
    assert law.details["order"] == ["a", "b", "x"]
    drawn = law.sample(20_000, rng=rng(4))
    assert (codes(drawn.columns[1]) == codes(drawn.columns[2])).mean() == pytest.approx((a == b).mean(), abs=0.02)
    assert numbers(drawn.columns[0])[codes(drawn.columns[1]) == 2].mean() == pytest.approx(x[a == 2].mean(), abs=0.1)


def test_a_time_and_its_event_come_from_one_record() -> None:
    time = rng(1).exponential(size=N).round(4)
    event = (time > np.median(time)).astype(int)
    table = Mixed((*line().columns, Numbers(time), category(event)))
    model = Sequential(methods={"time": "survctree"}, events={"time": "event"})
    drawn = fitted(model, table, "x y time event").sample(2_000, rng=rng(2))
    assert np.array_equal(numbers(drawn.columns[2]) > np.median(time), codes(drawn.columns[3]) == 1)


def test_pairs_from_few_donors_are_counted() -> None:
    time, event = rng(1).exponential(size=300), np.arange(300) % 2
    table = Mixed((Numbers(time + 0.01 * rng(2).normal(size=300)), Numbers(time), category(event)))
    sizes = {"survctree": {"leaf": 2, "split": 4}}
    model = Sequential(methods={"t": "survctree"}, events={"t": "e"}, settings=sizes)
    law = fitted(model, table, "x t e")
    law.sample(300, rng=rng(3))
    assert law.figures["share of cells that trees drew from fewer than 5 donors"] > 0


@dataclass(frozen=True)
class Seven:
    """A step of one's own."""

    def fit(
        self, response: Column, predictors: Mixed, *, rng: Generator, proper: bool = False, threads: int | None = None
    ) -> "Seven":
        return self

    caveats: tuple[str, ...] = ("always seven",)

    @property
    def figures(self) -> Mapping[str, float]:
        return {}

    def draw(self, predictors: Mixed, *, rng: Generator, threads: int | None = None) -> Column:
        return Numbers(np.full(predictors.records, 7.0))


def test_a_step_of_ones_own() -> None:
    law = fitted(Sequential(methods={"y": Seven()}), line(), "x y")
    assert set(numbers(law.sample(10, rng=rng()).columns[1])) == {7.0}
    assert "y: always seven" in law.caveats


def test_a_category_stays_a_predictor_though_one_level_follows_from_another_column() -> None:
    group = rng(1).integers(0, 4, N)
    same = (group == 3).astype(int)
    sex = (rng(2).random(N) < np.array([0.1, 0.5, 0.9, 0.3])[group]).astype(int)
    law = fitted(Sequential(method="parametric"), Mixed((category(group), category(same), category(sex))), "g s sex")
    assert law.details["predictors_used"][2] == [1, 1, 0]
    drawn = law.sample(20_000, rng=rng(3))
    for one in range(4):
        found = codes(drawn.columns[2])[codes(drawn.columns[0]) == one].mean()
        assert found == pytest.approx(sex[group == one].mean(), abs=0.03)


def test_a_copy_of_other_numbers_is_left_out_and_told() -> None:
    x, y = map(numbers, line().columns)
    table = Mixed((Numbers(x), Numbers(y), Numbers(x + y), Numbers(x - y + rng(9).normal(size=N))))
    told = fitted(Sequential(method="norm"), table, "x y sum z").details
    assert told["not_used"]["z"] == ["'sum' says the same as the column, or as other predictors together"]


def test_large_leaves_do_not_lose_which_cells_are_missing_together() -> None:
    gap = rng(1).random(N) < 0.01
    cells = [Numbers(np.where(gap, np.nan, rng(k).normal(size=N))) for k in (2, 3)]
    table = Mixed((cells[0], category(gap, 2), cells[1], category(gap, 2)))
    law = fitted(Sequential(settings={"cart": {"leaf": 200}}), table, "h h w w")
    drawn = law.sample(20_000, rng=rng(4))
    assert (codes(drawn.columns[1]) == codes(drawn.columns[3])).mean() > 0.999


def test_proper_draws_differ_from_fit_to_fit() -> None:
    model, slopes = Sequential(method="norm"), {}
    for proper in (False, True):
        found = []
        for seed in range(40):
            law = model.fit_named(line(200), Asked(names=("x", "y"), proper=proper), rng=rng(seed))
            given = Mixed((Numbers(np.linspace(-2, 2, 2_000)), Numbers(np.full(2_000, np.nan))))
            x, y = map(numbers, law.complete(given, rng=rng(seed)).columns)
            found.append(np.polyfit(x, y, 1)[0])
        slopes[proper] = np.std(found)
    # Improper: the noise of 2,000 drawn cells alone; proper: that of the fit to 200 records too, √(1/200) · 0.1.
    assert slopes[True] > 2.5 * slopes[False]


def test_unknown_cells_without_a_column_of_gaps_are_filled_for_others_and_drawn() -> None:
    x, y = map(numbers, line().columns)
    hole = rng(8).random(N) < 0.3
    table = Mixed((Numbers(np.where(hole, np.nan, x)), Numbers(y)))
    drawn = fitted(Sequential(), table, "x y").sample(N, rng=rng(2))
    slope = np.polyfit(numbers(drawn.columns[0]), numbers(drawn.columns[1]), 1)[0]
    assert slope == pytest.approx(2, abs=0.08)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "magic"}, "Method 'magic' is not known."),
        ({"methods": {"x": "cort"}}, "Did you mean 'cart'?"),
        ({"method": "nested"}, "'nested' cannot be the method of all columns."),
        ({"settings": {"cart": {"laef": 3}}}, "In settings of cart: setting 'laef' is not known. Did you mean 'leaf'?"),
        ({"methods": {"x": "survctree"}}, "name its column of events"),
        ({"most_predictors": 0}, "most_predictors must be at least 1."),
        ({"settings": {"cart": {"leaf": "many"}}}, "In settings of cart: a value is not of its type."),
        ({"settings": {"cart": {"leaf": 0}}}, "In settings of cart: leaf must be at least 1."),
        ({"spikes": {"x": 0}}, "spikes of 'x' must be a list of numbers."),
        ({"spikes": {"x": ["0"]}}, "spikes of 'x' must be a list of numbers."),
        ({"predictors": {"x": "sex"}}, "predictors of 'x' must be a list of columns."),
        ({"ordering": "magic"}, "ordering must be"),
    ],
)
def test_choices_that_cannot_be_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadPlan, match=said.replace("(", r"\(")):
        Sequential(**options)  # type: ignore[arg-type]


def test_a_category_with_a_level_a_record_is_refused_by_regressions_and_taken_by_trees() -> None:
    table = Mixed((*line(60).columns, category(np.arange(60))))
    with pytest.raises(BadPlan, match="'note' has 60 levels in 60 records: too many for a regression"):
        fitted(Sequential(method="parametric"), table, "x y note")
    assert len(fitted(Sequential(), table, "x y note").sample(10, rng=rng()).columns) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"methods": {"z": "cart"}}, "In methods: column 'z' is not among those modelled."),
        ({"spikes": {"z": [0]}}, "In spikes: column 'z'"),
        ({"methods": {"y": "lognorm"}}, "y: .*negative"),
        ({"methods": {"x": "logreg"}, "order": ("y", "x")}, "x: "),
        ({"methods": {"x": "catall"}}, "'x' holds numbers: catall draws categories alone."),
    ],
)
def test_what_a_column_cannot_be_drawn_by_is_refused_with_its_name(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadPlan, match=said):
        fitted(Sequential(**options), line(200), "x y")  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["density", "spline", "rmean"])
def test_smoothed_numbers_are_not_those_of_the_file_and_keep_their_shape(how: str) -> None:
    table = line()
    drawn = numbers(fitted(Sequential(smoothing={"y": how}), table, "x y").sample(N, rng=rng(2)).columns[1])
    file = numbers(table.columns[1])
    assert np.isin(drawn, file).mean() < 0.01
    assert drawn.std() == pytest.approx(file.std(), rel=0.05)
    assert drawn.mean() == pytest.approx(file.mean(), abs=0.1)


def test_smoothing_of_a_category_and_an_unknown_way_are_refused() -> None:
    table = Mixed((*line(100).columns, category(np.arange(100) % 3)))
    with pytest.raises(BadPlan, match="g: smoothing is for numbers"):
        fitted(Sequential(smoothing={"g": "density"}), table, "x y g")
    with pytest.raises(BadPlan, match="y: Smoothing: 'how' is"):
        fitted(Sequential(smoothing={"y": "magic"}), table, "x y g")


def test_orders_by_information_and_by_detail_are_found() -> None:
    code = np.arange(N) % 8
    table = Mixed((category(code // 4), category(code), category(code % 2)))
    assert fitted(Sequential(ordering="information"), table, "half code odd").details["order"][0] == "code"
    assert fitted(Sequential(ordering="detail"), table, "half code odd").details["order"] == ["half", "odd", "code"]
