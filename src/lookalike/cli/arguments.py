"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[str, typer.Argument(help="CSV, Parquet (file, folder or glob), Arrow, Excel, Stata, SPSS, SAS.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")]
Force = Annotated[bool, typer.Option("--force", help="Replace outputs that exist (never the input).")]
Engine = Annotated[str | None, typer.Option(help="auto, polars, duckdb or spark.")]
Master = Annotated[str | None, typer.Option("--spark-master", help="URL of a Spark master.")]
Delimiter = Annotated[str | None, typer.Option(help="Of a text file; sniffed if not given.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file; sniffed if not given.")]
Keep = Annotated[
    str | None, typer.Option("--keep-words", help="Columns in which NA, NULL and the like are values, not missing.")
]
Sheet = Annotated[str | None, typer.Option(help="Of a workbook; the first if not given.")]
PlanFile = Annotated[Path | None, typer.Option("--plan", help="A plan in TOML; options override it.")]
Identifiers = Annotated[str | None, typer.Option("--id", help="Identifiers, comma-separated.")]
Known = Annotated[str | None, typer.Option("--qi", help="What an attacker may know.")]
Sensitive = Annotated[str | None, typer.Option(help="What an attacker wants to know.")]
Weight = Annotated[str | None, typer.Option(help="Sampling weight.")]
Household = Annotated[str | None, typer.Option(help="Household number.")]
Population = Annotated[str | None, typer.Option(help="How many people, or a file of them.")]
Counts = Annotated[str | None, typer.Option(help="Who N counts: eligible (all who could be in the file) or all.")]
Cluster = Annotated[str | None, typer.Option(help="What was sampled whole (a column), or none; else the household.")]
Kinds = Annotated[list[str] | None, typer.Option(help="COLUMN=KIND, repeatable.")]
MissingCodes = Annotated[list[str] | None, typer.Option(help="COLUMN=CODE,CODE, repeatable.")]
Upper = Annotated[float | None, typer.Option(help="Highest upper end of the interval of B allowed.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random draws.")]
Sign = Annotated[Path | None, typer.Option("--sign", help="Sign the evidence with this private key (keygen).")]
Evidence = Annotated[str | None, typer.Option("--json", help="Evidence file; - for standard output.")]
Language = Annotated[str | None, typer.Option("--language", help="Of the report: en, de or fr.")]
Html = Annotated[Path | None, typer.Option("--html", help="The report as one HTML file.")]
