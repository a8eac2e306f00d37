"""One sheet of a workbook. Its numbers and dates are typed; its texts are read as those of a text file are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.data.header import ROWS, check_header
from lookalike.data.loaded import Loaded
from lookalike.data.missing_words import words_notes
from lookalike.data.shapes import Shape, look
from lookalike.data.text_file import header_names
from lookalike.data.whole import as_dates, as_whole
from lookalike.engine import stage
from lookalike.errors import BadFile

EXCEL = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")


def read_excel(
    path: Path,
    *,
    sheet: str | None = None,
    missing: Mapping[str, Sequence[str]] | None = None,
    keep_words: Sequence[str] = (),
) -> Loaded:
    """One sheet of a workbook, the first unless named; its first row is the header."""
    import fastexcel

    loaded = Loaded()
    with stage(f"reading {path.name}"):
        try:
            book = fastexcel.read_excel(path)
            name = _sheet(path, book.sheet_names, sheet, loaded.notes)
            table = _cells(path, book, name, loaded.notes)
        except fastexcel.FastExcelError:
            raise BadFile(f"{path.name} cannot be read as a workbook.") from None
    texts = _texts(table, missing or {}, keep_words, loaded)
    loaded.frame = texts.with_columns(*as_whole(table), *as_dates(table))
    return loaded


def _sheet(path: Path, sheets: Sequence[str], wanted: str | None, notes: list[str]) -> str:
    if not sheets:
        raise BadFile(f"{path.name} has no sheet.")
    if wanted is not None and wanted not in sheets:
        raise BadFile(f"{path.name} has no sheet '{wanted}'. Sheets: {', '.join(sheets)}.")
    if wanted is None and len(sheets) > 1:
        notes.append(f"{path.name}: sheet '{sheets[0]}', the first of {len(sheets)}, is read.")
    return wanted if wanted is not None else sheets[0]


def _cells(path: Path, book: Any, sheet: str, notes: list[str]) -> pl.DataFrame:
    """All cells below the header. Every row has a say in a column's type: by default, only the first ones have."""
    header = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if not header.height:
        raise BadFile(f"{path.name}: sheet '{sheet}' is empty.")
    names = header_names(path.name, [cell or "" for cell in header.row(0)], notes)
    table: pl.DataFrame = book.load_sheet(
        sheet, header_row=None, skip_rows=1, column_names=list(names), schema_sample_rows=None
    ).to_polars()
    if not table.height:
        raise BadFile(f"{path.name} has a header and no records.")
    check_header(path.name, names, table.head(ROWS).select(pl.all().cast(pl.String).fill_null("")).iter_rows())
    return table


def _texts(
    table: pl.DataFrame, missing: Mapping[str, Sequence[str]], keep_words: Sequence[str], loaded: Loaded
) -> pl.DataFrame:
    """The table with texts that all are numbers or dates as such."""
    made, shapes = [], []
    for column in table.select(pl.col(pl.String)).iter_columns():
        codes = [str(code) for code in missing.get(column.name, ())]
        shape = Shape(column.name, "", codes, keeps=column.name in keep_words, plain=True)
        counts = column.drop_nulls().value_counts(name="times")
        look([shape], [(counts[column.name], counts["times"].to_numpy())])
        made.append(column.to_frame().select(shape.typed()).to_series())
        loaded.notes += shape.notes
        shapes.append(shape)
        if shape.mixed:
            loaded.mixed[column.name] = shape.mixed
    loaded.notes += words_notes(shapes)
    return table.with_columns(made)
