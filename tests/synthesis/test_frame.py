"""The frame of a synthesis: columns, copies, seeds, rules, identifiers, refusals. With a law simple enough to see."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyreadstat
import pytest
from numpy.random import Generator

import lookalike as la
from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Joint, Law, Mixed, Numbers
from lookalike.synthesis import Combining, Release, Rule, Synthesis
from lookalike.synthesis import synthesize as draw


@dataclass(frozen=True)
class ByItself:
    """Each column from its own values: enough to see what the frame does around a model."""

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Law:
        return ByItselfLaw(table)


class ByItselfLaw:
    caveats: tuple[str, ...] = ("drawn one by one",)

    def __init__(self, table: Mixed) -> None:
        self.table = table

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        return self.complete(self.table.empty(n), rng=rng)

    def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
        return Mixed(tuple(_fill(c, own, rng) for c, own in zip(table.columns, self.table.columns, strict=True)))


def _fill(column: Column, own: Column, rng: Generator) -> Column:
    drawn = own.take(rng.choice(np.flatnonzero(own.known), len(column)))
    if isinstance(column, Numbers):
        assert isinstance(drawn, Numbers)
        return Numbers(np.where(column.known, column.values, drawn.values))
    assert isinstance(drawn, Categories)
    return Categories(np.where(column.known, column.codes, drawn.codes), column.levels, column.ordered)


PEOPLE = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(200)],
        "age": [10 + i % 60 for i in range(200)],
        "sex": ["F", "M"] * 100,
        "married": ["no" if i % 60 < 6 else "yes" for i in range(200)],
        "pay": [None if i % 7 == 0 else 500 * (i % 30) for i in range(200)],
    }
)
FILE = la.read(PEOPLE, identifiers=["id"], quasi_identifiers=["age", "sex"], sensitive=["pay"])


def drawn(seed: int = 1, file: la.Microdata = FILE, model: Joint | None = None, **choices: object) -> Release:
    return draw(file, Synthesis(**choices), rng=np.random.default_rng(seed), model=model or ByItself())  # type: ignore[arg-type]


def cells(release: Release, copy: int = 0) -> pl.DataFrame:
    return release.copies[copy].head(10**6)


def test_the_same_seed_gives_the_same_copies_and_another_seed_others() -> None:
    assert cells(drawn(copies=2), 1).equals(cells(drawn(copies=2), 1))
    assert not cells(drawn(1)).equals(cells(drawn(2)))


def test_more_copies_do_not_change_the_first() -> None:
    assert cells(drawn(copies=1)).equals(cells(drawn(copies=3)))
    three = drawn(copies=3)
    assert not cells(three, 0).equals(cells(three, 1))


def test_identifiers_are_left_out_or_new() -> None:
    release = drawn()
    assert release.data.columns == ("age", "sex", "married", "pay")
    assert release.left_out == ("id",)
    fresh = drawn(identifiers="new")
    assert fresh.data.columns == FILE.columns
    assert cells(fresh)["id"].to_list()[:2] == ["1", "2"]


def test_kinds_roles_types_and_gaps_survive() -> None:
    release = drawn(rows=1000)
    data = cells(release)
    assert data.schema == PEOPLE.drop("id").schema
    assert release.data.quasi_identifiers == ("age", "sex")
    assert data["pay"].null_count() == pytest.approx(1000 * 29 / 200, abs=60)
    assert set(data["pay"].drop_nulls().unique()) <= {500 * i for i in range(30)}


def test_the_file_is_not_touched() -> None:
    before = PEOPLE.clone()
    drawn(columns=("pay",), copies=2)
    assert PEOPLE.equals(before)


def test_partial_synthesis_keeps_the_other_columns_and_is_linked() -> None:
    release = drawn(columns=("pay",))
    assert release.linked
    assert release.combining is Combining.PARTIAL
    assert cells(release).drop("pay").equals(PEOPLE.drop("id", "pay"))
    equal = release.likeness[0].equal_cells["pay"]
    # Cells that hold no value are not counted: empty again is no value learned.
    truth = (cells(release)["pay"] == PEOPLE["pay"]).sum()
    assert (equal.count, equal.of) == (truth, 200 - PEOPLE["pay"].null_count())


def test_full_synthesis_is_not_linked_and_says_how_to_combine() -> None:
    assert drawn().combining is Combining.COMPLETE_IMPROPER
    assert drawn(proper=True, copies=2).combining is Combining.COMPLETE_PROPER
    assert drawn().linked is False
    assert drawn().likeness[0].equal_cells == {}


def test_given_values_stand_in_every_record() -> None:
    data = cells(drawn(given={"sex": "F", "age": "30"}, rows=50))
    assert data["sex"].unique().to_list() == ["F"]
    assert data["age"].unique().to_list() == [30]
    assert data["pay"].n_unique() > 5


def test_a_condition_implies_a_value_and_impossible_records_are_drawn_again() -> None:
    child = Rule(when="age < 16", then={"married": "no"})
    release = drawn(rows=2000, rules=(child,), impossible=("sex = 'F' AND pay > 14000",))
    data = cells(release)
    assert data.filter((pl.col("age") < 16) & (pl.col("married") != "no")).height == 0
    assert data.filter((pl.col("sex") == "F") & (pl.col("pay") > 14000)).height == 0
    assert release.redrawn > 0


def test_rules_hold_for_the_drawn_part_of_linked_records() -> None:
    release = drawn(columns=("pay",), impossible=("sex = 'F' AND pay > 14000",))
    assert cells(release).filter((pl.col("sex") == "F") & (pl.col("pay") > 14000)).height == 0
    assert cells(release)["sex"].equals(PEOPLE["sex"])


def test_repeated_records_and_uniques_are_counted() -> None:
    class Copies(ByItself):
        def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Law:
            return Whole(table)

    class Whole:
        caveats = ()

        def __init__(self, table: Mixed) -> None:
            self.table = table

        def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
            return self.table.take(np.arange(n))

    file = la.read(PEOPLE.select("age", "sex", "married"), quasi_identifiers=["age", "sex"])
    found = drawn(file=file, model=Copies()).likeness[0]
    assert found.repeated.value == 1.0
    uniques = (PEOPLE.group_by("age", "sex", "married").len()["len"] == 1).sum()
    assert (found.repeated_uniques.value if found.repeated_uniques else None) == (1.0 if uniques else None)
    fewer = drawn(file=file, model=Copies(), rows=1).likeness[0]
    assert (fewer.repeated.count, fewer.repeated.of) == (1, 1)


def test_one_row_and_one_constant_column() -> None:
    one = la.read(pl.DataFrame({"a": [1], "b": ["x"]}))
    assert cells(drawn(file=one)).rows() == [(1, "x")]
    constant = la.read(pl.DataFrame({"a": [1] * 5, "b": ["x", "y", "x", "y", "x"]}))
    assert cells(drawn(file=constant))["a"].to_list() == [1] * 5


def test_a_text_of_its_own_in_each_record_is_told() -> None:
    frame = pl.DataFrame({"note": [f"text {i}" for i in range(30)], "a": [1, 2] * 15})
    file = la.read(frame, sensitive=["note"])
    assert any("'note'" in caveat for caveat in drawn(file=file).caveats)


def test_a_thousand_columns() -> None:
    wide = la.read(pl.DataFrame({f"c{i}": [i, i + 1, i + 2] for i in range(1000)}))
    assert len(drawn(file=wide, rows=4).data.columns) == 1000


EMPTY = la.read(pl.DataFrame({"a": [1, 2], "b": pl.Series([None, None], dtype=pl.String)}))
REFUSED: list[tuple[dict[str, object], str]] = [
    ({"copies": 0}, "At least 1 copy"),
    ({"rows": 0}, "At least 1 row"),
    ({"columns": ("income",)}, "Column 'income' is not in the data."),
    ({"columns": ("pay",), "rows": 5}, "Rows cannot be chosen"),
    ({"columns": ("id",)}, "names a person"),
    ({"given": {"sex": "X"}}, "outside what the file holds"),
    ({"given": {"age": "200"}}, "outside what the file holds"),
    ({"given": {"age": "old"}}, "is not of its type"),
    ({"rules": (Rule(when="age < 30", then={"married": "no"}),)}, "Rule 1 contradicts the file:"),
    ({"impossible": ("age > 20",)}, "Impossible 1 contradicts the file:"),
    ({"impossible": ("age >",)}, "Impossible 1: the condition cannot be read."),
    ({"impossible": ("height > 20",)}, "column 'height' is not in the data."),
    ({"impossible": ("sex > 20",)}, "compares things that cannot be compared"),
    ({"impossible": ("age + 1",)}, "must be true or false"),
    ({"missing": "drop"}, "is not known"),
    ({"drop": ("pay",), "impossible": ("pay > 1e9",)}, "Impossible 1: column 'pay' is left out of the release"),
    ({"drop": ("height",)}, "Column 'height' is not in the data."),
    ({"drop": ("pay",), "columns": ("pay",)}, "cannot be left out and drawn or given"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_refusals_say_what_is_wrong(choices: dict[str, object], message: str) -> None:
    with pytest.raises(BadPlan, match=message.replace("(", r"\(")):
        drawn(**choices)


def test_a_missing_value_breaks_no_rule() -> None:
    file = la.read(pl.DataFrame({"age": [10, 12, 40] * 20, "state": ["single", None, "married"] * 20}))
    rule = Rule(when="age < 16", then={"state": "single"})
    data = cells(drawn(file=file, rules=(rule,), rows=500))
    assert set(data.filter(pl.col("age") < 16)["state"].unique()) == {"single", None}


def test_a_value_that_no_record_holds_is_told() -> None:
    file = la.read(pl.DataFrame({"age": [10, 12, 40] * 20, "state": ["single", "single", "married"] * 20}))
    release = drawn(file=file, impossible=("state = 'Married' AND age < 16",))
    assert any(said.startswith("Impossible 1 compares 'state' with a value that no record") for said in release.caveats)
    release = drawn(file=file, impossible=("state = 'married' AND age < 16",))
    assert not any("no record of the file holds" in said for said in release.caveats)


def test_a_broken_rule_names_records_by_number_and_none_of_what_is_kept() -> None:
    with pytest.raises(BadPlan, match=r"20 of 60 records break it \(number 3, 6, 9 …\)"):
        drawn(file=la.read(pl.DataFrame({"age": [1, 2, 90] * 20})), impossible=("age > 50",))
    file = la.read(pl.DataFrame({"age": [1, 2, 90] * 20, "pay": [1.5, 2.5, 3.5] * 20}))
    assert drawn(file=file, columns=("pay",), impossible=("age > 50",)).redrawn == 0


def test_what_looks_like_an_identifier_is_refused_until_it_has_a_role() -> None:
    frame = pl.DataFrame({"email": [f"a{i}@b.org" for i in range(50)], "age": list(range(50))})
    with pytest.raises(BadPlan, match="'email': looks like something that names a person"):
        drawn(file=la.read(frame))
    assert drawn(file=la.read(frame, identifiers=["email"])).left_out == ("email",)
    assert "email" in drawn(file=la.read(frame, sensitive=["email"])).data.columns


def test_values_of_one_record_alone_are_counted_where_they_stand_again() -> None:
    file = la.read(pl.DataFrame({"job": ["nurse"] * 30 + ["minister"], "age": [1.5, 2.5, 3.5] * 10 + [9.5]}))
    found = drawn(file=file, rows=2000).likeness[0].single_values
    assert (found["job"].count, found["job"].of) == (1, 1)
    assert (found["age"].count, found["age"].of) == (1, 1)


def test_few_records_are_told() -> None:
    file = la.read(pl.DataFrame({"age": [30, 31]}))
    assert any("2 records only" in caveat for caveat in drawn(file=file).caveats)


def test_options_are_checked_before_anything_is_read() -> None:
    assert Synthesis(options={"classes": "abc"}).faults() == [
        "Option 'classes' of latent-classes must be a whole number."
    ]
    assert "one of" in Synthesis(model="gaussian-copula", options={"margins": "kernel"}).faults()[0]
    assert Synthesis(options={"burn_in": 5000}).faults() == ["burn_in must be at least 0 and less than sweeps."]


def test_an_unknown_model_and_an_unknown_option_are_told() -> None:
    (fault,) = Synthesis(model="copula").faults()
    assert fault.startswith("Model 'copula' is not known.")
    (fault,) = Synthesis(options={"clases": 70}).faults()
    assert "Did you mean 'classes'?" in fault


def test_a_column_without_any_value_is_refused() -> None:
    with pytest.raises(BadPlan, match=r"Column 'b' has no value in any record: .* Leave it out \(--drop\)\."):
        drawn(file=EMPTY)
    release = drawn(file=EMPTY, drop=("b",))
    assert (release.data.columns, release.left_out) == (("a",), ("b",))


def test_a_rule_the_model_cannot_meet_ends_with_a_reason() -> None:
    class Stubborn(ByItself):
        def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Law:
            return Always(table)

    class Always(ByItselfLaw):
        def complete(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> Mixed:
            first: Sequence[Column] = [c.take(np.zeros(table.records, np.int64)) for c in self.table.columns]
            return Mixed((Numbers(np.full(table.records, 99.0)), *first[1:]))

    file = la.read(pl.DataFrame({"age": [1, 2, 3]}))
    with pytest.raises(BadPlan, match="still break a rule"):
        drawn(file=file, model=Stubborn(), impossible=("age > 50",))


def test_value_labels_go_from_file_to_file(tmp_path: Path) -> None:
    pyreadstat.write_dta(
        PEOPLE.select("age", pl.col("sex").replace_strict({"F": 1, "M": 2}).alias("sex")),
        tmp_path / "in.dta",
        column_labels=["age in years", "sex of the person"],
        variable_value_labels={"sex": {1: "female", 2: "male"}},
    )
    release = drawn(file=la.read(tmp_path / "in.dta"), rows=40)
    la.write(release.data, tmp_path / "out.dta")
    back = la.read(tmp_path / "out.dta")
    assert dict(back.variable("sex").labels) == {1: "female", 2: "male"}
    assert back.variable("sex").caption == "sex of the person"
    assert back.records == 40


def test_what_chance_alone_repeats_is_told_beside() -> None:
    frame = pl.DataFrame({"a": list(range(40)) * 5, "b": [i % 7 for i in range(200)]})
    found = drawn(file=la.read(frame, quasi_identifiers=["a", "b"])).likeness[0]
    assert found.known_uniques is not None
    assert found.known_uniques_by_chance is not None
    # The law draws each column by itself: what it repeats is chance.
    assert found.known_uniques.value == pytest.approx(found.known_uniques_by_chance.value, abs=0.15)


def test_codes_that_stand_in_no_cell_are_told() -> None:
    file = la.read(pl.DataFrame({"pay": [1, 2, -8] * 20}))
    coded = la.synthesize(file, "independent", plan=la.Plan(missing_codes={"pay": ("-9",)}))
    assert any("pay: 1 of the codes that mean missing stand in no cell." in said for said in coded.caveats)
    early = la.read(pl.DataFrame({"pay": [1, 2, -8] * 20}), missing={"pay": ["-8"]})
    assert any("empty cells by now" in said for said in la.synthesize(early, "independent").caveats)


def test_a_code_among_decimals_comes_back_as_the_same_number_and_is_found_again(tmp_path: Path) -> None:
    """The page on synthesis says so: -9 is written -9.0."""
    (tmp_path / "in.csv").write_text("hba1c\n" + "-9\n5.4\n7.2\n6.1\n" * 30)
    plan = la.Plan(missing_codes={"hba1c": ("-9",)})
    la.write(la.synthesize(tmp_path / "in.csv", "independent", plan=plan).data, tmp_path / "out.csv")
    texts = pl.read_csv(tmp_path / "out.csv", infer_schema=False)["hba1c"]
    again = la.read(tmp_path / "out.csv", missing={"hba1c": ["-9"]}).head(200)["hba1c"]
    assert again.null_count() == (texts == "-9.0").sum() > 0
    assert again.min() > 5


def test_a_column_is_computed_from_others_with_its_rounding() -> None:
    frame = pl.DataFrame({"kg": [60.5, 80.0, 72.3] * 20, "m": [1.6, 1.8, 1.75] * 20})
    frame = frame.with_columns((pl.col("kg") / pl.col("m") ** 2).round(1).alias("bmi"))
    release = la.synthesize(frame, "independent", computed={"bmi": "kg / (m * m)"})
    data = cells(release)
    assert ((data["kg"] / data["m"] ** 2).round(1) - data["bmi"]).abs().max() < 1e-9
    assert not any("bmi" in said for said in release.caveats)
    other = la.synthesize(frame, "independent", computed={"bmi": "kg * m"})
    assert "'bmi' is computed; in the file the formula gives 0.0% of its cells." in other.caveats


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_a_computed_column_is_written_with_the_decimals_of_the_file(decimals: int, tmp_path: Path) -> None:
    frame = pl.DataFrame({"kg": [48 + i % 60 for i in range(300)], "m": [1.5 + (i % 41) / 100 for i in range(300)]})
    frame = frame.with_columns((pl.col("kg") / pl.col("m") ** 2).round(decimals).alias("bmi"))
    release = la.synthesize(frame, "independent", computed={"bmi": "kg / (m * m)"})
    written = pl.read_csv(la.write(release.data, tmp_path / "out.csv"), infer_schema=False)["bmi"]
    assert written.str.split(".").list.last().str.len_chars().max() == decimals


@pytest.mark.parametrize("own", [(), ("-1",)])
def test_what_is_computed_from_a_code_for_missing_is_missing(own: tuple[str, ...]) -> None:
    frame = pl.DataFrame({"kg": [60, 70, -9, 80] * 50, "m": [1.5, 1.6, 1.7, 1.8] * 50})
    frame = frame.with_columns(bmi=(pl.col("kg") / pl.col("m") ** 2).round(1))
    plan = la.Plan(missing_codes={"kg": ("-9",), **({"bmi": own} if own else {})})
    release = la.synthesize(frame, "independent", plan=plan, computed={"bmi": "kg / (m * m)"}).data.head(200)
    unknown = release.filter(pl.col("kg") == -9)["bmi"].unique().to_list()
    assert unknown == [float(own[0]) if own else None]
    assert release.filter(pl.col("kg") != -9)["bmi"].min() > 15


@pytest.mark.parametrize(
    ("computed", "said"),
    [
        ({"age": "pay +"}, "The formula of 'age' cannot be read."),
        ({"age": "height * 2"}, "The formula of 'age': column 'height' is not among those drawn."),
        ({"age": "3"}, "The formula of 'age' names no column."),
        ({"size": "pay"}, "Column 'size' is not in the data."),
        ({"age": "sex"}, "is not of the type of the column."),
    ],
)
def test_formulas_that_cannot_be_are_refused(computed: dict[str, str], said: str) -> None:
    with pytest.raises(BadPlan, match=said):
        drawn(computed=computed)


def test_many_records_drawn_again_and_given_values_are_told() -> None:
    file = la.read(pl.DataFrame({"a": [1.5, 2.5, 3.5, 9.5] * 20, "b": [1.5, 2.5, 3.5, 9.5] * 20}))
    assert any("Records were drawn again" in said for said in drawn(file=file, impossible=("a > b",)).caveats)
    release = drawn(given={"sex": "F"}, rows=20)
    assert release.given == ("sex",)
    assert "sex" not in release.drawn
    assert any("not of the records that have these values" in said for said in release.caveats)


def test_what_chance_repeats_is_what_shuffling_gives() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.integers(0, 30, 300), "b": rng.integers(0, 20, 300), "c": rng.integers(0, 2, 300)})
    release = drawn(file=la.read(frame, quasi_identifiers=["a", "b", "c"]), columns=("b", "c"))
    told = release.likeness[0].known_uniques_by_chance
    assert told is not None
    single = frame.filter(pl.struct(pl.all()).is_unique())
    found = []
    for _ in range(100):
        mixed = cells(release).with_columns(pl.col(n).gather(rng.permutation(300)) for n in ("b", "c"))
        found.append(single.join(mixed.filter(pl.struct(pl.all()).is_unique()), on=["a", "b", "c"]).height)
    assert told.of == single.height
    assert told.count == pytest.approx(np.mean(found), rel=0.15)
