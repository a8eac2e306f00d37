"""What an evidence file claims: read from outside, every fault told before anything is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.errors import BadFile, BadPlan
from lookalike.plan import Plan, parse_plan
from lookalike.report.canonical import covered, digest, read_json

SCHEMAS = (1, 2)
COMMANDS = ("assess", "protect", "synthesize", "compare", "repair")
"""Commands whose evidence can be run again."""
_WANTED: dict[str, type] = {
    "schema": int,
    "command": str,
    "engine": str,
    "inputs": list,
    "outputs": list,
    "plan": dict,
    "versions": dict,
}
_KEYS = ("seed_drawn", "plan_sha256", "sha256")
OLDER = "{name} was written by lookalike {version}, which did not keep all that a rerun needs. Make new evidence."
UNSEEDED = ("local-dp", "private-tree")
"""Methods and models whose noise comes from the system, so that nobody can draw it again."""
UNREPEATABLE = (
    "{name} has noise from the system, which no seed repeats, so it cannot be run again. Check digests and signature "
    "alone (--no-rerun)."
)
FOREIGN = "{name} is not evidence of {commands}: it lacks {keys}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """An evidence file that can be run again."""

    name: str
    document: Mapping[str, Any]
    plan: Plan

    @property
    def command(self) -> str:
        """The command that wrote it."""
        return str(self.document["command"])

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """What it read."""
        return list(self.document["inputs"])

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """What it wrote."""
        return list(self.document["outputs"])

    @property
    def unrepeatable(self) -> tuple[str, ...]:
        """Why it cannot be run again: its noise has no seed."""
        steps = [step.method for step in self.plan.protection.steps] if self.command == "protect" else []
        models = [self.plan.synthesis.model] if self.command == "synthesize" else []
        return tuple(UNREPEATABLE.format(name=name) for name in (*steps, *models) if name in UNSEEDED)

    @property
    def cut_short(self) -> bool:
        """Whether a search was ended by its time limit, so that another one may come farther."""
        release = self.document.get("release")
        steps = release.get("steps", []) if isinstance(release, Mapping) else []
        details = (step.get("details") for step in steps if isinstance(step, Mapping))
        return any(told.get("complete") is False for told in details if isinstance(told, Mapping))

    @property
    def changed(self) -> tuple[str, ...]:
        """What does not fit its own digest."""
        found = []
        if digest(self.document["plan"]) != self.document["plan_sha256"]:
            found.append("The plan was changed after the run: it does not fit its digest (plan_sha256).")
        if digest(covered(self.document, "sha256")) != self.document["sha256"]:
            found.append("The evidence was changed after it was written: it does not fit its digest (sha256).")
        return tuple(found)


def claims_of(path: Path) -> Claims:
    """The claims of an evidence file; raises with all that is wrong with it."""
    document = read_json(path, "evidence")
    _check(document, path.name)
    faults = [f"{path.name}: {fault}" for fault in _faults(document)]
    plan = Plan()
    try:
        plan = parse_plan(document["plan"])
        faults += [f"The plan in {path.name}: {fault}" for fault in plan.faults()]
    except BadPlan as error:
        faults += [f"The plan in {path.name}: {fault}" for fault in error.faults]
    if faults:
        raise BadPlan(faults)
    return Claims(name=path.name, document=document, plan=plan)


def _check(document: Any, name: str) -> None:
    """Raise if it is no evidence, or one that lacks what later versions keep."""
    found = document if isinstance(document, Mapping) else {}
    lacking = [key for key, kind in _WANTED.items() if not isinstance(found.get(key), kind)]
    if lacking:
        raise BadFile(FOREIGN.format(name=name, commands=", ".join(COMMANDS), keys=", ".join(lacking)))
    if any(key not in found for key in _KEYS):
        raise BadFile(OLDER.format(name=name, version=found.get("lookalike", "of an older version")))


def _faults(document: Mapping[str, Any]) -> list[str]:
    faults = []
    if document["schema"] not in SCHEMAS:
        faults.append("its schema is not 1 or 2: it was written by another version.")
    if document["command"] not in COMMANDS:
        faults.append(f"only evidence of {', '.join(COMMANDS)} can be verified.")
    for place in ("inputs", "outputs"):
        faults += [f"{place} must be files with name, role and sha256." for e in document[place] if not _is_file(e)][:1]
    return faults


def _is_file(entry: Any) -> bool:
    """Whether an entry names a file, without a folder."""
    if not isinstance(entry, Mapping) or not all(isinstance(entry.get(key), str) for key in ("name", "role")):
        return False
    digest_told = entry.get("sha256", 0)
    plain = Path(entry["name"]).name == entry["name"] and entry["name"] not in ("", ".", "..")
    return plain and (digest_told is None or isinstance(digest_told, str))
