"""The folder of a study: its settings, and a journal with one line an answer. What is written there stays."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from lookalike.data import whole_file
from lookalike.errors import BadPlan
from lookalike.evaluate.simulation.answers import Answer

if sys.platform != "win32":
    import fcntl

SETTINGS, POINTS = "settings.json", "points.jsonl"
SCHEMA = 1


class Journal:
    """A study's folder, held by one run at a time.

    Opened with settings: an empty folder takes them, a folder with the same settings is continued, any other is
    refused, or emptied of its study if forced. `estimators` are their choices by key; a folder may gain estimators,
    but one that has answered must not change.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], estimators: Mapping[str, str], *, force: bool = False
    ) -> None:
        self.folder = folder
        self._settings = {"schema": SCHEMA, **settings}
        self._estimators, self._force = dict(estimators), force
        self._file = -1

    def __enter__(self) -> Journal:
        if self.folder.exists() and not self.folder.is_dir():
            raise BadPlan(f"{self.folder.name} is a file. Name a folder for the study.")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = {} if self._force else self._checked()
        self._file = os.open(self.folder / POINTS, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._lock()
        if self._force:
            os.ftruncate(self._file, 0)
        self._write_settings({**kept, **self._estimators})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def read(self) -> list[Answer]:
        """All answers so far; a last line that was cut off is dropped."""
        path = self.folder / POINTS
        text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            os.ftruncate(self._file, len(whole))
        found: dict[tuple[int, str, float], Answer] = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            answer = _answer(line, number)
            found[answer.point, answer.estimator, answer.ratio] = answer
        return sorted(found.values(), key=lambda a: (a.point, a.estimator, a.ratio))

    def add(self, answer: Answer) -> None:
        """One answer more, in one write."""
        line = json.dumps(asdict(answer), ensure_ascii=False, allow_nan=False) + "\n"
        os.write(self._file, line.encode())

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise BadPlan(
                f"Another study is running in {self.folder.name}. Wait for it, or name another folder."
            ) from None

    def _write_settings(self, estimators: Mapping[str, str]) -> None:
        document = {**self._settings, "estimators": estimators}
        with whole_file(self.folder / SETTINGS) as target:
            target.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def _checked(self) -> dict[str, str]:
        """The estimators of the study that is there; refuses other files, and a study of other settings."""
        there = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
        if not there:
            return {}
        path = self.folder / SETTINGS
        if not path.exists():
            raise BadPlan(f"{self.folder.name} holds other files. Name a new folder, or --force to write into it.")
        kept = json.loads(path.read_text(encoding="utf-8"))
        estimators: dict[str, str] = kept["estimators"]
        differ = [name.replace("_", "-") for name, value in self._settings.items() if kept.get(name) != value]
        differ += [f"choices of {key}" for key, made in self._estimators.items() if estimators.get(key, made) != made]
        if differ:
            raise BadPlan(
                f"{self.folder.name} holds a study with other settings: {', '.join(differ)}. "
                "Name a new folder, or --force to start over."
            )
        return estimators


def _answer(line: bytes, number: int) -> Answer:
    try:
        fields = json.loads(line)
        return Answer(**{**fields, "variables": tuple(fields["variables"])})
    except (ValueError, TypeError, KeyError):
        raise BadPlan(f"{POINTS}: line {number} is damaged. Remove the line to compute it again.") from None
