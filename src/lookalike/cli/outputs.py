"""Where results go: checked before the work, written whole after it."""

from __future__ import annotations

import glob
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from rich.console import Console, RenderableType

from lookalike.data import Microdata, check_ending, read, refuse_to_overwrite, write
from lookalike.errors import LookalikeError
from lookalike.evaluate import Evaluation
from lookalike.report import render, to_json, write_evidence

if TYPE_CHECKING:
    from lookalike.evaluate.comparison import Compared


class Outputs:
    """The outputs of one run; what could not be written at the end joins the faults at once."""

    def __init__(
        self,
        faults: list[str],
        *,
        json: str | None,
        records: Path | None = None,
        html: Path | None = None,
        force: bool,
        quiet: bool,
        inputs: tuple[Path | str | None, ...],
    ) -> None:
        self._json = None if json in (None, "-") else Path(str(json))
        self._to_screen = json == "-"
        self._records, self._html, self._force, self._quiet = records, html, force, quiet
        files = tuple(file for source in inputs if source is not None for file in files_of(str(source)))
        named = {"--json": self._json, "--records": records, "--html": html}
        paths = {option: path for option, path in named.items() if path is not None}
        for path in paths.values():
            _check(path, files, force, faults)
        if self._records is not None:
            try:
                check_ending(self._records)
            except LookalikeError as error:
                faults.append(str(error))
        if len({path.absolute() for path in paths.values()}) < len(paths):
            faults.append(f"{' and '.join(paths)} name the same file. Choose two.")

    def write(self, evaluation: Evaluation) -> None:
        """Write the files asked for and print the summary of an assessment."""
        if self._records is not None:
            write(_records(evaluation), self._records, force=self._force)
        self._tell(evaluation, lambda: render(evaluation, kept=self._json is not None))

    def write_comparison(self, compared: Compared) -> None:
        """Write the files asked for and print the summary of a comparison."""
        if self._html is not None:
            compared.to_html(self._html, force=self._force)
        from lookalike.report.comparison.terminal import render_compared

        self._tell(compared, lambda: render_compared(compared))

    def _tell(self, result: Evaluation | Compared, shown: Callable[[], RenderableType]) -> None:
        if self._to_screen:
            sys.stdout.write(to_json(result))
            return
        if self._json is not None:
            write_evidence(result, self._json, force=self._force)
        if not self._quiet:
            Console().print(shown())


def files_of(source: str) -> tuple[Path, ...]:
    """All files that an input names: itself, or those of a folder or a glob."""
    path = Path(source)
    if path.is_dir():
        return tuple(file for file in path.rglob("*") if file.is_file())
    return (path,) if path.exists() else tuple(Path(file) for file in glob.glob(source, recursive=True))


def _check(path: Path, inputs: tuple[Path, ...], force: bool, faults: list[str]) -> None:
    try:
        refuse_to_overwrite(path, inputs=inputs, force=force)
    except LookalikeError as error:
        faults.append(str(error))


def _records(evaluation: Evaluation) -> Microdata:
    assert evaluation.records is not None
    return read(pl.DataFrame(dict(evaluation.records)).with_row_index("record", offset=1))
