"""Where files of an evidence are looked for, and which of several of one name is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookalike.evaluate.digest import sha256
from lookalike.report.verification.sought import Checked, Namesake, State

HANDED_OVER = frozenset({"release", "report"})
"""Roles of files that are given away with their evidence: what lies beside it was given, whatever lies elsewhere."""
MOST = 5
"""Places that a note names."""
OTHER = "{file}: another file of this name differs: {where}."
OWN = " (the evidence has it as {role})"
NOT_ALL = " (more files or fewer)"
MEANT = (
    "{file}: the one {where} is meant, and it differs. One with the content of the run lies {right}: if you mean that "
    "one, {do}."
)
DO = {True: "put the evidence beside it", False: "name its folder (--in)"}
"""By whether the one that is meant was given away with its evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders in which files are looked for, without links."""

    evidence: Path
    """The evidence itself."""
    working: Path
    named: tuple[Path, ...] = ()
    """By --in."""

    @property
    def beside(self) -> Path:
        """The folder of the evidence."""
        return self.evidence.parent

    @property
    def folders(self) -> list[Path]:
        """All, each once, the nearest first."""
        return list(dict.fromkeys((self.beside, self.working, *self.named)))

    def is_beside(self, path: Path) -> bool:
        """Whether it lies directly in the folder of the evidence, or is that folder."""
        return self.beside in (path, path.parent)

    def is_named(self, path: Path) -> bool:
        """Whether it lies directly in a folder that was named, or is that folder."""
        return any(folder in (path, path.parent) for folder in self.named)

    def is_below_named(self, path: Path) -> bool:
        """Whether it lies below a folder that was named; one that holds the evidence too names neither of two."""
        return any(path.is_relative_to(folder) and not self.beside.is_relative_to(folder) for folder in self.named)

    def words(self, path: Path) -> str:
        """Where a file lies.

        >>> places = Places(evidence=Path("/t/e.json"), working=Path("/now"))
        >>> [places.words(Path(path)) for path in ("/t/a.csv", "/now/a.csv", "/now/old/a.csv", "/x/a.csv")]
        ['beside the evidence', 'in the working folder', 'in old', 'in /x']
        """
        if self.is_beside(path):
            return "beside the evidence"
        if self.working in (path, path.parent):
            return "in the working folder"
        inside = path.parent.is_relative_to(self.working)
        return f"in {path.parent.relative_to(self.working) if inside else path.parent}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A file of the name that has another content."""

    at: Path
    said: str = ""
    """What else is told of it."""
    told_only: bool = False
    """Whether it cannot be the one that is meant."""


def settled(files: Sequence[Checked], places: Places) -> tuple[tuple[Checked, ...], tuple[str, ...]]:
    """The files with the one that is meant checked, and notes on others of the same names."""
    found: list[Checked] = []
    notes: list[str] = []
    for file in files:
        roles = {f.sha256: f.role for f in files if f.name == file.name and f.sha256 and f.sha256 != file.sha256}
        one, told = _settled(file, _others(file, roles, places) if file.right else (), places)
        found.append(one)
        notes += told
    return tuple(found), tuple(notes)


def _settled(file: Checked, others: Sequence[Other], places: Places) -> tuple[Checked, list[str]]:
    """One file: what lies beside the evidence or in a folder that was named weighs more than a copy elsewhere."""
    if not file.right:
        return replace(file, where=_found(file.wrong[0].at, places) if file.wrong else ""), []
    right = _best(file.right, places)
    meant = _meant(file, [one for one in others if not one.told_only], places)
    if meant is None:
        return replace(file, path=right.path, where=_found(right.at, places)), _noted(file, others, places)
    do = DO[file.role in HANDED_OVER and places.is_beside(meant.at)]
    said = MEANT.format(file=file.told, where=_where(meant, places), right=places.words(right.at), do=do)
    differs = replace(file, state=State.DIFFERS, path=None, where=_found(meant.at, places))
    return differs, [said, *_noted(file, [one for one in others if one != meant], places)]


def _meant(file: Checked, wrong: Sequence[Other], places: Places) -> Other | None:
    """The file with another content that is meant though there is a right one; None if the right one is."""
    right = [one.at for one in file.right]
    if any(map(places.is_beside, right)):
        return None
    beside = next((one for one in wrong if places.is_beside(one.at)), None)
    if beside is not None and file.role in HANDED_OVER:
        return beside
    if any(map(places.is_named, right)):
        return None
    named = next((one for one in wrong if places.is_named(one.at)), None)
    return named if named is not None or any(map(places.is_below_named, right)) else beside


def _best(right: Sequence[Namesake], places: Places) -> Namesake:
    """Of several with the same content the one that the user would name."""
    tests = (places.is_beside, places.is_named, places.is_below_named)
    return next((one for test in tests for one in right if test(one.at)), right[0])


def _others(file: Checked, roles: Mapping[str, str], places: Places) -> tuple[Other, ...]:
    """All of the name that differ, each once; `roles` are those of other files of the evidence with this name."""
    owned = {part for one in file.wrong if one.digest in roles for part in one.files}
    found: list[Other] = []
    for one in file.wrong:
        if one.digest in roles:
            found.append(Other(at=one.at, said=OWN.format(role=roles[one.digest]), told_only=True))
        elif not one.loose or one.at in places.named:
            found.append(Other(at=one.at))
        else:
            found += _of_loose([part for part in one.files if part not in owned], one, file.right[0])
    return tuple(dict.fromkeys(found))


def _of_loose(parts: Sequence[Path], wrong: Namesake, right: Namesake) -> list[Other]:
    """Files that have the name of one of the right files and another content; any other only fits the pattern."""
    known: dict[str, set[str]] = {}
    for file in right.files:
        known.setdefault(file.name, set()).add(sha256([file]))
    shared = [part for part in parts if part.name in known]
    unlike = [part for part in shared if sha256([part]) not in known[part.name]]
    if shared and not unlike:
        return [Other(at=wrong.at, said=NOT_ALL, told_only=True)]
    return [Other(at=part, said=f" ({part.name})") for part in unlike]


def _found(path: Path, places: Places) -> str:
    return "" if places.is_beside(path) else places.words(path)


def _noted(file: Checked, others: Sequence[Other], places: Places) -> list[str]:
    if not others:
        return []
    where = ", ".join(_where(one, places) for one in others[:MOST])
    more = f" and {len(others) - MOST:,} more" if len(others) > MOST else ""
    return [OTHER.format(file=file.told, where=where + more)]


def _where(one: Other, places: Places) -> str:
    return f"{places.words(one.at)}{one.said}"
