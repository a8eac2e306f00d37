"""What a verification found, in plain words and as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lookalike.evaluate.result import Outcome
from lookalike.report.tables import new_table
from lookalike.report.verification import Verification
from lookalike.report.verification.leaves import NOTHING, Difference
from lookalike.report.verification.sought import Checked, State

SHOWN = 20
"""Differences that are shown."""
LONGEST = 60
VERDICT = {Outcome.HOLDS: "same", Outcome.FAILS: "differs", Outcome.NOT_ASSESSABLE: "not assessable"}
COLOURS = {Outcome.HOLDS: "green", Outcome.FAILS: "red", Outcome.NOT_ASSESSABLE: "yellow"}
DECIDED = {"holds": "green", "fails": "red"}
"""Of the verdict that the evidence holds; all others are yellow."""
REMADE = ("release", "records", "recode")
"""What the outputs are for that a rerun makes again."""
UNSIGNED = "Not signed: digests tell a change by accident, not one by somebody who also wrote new digests."
GOOD = "Signed with the key {key}."
WHOSE = "Compare this fingerprint with that of the person you trust, or name the key (--key)."
OTHER_VERSIONS = "Other versions here: {names}."
FAILED = "Do not rely on this evidence. Nothing was run again."
BY_VERSIONS = (
    "Other versions may compute otherwise in the last digits, or better. Install those of the evidence to be sure, or "
    "allow for it (--tolerance)."
)
BY_CHANGE = (
    "With the same versions the same plan gives the same figures. So the evidence was changed after the run, or the "
    "run cannot be repeated: a search that its time limit cut short, or another machine. Do not rely on it; ask for "
    "new evidence."
)
NONE_FOUND = "Nothing was checked but the evidence itself: of {files} that it names none could be compared."
SOME_FOUND = "Not fully checked: unchanged {files}. The figures were not computed again."
WHERE = (
    "Not found: {names}. Looked for in the folder of the evidence, the working folder and those named by --in. Say "
    "where {it} {lies}: --in FOLDER."
)
IN_MEMORY = "{names}: data in memory has no digest, so nobody can tell whether other data is the same."
NOT_AGAIN = "Figures that stand in the evidence could not be assessed here. Nothing speaks against the others."


def render_verification(found: Verification) -> RenderableType:
    """The verdict, then what it rests on."""
    return Group(*_parts(found))


def verdict(found: Verification) -> str:
    """The verdict in one sentence, or two where outputs were not found."""
    inputs, outputs = _counted(found.inputs, "input"), _counted(found.outputs, "output")
    if found.failed:
        return f"Not verified: {len(found.failed)} of the checks {'fails' if len(found.failed) == 1 else 'fail'}."
    if found.figures is None:
        return _by_digests(found, f"{inputs}, {outputs}")
    if not found.differences and all(file.state is State.SAME for file in found.outputs):
        return f"Verified: {found.figures:,} figures, {inputs}, {outputs}, same."
    if not found.differences:
        return f"Verified: {found.figures:,} figures, {inputs}, same. Outputs: {_outputs(found)}."
    many = len(found.differences)
    if found.outcome is Outcome.NOT_ASSESSABLE:
        return f"Not verified: {many:,} of {found.figures:,} figures could not be assessed again."
    return f"Not verified: {many:,} {'value differs' if many == 1 else 'values differ'} from another run."


def _outputs(found: Verification) -> str:
    """Of outputs that were not all found: how many were, how many were only made again, how many are not known."""
    same = sum(file.state is State.SAME for file in found.outputs)
    again = sum(file.state is not State.SAME and _remade(file, found) for file in found.outputs)
    rest = len(found.outputs) - same - again
    told = [f"{same} of {len(found.outputs)} found{', unchanged' if same else ''}"]
    told += [f"{again} not found but made again, the same"] if again else []
    told += [f"{rest} not found and not checked"] if rest else []
    return "; ".join(told)


def _remade(file: Checked, found: Verification) -> bool:
    """Whether an output was made again, with the digest of the evidence."""
    return found.remade and file.role in REMADE and file in found.outputs


def _by_digests(found: Verification, files: str) -> str:
    """The verdict where digests alone were checked: what was not found is told first."""
    named = len(found.inputs) + len(found.outputs)
    if not found.unchecked:
        return f"Unchanged: {files}. The figures were not computed again."
    if len(found.unchecked) < named:
        return SOME_FOUND.format(files=files)
    return NONE_FOUND.format(files="1 file" if named == 1 else f"{named} files")


def _parts(found: Verification) -> Iterator[RenderableType]:
    good = found.outcome is Outcome.HOLDS
    yield Text(verdict(found), style=f"bold {COLOURS[found.outcome]}")
    if found.outcome is not Outcome.FAILS:  # else nobody knows whether that verdict is the one of the run
        yield Text(found.decided.says, style=DECIDED.get(found.decided.outcome, "yellow"))
    for fault in found.failed:
        yield Text(f"- {fault}")
    yield from (Text(f"{file.told}: {_said(file, found)}") for file in (*found.inputs, *found.outputs))
    if found.signature is None:
        yield Text(UNSIGNED, style="yellow")
    elif found.signature.good:
        said = GOOD.format(key=found.signature.fingerprint)
        yield Text(said if found.demanded else f"{said} {WHOSE}")
    if found.versions:
        yield Text(OTHER_VERSIONS.format(names=", ".join(found.versions)), style="yellow")
    yield from (Text(f"Note: {note}", style="yellow") for note in found.notes)
    if found.differences:
        yield _table(found.differences)
    if not good:
        yield Text(_means(found))


def _means(found: Verification) -> str:
    if found.failed:
        return FAILED
    if found.unchecked:
        return " ".join(_absent(found.unchecked))
    if found.outcome is Outcome.NOT_ASSESSABLE:
        return NOT_AGAIN
    return BY_VERSIONS if found.versions else BY_CHANGE


def _absent(files: Sequence[Checked]) -> Iterator[str]:
    """Which files were not checked, and what can be done about it."""
    for state, said in ((State.MISSING, WHERE), (State.IN_MEMORY, IN_MEMORY)):
        names = [file.told for file in files if file.state is state]
        it, lies = ("it", "lies") if len(names) == 1 else ("they", "lie")
        if names:
            yield said.format(names=", ".join(names), it=it, lies=lies)


def _table(differences: Sequence[Difference]) -> Table:
    table = new_table("Where they differ")
    for head in ("figure", "in the evidence", "run again"):
        table.add_column(head, overflow="fold")
    for one in differences[:SHOWN]:
        table.add_row(Text(one.where), Text(_value(one.was)), Text(_value(one.now)))
    if len(differences) > SHOWN:
        table.add_row(f"({len(differences) - SHOWN:,} more)")
    return table


def _value(value: Any) -> str:
    """A leaf as the file has it, its controls escaped; a long one is cut."""
    text = "nothing" if value is NOTHING else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _said(file: Checked, found: Verification) -> str:
    remade = _remade(file, found)
    if file.state is State.MISSING and remade:
        return "not found; made again, it has the digest of the evidence"
    where = f"; found {file.where}" if file.where else ""
    return {
        State.SAME: f"unchanged{', and made again the same' if remade else ''}{where}",
        State.DIFFERS: f"another content{where}",
        State.MISSING: "not found, so not checked",
        State.IN_MEMORY: "was data in memory, which cannot be checked",
    }[file.state]


def _counted(files: Sequence[Checked], one: str) -> str:
    """How many files were found to be the same."""
    same = sum(file.state is State.SAME for file in files)
    of = "" if same == len(files) else f" of {len(files)}"
    return f"{same}{of} {one if len(files) == 1 else one + 's'}"


def verification_document(found: Verification) -> dict[str, Any]:
    """The verification as plain data."""
    signature = found.signature
    return {
        "schema": 1,
        "command": "verify",
        "evidence": found.evidence,
        "of": found.command,
        "verdict": VERDICT[found.outcome],
        "says": verdict(found),
        "decided": {"outcome": found.decided.outcome, "says": found.decided.says},
        "failed": list(found.failed),
        "signature": None if signature is None else {"good": signature.good, "fingerprint": signature.fingerprint},
        "inputs": [_file(file) for file in found.inputs],
        "outputs": [_file(file) for file in found.outputs],
        "outputs_made_again": found.remade,
        "figures": found.figures,
        "differences": [
            {"figure": d.where, "evidence": _plain(d.was), "run_again": _plain(d.now)} for d in found.differences
        ],
        "versions": list(found.versions),
        "notes": list(found.notes),
    }


def _file(file: Checked) -> dict[str, Any]:
    """A file as plain data; `where` is null beside the evidence and for one that was not found."""
    told = {"name": file.name, "role": file.role, "sha256": file.sha256, "state": file.state.value}
    return {**told, "where": file.where or None}


def _plain(value: Any) -> Any:
    return None if value is NOTHING else value
