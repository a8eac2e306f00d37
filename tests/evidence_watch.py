"""Every evidence file that a test makes is verified: run again at the end of the test, every figure compared.

The files are seen when the program gives them their name (`os.replace`, of which Python tells its audit hooks), and
kept with the inputs and outputs that they speak of as they are at that moment. So a test may spoil or delete them
afterwards, and their evidence is verified all the same. What cannot be verified must stand in `EXEMPT`, with its
number and its reason; any other fails its test.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MEMORY = "data in memory: there is no file to run it on again"
EXEMPT: dict[str, tuple[int, str]] = {
    "tests/evaluate/test_comparison.py::test_rare_values_are_counted_and_not_named": (1, MEMORY),
    "tests/report/test_evidence.py::test_the_evidence_file_is_whole_and_not_overwritten": (1, MEMORY),
    "tests/report/test_verification.py::test_data_in_memory_cannot_be_verified": (1, MEMORY),
}
"""By test: how many of its evidence files cannot be run again, and why. One more or one fewer fails."""
_COUNTS = "evidence-watch"
_HEAD = b'{\n  "schema": 2,'


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An evidence file as it was made, in a folder with copies of the files it names."""

    path: Path
    name: str
    document: Mapping[str, Any]

    @property
    def claims(self) -> str:
        """All that another run would say too; two files that claim the same need one rerun."""
        from lookalike.report.canonical import digest
        from lookalike.report.verification.leaves import NOT_COMPARED

        return digest({key: value for key, value in self.document.items() if key not in NOT_COMPARED})


@dataclass(slots=True, eq=False)
class Watch:
    """Sees evidence files being made, and verifies them."""

    folder: Path
    exempt: Mapping[str, tuple[int, str]]
    pending: list[Made] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    verified: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    exempted: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def saw(self, temporary: str, path: str) -> None:
        """A file gets its name: if it is evidence, it is kept with its files."""
        document = _evidence(Path(temporary))
        if document is not None:
            self.pending.append(self._kept(document, Path(temporary), Path(path)))

    def _kept(self, document: Mapping[str, Any], content: Path, path: Path) -> Made:
        from lookalike.report.verification.sought import sought

        folder = Path(tempfile.mkdtemp(dir=self.folder))
        copy = folder / path.name
        shutil.copyfile(content, copy)
        here = path.absolute().parent  # and beside it: pytest puts the folders of tests and modules side by side
        places = list(dict.fromkeys((here, Path.cwd(), here.parent)))
        for number, file in enumerate(sought([*document["inputs"], *document["outputs"]], places)):
            if file.path is not None:
                _copy(file.path, file.role, folder / str(number))
        return Made(path=copy, name=path.name, document=document)

    def verify(self, test: str) -> None:
        """Verify what the test made; raises with all that does not pass."""
        made, self.pending = self.pending, []
        began = time.perf_counter()
        faults: list[str] = []
        refused = sum(self._one(one, faults) for one in made)
        self.seconds += time.perf_counter() - began
        allowed, reason = self.exempt.get(test, (0, ""))
        self.exempted[reason] += refused
        if refused != allowed:
            faults.append(f"{refused} evidence files cannot be run again; EXEMPT of {__name__} allows {allowed}.")
        if faults:
            raise AssertionError("\n".join(["Evidence of this test does not verify:", *faults]))

    def _one(self, made: Made, faults: list[str]) -> bool:
        """Verify one file; true if it cannot be run again."""
        from lookalike import BadPlan
        from lookalike.report.verification import verify
        from lookalike.report.verification.claims import claims_of

        claims = claims_of(made.path)
        if claims.unrepeatable or any(file["sha256"] is None for file in claims.inputs):
            faults += [f"{made.name}: {fault}" for fault in claims.changed]
            return True
        if made.claims in self.same:
            self.repeated += 1
            return False
        try:
            found = verify(made.path, folders=[place for place in sorted(made.path.parent.iterdir()) if place.is_dir()])
        except BadPlan as error:
            faults += [f"{made.name}: {fault}" for fault in error.faults]
            return False
        told = [*found.failed, *(f"{d.where}: {d.was!r}, run again {d.now!r}" for d in found.differences)]
        told += [f"{f.name} ({f.role}): {f.state}" for f in (*found.inputs, *found.outputs) if f.state != "same"]
        faults += [f"{made.name}: {fault}" for fault in told]
        self.same.add(made.claims)
        self.verified[claims.command] += 1
        return False

    # What pytest calls --------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Verify at the end of a test that passed."""
        try:
            result = yield
        except BaseException:
            self.pending.clear()
            raise
        self.verify(item.nodeid)
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """One of several processes (-n) hands its counts to the one that tells."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_COUNTS] = [
                dict(self.verified),
                dict(self.exempted),
                self.repeated,
                self.seconds,
            ]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the counts of a process; one that died has handed over none, and its tests have failed."""
        verified, exempted, repeated, seconds = getattr(node, "workeroutput", {}).get(_COUNTS, ({}, {}, 0, 0.0))
        self.verified.update(verified)
        self.exempted.update(exempted)
        self.repeated += repeated
        self.seconds += seconds

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell how many were made and verified."""
        if self.verified.total() or self.exempted.total():
            terminalreporter.write_line(self.told())

    def told(self) -> str:
        """The count in words."""
        commands = ", ".join(f"{name} {number}" for name, number in sorted(self.verified.items()))
        apart = "".join(f"; {number} exempt ({reason})" for reason, number in self.exempted.items() if number)
        again = f"; {self.repeated} more claim the same" if self.repeated else ""
        total = sum(self.verified.values())
        return f"Evidence files run again, same: {total} ({commands}){again}{apart}; {self.seconds:.0f} seconds."


def watch(config: pytest.Config) -> Watch:
    """Watch all tests of this run; an audit hook stays as long as the process."""
    folder = Path(tempfile.mkdtemp(prefix="lookalike-evidence-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    watching = Watch(folder, EXEMPT)
    config.pluginmanager.register(watching, "evidence-watch")
    sys.addaudithook(_listener(watching.saw))
    return watching


def _listener(saw: Callable[[str, str], None]) -> Callable[[str, tuple[Any, ...]], None]:
    process = os.getpid()

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).endswith(".json") and os.getpid() == process:
            saw(os.fspath(arguments[0]), os.fspath(arguments[1]))

    return listen


def _evidence(path: Path) -> dict[str, Any] | None:
    """The evidence in a file that the program has just written; None if it is anything else."""
    if not path.is_file() or not path.read_bytes().startswith(_HEAD):
        return None
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document if "plan_sha256" in document else None


def _copy(path: Path, role: str, folder: Path) -> None:
    """A file, a folder or all that a pattern names, as it is now."""
    from lookalike.evaluate.digest import files_for

    folder.mkdir()
    if path.is_dir():
        shutil.copytree(path, folder / path.name)
        return
    for file in files_for(path, role):
        shutil.copyfile(file, folder / file.name)
