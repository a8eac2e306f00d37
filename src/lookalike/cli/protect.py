"""The door of `lookalike protect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli import arguments as a
from lookalike.cli.codes import exit_code
from lookalike.cli.options import names, pairs, plan_from, setting
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def protect(
    file: a.File,
    output: Annotated[Path, typer.Option("-o", "--output", help="The release.")],
    plan: a.PlanFile = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="generalize (if not told), microaggregate, mondrian, mdav, t-close, coarsen, suppress, safe-harbor, "
            "top-bottom, round, noise, rank-swap, pram, shift-dates, local-dp, rare-people."
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE of the method, repeatable: 'columns=[\"age\"]'.")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="Every class has at least k records.")] = None,
    diversity: Annotated[
        float | None, typer.Option("--l", help="Distinct sensitive values of a class, at least.")
    ] = None,
    t: Annotated[float | None, typer.Option("--t", help="Distance of a class from the file, at most.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Highest B of the release allowed (0.09).")] = None,
    upper: a.Upper = None,
    uniques: Annotated[float | None, typer.Option(help="Highest share of unique records allowed.")] = None,
    disclosure: Annotated[float | None, typer.Option(help="Highest attribute disclosure allowed.")] = None,
    resolution: Annotated[int | None, typer.Option(help="Intervals of coarsen.")] = None,
    hierarchies: Annotated[
        Path | None, typer.Option(help="A folder of generalization hierarchies, one CSV a column.")
    ] = None,
    recode: Annotated[Path | None, typer.Option(help="Apply a recode that was saved; nothing is searched.")] = None,
    save_recode: Annotated[Path | None, typer.Option(help="Where to save the recode for the next file.")] = None,
    max_suppression: Annotated[
        float | None, typer.Option(help="Highest share of records suppressed, 0.02 for 2 % (0).")
    ] = None,
    cells: Annotated[
        bool | None, typer.Option("--cells", help="Suppress single cells of what remains, not whole records.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds the search may take (60).")] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="Disclosure of a value: 'charges>100000', 'diagnosis=C50'.")
    ] = None,
    drop: Annotated[str | None, typer.Option(help="Columns that the release does not have.")] = None,
    index: Annotated[str | None, typer.Option(help="A column with the number of each record in the file.")] = None,
    shuffle: Annotated[bool | None, typer.Option("--shuffle", help="Put the records in a random order.")] = None,
    identifiers: a.Identifiers = None,
    quasi_identifiers: a.Known = None,
    sensitive: a.Sensitive = None,
    weight: a.Weight = None,
    household: a.Household = None,
    population: a.Population = None,
    population_counts: a.Counts = None,
    cluster: a.Cluster = None,
    estimators: Annotated[str | None, typer.Option(help="Of the population risk; the first decides.")] = None,
    kind: a.Kinds = None,
    missing: Annotated[str | None, typer.Option(help="Missing values: own, wildcard, conservative.")] = None,
    missing_code: a.MissingCodes = None,
    keep_words: a.Keep = None,
    seed: Annotated[int | None, typer.Option(help="Keep it secret where a method draws; random if not given.")] = None,
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
    """Change records until the thresholds hold."""
    options = dict(locals())
    from lookalike.cli.releases import ReleaseOutputs
    from lookalike.evaluate.protection import NO_RECODE, run_protection

    faults: list[str] = []
    settings = {name: setting(value) for name, value in pairs("--option", option or [], faults)}
    named: dict[str, Any] = {
        "resolution": resolution,
        "max_suppression": max_suppression,
        "time_limit": time_limit,
        "cells": cells,
        "hierarchies": None if hierarchies is None else str(hierarchies),
        "file": None if recode is None else str(recode),
    }
    if recode is not None and method is not None:
        faults.append("--recode applies a saved recode: it goes without --method.")
    settings |= {name: value for name, value in named.items() if value is not None}
    chosen = plan_from(
        options,
        faults,
        protection={
            "method": method if recode is None else "recode",
            "options": settings,
            "drop": names(drop),
            "index": index,
            "shuffle": shuffle,
        },
    )
    if chosen is None:
        raise BadPlan(faults)
    steps = [step.method for step in chosen.protection.steps] or ["generalize"]
    if save_recode is not None and sum(step in ("generalize", "recode") for step in steps) != 1:
        faults.append(NO_RECODE)
    beside = (chosen.population_file, recode)
    outputs = ReleaseOutputs(
        faults,
        output,
        json=json,
        sign=sign,
        html=html,
        language=language,
        recode=save_recode,
        force=force,
        quiet=quiet,
        inputs=(file, plan, *beside),
    )
    with progress_bars(quiet=quiet):
        result = run_protection(file, chosen, seed_given=seed is not None, b_given=threshold is not None, known=faults)
        result = outputs.write_protected(result)
    outputs.tell(result)
    raise typer.Exit(exit_code(result.outcome.value))
