"""Where results go: checked before the work, written whole after it."""

from __future__ import annotations

import glob
import sys
from pathlib import Path

import polars as pl
from rich.console import Console

from lookalike.data import Microdata, check_ending, read, refuse_to_overwrite, write
from lookalike.errors import LookalikeError
from lookalike.evaluate import Evaluation
from lookalike.report import render, to_json, write_evidence


class Outputs:
    """The outputs of one run; what could not be written at the end joins the faults at once."""

    def __init__(
        self,
        faults: list[str],
        *,
        json: str | None,
        records: Path | None,
        force: bool,
        quiet: bool,
        inputs: tuple[Path | str | None, ...],
    ) -> None:
        self._json = None if json in (None, "-") else Path(str(json))
        self._to_screen = json == "-"
        self._records, self._force, self._quiet = records, force, quiet
        files = tuple(file for source in inputs if source is not None for file in files_of(str(source)))
        for path in (self._json, self._records):
            if path is not None:
                check_output(path, files, force, faults)
        if self._records is not None:
            try:
                check_ending(self._records)
            except LookalikeError as error:
                faults.append(str(error))
        if self._json is not None and self._records is not None and self._json.absolute() == self._records.absolute():
            faults.append("--json and --records name the same file. Choose two.")

    def write(self, evaluation: Evaluation) -> None:
        """Write the files asked for and print the summary."""
        if self._records is not None:
            write(_records(evaluation), self._records, force=self._force)
        if self._to_screen:
            sys.stdout.write(to_json(evaluation))
            return
        if self._json is not None:
            write_evidence(evaluation, self._json, force=self._force)
        if not self._quiet:
            Console().print(render(evaluation, kept=self._json is not None))


def files_of(source: str) -> tuple[Path, ...]:
    """All files that an input names: itself, or those of a folder or a glob."""
    path = Path(source)
    if path.is_dir():
        return tuple(file for file in path.rglob("*") if file.is_file())
    return (path,) if path.exists() else tuple(Path(file) for file in glob.glob(source, recursive=True))


def check_output(path: Path, inputs: tuple[Path, ...], force: bool, faults: list[str]) -> None:
    """Whether the file may be written; if not, the reason joins the faults."""
    try:
        refuse_to_overwrite(path, inputs=inputs, force=force)
    except LookalikeError as error:
        faults.append(str(error))


def _records(evaluation: Evaluation) -> Microdata:
    assert evaluation.records is not None
    return read(pl.DataFrame(dict(evaluation.records)).with_row_index("record", offset=1))
