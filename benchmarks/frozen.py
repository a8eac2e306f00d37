"""Thirty runs of all commands, to show that a change of the code changes no figure.

Run them with the code before the change and with the code after it, then compare every figure of the evidence, every
release and every study:

    python benchmarks/frozen.py make FOLDER [COMMAND]     COMMAND: the `lookalike` to run
    python benchmarks/frozen.py compare BEFORE AFTER      prints each difference; ends with 1 if there is one

Needs ../shared/data. What differs between any two runs (times, versions, digests of outputs) is not compared; the
releases themselves are.
"""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TOLERANCE = 1e-9  # relative: libraries may add in another order
NOT_COMPARED = {"lookalike", "started", "seconds", "versions", "sha256", "signature", "bytes"}

ADULT = "age,workclass,education,marital_status,race,sex,native_country"
TEXAS = "DISCHARGE,PAT_STATE,SEX_CODE,RACE,ADMIT_WEEKDAY,PAT_AGE,LENGTH_OF_STAY"
PCS = "Age Group,RACE,hispanic_ethnicity,Living_Situation,Education_Category"
SURVEY = "sex,age,placesize,region,edu,marital"
HOUSEHOLDS = "urbrur,roof,sex,age,relat"
HOSPITAL = "age,sex,area,ethnicity,marital_status"

Run = tuple[str, ...]


def inputs(folder: Path) -> None:
    """Small files with equal rows at every time, and a population."""
    for name, file, rows in (
        ("adult", "adult.csv", 4000),
        ("texas", "texas.csv", 3000),
        ("pcs", "pcs2019_recoded.parquet", 3000),
        ("survey", "synthpop_SD2011.csv", 2000),
        ("households", "sdcMicro_testdata.csv", 4580),
    ):
        source = DATA / file
        frame = (
            pl.read_parquet(source) if source.suffix == ".parquet" else pl.read_csv(source, infer_schema_length=None)
        )
        shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
        shuffled.head(rows).write_csv(folder / f"{name}.csv")
        shuffled.tail(rows if len(frame) >= 2 * rows else len(frame) - rows).write_csv(folder / f"{name}-control.csv")


def runs() -> dict[str, Run]:
    """The name of each run and its arguments, files by name; evidence is asked for beside."""
    adult = ("--qi", ADULT, "--sensitive", "income", "--population", "48842")
    texas = ("--qi", TEXAS, "--population", "50000")
    pcs = ("--qi", PCS, "--sensitive", "Insured_or_Not", "--population", "194117")
    survey = ("--qi", SURVEY, "--sensitive", "income", "--population", "30000000")
    households = ("--qi", HOUSEHOLDS, "--household", "ori_hid", "--weight", "sampling_weight")
    return {
        "assess-adult": ("assess", "adult.csv", *adult, "--k", "3"),
        "assess-adult-seed": ("assess", "adult.csv", *adult, "--seed", "7", "--no-backtest"),
        "assess-adult-all": ("assess", "adult.csv", *adult, "--estimators", "all", "--no-backtest"),
        "assess-texas": ("assess", "texas.csv", *texas, "--upper", "0.2", "--engine", "duckdb"),
        "assess-pcs": ("assess", "pcs.csv", *pcs, "--l", "2", "--t", "0.3"),
        "assess-survey": ("assess", "survey.csv", *survey, "--missing", "wildcard", "--no-backtest"),
        "assess-households": ("assess", "households.csv", *households, "--population", "4580000"),
        "protect-adult": ("protect", "adult.csv", *adult, "--k", "5", "-o", "@.csv"),
        "protect-adult-b": ("protect", "adult.csv", *adult, "-o", "@.csv"),
        "protect-adult-mondrian": (
            "protect",
            "adult.csv",
            *adult,
            "--method",
            "mondrian",
            "--option",
            "k=5",
            "-o",
            "@.csv",
        ),
        "protect-texas-mdav": ("protect", "texas.csv", *texas, "--method", "mdav", "--option", "k=4", "-o", "@.csv"),
        "protect-pcs-suppress": ("protect", "pcs.csv", *pcs, "--method", "suppress", "--k", "3", "-o", "@.csv"),
        "protect-survey-pram": ("protect", "survey.csv", *survey, "--method", "pram", "--seed", "3", "-o", "@.csv"),
        "protect-adult-t-close": ("protect", "adult.csv", *adult, "--method", "t-close", "--t", "0.3", "-o", "@.csv"),
        "synthesize-adult": ("synthesize", "adult.csv", *adult, "--seed", "5", "-o", "@.csv"),
        "synthesize-adult-copies": ("synthesize", "adult.csv", *adult, "--seed", "5", "--copies", "3", "-o", "@"),
        "synthesize-pcs-sequential": (
            "synthesize",
            "pcs.csv",
            *pcs,
            "--model",
            "sequential",
            "--seed",
            "5",
            "-o",
            "@.csv",
        ),
        "synthesize-texas-copula": (
            *("synthesize", "texas.csv", *texas, "--model", "gaussian-copula", "--seed", "5", "-o", "@.csv"),
        ),
        "synthesize-survey-partial": (
            *("synthesize", "survey.csv", *survey, "--columns", "income,age", "--model", "sequential"),
            *("--seed", "5", "-o", "@.csv"),
        ),
        "synthesize-adult-bootstrap": (
            *("synthesize", "adult.csv", *adult, "--model", "bootstrap", "--seed", "5", "-o", "@.csv"),
        ),
        "compare-synthetic": ("compare", "adult.csv", "synthesize-adult.csv", "--made", "synthesize-adult.json"),
        "compare-control": (
            *("compare", "adult.csv", "synthesize-adult.csv", "--made", "synthesize-adult.json"),
            *("--control", "adult-control.csv", "--formula", "income ~ age + sex"),
        ),
        "compare-protected": ("compare", "adult.csv", "protect-adult.csv", "--made", "protect-adult.json"),
        "compare-mondrian": (
            *(
                "compare",
                "adult.csv",
                "protect-adult-mondrian.csv",
                "--made",
                "protect-adult-mondrian.json",
                "--linked",
            ),
        ),
        "compare-copy": ("compare", "pcs.csv", "pcs.csv", "--qi", PCS, "--sensitive", "Insured_or_Not"),
        "compare-bootstrap": ("compare", "adult.csv", "synthesize-adult-bootstrap.csv", "--qi", ADULT),
        "repair-bootstrap": (
            *("repair", "adult.csv", "synthesize-adult-bootstrap.csv", "--made", "synthesize-adult-bootstrap.json"),
            *("-o", "@.csv"),
        ),
        "repair-copy": ("repair", "pcs.csv", "pcs.csv", "--qi", PCS, "--sensitive", "Insured_or_Not", "-o", "@.csv"),
        "study-adult": (
            *(
                "study",
                "adult.csv",
                "--qi",
                ADULT,
                "--points",
                "8",
                "--estimators",
                "posterior,average,chao",
                "-o",
                "@",
            ),
        ),
        "plan-households": ("plan", "households.csv", "-o", "@.toml"),
    }


