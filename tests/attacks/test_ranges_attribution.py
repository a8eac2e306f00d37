"""Attribution against a release of ranges: every figure beside a count over all pairs of a record and a row."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lookalike.attacks.attribution import Attribution
from lookalike.attacks.bins import Edges, EqualFrequency, ReleaseIntervals
from lookalike.attacks.cap import record_cap
from lookalike.attacks.cap_classes import class_cap
from lookalike.attacks.cap_measures import DCAP, DISCO
from lookalike.attacks.cap_ranges import row_cells
from lookalike.attacks.coarse import Coded, coarse_cells
from lookalike.attacks.files import Files
from lookalike.attacks.fitted import Keys
from lookalike.attacks.key_subsets import key_subsets
from lookalike.attacks.ranges import is_coarse
from lookalike.attacks.release_ranges import ReleaseRanges
from lookalike.data.cells import ends_of
from lookalike.errors import BadPlan, NotAssessable

TOP = 6
people = st.lists(st.tuples(st.integers(0, TOP), st.sampled_from("FM"), st.sampled_from("ABC")), min_size=1, max_size=8)
cells = st.tuples(st.integers(0, TOP), st.integers(0, TOP)).map(lambda ends: f"[{min(ends)};{max(ends)}]") | st.just(
    "*"
)
ranges = st.lists(st.tuples(cells, st.sampled_from("FM*"), st.sampled_from("ABC")), min_size=1, max_size=8)


def frames(records: list[tuple], rows: list[tuple]) -> tuple[pl.DataFrame, pl.DataFrame]:
    schema = {"age": pl.Int64, "sex": pl.String, "t": pl.String}
    original = pl.DataFrame(records, schema=schema, orient="row")
    return original, pl.DataFrame(rows, schema=schema | {"age": pl.String}, orient="row")


def fits(record: tuple, row: tuple) -> bool:
    low, high = ends_of(row[0])
    return (low is None or low <= record[0] <= high) and row[1] in ("*", record[1])


def share(record: tuple, rows: list[tuple]) -> float:
    held = [row for row in rows if fits(record, row)]
    return np.mean([row[2] == record[2] for row in held]) if held else np.nan


@settings(max_examples=80, deadline=None)
@given(people, ranges)
def test_record_cap_and_certainty_are_counts_over_all_pairs(records: list[tuple], rows: list[tuple]) -> None:
    original, release = frames(records, rows)
    counted = coarse_cells(original, release, ["age", "sex"], "t")
    expected = np.array([share(r, rows) for r in records])
    assert record_cap(counted) == pytest.approx(expected, nan_ok=True)
    sure = [{row[2] for row in rows if fits(r, row)} for r in records]
    assert DISCO.share(counted, counted.original).successes == sum(
        s == {r[2]} for s, r in zip(sure, records, strict=True)
    )
    certain = [r for s, r in zip(sure, records, strict=True) if len(s) == 1]
    found = Attribution(known=("age", "sex"), target="t").attack(Files(original=original, releases=(release,)))
    if certain:
        assert found["TCAP D"].main.of == len(certain)
    else:
        assert "TCAP D" in found.not_assessed


def parts(records: list[tuple], rows: list[tuple]) -> tuple[dict, dict]:
    """d and s of every pair of a box and a target, each record shared out over the boxes that hold it."""
    seen = [value for record in records for value in record[:1]]
    seen += [end for row in rows for end in ends_of(row[0]) if end is not None]
    sexes = [r[1] for r in (*records, *rows) if r[1] != "*"]

    def box(row: tuple) -> tuple:
        low, high = ends_of(row[0])
        age = (min(seen), max(seen)) if low is None else (low, high)
        return (*age, *((min(sexes), max(sexes)) if row[1] == "*" else (row[1], row[1])))

    d, s = {}, {}
    for row in rows:
        s[box(row), row[2]] = s.get((box(row), row[2]), 0) + 1
    for record in records:
        held = [row for row in rows if fits(record, row)]
        for row in held:
            pair = box(row), record[2]
            d[pair] = d.get(pair, 0) + 1 / len(held)
    return d, s


def by_box(counts: dict) -> dict:
    return {g: sum(v for (h, _), v in counts.items() if h == g) for g, _ in counts}


@settings(max_examples=80, deadline=None)
@given(people, ranges)
def test_classes_of_ranges_follow_the_equations(records: list[tuple], rows: list[tuple]) -> None:
    assume(any(row[1] == "*" for row in rows))
    original, release = frames(records, rows)
    d, s = parts(records, rows)
    if not d:
        with pytest.raises(NotAssessable, match="No class of the known columns holds records of both files"):
            class_cap(original, release, ["age", "sex"], "t")
        return
    found = class_cap(original, release, ["age", "sex"], "t")
    d_box, s_box = by_box(d), by_box(s)
    after = {pair: s.get(pair, 0) / s_box[pair[0]] for pair in d}
    before = {pair: d[pair] / d_box[pair[0]] for pair in d}
    matched = [r for r in records if any(fits(r, row) for row in rows)]
    assert found.release.of == len(matched)
    assert found.release.value == pytest.approx(sum(d[p] * after[p] for p in d) / len(matched))
    assert found.original.value == pytest.approx(sum(d[p] * before[p] for p in d) / len(records))
    assert found.least_change == pytest.approx(min(after[p] - before[p] for p in d))
    # The same as the share of the record's target among the rows that fit, on average.
    assert found.release.value == pytest.approx(np.nanmean([share(r, rows) for r in records]))
    # TCAP A: rows whose box has one target, and the part of the box's records that have it.
    sure = {pair: s[pair] for pair in s if s[pair] == s_box[pair[0]]}
    shared = {p: d.get(p, 0) / d_box[p[0]] for p in sure if p[0] in d_box}
    tcap = Attribution(known=("age", "sex"), target="t").attack(Files(original=original, releases=(release,)))
    if shared:
        expected = sum(sure[p] * shared[p] for p in shared) / sum(sure[p] for p in shared)
        assert tcap["TCAP A"].main.value == pytest.approx(expected)
        assert tcap["TCAP A0"].main.value == pytest.approx(
            sum(sure[p] * shared[p] for p in shared) / sum(sure.values())
        )
    else:
        assert "TCAP A" in tcap.not_assessed


@settings(max_examples=60, deadline=None)
@given(people, st.lists(st.integers(0, TOP), min_size=1, max_size=8), st.integers(2, 4))
def test_ranges_that_do_not_overlap_are_the_classes_of_the_release(records: list, ages: list[int], width: int) -> None:
    original, _ = frames(records, [])
    coarse = [f"[{a // width * width};{a // width * width + width - 1}]" for a in ages]
    release = pl.DataFrame({"age": coarse, "t": [str(r[2]) for r, _ in zip(records * 8, ages, strict=False)]})
    held = {a // width for a in ages} & {r[0] // width for r in records}
    assume(held)
    found = class_cap(original, release, ["age"], "t")
    classes = class_cap(original, release, ["age"], "t", {"age": ReleaseIntervals()})
    assert found.release.value == pytest.approx(classes.release.value)
    assert found.original.value == pytest.approx(classes.original.value)
    assert found.least_drop == pytest.approx(classes.least_drop)


def simulated(n: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    age, sex, pay = draw.integers(0, 40, n), draw.choice(["F", "M"], n), draw.random(n).round(2)
    town = draw.choice(["a", "b", "c"], n)
    return pl.DataFrame({"age": age, "sex": sex, "pay": pay, "town": town, "t": (age // 10 + (sex == "F")) % 4})


def coarsened(file: pl.DataFrame, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    low, high = draw.integers(0, 6, (2, file.height))
    age = [f"[{a - i};{a + j}]" for a, i, j in zip(file["age"], low, high, strict=True)]
    sex = np.where(draw.random(file.height) < 0.2, "*", file["sex"])
    return file.with_columns(age=pl.Series(age), sex=pl.Series(sex))


def test_every_set_of_known_columns_with_ranges_is_measured_as_if_alone() -> None:
    original, control = simulated(200, 1), simulated(80, 2)
    files = Files(original=original, releases=(coarsened(original, 3),), control=control)
    rules = {"pay": EqualFrequency(3)}
    found = key_subsets(files, ["age", "sex", "pay", "town"], "t", measure=DCAP, up_to=3, classes=rules)
    assert len(found.sets) == 4 + 6 + 4
    for known in found.sets:
        used = {name: rule for name, rule in rules.items() if name in known.columns}
        alone = Attribution(known=known.columns, target="t", classes=used).attack(files)["DCAP"]
        assert known.outcome.main.value == pytest.approx(alone.main.value)
        assert known.outcome.control.value == pytest.approx(alone.control.value)
        assert known.outcome.baseline.value == pytest.approx(alone.baseline.value)


def test_a_number_is_guessed_by_classes_where_the_keys_are_ranges() -> None:
    original = pl.DataFrame({"age": [18, 19, 30, 31], "pay": [10.0, 11.0, 50.0, 90.0]})
    release = pl.DataFrame({"age": ["[18;20]", "[18;20]", "[29;31]", "[29;31]"], "pay": [10.5, 11.5, 51.0, 91.0]})
    files = Files(original=original, releases=(release,))
    plain = Attribution(known=("age",), target="pay").attack(files)
    assert plain["DCAP"].main.value == 0
    found = Attribution(known=("age",), target="pay", classes={"pay": Edges((0, 20, 60, 100))}).attack(files)
    assert found["DCAP"].main.value == (1 + 1 + 1 / 2 + 1 / 2) / 4
    assert found["DiSCO"].main.value == 1 / 2
    assert class_cap(original, release, ["age"], "pay", {"pay": Edges((0, 20, 60, 100))}).release.value == 3 / 4


def test_classes_and_ranges_may_stand_side_by_side() -> None:
    original = pl.DataFrame({"age": [18, 19, 40], "pay": [5.0, 50.0, 500.0], "t": ["P", "N", "P"]})
    release = pl.DataFrame({"age": ["[18;20]", "[18;20]", "*"], "pay": [6.0, 51.0, 7.0], "t": ["P", "N", "N"]})
    files = Files(original=original, releases=(release,))
    found = Attribution(known=("age", "pay"), target="t", classes={"pay": Edges((0, 10, 100))}).attack(files)
    # 18 and 5: rows 1 and 3. 19 and 50: row 2. 500 lies in no class, and a row of any age does not help.
    assert found.after[:2].tolist() == [1 / 2, 1]
    assert np.isnan(found.after[2])
    scores = class_cap(original, release, ["age", "pay"], "t", {"pay": Edges((0, 10, 100))})
    assert str(scores.release) == "1.5 of 2 records whose class of key is in the release"


def test_a_target_of_very_many_values_is_counted_too() -> None:
    original = pl.DataFrame({"age": [18] * 5000, "t": range(5000)})
    release = original.with_columns(age=pl.lit("[18;20]"))
    counted = coarse_cells(original, release, ["age"], "t")
    assert DCAP.share(counted, counted.original).value == pytest.approx(1 / 5000)


def test_keys_are_counted_in_parts_as_at_once() -> None:
    original = simulated(100, 4)
    fitted = Keys.of([original], coarsened(original, 5), ["age", "sex", "town"]).fitted()
    ((_, whole),) = fitted.parts()
    several = list(fitted.parts(most=1))
    assert len(several) == len(fitted.keys)
    assert (np.vstack([part.toarray() for _, part in several]) == whole.toarray()).all()
    assert fitted.owned().all()


def test_months_quarters_and_years_hold_their_days() -> None:
    days = [date(2024, 1, 5), date(2024, 3, 31), date(2024, 4, 1), date(2025, 7, 9)]
    original = pl.DataFrame({"day": days, "t": ["A", "B", "A", "B"]})
    release = pl.DataFrame({"day": ["2024-Q1", "2024-03", "2024", "[2025;2026]"], "t": ["A", "B", "A", "B"]})
    for file in (original, original.with_columns(pl.col("day").cast(pl.String))):
        assert is_coarse(release["day"], file["day"])
        found = Attribution(known=("day",), target="t").attack(Files(original=file, releases=(release,)))
        assert found.after.tolist() == pytest.approx([1, 1 / 3, 1, 1])
    other = pl.Series(["2024-Q1", "spring"])
    assert not is_coarse(other, original["day"])
    assert not is_coarse(original["day"].cast(pl.String), original["day"])


def test_a_missing_value_fits_every_range_and_an_emptied_column_everybody() -> None:
    original = pl.DataFrame({"age": [18, None], "t": ["P", "N"]}, schema_overrides={"age": pl.Int64})
    release = pl.DataFrame({"age": ["[18;20]", "[30;40]"], "t": ["P", "N"]})
    found = Attribution(known=("age",), target="t").attack(Files(original=original, releases=(release,)))
    assert found.after.tolist() == [1, 1 / 2]
    nothing = release.with_columns(age=pl.lit("*"))
    scores = class_cap(original, nothing, ["age"], "t")
    assert (scores.release.value, scores.original.value) == (1 / 2, 1 / 2)
    one = Files(original=original[:1], releases=(release[:1],))
    assert Attribution(known=("age",), target="t").attack(one)["DiSCO"].main.value == 1


def test_the_ranges_of_a_target_are_its_classes() -> None:
    original = pl.DataFrame({"sex": ["F", "F", "M", "M"], "pay": [5, 12, 17, 40]})
    release = pl.DataFrame({"sex": ["F", "F", "M", "M"], "pay": ["[0;9]", "[10;19]", "[10;19]", "*"]})
    found = Attribution(known=("sex",), target="pay").attack(Files(original=original, releases=(release,)))
    # 40 is in no range, and the row without a range claims nothing.
    assert found.after.tolist() == [1 / 2, 1 / 2, 1 / 2, 0]
    scores = class_cap(original, release, ["sex"], "pay")
    assert scores.release.value == (1 / 2 + 1 / 2 + 1 / 2) / 4
    both = release.with_columns(sex=pl.lit("*"))
    assert class_cap(original, both, ["sex"], "pay").release.value == pytest.approx((1 / 4 + 2 / 4 + 2 / 4) / 4)


def test_ranges_of_a_target_that_overlap_are_told_by_their_middle_or_joined() -> None:
    pay, rule = pl.Series("pay", [0, 10, 20, 30, None]), ReleaseRanges(bins=2)
    codes = rule.codes(pay, pl.Series("pay", ["[0;10]", "[5;30]", "30", None]))
    assert [c.tolist() for c in codes] == [[0, 0, 1, 1, 2], [0, 1, 1, 2]]
    constant = rule.codes(pl.Series([7, 7]), pl.Series(["[6;8]", "[7;9]"]))
    assert [c.tolist() for c in constant] == [[0, 0], [0, 0]]
    empty = rule.codes(pl.Series([None], dtype=pl.Int64), pl.Series(["[6;8]", "[7;9]", None]))
    assert [c.tolist() for c in empty] == [[1], [-1, -1, 1]]
    assert [c.tolist() for c in rule.codes(pl.Series([1]), pl.Series(["*"]))] == [[-1], [-1]]
    words = pl.Series("code", ["C50", "I63"])
    with pytest.raises(BadPlan, match="The ranges of column 'code' in the release overlap so that all its values are"):
        rule.codes(words, pl.Series("code", ["[C50;I63]", "C50"]))


def test_a_control_is_shared_out_as_the_original_is() -> None:
    original, control = simulated(150, 6), simulated(60, 7)
    release = coarsened(original, 8)
    both = row_cells(Coded.of(original, release, ["age", "sex"], "t", control))
    alone = row_cells(Coded.of(control, release, ["age", "sex"], "t"))
    assert both.control.records == alone.original.records
    assert both.control.cells.sum() == pytest.approx(alone.original.cells.sum())
    files = Files(original=original, releases=(release,), control=control)
    swapped = Files(original=control, releases=(release,))
    found = Attribution(known=("age", "sex"), target="t", certain=0.5)
    assert found.attack(files)["TCAP A"].control.value == pytest.approx(found.attack(swapped)["TCAP A"].main.value)
