"""Where a release goes: one file, or a folder of copies; whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from rich.console import RenderableType

from lookalike.cli.next_step import after_release, tell
from lookalike.cli.outputs import Outputs, R, told, with_output
from lookalike.console import TerminalConsole
from lookalike.data import Microdata, check_ending, refuse_to_overwrite, write
from lookalike.data.write import FORMATS
from lookalike.errors import BadPlan
from lookalike.evaluate.digest import sha256
from lookalike.evaluate.protection import ProtectedRun, save_recode
from lookalike.evaluate.repair import Repaired
from lookalike.evaluate.result import Source
from lookalike.evaluate.synthesis import Synthesized
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
        records: Path | None = None,
        sign: Path | None = None,
        html: Path | None = None,
        language: str | None = None,
        force: bool,
        quiet: bool,
        inputs: tuple[Path | str | None, ...],
    ) -> None:
        self._output, self._copies, self._force = output, copies, force
        self._recode = recode
        self._told = Outputs(
            faults,
            json=json,
            records=records,
            html=html,
            language=language,
            sign=sign,
            force=force,
            quiet=quiet,
            inputs=inputs,
            others=(output, recode),
        )
        self._inputs, self._source = self._told.inputs, inputs[0] if inputs else None
        self._ending = _ending(output, self._source)
        told(faults, self._check_release)
        if recode is not None:
            told(faults, lambda: refuse_to_overwrite(recode, inputs=self._inputs, force=force))

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

    def write_protected(self, result: ProtectedRun) -> ProtectedRun:
        """Write the release, and the recode if it is asked for; the result with its digest."""
        if self._recode is not None:
            save_recode(result.release, self._recode, force=self._force)
        result = self._written(result, (result.release.data,))
        return result if self._recode is None else with_output(result, self._recode, "recode")

    def write_copies(self, result: Synthesized) -> Synthesized:
        """Write the copies; the result with their digests."""
        return self._written(result, result.release.copies)

    def write_repaired(self, result: Repaired) -> Repaired:
        """Write the repaired copies, and the list of what changed if it is asked for; the result with their digests."""
        from lookalike.report.repaired import changes_table

        return self._told.write_records(self._written(result, result.release), lambda: changes_table(result))

    def _written(self, result: R, copies: Sequence[Microdata]) -> R:
        if len(copies) == 1:
            files = [write(copies[0], self._output, force=self._force)]
        else:
            with _whole_folder(self._output) as made:
                for number, copy in enumerate(copies, 1):
                    write(copy, made / f"copy-{number}{self._ending}")
            files = [self._output / f"copy-{number}{self._ending}" for number in range(1, len(copies) + 1)]
        return replace(result, outputs=tuple(map(_release, files, copies)))

    def tell(self, result: Synthesized | ProtectedRun | Repaired) -> None:
        """Write the report and the evidence, and print the page of the release."""
        self._told.finish(result, lambda: self._shown(result))
        if self._told.shows:
            form = " (UTF-8, commas)" if self._written_as == ".csv" else ""
            TerminalConsole().print(f"Release written to {self._output}{form}.", markup=False, highlight=False)
            evidence = self._told.evidence
            tell(after_release(result, file=self._source, release=self._output, evidence=evidence))

    @property
    def _written_as(self) -> str:
        """The format of the files, by its ending."""
        return self._ending if self._copies > 1 else self._output.suffix.lower()

    def _shown(self, result: Synthesized | ProtectedRun | Repaired) -> RenderableType:
        if isinstance(result, ProtectedRun):
            return render_protected(result, kept=self._told.kept)
        if isinstance(result, Synthesized):
            return render_release(result)
        from lookalike.report.repaired import render_repaired

        return render_repaired(result)


def _release(file: Path, data: Microdata) -> Source:
    """A release that was written, as the evidence names it."""
    digest = sha256([file])
    return Source(name=file.name, sha256=digest, records=data.records, columns=len(data.columns), role="release")


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
