"""Where results go: checked before the work, written whole after it."""

from __future__ import annotations

import glob
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rich.console import RenderableType

from lookalike.cli.signing import signer_of
from lookalike.console import TerminalConsole
from lookalike.data import check_ending, refuse_to_overwrite, write
from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.evaluate import Evaluation
from lookalike.evaluate.digest import file_of
from lookalike.evaluate.result import Run
from lookalike.report import render, to_json, write_evidence
from lookalike.report.html.facts import Proof
from lookalike.report.language import LANGUAGES
from lookalike.report.pages import write_page
from lookalike.report.records import records_table

if TYPE_CHECKING:
    from lookalike.evaluate.comparison import Compared


R = TypeVar("R", bound=Run)


class Outputs:
    """The outputs of one run; what could not be written at the end joins the faults at once."""

    def __init__(
        self,
        faults: list[str],
        *,
        json: str | None,
        records: Path | None = None,
        html: Path | None = None,
        language: str | None = None,
        sign: Path | None = None,
        force: bool,
        quiet: bool,
        inputs: tuple[Path | str | None, ...],
        others: tuple[Path | None, ...] = (),
    ) -> None:
        self._json = None if json in (None, "-") else Path(str(json))
        self._to_screen = json == "-"
        self._records, self._html, self._force, self._quiet = records, html, force, quiet
        self._language = language or "en"
        self._signer = signer_of(sign, json, faults)
        self.inputs = tuple(file for source in (*inputs, sign) if source is not None for file in files_of(str(source)))
        self._check((self._json, records, html), others, faults)
        if self._language not in LANGUAGES:
            faults.append(unknown("Language", self._language, LANGUAGES, where="known", listed="Languages"))
        elif language is not None and html is None:
            faults.append("--language is that of the report: say where it goes (--html).")

    def _check(self, own: tuple[Path | None, ...], others: tuple[Path | None, ...], faults: list[str]) -> None:
        """Everything that would stop the writing; `others` are written elsewhere, and must not be the same files."""
        paths = [path for path in own if path is not None]
        for path in paths:
            told(faults, partial(refuse_to_overwrite, path, inputs=self.inputs, force=self._force))
        if self._records is not None:
            told(faults, partial(check_ending, self._records))
        everything = [path.absolute() for path in (*paths, *others) if path is not None]
        if len(set(everything)) < len(everything):
            faults.append("Two outputs name the same file. Choose another name for one of them.")

    @property
    def kept(self) -> bool:
        """Whether the evidence is written to a file."""
        return self._json is not None

    @property
    def evidence(self) -> Path | None:
        """The file of the evidence, as it was typed; None if there is none."""
        return self._json

    @property
    def shows(self) -> bool:
        """Whether a summary is printed: not with --quiet, and not beside evidence that goes to the screen."""
        return not self._quiet and not self._to_screen

    def write(self, evaluation: Evaluation) -> None:
        """Write the files asked for and print the summary of an assessment."""
        evaluation = self.write_records(evaluation, lambda: records_table(evaluation))
        self.finish(evaluation, lambda: render(evaluation, kept=self.kept))

    def write_comparison(self, compared: Compared) -> None:
        """Write the files asked for and print the summary of a comparison."""
        from lookalike.report.comparison.terminal import render_compared

        self.finish(compared, lambda: render_compared(compared))

    def write_records(self, result: R, table: Callable[[], object]) -> R:
        """Write what is for the custodian's eyes only, if it is asked for; the result with its digest."""
        if self._records is None:
            return result
        write(table(), self._records, force=self._force)  # type: ignore[arg-type]
        return with_output(result, self._records, "records")

    def finish(self, result: Run, shown: Callable[[], RenderableType]) -> None:
        """Write the report and the evidence, and print the summary."""
        if self._html is not None:
            write_page(result, self._html, force=self._force, language=self._language, proof=self._proof())
            result = with_output(result, self._html, "report")
        if self._to_screen:
            sys.stdout.write(to_json(result, signer=self._signer))
            return
        if self._json is not None:
            write_evidence(result, self._json, force=self._force, signer=self._signer)
        if not self._quiet:
            console = TerminalConsole()
            console.print(shown())
            console.print(*self._where(), sep="\n", markup=False, highlight=False)

    def _proof(self) -> Proof | None:
        """The evidence that the page names."""
        if self._json is None:
            return None
        return Proof(name=self._json.name, fingerprint=self._signer.fingerprint if self._signer else None)

    def _where(self) -> Iterator[str]:
        """Which files were written."""
        if self._html is not None:
            yield f"Report: {self._html}"
        if self._json is not None:
            yield f"Evidence: {self._json}{', signed' if self._signer else ''}"
        if self._records is not None:
            yield f"Records, for your own eyes: {self._records}"


def with_output(result: R, path: Path, role: str) -> R:
    """The result with one more output that was written; who signs the evidence signs its digest too."""
    return replace(result, outputs=(*result.outputs, file_of(path, role)))


def files_of(source: str) -> tuple[Path, ...]:
    """All files that an input names: itself, or those of a folder or a glob."""
    path = Path(source)
    if path.is_dir():
        return tuple(file for file in path.rglob("*") if file.is_file())
    return (path,) if path.exists() else tuple(Path(file) for file in glob.glob(source, recursive=True))


def told(faults: list[str], check: Callable[[], object]) -> None:
    """Run a check whose fault is told with the others."""
    try:
        check()
    except BadPlan as error:
        faults += error.faults
    except LookalikeError as error:
        faults.append(str(error))
