"""The demonstration: the whole journey on a simulated hospital file, with the truth beside each estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from lookalike.cli.ahead import compiling
from lookalike.cli.command import COMMAND
from lookalike.cli.outputs import Outputs
from lookalike.cli.releases import ReleaseOutputs
from lookalike.data import Microdata, demo, read
from lookalike.data.write import whole_file
from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.evaluate import Evaluation, run
from lookalike.evaluate.comparison import Compared, run_comparison
from lookalike.evaluate.protection import ProtectedRun, run_protection
from lookalike.evaluate.synthesis import Synthesized, run_synthesis
from lookalike.evaluate.truth import true_rate, true_rate_after
from lookalike.plan import Comparison, Plan, Roles, Target
from lookalike.report import render
from lookalike.report.journey import Journey, write_page
from lookalike.synthesis import Synthesis

FOLDER = Path("lookalike-demo")
DATA, PEOPLE, REPORT = "hospital.csv", "population.parquet", "report.html"
PROTECTED, DRAWN = "protected.csv", "synthetic.csv"
EVIDENCE = ("evidence.json", "protected.json", "synthetic.json", "compare-protected.json", "compare-synthetic.json")
FILES = (DATA, PEOPLE, PROTECTED, DRAWN, REPORT, *EVIDENCE)
KNOWN = ("age", "sex", "area", "ethnicity", "marital_status")
GROUPS = {"person": ("age", "sex", "ethnicity", "marital_status"), "place": ("area",)}
FORMULA = "charges ~ age + length_of_stay"
MODELS = ("logistic", "cart")
"""That tell the files apart; networks would take most of the time."""


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration made."""

    folder: Path
    journey: Journey

    def show(self, console: Console) -> None:
        """Print the report of the file, where it led, and what to try next."""
        console.print(render(self.journey.assessed, kept=True))
        console.print(self._told(), markup=False, highlight=False)

    def _told(self) -> str:
        before, after = self.journey.assessed.risk, self.journey.protected.assessed.risk
        truth, protected = self.journey.truth
        return (
            "\nA simulated hospital whose people are all known, so that the truth stands beside each estimate.\n"
            f"  B of the file:              {_b(before.sample_to_population)}; truth {truth:.3g}\n"
            f"  B of the protected release: {_b(after.sample_to_population)}; truth {protected:.3g}\n"
            f"Open the report: {self.folder}/{REPORT}\n"
            f"Beside it: {', '.join(name for name in FILES if name != REPORT)}\n"
            "Try it yourself:\n"
            f"  {COMMAND} plan {self.folder}/{DATA} -o {self.folder}/plan.toml\n"
            f"  {COMMAND} assess {self.folder}/{DATA} --plan {self.folder}/plan.toml "
            f"--population {self.folder}/{PEOPLE}\n"
            f"  {COMMAND} verify {self.folder}/{EVIDENCE[1]}"
        )


def demonstrate(folder: Path, *, seed: int = 1, force: bool = False, language: str = "en") -> Demonstration:
    """Simulate a hospital into a folder and go the whole way; in a folder of ours, over the files of last time."""
    _check(folder, force)
    folder.mkdir(parents=True, exist_ok=True)
    with compiling():
        with stage("simulating a hospital"):
            hospital = demo.hospital(seed=seed)
            with whole_file(folder / DATA) as file:
                hospital.file.write_csv(file)
            with whole_file(folder / PEOPLE) as file:
                hospital.population.write_parquet(file)
        journey = _Steps(folder, plan_of(hospital.population.height, seed)).taken(read(hospital.population))
    write_page(journey, folder / REPORT, force=True, language=language)
    return Demonstration(folder, journey)


def _check(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadPlan(f"{folder.name} is a file. Name a folder for the demonstration.")
    there = [name for name in FILES if (folder / name).exists()]
    if there and folder != FOLDER and not force:
        raise BadPlan(f"{folder.name} holds {', '.join(there)}. Choose another folder, or --force to replace them.")


def plan_of(people: int, seed: int) -> Plan:
    """What is asked of the simulated hospital."""
    return Plan(
        roles=Roles(identifiers=("patient_id",), quasi_identifiers=KNOWN, sensitive=("diagnosis", "charges")),
        population=people,
        groups=GROUPS,
        targets=(Target(variable="charges", above=20_000),),
        synthesis=Synthesis(model="sequential"),
        comparison=Comparison(formulas=(FORMULA,)),
        seed=seed,
    )


@dataclass(frozen=True)
class _Steps:
    """The steps of the journey, each with its evidence beside the file."""

    folder: Path
    plan: Plan

    def taken(self, people: Microdata) -> Journey:
        assessed = self._assessed()
        protected = self._protected()
        synthesized = self._synthesized()
        return Journey(
            assessed=assessed,
            protected=protected,
            synthesized=synthesized,
            compared=(self._compared(PROTECTED, 1, 3), self._compared(DRAWN, 2, 4)),
            truth=(
                true_rate(read(self.folder / DATA), people, KNOWN),
                true_rate_after(protected.release, people, KNOWN),
            ),
            names=EVIDENCE,
        )

    def _assessed(self) -> Evaluation:
        result = run(self.folder / DATA, self.plan)
        self._outputs(0).write(result)
        return result

    def _protected(self) -> ProtectedRun:
        outputs = self._releases(PROTECTED, 1)
        result = outputs.write_protected(run_protection(self.folder / DATA, self.plan, b_given=True))
        outputs.tell(result)
        return result

    def _synthesized(self) -> Synthesized:
        outputs = self._releases(DRAWN, 2)
        result = outputs.write_copies(run_synthesis(self.folder / DATA, self.plan, seed_given=True))
        outputs.tell(result)
        return result

    def _compared(self, release: str, made: int, own: int) -> Compared:
        choices = replace(self.plan.comparison, made=str(self.folder / EVIDENCE[made]), models=MODELS)
        plan = self.plan.changed(comparison=choices, population=None)  # its risk was measured when it was made
        result = run_comparison(self.folder / DATA, self.folder / release, plan)
        self._outputs(own).write_comparison(result)
        return result

    def _outputs(self, number: int) -> Outputs:
        return Outputs([], json=str(self.folder / EVIDENCE[number]), force=True, quiet=True, inputs=())

    def _releases(self, name: str, number: int) -> ReleaseOutputs:
        path = self.folder / name
        evidence = str(self.folder / EVIDENCE[number])
        return ReleaseOutputs([], path, json=evidence, force=True, quiet=True, inputs=(self.folder / DATA,))


def _b(estimate: object) -> str:
    value, low, high = (getattr(estimate, name) for name in ("value", "low", "high"))
    return f"{value:.3g} ({low:.3g} to {high:.3g})"
