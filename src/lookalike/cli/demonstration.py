"""The demonstration: a simulated hospital file, its risk, and the truth beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from lookalike.cli.command import COMMAND
from lookalike.data import demo
from lookalike.data.write import whole_file
from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.evaluate import Evaluation, run
from lookalike.plan import Plan, Roles, Target
from lookalike.report import render, write_evidence

FOLDER = Path("lookalike-demo")
FILES = ("hospital.csv", "population.parquet", "evidence.json")
KNOWN = ("age", "sex", "area", "ethnicity", "marital_status")
GROUPS = {"person": ("age", "sex", "ethnicity", "marital_status"), "place": ("area",)}


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration made."""

    folder: Path
    evaluation: Evaluation

    def show(self, console: Console) -> None:
        """Print the report and what to try next."""
        console.print(render(self.evaluation, kept=True))
        console.print(
            "\nA simulated hospital: the file is a sample of a population that is known here, so B is exact.\n"
            f"Files in {self.folder}/: {', '.join(FILES)}\n"
            "Try it yourself:\n"
            f"  {COMMAND} plan {self.folder}/hospital.csv -o {self.folder}/plan.toml\n"
            f"  {COMMAND} assess {self.folder}/hospital.csv --plan {self.folder}/plan.toml "
            f"--population {self.folder}/population.parquet\n"
            f"  {COMMAND} protect {self.folder}/hospital.csv -o {self.folder}/release.csv --id patient_id "
            f"--qi {','.join(KNOWN)} --population {self.folder}/population.parquet",
            markup=False,
            highlight=False,
        )


def demonstrate(folder: Path, *, seed: int = 1, force: bool = False) -> Demonstration:
    """Write the hospital's files into a folder and assess them; in a folder of ours, over those of last time."""
    if folder.exists() and not folder.is_dir():
        raise BadPlan(f"{folder.name} is a file. Name a folder for the demonstration.")
    there = [name for name in FILES if (folder / name).exists()]
    if there and folder != FOLDER and not force:
        raise BadPlan(f"{folder.name} holds {', '.join(there)}. Choose another folder, or --force to replace them.")
    folder.mkdir(parents=True, exist_ok=True)
    with stage("simulating a hospital"):
        hospital = demo.hospital(seed=seed)
        with whole_file(folder / "hospital.csv") as file:
            hospital.file.write_csv(file)
        with whole_file(folder / "population.parquet") as file:
            hospital.population.write_parquet(file)
    plan = Plan(
        roles=Roles(identifiers=("patient_id",), quasi_identifiers=KNOWN, sensitive=("diagnosis", "charges")),
        population_file=str(folder / "population.parquet"),
        groups=GROUPS,
        targets=(Target(variable="charges", above=20_000),),
        seed=seed,
    )
    evaluation = run(folder / "hospital.csv", plan)
    write_evidence(evaluation, folder / "evidence.json", force=True)
    return Demonstration(folder, evaluation)
