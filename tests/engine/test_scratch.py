"""Scratch directories hold microdata in clear: private, and gone in every case."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike.engine import Scratch

HOLDS = """
import os, sys
from lookalike.engine import Scratch
scratch = Scratch()
scratch.file("people.csv").write_text("age,sex")
print(scratch.path, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The scratch place of this test and of the processes it starts."""
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(tmp_path / "place"))
    return tmp_path / "place"


def started() -> tuple[subprocess.Popen[str], Path]:
    """A process that holds a scratch directory, and the directory."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", HOLDS], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def sweep(place: Path) -> None:
    """What the first scratch directory of another process does."""
    code = "from lookalike.engine import Scratch; Scratch().close()"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "LOOKALIKE_SCRATCH": str(place)})


def test_only_the_owner_can_look_inside(place: Path) -> None:
    before = os.umask(0)
    try:
        scratch = Scratch()
    finally:
        os.umask(before)
    assert scratch.path.parent == place
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    assert place.stat().st_mode & 0o777 == 0o700


def test_it_goes_with_its_owner(place: Path) -> None:
    scratch = Scratch()
    scratch.file("people.csv").write_text("age,sex")
    path = scratch.path
    del scratch
    assert not path.exists()


def test_it_goes_at_exit(place: Path) -> None:
    process, path = started()
    with process:
        assert (path / "people.csv").exists()
        process.communicate("\n")
    assert not path.exists()


def test_what_a_killed_process_left_is_removed_by_the_next(place: Path) -> None:
    process, path = started()
    with process:
        process.send_signal(signal.SIGKILL)
    assert (path / "people.csv").exists()
    sweep(place)
    assert list(place.iterdir()) == []


def test_what_a_living_process_holds_stays(place: Path) -> None:
    process, path = started()
    with process:
        sweep(place)
        assert (path / "people.csv").exists()
        process.communicate("\n")


def test_what_is_not_ours_stays(place: Path) -> None:
    place.mkdir()
    (place / "lookalike-notes").mkdir()
    (place / "lookalike-notes" / "todo.txt").write_text("mine")
    kept = place / "elsewhere"
    kept.mkdir()
    (kept / ".lock").touch()
    (place / "lookalike-link").symlink_to(kept)
    sweep(place)
    assert sorted(p.name for p in place.iterdir()) == ["elsewhere", "lookalike-link", "lookalike-notes"]
    assert (kept / ".lock").exists()
