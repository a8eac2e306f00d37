"""Arguments and options that several commands share."""

from __future__ import annotations

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
