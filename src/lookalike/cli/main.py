"""The `lookalike` command: parse, one call of the library, print."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text
from typer.exceptions import TyperException

from lookalike.cli import arguments as a
from lookalike.cli.codes import DONE, INTERRUPTED, WRONG, exit_code
from lookalike.cli.command import COMMAND
from lookalike.cli.compare import compare
from lookalike.cli.crash import hide_values
from lookalike.cli.interrupts import Interrupts
from lookalike.cli.keygen import keygen
from lookalike.cli.options import plan_from
from lookalike.cli.progress import progress_bars
from lookalike.cli.protect import protect
from lookalike.cli.repair import repair
from lookalike.cli.study import study
from lookalike.cli.synthesize import synthesize
from lookalike.cli.verify import verify
from lookalike.console import TerminalConsole
from lookalike.errors import BadPlan, LookalikeError
from lookalike.visible import replaced

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="How many people look like each record of a file. Exit codes: 0 every threshold holds; "
    "1 one does not; 2 the input or the plan is wrong; 3 a measure the plan decides on could not be assessed; "
    "4 undecided: a doubt could turn it.",
)


@app.callback(invoke_without_command=True)
def _top(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        from lookalike import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command("plan")
def plan_command(
    file: a.File,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where to write the plan.")] = None,
    engine: a.Engine = None,
    delimiter: a.Delimiter = None,
    encoding: a.Encoding = None,
    sheet: a.Sheet = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Guess kinds and roles, say why, and write a plan to edit."""
    from lookalike.cli.outputs import files_of
    from lookalike.data import read, refuse_to_overwrite, whole_file
    from lookalike.plan import starter
    from lookalike.report import render_guesses

    if output is not None:
        refuse_to_overwrite(output, inputs=files_of(file), force=force)
    with progress_bars(quiet=quiet):
        data = read(file, engine=engine or "auto", delimiter=delimiter, encoding=encoding, sheet=sheet).guessed()
    text = starter(data)
    if not quiet:
        for note in data.notes:
            typer.echo(f"Note: {replaced(note)}", err=True)
    if output is None:
        typer.echo(text, nl=False)
        return
    with whole_file(output) as target:
        target.write_text(text, encoding="utf-8")
    if not quiet:
        TerminalConsole().print(render_guesses(data))
        next_step = shlex.join(["assess", file, "--plan", str(output)])
        typer.echo(f"Plan written to {output}. Check the roles, then: {COMMAND} {next_step}")


@app.command()
def assess(
    file: a.File,
    plan: a.PlanFile = None,
    identifiers: a.Identifiers = None,
    quasi_identifiers: a.Known = None,
    sensitive: a.Sensitive = None,
    weight: a.Weight = None,
    household: a.Household = None,
    population: a.Population = None,
    population_counts: a.Counts = None,
    cluster: a.Cluster = None,
    estimators: Annotated[
        str | None, typer.Option(help="Of the population risk, comma-separated, or all; the first decides.")
    ] = None,
    margins: Annotated[
        list[str] | None, typer.Option(help="Known counts of people by quasi-identifiers, a file; repeatable.")
    ] = None,
    backtest: Annotated[
        bool | None, typer.Option(help="Test the estimator on samples of the file itself (done unless told).")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Highest B allowed (0.09).")] = None,
    upper: a.Upper = None,
    k: Annotated[int | None, typer.Option("--k", help="Also require k-anonymity.")] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="Disclosure of a value: 'charges>100000', 'diagnosis=C50'.")
    ] = None,
    kind: a.Kinds = None,
    missing: Annotated[str | None, typer.Option(help="Missing values: own, wildcard, conservative.")] = None,
    missing_code: a.MissingCodes = None,
    keep_words: a.Keep = None,
    known_up_to: Annotated[int | None, typer.Option(help="Attacker knowledge: subsets up to this size.")] = None,
    seed: a.Seed = None,
    engine: a.Engine = None,
    spark_master: a.Master = None,
    delimiter: a.Delimiter = None,
    encoding: a.Encoding = None,
    sheet: a.Sheet = None,
    json: a.Evidence = None,
    sign: a.Sign = None,
    html: a.Html = None,
    language: a.Language = None,
    records: Annotated[Path | None, typer.Option(help="Risk per record, for your own eyes.")] = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Measure the risk of a file."""
    options = dict(locals())
    from lookalike.cli.next_step import after_assessment, tell
    from lookalike.cli.outputs import Outputs
    from lookalike.evaluate import run
    from lookalike.evaluate.request import prepare

    faults: list[str] = []
    chosen = plan_from(options, faults)
    beside = (chosen.population_file, *chosen.margins) if chosen is not None else ()
    files = (file, plan, *beside)
    outputs = Outputs(
        faults,
        json=json,
        sign=sign,
        html=html,
        language=language,
        records=records,
        force=force,
        quiet=quiet,
        inputs=files,
    )
    if chosen is None:
        raise BadPlan(faults)
    with progress_bars(quiet=quiet):
        if faults:
            prepare(file, chosen, known=faults)
        evaluation = run(file, chosen, keep_records=records is not None)
    outputs.write(evaluation)
    if outputs.shows:
        tell(after_assessment(evaluation, options))
    raise typer.Exit(exit_code(evaluation.outcome.value))


app.command()(protect)
app.command()(synthesize)
app.command()(compare)
app.command()(repair)
app.command()(study)
app.command()(verify)
app.command()(keygen)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the demonstration files.")] = Path("lookalike-demo"),
    seed: Annotated[int, typer.Option(help="Another seed, another hospital.")] = 1,
    language: a.Language = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Assess, protect, draw anew and compare a simulated hospital file whose people are all known."""
    from lookalike.cli.demonstration import demonstrate

    with progress_bars(quiet=quiet):
        result = demonstrate(folder, seed=seed, force=force, language=language or "en")
    if not quiet:
        result.show(TerminalConsole())


def main() -> None:
    """Run the command; a fault of the user's is told without a traceback and without a cell value."""
    hide_values()
    interrupts = Interrupts()
    interrupts.listen()
    try:
        # Not app(): it would put its own hook for errors, which prints their messages, over ours.
        code = typer.main.get_command(app)(prog_name="lookalike", standalone_mode=False) or DONE
    except typer.Exit as end:
        code = end.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except LookalikeError as error:
        code = INTERRUPTED if interrupts.seen else _complain(str(error))
    except TyperException as error:
        code = _complain(error.format_message())
    except OSError as error:
        code = _complain(f"{Path(str(error.filename or 'A file')).name}: {error.strerror or 'it cannot be used'}.")
    except BaseException:
        if not interrupts.seen:
            raise
        code = INTERRUPTED
    if code == INTERRUPTED:  # which typer may have told already by its own exit
        TerminalConsole(stderr=True).print("Interrupted. Nothing was left half-written.")
    sys.exit(code)


def _complain(message: str) -> int:
    TerminalConsole(stderr=True, soft_wrap=True).print(Text(message, style="red"))
    return WRONG
