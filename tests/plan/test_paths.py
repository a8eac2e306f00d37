"""The files that a plan names: found, named without folders, put elsewhere."""

from pathlib import Path

from lookalike.anonymize.choices import Protection, Step
from lookalike.plan import Comparison, Plan
from lookalike.plan.paths import name_only, paths_of, with_paths

PLAN = Plan(
    population_file="a/people.csv",
    margins=("a/x.csv", "b/x.csv"),
    comparison=Comparison(made="c/made.json", control="c/control.csv"),
    protection=Protection(
        steps=(
            Step(method="generalize", options={"hierarchies": "d/levels/", "columns": ["age"]}),
            Step(method="generalize", options={"hierarchies": {"age": "d/age.csv", "sex": {"file": "d/sex.csv"}}}),
            Step(method="generalize", options={"hierarchies": {"age": {"kind": "intervals", "widths": [5]}}}),
            Step(method="recode", options={"file": Path("e/recode.json")}),
            Step(method="rare-people", options={"table": "e/table.csv", "at_least": 11}),
            Step(method="mondrian", options={"k": 5}),
        )
    ),
)


def test_every_file_is_found_with_what_it_is_for() -> None:
    assert paths_of(PLAN) == (
        ("population", "a/people.csv"),
        ("margins", "a/x.csv"),
        ("margins", "b/x.csv"),
        ("made", "c/made.json"),
        ("control", "c/control.csv"),
        ("hierarchies", "d/levels/"),
        ("hierarchy", "d/age.csv"),
        ("hierarchy", "d/sex.csv"),
        ("recode", "e/recode.json"),
        ("table", "e/table.csv"),
    )


def test_names_stand_without_their_folders() -> None:
    named = with_paths(PLAN, name_only)
    assert [path for _, path in paths_of(named)] == [
        *("people.csv", "x.csv", "x.csv", "made.json", "control.csv", "levels", "age.csv", "sex.csv"),
        *("recode.json", "table.csv"),
    ]
    assert named.protection.steps[2] == PLAN.protection.steps[2]
    assert named.protection.steps[5] == PLAN.protection.steps[5]


def test_a_plan_without_files_stays() -> None:
    assert with_paths(Plan(), name_only) == Plan()
    assert paths_of(Plan()) == ()
