"""The door of `lookalike verify`."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import arguments as a
from lookalike.cli.codes import exit_code
from lookalike.cli.progress import progress_bars
from lookalike.console import TerminalConsole


def verify(
    evidence: Annotated[Path, typer.Argument(help="The evidence that a command wrote (--json).")],
    folders: Annotated[
        list[Path] | None, typer.Option("--in", help="A folder that holds files of the evidence, repeatable.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The public key that must have signed it.")] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun/--no-rerun", help="Run the plan again, or check digests and signature alone.")
    ] = True,
    tolerance: Annotated[float, typer.Option(help="How far figures may lie apart, relative to the larger.")] = 1e-9,
    engine: a.Engine = None,
    spark_master: a.Master = None,
    json: Annotated[str | None, typer.Option("--json", help="The verdict as JSON; - for standard output.")] = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Run the plan of an evidence again and compare every figure."""
    from lookalike.data import refuse_to_overwrite, whole_file
    from lookalike.report.signature import public_from
    from lookalike.report.verification import verify as verified
    from lookalike.report.verification.terminal import render_verification, verification_document

    wanted = None if key is None else public_from(key)
    target = None if json in (None, "-") else Path(str(json))
    if target is not None:
        refuse_to_overwrite(target, inputs=(evidence, *([] if key is None else [key])), force=force)
    with progress_bars(quiet=quiet):
        found = verified(
            evidence,
            folders=folders or [],
            key=wanted,
            engine=engine,
            spark_master=spark_master,
            tolerance=tolerance,
            rerun=rerun,
        )
    text = dumps(verification_document(found), indent=2, ensure_ascii=False) + "\n"
    if target is not None:
        with whole_file(target) as file:
            file.write_text(text, encoding="utf-8")
    if json == "-":
        sys.stdout.write(text)
    elif not quiet:
        TerminalConsole().print(render_verification(found))
    raise typer.Exit(exit_code(found.outcome.value))
