"""Verify an evidence file: whole, signed, its files unchanged, and every figure the same in another run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lookalike.errors import BadPlan
from lookalike.evaluate.result import Outcome
from lookalike.report.evidence import versions
from lookalike.report.signature import Signed, checked, fingerprint
from lookalike.report.verification.again import run_again
from lookalike.report.verification.claims import Claims, claims_of
from lookalike.report.verification.decided import Decided, decided_of
from lookalike.report.verification.leaves import TOLERANCE, Difference, compared, differences, is_figure
from lookalike.report.verification.meant import Places, settled
from lookalike.report.verification.sought import Checked, State, sought

__all__ = ["Difference", "State", "Verification", "verify"]

BAD = "The signature is not of this evidence: something was changed after it was signed, or it was signed by another."
UNSIGNED = "The evidence is not signed, and the key that was named demands it."
OTHER_KEY = "The evidence is signed with another key: {found}, not {wanted}."
CHANGED = "{file} has another content than in the run: its digest differs."
LOST = (
    "Looked for in the folder of the evidence, the working folder and those named by --in. Name the folder (--in), or "
    "check the signature and the files that are there alone (--no-rerun)."
)
CUT_SHORT = "The time limit ended a search of the run: on another day it may come farther or less far."
MEMORY = "{names}: data in memory has no digest, so nobody can tell whether other data is the same. Run it on a file."


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was found of an evidence file."""

    evidence: str
    command: str
    signature: Signed | None
    demanded: bool = False
    """Whether a key was named that must have signed."""
    inputs: tuple[Checked, ...]
    outputs: tuple[Checked, ...]
    failed: tuple[str, ...] = ()
    """What does not fit by digest or signature; if there is any, nothing was run again."""
    figures: int | None = None
    """How many were compared; None: nothing was run again."""
    differences: tuple[Difference, ...] = ()
    remade: bool = False
    """Whether the outputs were made anew, the same."""
    versions: tuple[str, ...] = ()
    """What is of another version here."""
    notes: tuple[str, ...] = ()
    decided: Decided = field(default_factory=Decided)
    """The verdict that stands in the evidence."""

    @property
    def outcome(self) -> Outcome:
        """Holds if all is the same; not assessable if figures that stood there could not be assessed again.

        Nor is it assessable where digests alone were to be checked and a file was not there: what was not looked at
        is not the same.
        """
        if self.failed or any(not d.lost for d in self.differences):
            return Outcome.FAILS
        return Outcome.NOT_ASSESSABLE if self.differences or self.unchecked else Outcome.HOLDS

    @property
    def unchecked(self) -> tuple[Checked, ...]:
        """Where nothing was run again: the files that were not found, or were data in memory."""
        if self.figures is not None:
            return ()
        return tuple(file for file in (*self.inputs, *self.outputs) if file.state in (State.MISSING, State.IN_MEMORY))


def verify(
    evidence: str | Path,
    *,
    folders: Sequence[str | Path] = (),
    key: bytes | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
    tolerance: float = TOLERANCE,
    rerun: bool = True,
) -> Verification:
    """Check an evidence file and run its plan again; `key` is the public key that must have signed it.

    Its files are looked for by name in its folder, the working folder and `folders`, and known by their digests. One
    that lies beside the evidence or in one of `folders` and differs is not made good by a copy elsewhere. Without
    `rerun` digests and signature alone are checked.
    """
    path = Path(evidence)
    if not 0 <= tolerance < 1 or math.isnan(tolerance):
        raise BadPlan("The tolerance must lie between 0 and 1: it is relative.")
    claims = claims_of(path)
    files, notes = _files(claims, _places(path, folders))
    signature = checked(claims.document)
    found = Verification(
        evidence=path.name,
        command=claims.command,
        signature=signature,
        demanded=key is not None,
        inputs=files[: len(claims.inputs)],
        outputs=files[len(claims.inputs) :],
        versions=_versions(claims),
        notes=notes,
        decided=decided_of(claims.document),
    )
    failed = (*_signed(signature, key), *claims.changed, *_changed((*found.inputs, *found.outputs)))
    if not failed and rerun:
        _refuse(claims, found.inputs)
        return _compared(claims, found, engine=engine, spark_master=spark_master, tolerance=tolerance)
    return replace(found, failed=failed)


