"""The CAP family on hand-sized tables and against its definitions written out."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.attacks.bins import Edges, EqualFrequency, EqualLength, ReleaseIntervals, class_codes
from lookalike.attacks.cap import Guess, Undefined, dataset_cap, guess_chance, itself, record_cap, within_release
from lookalike.attacks.cap_classes import class_cap, of_classes, sweep
from lookalike.attacks.cap_flags import flags
from lookalike.attacks.cap_knowledge import unsure_of_presence, with_beliefs
from lookalike.attacks.cap_measures import DCAP, DCAP_MATCHED, DISCO, DISDIO, TCAP_B, TCAP_D, over_rows, weap
from lookalike.attacks.cap_nearest import nearest_cap
from lookalike.attacks.cells import Cells
from lookalike.attacks.coarse import coarse_cells
from lookalike.attacks.disclosure import disclosure
from lookalike.errors import BadPlan, NotAssessable

# d: a has P P N, b has P, c has N. s: a has P N, b has P P, d has N.
ORIGINAL = pl.DataFrame({"k": list("aaabc"), "t": list("PPNPN")})
RELEASE = pl.DataFrame({"k": list("aabbd"), "t": list("PNPPN")})
CONTROL = pl.DataFrame({"k": list("bbc"), "t": list("PNP")})

values = st.one_of(st.none(), st.sampled_from("xyz"))
tables = st.lists(st.tuples(values, values, values), min_size=1, max_size=12).map(
    lambda rows: pl.DataFrame(rows, schema=dict.fromkeys("abt", pl.String), orient="row")
)


def cells() -> Cells:
    return Cells.of(ORIGINAL, RELEASE, ["k"], "t", CONTROL)


def test_every_denominator_by_hand() -> None:
    found = cells()
    d = found.original
    assert DCAP.share(found, d).value == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1) / 5)
    assert DCAP_MATCHED.share(found, d).value == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1) / 4)
    assert DISCO.share(found, d).value == 1 / 5  # b: P
    assert TCAP_B.share(found, d).value == 1 / 4  # of the four whose key is in the release
    assert TCAP_D.share(found, d).value == 1  # of the one whose key is certain
    assert DISDIO.share(found, d).value == 1 / 5
    # Rows with WEAP 1: b P, b P, d N. Two of them have a key of a record, and b's records are all P.
    assert over_rows(found, d).value == 1
    assert over_rows(found, d, unmatched_as_zero=True).value == 2 / 3
    assert within_release(found).value == pytest.approx((1 / 2 + 1 / 2 + 1 + 1 + 1) / 5)
    assert sorted(weap(found)[found.release.cells > 0].tolist()) == [1 / 2, 1 / 2, 1, 1]


def test_the_control_is_measured_the_same_way() -> None:
    found = cells()
    assert DISCO.outcome(found).control.value == 1 / 3
    assert TCAP_D.outcome(found).control.value == 1 / 2
    assert DCAP.outcome(found).control.value == pytest.approx((1 + 0 + 0) / 3)


def test_a_lower_certainty_generalizes_the_certain() -> None:
    found = cells()
    assert DISCO.share(found, found.original, certain=0.5).value == 4 / 5
    assert TCAP_D.share(found, found.original, certain=0.5).value == 4 / 4


def test_the_guess_is_made_on_the_same_keys() -> None:
    found = cells()
    margin = (3 / 5, 2 / 5)  # P, N
    assert DCAP.guess(found, Guess.MARGIN).value == pytest.approx((3 * margin[0] + margin[1]) / 5)  # without c
    assert DISCO.guess(found, Guess.MARGIN).value == pytest.approx(margin[0] / 5)  # b alone
    assert DISCO.guess(found, Guess.MODE).value == 1 / 5
    assert float(guess_chance(found, Guess.MARGIN)[found.place].mean()) == pytest.approx((9 + 4) / 25)


def test_undefined_is_not_zero_unless_asked() -> None:
    records = record_cap(cells())
    assert np.isnan(records[4])
    assert dataset_cap(records, Undefined.LEFT_OUT).of == 4
    assert dataset_cap(records, Undefined.ZERO).of == 5


def test_a_measure_without_a_denominator_has_no_value() -> None:
    found = Cells.of(ORIGINAL, RELEASE.with_columns(k=pl.lit("z")), ["k"], "t")
    with pytest.raises(NotAssessable, match="There are no records whose key is in the release"):
        DCAP_MATCHED.outcome(found)
    with pytest.raises(NotAssessable, match="There are no records whose key is certain in the release"):
        TCAP_D.outcome(found)
    assert disclosure(found).targeted_cap is None


def test_a_control_without_a_denominator_is_told() -> None:
    found = Cells.of(ORIGINAL, RELEASE, ["k"], "t", CONTROL.with_columns(k=pl.lit("z")))
    outcome = TCAP_D.outcome(found)
    assert outcome.control is None
    assert outcome.caveats == (
        "No control: There are no records whose key is certain in the release, so there is no share of them.",
    )


@settings(max_examples=100, deadline=None)
@given(tables, tables)
def test_record_cap_and_nearest_cap_are_what_they_say(original: pl.DataFrame, release: pl.DataFrame) -> None:
    records = record_cap(Cells.of(original, release, ["a", "b"], "t"))
    nearest = nearest_cap(original, release, ["a", "b"], "t")
    for i, (a, b, t) in enumerate(original.rows()):
        distance = [(a != x) + (b != y) for x, y, _ in release.rows()]
        near = [u for (_, _, u), far in zip(release.rows(), distance, strict=True) if far == min(distance)]
        assert nearest[i] == pytest.approx(near.count(t) / len(near))
        if min(distance) == 0:
            assert records[i] == nearest[i]
        else:
            assert np.isnan(records[i])


@settings(max_examples=60, deadline=None)
@given(tables, tables, st.floats(0.51, 1))
def test_measures_are_ordered_as_their_denominators(original: pl.DataFrame, release: pl.DataFrame, tau: float) -> None:
    found = Cells.of(original, release, ["a", "b"], "t")
    shares = {}
    for measure in (DCAP, DCAP_MATCHED, DISCO, DISDIO, TCAP_B, TCAP_D):
        try:
            shares[measure.name] = measure.share(found, found.original, certain=tau).value
        except NotAssessable:
            continue
    assert all(0 <= value <= 1 + 1e-12 for value in shares.values())
    assert shares["DiSDiO"] <= shares["DiSCO"] <= shares.get("TCAP B", 1) <= shares.get("TCAP D", 1) + 1e-12
    assert shares["DCAP"] <= shares.get("DCAP matched", 1) + 1e-12
    assert dataset_cap(record_cap(found), Undefined.ZERO).value == pytest.approx(shares["DCAP"])


@settings(max_examples=40, deadline=None)
@given(tables)
def test_the_original_released_gives_away_what_is_certain_in_it(original: pl.DataFrame) -> None:
    found = Cells.of(original, original, ["a", "b"], "t")
    row = disclosure(found)
    assert row.right_and_certain == row.certain_in_original == row.certain_for_the_attacker
    assert row.cap == row.cap_of_original
    assert row.in_release.value == 1
    assert row.replicated_uniques == row.unique_in_original


def test_common_knowledge_is_flagged_and_both_figures_are_given() -> None:
    original = pl.DataFrame({"age": range(100), "sex": ["M"] * 60 + ["F"] * 40, "beard": ["y"] * 55 + ["n"] * 45})
    found = flags(Cells.of(original, original, ["age", "sex"], "beard"), original, ["age", "sex"])
    # 55 of 60 men have one (92 %), all 40 women have none: both are known to everybody. Five men are left.
    assert found.columns == {"age": 0, "sex": 95}
    assert (found.right_and_certain.value, found.without_flagged.value) == (1, 0.05)
    assert not found.one_level
    rare = original.with_columns(beard=pl.Series(["y"] * 95 + ["n"] * 5))
    assert flags(Cells.of(rare, rare, ["age"], "beard"), rare, ["age"]).one_level
    none = pl.DataFrame({"a": [1, 1], "t": [1, 2]})
    assert flags(Cells.of(none, none, ["a"], "t"), none, ["a"]).right_and_certain.value == 0


def test_intervals_of_a_release_count_for_control_and_certainty() -> None:
    original = pl.DataFrame({"age": [18, 19, 30], "t": ["P", "P", "N"]})
    release = pl.DataFrame({"age": ["[18;20]", "[18;20]", "[19;40]"], "t": ["P", "P", "N"]})
    control = pl.DataFrame({"age": [20, 50], "t": ["P", "N"]})
    found = coarse_cells(original, release, ["age"], "t", control)
    # 18: rows 1, 2. 19: all three. 30: row 3. 20: all three. 50: none.
    assert record_cap(found).tolist() == pytest.approx([1, 2 / 3, 1])
    assert DISCO.share(found, found.original).value == 2 / 3
    assert DCAP.share(found, found.control).value == pytest.approx((2 / 3) / 2)
    assert TCAP_D.share(found, found.original).value == 1


def test_a_value_outside_all_classes_matches_nothing_in_either_file() -> None:
    keys = [np.array([0, 0, -1]), np.array([0, -1])]
    targets = [np.array([0, -1, 0]), np.array([0, 0])]
    found = of_classes(keys, targets)
    # Records: one matched and right, one matched whose target lies nowhere, one in no class of key.
    assert str(found.release) == "1 of 2 records whose class of key is in the release"
    assert found.original.value == pytest.approx((1 / 2) / 3)
    with pytest.raises(NotAssessable, match="No class of the known columns holds records of both files"):
        of_classes([np.array([0]), np.array([1])], [np.array([0]), np.array([0])])


def test_classes_over_several_columns_and_missing_values() -> None:
    original = pl.DataFrame({"x": [0.0, 9.0, None], "g": ["a", "a", "b"]})
    release = pl.DataFrame({"x": [1.0, None, 5.0], "g": ["a", "b", "b"]})
    codes = class_codes([original, release], ["x", "g"], {"x": Edges((0, 2, 6))})
    assert codes[0][0] == codes[1][0]
    assert codes[0][1] == -1
    assert codes[0][2] == codes[1][1]


def test_rules_that_cannot_be_applied_are_told() -> None:
    words, empty = pl.Series("x", ["a"]), pl.Series("x", [None], dtype=pl.Float64)
    with pytest.raises(BadPlan, match="Column 'x' does not hold numbers, so it cannot be cut"):
        EqualFrequency(2).codes(words, words)
    for rule in (EqualLength(2), EqualFrequency(2)):
        with pytest.raises(BadPlan, match="Column 'x' of the release has only missing values"):
            rule.codes(pl.Series("x", [1.0]), empty)
    overlapping = pl.Series("x", ["[1;5]", "[3;9]"])
    with pytest.raises(BadPlan, match="Column 'x' of the release has intervals that overlap"):
        ReleaseIntervals().codes(pl.Series("x", [2]), overlapping)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=2, max_size=30), st.integers(1, 4))
def test_a_file_against_itself_does_not_change(rows: list[tuple[float, float]], bins: int) -> None:
    file = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    for rule in (EqualLength(bins), EqualFrequency(bins)):
        found = class_cap(file, file, ["x"], "y", {"x": rule, "y": rule})
        assert found.change == pytest.approx(0)
        assert found.least_change == pytest.approx(0)
    one = sweep(file, file, ["x"], "y", bins=[1]).row(0, named=True)
    assert one["original"] == one["release"] == 1


def test_knowledge_outside_its_range_is_refused() -> None:
    with pytest.raises(BadPlan, match="must lie between 0 and 1"):
        unsure_of_presence(np.array(1.0), present=2, levels=2)
    with pytest.raises(BadPlan, match="at least one level"):
        unsure_of_presence(np.array(1.0), present=1, levels=0)
    with pytest.raises(BadPlan, match="Beliefs need 2 rows and columns"):
        with_beliefs(np.array([1.0, 0.0]), np.eye(3))
    with pytest.raises(BadPlan, match="add up to 1"):
        with_beliefs(np.array([1.0, 0.0]), np.ones((2, 2)))


def test_missing_values_are_values_of_their_own() -> None:
    file = pl.DataFrame({"k": [None, None, "a"], "t": ["P", None, "P"]})
    found = Cells.of(file, file, ["k"], "t")
    assert record_cap(itself(found)).tolist() == [1 / 2, 1 / 2, 1]
