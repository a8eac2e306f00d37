"""The door of `lookalike compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import arguments as a
from lookalike.cli.codes import exit_code
from lookalike.cli.options import names, plan_from
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def compare(
    original: Annotated[str, typer.Argument(help="The file that the release was made from.")],
    release: Annotated[str, typer.Argument(help="The release: a file, or a folder of copies.")],
    plan: a.PlanFile = None,
    made: Annotated[
        Path | None, typer.Option(help="The evidence of the release (protect --json, synthesize --json).")
    ] = None,
    how: Annotated[
        str | None,
        typer.Option(
            help="How the release came about: complete, partial, changed, independent, populations, incomplete, nested."
        ),
    ] = None,
    proper: Annotated[bool | None, typer.Option("--proper/--improper", help="The law was drawn too.")] = None,
    drawn: Annotated[str | None, typer.Option(help="Columns that a partial release drew.")] = None,
    linked: Annotated[
        bool | None, typer.Option("--linked", help="Row i of the release is row i of the original.")
    ] = None,
    control: Annotated[
        Path | None, typer.Option(help="Records of the same kind that were not used for the release.")
    ] = None,
    formula: Annotated[
        list[str] | None, typer.Option(help='A regression to keep, repeatable: "income ~ age + sex".')
    ] = None,
    keys: Annotated[str | None, typer.Option(help="What an attacker knows; the quasi-identifiers if not told.")] = None,
    targets: Annotated[
        str | None, typer.Option(help="What is to be predicted; the sensitive columns if not told.")
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Columns to compare; all that both have if not told.")] = None,
    models: Annotated[
        str | None, typer.Option(help="That tell release from original: logistic, cart, mlp (all).")
    ] = None,
    terms: Annotated[
        str | None, typer.Option(help='What the logistic regression sees: "age*sex + job"; each column if not told.')
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Score records by models learned from other parts.")] = None,
    ways: Annotated[str | None, typer.Option(help="Columns of a table: 1,2,3.")] = None,
    draws: Annotated[int | None, typer.Option(help="Tables drawn for each expectation (100); 0: formulas.")] = None,
    sample: Annotated[int | None, typer.Option(help="Records compared at most (1,000,000).")] = None,
    attacks: Annotated[
        bool | None, typer.Option(help="Try attacks too (done if keys or quasi-identifiers are named).")
    ] = None,
    identifiers: a.Identifiers = None,
    quasi_identifiers: a.Known = None,
    sensitive: a.Sensitive = None,
    weight: a.Weight = None,
    household: a.Household = None,
    population: a.Population = None,
    threshold: Annotated[float | None, typer.Option(help="Highest B of the release allowed (0.09).")] = None,
    kind: a.Kinds = None,
    missing_code: a.MissingCodes = None,
    keep_words: a.Keep = None,
    seed: a.Seed = None,
    engine: a.Engine = None,
    spark_master: a.Master = None,
    delimiter: a.Delimiter = None,
    encoding: a.Encoding = None,
    sheet: a.Sheet = None,
    json: a.Evidence = None,
    html: Annotated[Path | None, typer.Option(help="The page as one HTML file.")] = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Say what analyses of a release keep of the original, and what an attacker gains from it."""
    options = dict(locals())
    from lookalike.cli.outputs import Outputs
    from lookalike.evaluate.comparison import run_comparison

    faults: list[str] = []
    chosen = plan_from(
        options,
        faults,
        comparison={
            "made": None if made is None else str(made),
            "how": how,
            "proper": proper,
            "drawn": names(drawn),
            "linked": linked,
            "control": None if control is None else str(control),
            "formulas": tuple(formula) if formula else None,
            "keys": names(keys),
            "targets": names(targets),
            "columns": names(columns),
            "models": names(models),
            "terms": terms,
            "folds": folds,
            "ways": _ways(ways, faults),
            "draws": draws,
            "sample": sample,
            "attacks": attacks,
        },
    )
    if chosen is None:
        raise BadPlan(faults)
    beside = (plan, made, control, chosen.population_file)
    outputs = Outputs(faults, json=json, html=html, force=force, quiet=quiet, inputs=(original, release, *beside))
    with progress_bars(quiet=quiet):
        result = run_comparison(original, release, chosen, known=faults)
    outputs.write_comparison(result)
    raise typer.Exit(exit_code(result.outcome.value))


def _ways(text: str | None, faults: list[str]) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        faults.append("--ways must be numbers with commas between them: 1,2.")
        return None
