"""The door of `lookalike study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import arguments as a
from lookalike.cli.options import names, plan_from
from lookalike.cli.progress import progress_bars
from lookalike.console import TerminalConsole
from lookalike.errors import BadPlan


def study(
    file: a.File,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder of the study; goes on where it stopped.")
    ] = Path("lookalike-study"),
    plan: a.PlanFile = None,
    quasi_identifiers: a.Known = None,
    points: Annotated[int, typer.Option(help="How many samples are drawn.")] = 1000,
    tested: Annotated[str, typer.Option("--estimators", help="Comma-separated, or all.")] = "all",
    fractions: Annotated[str, typer.Option(help="Sampling fractions: LOW,HIGH.")] = "0.01,0.99",
    sizes: Annotated[str | None, typer.Option(help="Quasi-identifiers known: LEAST,MOST (1 to all).")] = None,
    sensitivity: Annotated[float, typer.Option(help="Share of points also estimated with a wrong N.")] = 0.0,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as cores if not given.")] = None,
    kind: a.Kinds = None,
    missing_code: a.MissingCodes = None,
    keep_words: a.Keep = None,
    seed: a.Seed = None,
    engine: a.Engine = None,
    spark_master: a.Master = None,
    delimiter: a.Delimiter = None,
    encoding: a.Encoding = None,
    sheet: a.Sheet = None,
    force: Annotated[bool, typer.Option("--force", help="Start over in a folder that is not empty.")] = False,
    quiet: a.Quiet = False,
) -> None:
    """Test the estimators on a file that is a whole population."""
    options = dict(locals())
    from lookalike.evaluate.simulation import Study, run_study
    from lookalike.report.study import render_study, write_study

    faults: list[str] = []
    chosen = plan_from(options, faults)
    two = {**_two("--fractions", fractions, float, faults), **_two("--sizes", sizes, int, faults)}
    if chosen is None:
        raise BadPlan(faults)
    choices = Study(
        points=points,
        estimators=() if tested.strip() == "all" else names(tested) or (),
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
        TerminalConsole().print(render_study(done))
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
