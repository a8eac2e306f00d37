"""The door of `lookalike compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli import arguments as a
from lookalike.cli import comparing as c
from lookalike.cli.codes import exit_code
from lookalike.cli.options import plan_from
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def compare(
    original: c.Original,
    release: c.Release,
    plan: a.PlanFile = None,
    made: c.Made = None,
    how: c.How = None,
    proper: c.Proper = None,
    drawn: c.Drawn = None,
    linked: c.Linked = None,
    control: c.Control = None,
    formula: c.Formula = None,
    keys: c.Keys = None,
    targets: c.Targets = None,
    columns: c.Columns = None,
    models: c.Models = None,
    terms: Annotated[
        str | None, typer.Option(help='What the logistic regression sees: "age*sex + job"; each column if not told.')
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Score records by models learned from other parts.")] = None,
    ways: c.Ways = None,
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
    upper: a.Upper = None,
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
    sign: a.Sign = None,
    html: a.Html = None,
    language: a.Language = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Say what analyses of a release keep of the original, and what an attacker gains from it."""
    options = dict(locals())
    from lookalike.cli.outputs import Outputs
    from lookalike.evaluate.comparison import run_comparison

    faults: list[str] = []
    chosen = plan_from(options, faults, comparison=c.comparison_of(options, faults))
    if chosen is None:
        raise BadPlan(faults)
    beside = (plan, made, control, chosen.population_file)
    files = (original, release, *beside)
    outputs = Outputs(
        faults, json=json, sign=sign, html=html, language=language, force=force, quiet=quiet, inputs=files
    )
    with progress_bars(quiet=quiet):
        result = run_comparison(original, release, chosen, known=faults)
    outputs.write_comparison(result)
    raise typer.Exit(exit_code(result.outcome.value))
