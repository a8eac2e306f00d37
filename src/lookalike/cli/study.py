"""The door of `lookalike study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from lookalike.cli.arguments import (
    Delimiter,
    Encoding,
    Engine,
    File,
    Keep,
    Kinds,
    Known,
    Master,
    MissingCodes,
    PlanFile,
    Quiet,
    Seed,
    Sheet,
)
from lookalike.cli.options import names, plan_from
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def study(
    file: File,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder of the study; goes on where it stopped.")
    ] = Path("lookalike-study"),
    plan: PlanFile = None,
    quasi_identifiers: Known = None,
    points: Annotated[int, typer.Option(help="How many samples are drawn.")] = 1000,
    estimators: Annotated[str, typer.Option(help="Comma-separated, or all.")] = "all",
    fractions: Annotated[str, typer.Option(help="Sampling fractions: LOW,HIGH.")] = "0.01,0.99",
    sizes: Annotated[str | None, typer.Option(help="Quasi-identifiers known: LEAST,MOST (1 to all).")] = None,
    sensitivity: Annotated[float, typer.Option(help="Share of points also estimated with a wrong N.")] = 0.0,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as cores if not given.")] = None,
    kind: Kinds = None,
    missing_code: MissingCodes = None,
    keep_words: Keep = None,
    seed: Seed = None,
    engine: Engine = None,
    spark_master: Master = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    force: Annotated[bool, typer.Option("--force", help="Start over in a folder that is not empty.")] = False,
    quiet: Quiet = False,
) -> None:
    """Test the estimators on a file that is a whole population."""
    from lookalike.evaluate.simulation import Study, run_study
    from lookalike.report.study import render_study, write_study

    faults: list[str] = []
    chosen = plan_from(
        plan,
        faults,
        roles={"quasi_identifiers": quasi_identifiers},
        population=None,
        thresholds={},
        kinds=kind or [],
        missing_codes=missing_code or [],
        keep_words=keep_words,
        targets=[],
        seed=seed,
        engine=engine,
        spark_master=spark_master,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
    )
    two = {**_two("--fractions", fractions, float, faults), **_two("--sizes", sizes, int, faults)}
    if chosen is None:
        raise BadPlan(faults)
    choices = Study(
        points=points,
        estimators=() if estimators.strip() == "all" else names(estimators) or (),
        sensitivity=sensitivity,
        seed=chosen.seed,
        **two,
    )
    try:
        with progress_bars(quiet=quiet):
            done = run_study(file, chosen, choices, output, workers=workers, force=force, known=faults)
    except KeyboardInterrupt:
        if not quiet:
            typer.echo("The answers so far are kept: the same command goes on from there.", err=True)
        raise
    page = write_study(done)
    if not quiet:
        Console().print(render_study(done))
        typer.echo(f"Open {page}")


def _two(option: str, text: str | None, number: type[int] | type[float], faults: list[str]) -> dict[str, Any]:
    """An option of two numbers as a keyword; nothing if it was not given."""
    if text is None:
        return {}
    try:
        low, high = (number(part) for part in text.split(","))
    except ValueError:
        faults.append(f"{option} must be two numbers with a comma between them.")
        return {}
    return {option.removeprefix("--"): (low, high)}
