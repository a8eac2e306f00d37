"""The door of `lookalike repair`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import arguments as a
from lookalike.cli import comparing as c
from lookalike.cli.codes import exit_code
from lookalike.cli.options import plan_from
from lookalike.cli.progress import progress_bars
from lookalike.errors import BadPlan


def repair(
    original: c.Original,
    release: c.Release,
    output: Annotated[Path, typer.Option("-o", "--output", help="The repaired release; of copies a folder.")],
    by: Annotated[
        str | None, typer.Option(help="coarsen (if not told), redraw or drop the rows behind a risk.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Risk of an attack that is allowed (0.09).")] = None,
    least: Annotated[int | None, typer.Option(help="Rows that must look alike (2).")] = None,
    rounds: Annotated[int | None, typer.Option(help="How often rows are searched and changed at most (3).")] = None,
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
    ways: c.Ways = None,
    identifiers: a.Identifiers = None,
    quasi_identifiers: a.Known = None,
    sensitive: a.Sensitive = None,
    weight: a.Weight = None,
    household: a.Household = None,
    population: a.Population = None,
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
    records: Annotated[
        Path | None, typer.Option(help="Records at risk, rows behind them and rows that changed, for your own eyes.")
    ] = None,
    force: a.Force = False,
    quiet: a.Quiet = False,
) -> None:
    """Change the rows of a release behind a risk, and measure again what it keeps and gives away."""
    options = dict(locals())
    from lookalike.cli.releases import ReleaseOutputs
    from lookalike.evaluate.comparison.files import copies_in
    from lookalike.evaluate.repair import run_repair

    faults: list[str] = []
    # The threshold is that of attacks here, not of B.
    chosen = plan_from(
        {**options, "threshold": None},
        faults,
        comparison=c.comparison_of(options, faults),
        repair={"by": by, "threshold": threshold, "least": least, "rounds": rounds},
    )
    if chosen is None:
        raise BadPlan(faults)
    outputs = ReleaseOutputs(
        faults,
        output,
        copies=copies_in(release),
        json=json,
        sign=sign,
        html=html,
        language=language,
        records=records,
        force=force,
        quiet=quiet,
        inputs=(original, release, plan, made, control, chosen.population_file),
    )
    with progress_bars(quiet=quiet):
        result = run_repair(original, release, chosen, known=faults)
        result = outputs.write_repaired(result)
    outputs.tell(result)
    raise typer.Exit(exit_code(result.outcome.value))
