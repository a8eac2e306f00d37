"""The attack as a whole: pooling, control, what could not be measured; and every set of known columns."""

import numpy as np
import polars as pl
import pytest

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.bins import Edges, EqualLength
from lookalike.attacks.cap import Guess
from lookalike.attacks.cap_measures import DCAP, DISCO
from lookalike.attacks.cells import Cells
from lookalike.attacks.files import Files
from lookalike.attacks.key_subsets import key_subsets
from lookalike.errors import BadPlan, NotAssessable

ORIGINAL = pl.DataFrame({"k": list("aaabc"), "t": list("PPNPN")})
ONE = pl.DataFrame({"k": list("aabbd"), "t": list("PNPPN")})
OTHER = pl.DataFrame({"k": list("aaaaa"), "t": list("PPPPP")})


def test_releases_are_pooled_by_their_mean() -> None:
    found = Attribution(known=("k",), target="t").attack(Files(original=ORIGINAL, releases=(ONE, OTHER)))
    assert found["DiSCO"].main.value == pytest.approx((1 / 5 + 2 / 5) / 2)
    assert found["DCAP"].main.value == pytest.approx((2.5 / 5 + 2 / 5) / 2)
    assert len(found.releases) == len(found.flags) == 2
    assert found.after[:4].tolist() == pytest.approx([(1 / 2 + 1) / 2, (1 / 2 + 1) / 2, (1 / 2 + 0) / 2, 1])
    assert np.isnan(found.after[4])
    assert found.before.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1, 1])


def test_what_cannot_be_measured_is_told_and_is_no_number() -> None:
    files = Files(original=ORIGINAL, releases=(ORIGINAL.with_columns(k=pl.lit("z")),))
    found = Attribution(known=("k",), target="t").attack(files)
    assert set(found.not_assessed) == {"DCAP matched", "TCAP B", "TCAP D", "TCAP A", "TCAP A0"}
    with pytest.raises(NotAssessable, match="TCAP D: There are no records whose key is certain"):
        _ = found["TCAP D"]
    assert found["DiSCO"].risk.value is None


def test_the_rows_of_a_release_with_intervals_have_their_own_keys() -> None:
    original = pl.DataFrame({"age": [18, 30], "t": ["P", "N"]})
    release = pl.DataFrame({"age": ["[18;20]", "[21;40]"], "t": ["P", "P"]})
    found = Attribution(known=("age",), target="t").attack(Files(original=original, releases=(release,)))
    assert found["DiSCO"].main.value == 1 / 2
    assert str(found["TCAP A"].main) == "1 of 2 certain rows of the release whose key a record has"
    assert found["TCAP A"].original.value == 1
    assert found.releases == ()


def test_classes_make_numbers_comparable() -> None:
    original = pl.DataFrame({"x": [1.0, 2.0, 8.0, 9.0], "y": [1.0, 1.5, 7.0, 7.5]})
    release = original.select(pl.all() + 0.25)
    rules = {"x": Edges((0, 5, 10)), "y": Edges((0, 5, 10))}
    found = Attribution(known=("x",), target="y", classes=rules).attack(Files(original=original, releases=(release,)))
    assert found["DiSCO"].main.value == 1
    plain = Attribution(known=("x",), target="y").attack(Files(original=original, releases=(release,)))
    assert plain["DiSCO"].main.value == 0
    assert plain["DiSCO"].risk.value is None
    far = {"x": Edges((100, 200))}
    with pytest.raises(NotAssessable, match="No record of the original lies in a class of the known columns"):
        Attribution(known=("x",), target="y", classes=far).attack(Files(original=original, releases=(release,)))


def test_faults_of_classes_are_told_together() -> None:
    files = Files(original=ORIGINAL, releases=(ONE,))
    rules = {"k": EqualLength(0), "z": Edges((1,))}
    with pytest.raises(BadPlan) as told:
        Attribution(known=("k",), target="t", classes=rules).attack(files)
    assert told.value.faults == (
        "The classes of column 'k' must be at least 1.",
        "The ends of the classes of column 'z' must be two or more numbers, each above the last.",
        "Column 'z' has classes but is neither known nor the target.",
    )


