"""The door of `lookalike synthesize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import arguments as a
from lookalike.cli.codes import exit_code
from lookalike.cli.options import names, pairs, plan_from, setting
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def synthesize(
    file: a.File,
    output: Annotated[Path, typer.Option("-o", "--output", help="The release: a file, or a folder of m copies.")],
    plan: a.PlanFile = None,
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
    identifiers: a.Identifiers = None,
    quasi_identifiers: a.Known = None,
    sensitive: a.Sensitive = None,
    weight: a.Weight = None,
    household: a.Household = None,
    population: a.Population = None,
    population_counts: a.Counts = None,
    cluster: a.Cluster = None,
    threshold: Annotated[float | None, typer.Option(help="Highest B of the release allowed (0.09).")] = None,
    upper: a.Upper = None,
    kind: a.Kinds = None,
    missing_code: a.MissingCodes = None,
    keep_words: a.Keep = None,
    seed: Annotated[int | None, typer.Option(help="A secret; random if not given.")] = None,
    engine: a.Engine = None,
    spark_master: a.Master = None,
    delimiter: a.Delimiter = None,
    encoding: a.Encoding = None,
    sheet: a.Sheet = None,
    json: a.Evidence = None,
    sign: a.Sign = None,
    html: a.Html = None,
    language: a.Language = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Draw a new file from a model of the old one."""
    options = dict(locals())
    from lookalike.cli.releases import ReleaseOutputs
    from lookalike.evaluate.synthesis import run_synthesis

    faults: list[str] = []
    chosen = plan_from(
        options,
        faults,
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
    )
    if chosen is None:
        raise BadPlan(faults)
    outputs = ReleaseOutputs(
        faults,
        output,
        json=json,
        sign=sign,
        html=html,
        language=language,
        copies=chosen.synthesis.copies,
        force=force,
        quiet=quiet,
        inputs=(file, plan),
    )
    with progress_bars(quiet=quiet):
        result = run_synthesis(file, chosen, seed_given=seed is not None, known=faults, into=output.absolute().parent)
        result = outputs.write_copies(result)
    outputs.tell(result)
    raise typer.Exit(exit_code(result.outcome.value))
