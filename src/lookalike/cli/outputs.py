"""Where results go: checked before the work, written whole after it."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from rich.console import Console

from lookalike.data import Microdata, read, refuse_to_overwrite, write
from lookalike.errors import BadPlan, LookalikeError
from lookalike.evaluate import Evaluation
from lookalike.report import render, to_json, write_evidence


class Outputs:
    """The outputs of one run; refuses at once what could not be written at the end."""

    def __init__(
        self, *, json: str | None, records: Path | None, force: bool, quiet: bool, inputs: tuple[Path, ...]
    ) -> None:
        self._json, self._records, self._force, self._quiet = json, records, force, quiet
        faults = []
        paths = [Path(json)] if json not in (None, "-") and json is not None else []
        paths += [records] if records is not None else []
        for path in paths:
            try:
                refuse_to_overwrite(path, inputs=inputs, force=force)
            except LookalikeError as error:
                faults.append(str(error))
        if faults:
            raise BadPlan(faults)

    def write(self, evaluation: Evaluation) -> None:
        """Write the files asked for and print the summary."""
        if self._records is not None:
            write(_records(evaluation), self._records, force=self._force)
        if self._json == "-":
            sys.stdout.write(to_json(evaluation))
            return
        if self._json is not None:
            write_evidence(evaluation, Path(self._json), force=self._force)
        if not self._quiet:
            Console().print(render(evaluation))


def _records(evaluation: Evaluation) -> Microdata:
    assert evaluation.records is not None
    return read(pl.DataFrame(dict(evaluation.records)).with_row_index("record", offset=1))