def test_nearest_rows_leave_nobody_unmatched() -> None:
    files = Files(original=ORIGINAL, releases=(ONE,), control=pl.DataFrame({"k": ["z"], "t": ["P"]}))
    found = Attribution(known=("k",), target="t", nearest=True).attack(files)["GCAP"]
    # c is in no row: all five rows are as near, two of them N.
    assert found.main.value == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1 + 2 / 5) / 5)
    assert found.control.value == 3 / 5
    assert found.baseline.value == pytest.approx((9 + 4) / 25)
    assert found.original.value == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    with pytest.raises(BadPlan, match="GCAP counts columns that differ and has no use for classes"):
        Attribution(known=("k",), target="t", nearest=True, classes={"k": EqualLength(2)}).attack(files)


def test_a_recoded_column_is_told() -> None:
    release = ONE.with_columns(k=pl.col("k").str.to_uppercase())
    found = Attribution(known=("k",), target="t").attack(Files(original=ORIGINAL, releases=(release,)))
    assert found["DiSCO"].caveats == (
        "No value of column 'k' in the release occurs in the original, so it cannot match as it is. "
        "Group or rename the values of the original in the same way first.",
    )


def test_the_mode_is_a_harder_baseline() -> None:
    files = Files(original=ORIGINAL, releases=(ONE,))
    margin, mode = (Attribution(known=("k",), target="t", guess=g).attack(files)["DCAP"].baseline.value for g in Guess)
    assert margin < mode


def simulated(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a, b, c = (rng.integers(0, size, n) for size in (4, 3, 6))
    return pl.DataFrame({"a": a, "b": b, "c": c, "t": (a + b + (rng.random(n) < 0.1)) % 4})


def test_every_set_of_known_columns_is_measured_as_if_alone() -> None:
    files = Files(original=simulated(300, 1), releases=(simulated(300, 2),), control=simulated(100, 3))
    for measure in (DISCO, DCAP):
        found = key_subsets(files, ["a", "b", "c"], "t", measure=measure)
        assert [len(k.columns) for k in found.sets] == [1, 1, 1, 2, 2, 2, 3]
        for known in found.sets:
            cells = Cells.of(files.original, files.releases[0], known.columns, "t", files.control)
            expected = measure.outcome(cells)
            assert known.outcome.main == expected.main
            assert known.outcome.control == expected.control
            assert known.outcome.baseline.value == pytest.approx(expected.baseline.value)


def test_the_worst_set_and_what_each_column_adds() -> None:
    files = Files(original=simulated(2000, 1), releases=(simulated(2000, 2),))
    found = key_subsets(files, ["a", "b", "c"], "t", measure=DCAP)
    assert {"a", "b"} <= set(found.worst.columns)
    added = found.contributions()
    assert min(added["a"], added["b"]) > 0.05
    assert abs(added["c"] - 0.25 / 3) < 0.05  # c tells nothing: it counts only as the first column known
    short = key_subsets(files, ["a", "b", "c"], "t", up_to=1)
    assert len(short.sets) == 3


def test_sets_where_nothing_is_learnt_have_no_worst() -> None:
    rng = np.random.default_rng(1)
    noise = pl.DataFrame({"a": rng.integers(0, 2, 50), "t": rng.integers(0, 9, 50)})
    found = key_subsets(Files(original=noise, releases=(noise.with_columns(a=pl.lit(7)),)), ["a"], "t")
    with pytest.raises(NotAssessable, match="No set of known columns does better than a guess"):
        _ = found.worst


def test_too_many_sets_and_several_releases_are_refused() -> None:
    wide = pl.DataFrame({f"c{i}": [1, 2] for i in range(60)} | {"t": [1, 2]})
    columns = wide.columns[:60]
    with pytest.raises(BadPlan, match=r"There are 523,685 sets of known columns to look at"):
        key_subsets(Files(original=wide, releases=(wide,)), columns, "t")
    with pytest.raises(BadPlan, match="one release at a time"):
        key_subsets(Files(original=wide, releases=(wide, wide)), columns[:2], "t")
