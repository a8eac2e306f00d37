"""The door of `lookalike synthesize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from lookalike.cli.arguments import (
    Delimiter,
    Encoding,
    Engine,
    Evidence,
    File,
    Force,
    Household,
    Identifiers,
    Keep,
    Kinds,
    Known,
    Master,
    MissingCodes,
    PlanFile,
    Population,
    Quiet,
    Sensitive,
    Sheet,
    Weight,
)
from lookalike.cli.codes import exit_code
from lookalike.cli.options import names, pairs, plan_from, setting
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def synthesize(
    file: File,
    output: Annotated[Path, typer.Option("-o", "--output", help="The release: a file, or a folder of m copies.")],
    plan: PlanFile = None,
    model: Annotated[str | None, typer.Option(help="latent-classes, gaussian-copula, d-vine, independent …")] = None,
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE of the model, repeatable.")] = None,
    columns: Annotated[str | None, typer.Option(help="Columns to draw; the rest are kept as they are.")] = None,
    drop: Annotated[str | None, typer.Option(help="Columns that the release does not have.")] = None,
    rows: Annotated[int | None, typer.Option(help="Records of a copy; as many as the file if not given.")] = None,
    copies: Annotated[int | None, typer.Option(help="How many copies.")] = None,
    proper: Annotated[bool | None, typer.Option("--proper/--improper", help="Draw the law too.")] = None,
    given: Annotated[list[str] | None, typer.Option(help="COLUMN=VALUE in all records, repeatable.")] = None,
    impossible: Annotated[list[str] | None, typer.Option(help="A condition no record may meet, in SQL.")] = None,
    new_identifiers: Annotated[str | None, typer.Option("--identifiers", help="drop or new.")] = None,
    missing_cells: Annotated[str | None, typer.Option("--missing", help="Missing values: keep or impute.")] = None,
    identifiers: Identifiers = None,
    quasi_identifiers: Known = None,
    sensitive: Sensitive = None,
    weight: Weight = None,
    household: Household = None,
    population: Population = None,
    threshold: Annotated[float | None, typer.Option(help="Highest B of the release allowed (0.09).")] = None,
    kind: Kinds = None,
    missing_code: MissingCodes = None,
    keep_words: Keep = None,
    seed: Annotated[int | None, typer.Option(help="A secret; random if not given.")] = None,
    engine: Engine = None,
    spark_master: Master = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    json: Evidence = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Draw a new file from a model of the old one."""
    from lookalike.cli.releases import ReleaseOutputs
    from lookalike.evaluate.synthesis import run_synthesis

    faults: list[str] = []
    chosen = plan_from(
        plan,
        faults,
        roles={
            "identifiers": identifiers,
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "weight": weight,
            "household": household,
        },
        population=population,
        thresholds={"sample_to_population": threshold},
        kinds=kind or [],
        missing_codes=missing_code or [],
        keep_words=keep_words,
        targets=[],
        synthesis={
            "model": model,
            "options": {k: setting(v) for k, v in pairs("--option", option or [], faults)} or None,
            "columns": names(columns),
            "drop": names(drop),
            "rows": rows,
            "copies": copies,
            "proper": proper,
            "given": dict(pairs("--given", given or [], faults)) or None,
            "impossible": tuple(impossible) if impossible else None,
            "identifiers": new_identifiers,
            "missing": missing_cells,
        },
        seed=seed,
        engine=engine,
        spark_master=spark_master,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
    )
    if chosen is None:
        raise BadPlan(faults)
    outputs = ReleaseOutputs(
        faults, output, json=json, copies=chosen.synthesis.copies, force=force, quiet=quiet, inputs=(file, plan)
    )
    with progress_bars(quiet=quiet):
        result = run_synthesis(file, chosen, seed_given=seed is not None, known=faults, into=output.absolute().parent)
        result = outputs.write_copies(result)
    outputs.tell(result, Console())
    raise typer.Exit(exit_code(result.outcome.value))