def _places(path: Path, named: Sequence[str | Path]) -> Places:
    faults = [f"{Path(folder).name}: there is no such folder (--in)." for folder in named if not Path(folder).is_dir()]
    if faults:
        raise BadPlan(faults)
    return Places(
        evidence=path.parent.resolve() / path.name,
        working=Path().resolve(),
        named=tuple(Path(folder).resolve() for folder in named),
    )


def _files(claims: Claims, places: Places) -> tuple[tuple[Checked, ...], tuple[str, ...]]:
    """All inputs, then all outputs, and what is to be noted of others of their names."""
    looked = sought([*claims.inputs, *claims.outputs], places.folders, evidence=places.evidence)
    return settled(looked, places)


def _signed(signature: Signed | None, key: bytes | None) -> list[str]:
    """What is wrong with the signature."""
    if signature is None:
        return [] if key is None else [UNSIGNED]
    if not signature.good:
        return [BAD]
    if key is not None and signature.public != key:
        return [OTHER_KEY.format(found=signature.fingerprint, wanted=fingerprint(key))]
    return []


def _changed(files: Sequence[Checked]) -> list[str]:
    return [CHANGED.format(file=file.told) for file in files if file.state is State.DIFFERS]


class MissingInputs(BadPlan):
    """Inputs of a rerun are missing; where they were looked for is told once, after the faults."""

    def __str__(self) -> str:
        return f"{super().__str__()}\n{LOST}"


def _refuse(claims: Claims, inputs: Sequence[Checked]) -> None:
    """Raise for all that stands against a rerun."""
    missing = [f"{file.told}: there is no such file." for file in inputs if file.state is State.MISSING]
    memory = ", ".join(file.told for file in inputs if file.state is State.IN_MEMORY)
    faults = [*claims.unrepeatable, *([MEMORY.format(names=memory)] if memory else []), *missing]
    if faults:
        raise (MissingInputs if missing else BadPlan)(faults)


def _compared(
    claims: Claims, found: Verification, *, engine: str | None, spark_master: str | None, tolerance: float
) -> Verification:
    try:
        new = run_again(claims, found.inputs, engine=engine, spark_master=spark_master)
    except BadPlan as error:
        raise BadPlan([f"The plan cannot be run again: {fault}" for fault in error.faults]) from None
    old = dict(claims.document)
    notes = [*found.notes, *([CUT_SHORT] if claims.cut_short else [])]
    if engine is not None and new["engine"] != old["engine"]:
        notes.append(f"Run again with the engine {new['engine']}; the evidence was made with {old['engine']}.")
        old["engine"] = new["engine"]
    earlier, old["schema"] = old["schema"] != new["schema"], new["schema"]
    was, now = compared(old, new)
    apart = differences(was, now, tolerance)
    if found.versions or earlier:  # a later version may tell more
        more = [d for d in apart if d.path not in was]
        notes += [f"{len(more)} figures are new in this version: not compared."] if more else []
        apart = tuple(d for d in apart if d.path in was)
    return replace(
        found,
        figures=sum(is_figure(value) for value in was.values()),
        differences=apart,
        remade=not any(d.path[0] == "outputs" for d in apart),
        notes=tuple(notes),
    )


def _versions(claims: Claims) -> tuple[str, ...]:
    """Lookalike and libraries that are of another version here than in the run."""
    then: Mapping[str, Any] = claims.document.get("versions", {})
    old = {"lookalike": claims.document.get("lookalike"), **then}
    return tuple(
        f"{name} {here} (in the run {old[name]})"
        for name, here in versions().items()
        if name in old and old[name] != here
    )
