"""Where a release goes: one file, or a folder of copies; whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from rich.console import Console

from lookalike.cli.outputs import files_of
from lookalike.data import check_ending, refuse_to_overwrite, write
from lookalike.data.write import FORMATS
from lookalike.errors import BadPlan, LookalikeError
from lookalike.evaluate.digest import sha256
from lookalike.evaluate.protection import ProtectedRun, save_recode
from lookalike.evaluate.result import Source
from lookalike.evaluate.synthesis import Synthesized
from lookalike.report import to_json, write_evidence
from lookalike.report.protection import render_protected
from lookalike.report.release import render_release

_COPY = re.compile(r"copy-\d+\.\w+")


class ReleaseOutputs:
    """The outputs of a release; what could not be written at the end joins the faults at once."""

    def __init__(
        self,
        faults: list[str],
        output: Path,
        *,
        json: str | None,
        copies: int = 1,
        recode: Path | None = None,
        force: bool,
        quiet: bool,
        inputs: tuple[Path | str | None, ...],
    ) -> None:
        self._output, self._copies, self._force, self._quiet = output, copies, force, quiet
        self._json = None if json in (None, "-") else Path(str(json))
        self._to_screen = json == "-"
        self._recode = recode
        self._inputs = tuple(file for source in inputs if source is not None for file in files_of(str(source)))
        self._ending = _ending(output, inputs[0])
        for check in (self._check_release, self._check_beside):
            try:
                check()
            except LookalikeError as error:
                faults.append(str(error))

    def _check_release(self) -> None:
        if self._copies < 1:
            return
        if self._copies == 1:
            check_ending(self._output)
            refuse_to_overwrite(self._output, inputs=self._inputs, force=self._force)
            return
        if self._output.is_file() or self._output.suffix.lower() in FORMATS:
            raise BadPlan(f"{self._output.name} is a name of a file; {self._copies} copies need a folder.")
        if any(self._output.resolve() in file.resolve().parents for file in self._inputs):
            raise BadPlan(f"{self._output.name} holds an input; an input is never changed. Choose another output.")
        there = list(self._output.iterdir()) if self._output.is_dir() else []
        if any(not _COPY.fullmatch(file.name) for file in there):
            raise BadPlan(f"{self._output.name} holds other files, which are left alone. Choose another folder.")
        if there and not self._force:
            raise BadPlan(f"{self._output.name} is not empty. Choose another folder, or --force to replace its copies.")
        if not self._output.absolute().parent.is_dir():
            raise BadPlan(f"{self._output.name}: the folder to make it in does not exist.")

    def _check_beside(self) -> None:
        beside = [path for path in (self._json, self._recode) if path is not None]
        for path in beside:
            refuse_to_overwrite(path, inputs=self._inputs, force=self._force)
        if len({path.absolute() for path in (self._output, *beside)}) <= len(beside):
            raise BadPlan("Two outputs name the same file. Choose another name for one of them.")

    def write_protected(self, result: ProtectedRun) -> ProtectedRun:
        """Write the release, and the recode if it is asked for; the result with its digest."""
        data = result.release.data
        if self._recode is not None:
            save_recode(result.release, self._recode, force=self._force)
        file = write(data, self._output, force=self._force)
        made = Source(name=file.name, sha256=sha256([file]), records=data.records, columns=len(data.columns))
        return replace(result, outputs=(made,))

    def write_copies(self, result: Synthesized) -> Synthesized:
        """Write the copies; the result with their digests."""
        copies = result.release.copies
        if len(copies) == 1:
            files = [write(copies[0], self._output, force=self._force)]
        else:
            with _whole_folder(self._output) as made:
                for number, copy in enumerate(copies, 1):
                    write(copy, made / f"copy-{number}{self._ending}")
            files = [self._output / f"copy-{number}{self._ending}" for number in range(1, len(copies) + 1)]
        sources = (
            Source(name=file.name, sha256=sha256([file]), records=copy.records, columns=len(copy.columns))
            for file, copy in zip(files, copies, strict=True)
        )
        return replace(result, outputs=tuple(sources))

    def tell(self, result: Synthesized | ProtectedRun, console: Console) -> None:
        """Write the evidence and print the page of the release."""
        if self._to_screen:
            sys.stdout.write(to_json(result))
            return
        if self._json is not None:
            write_evidence(result, self._json, force=self._force)
        if not self._quiet:
            console.print(
                render_protected(result, kept=self._json is not None)
                if isinstance(result, ProtectedRun)
                else render_release(result)
            )
            console.print(f"Release written to {self._output}.", markup=False, highlight=False)


def _ending(output: Path, source: Path | str | None) -> str:
    """The format of the copies in a folder: that of the input where it can be written, else Parquet."""
    ending = Path(str(source)).suffix.lower()
    return ending if ending in FORMATS else ".parquet"


@contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """A folder beside the one asked for that takes its name only when the work inside ends well."""
    temporary = folder.with_name(f".{uuid4().hex}")
    temporary.mkdir(mode=0o700)
    try:
        yield temporary
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