def make(folder: Path, command: str) -> None:
    """Run all, each with its evidence; what a run printed stands beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs(folder)
    for name, arguments in runs().items():
        given = [argument.replace("@", name) for argument in arguments]
        asked = ["--json", f"{name}.json"] if given[0] not in ("study", "plan") else []
        done = subprocess.run(
            [command, *given, *asked, "--force"], cwd=folder, capture_output=True, text=True, check=False
        )
        (folder / f"{name}.txt").write_text(f"{done.stdout}\n{done.stderr}\nexit code {done.returncode}\n")
        print(f"{name:28s} exit code {done.returncode}", flush=True)


def leaves(document: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All values that hold no others, with their places."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key not in NOT_COMPARED:
                yield from leaves(value, f"{path}.{key}")
    elif isinstance(document, list):
        for i, value in enumerate(document):
            yield from leaves(value, f"{path}[{i}]")
    else:
        yield path, document


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-300) or (math.isnan(one) and math.isnan(other))
    return type(one) is type(other) and one == other


def differences(before: Path, after: Path) -> Iterator[str]:
    """Every file of the first folder beside that of the second."""
    for file in sorted(p for p in before.rglob("*") if p.is_file()):
        own = after / file.relative_to(before)
        if file.suffix in (".svg", ".html", ".txt", ".jsonl"):
            continue
        if not own.exists():
            yield f"{file.name}: lacking"
        elif file.suffix == ".json":
            was, now = dict(leaves(json.loads(file.read_text()))), dict(leaves(json.loads(own.read_text())))
            for path in sorted(was.keys() | now.keys()):
                if not equal(was.get(path), now.get(path)):
                    yield f"{file.name}{path}: {was.get(path)!r} → {now.get(path)!r}"
        elif file.name == "points.csv":
            wide = [pl.read_csv(p, infer_schema_length=None).drop("seconds", strict=False) for p in (file, own)]
            if not wide[0].equals(wide[1]):
                yield f"{file.relative_to(before)}: other figures"
        elif file.suffix == ".csv" and file.parent != before and "summary" in file.name:
            continue  # means of points.csv, seconds among them
        elif file.read_bytes() != own.read_bytes():
            yield f"{file.relative_to(before)}: other bytes"


def exits(before: Path, after: Path) -> Iterator[str]:
    """Runs that end otherwise."""
    for name in runs():
        ends = [(folder / f"{name}.txt").read_text().splitlines()[-1] for folder in (before, after)]
        if ends[0] != ends[1]:
            yield f"{name}: {ends[0]} → {ends[1]}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder, *command]:
            make(Path(folder), command[0] if command else str(Path(sys.executable).parent / "lookalike"))
        case ["compare", before, after]:
            found = [*exits(Path(before), Path(after)), *differences(Path(before), Path(after))]
            print("\n".join(found) or "No difference.")
            sys.exit(bool(found))
        case _:
            sys.exit(__doc__)
