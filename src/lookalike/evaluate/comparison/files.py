"""The files of a comparison: opened, their common columns made comparable, large ones cut to a random part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize import Protected
from lookalike.data import Microdata, Role, Variable, load, number_of
from lookalike.data.write import FORMATS
from lookalike.engine import records, sample_rows
from lookalike.errors import BadPlan, unknown
from lookalike.evaluate.comparison.codes import Codes, codes_to_empty, emptied
from lookalike.evaluate.comparison.origin import Made, chosen_or_guessed, of_combining, of_evidence
from lookalike.evaluate.digest import source_of
from lookalike.evaluate.people import generator
from lookalike.evaluate.protection import ProtectedRun
from lookalike.evaluate.request import open_file
from lookalike.evaluate.result import Source
from lookalike.evaluate.synthesis import Synthesized
from lookalike.plan import Plan
from lookalike.synthesis import Release
from lookalike.utility.origin import How, Origin
from lookalike.utility.pair import is_number
from lookalike.utility.readable import Coarse, readable
from lookalike.utility.stacked import file_name

Rows = NDArray[np.int64]

_COPY = re.compile(r"copy-(\d+)\.\w+")
_NOT_COMPARED = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)
PART = "{whole:,} records are many: a random part of about {part:,} is compared."
LOOK = 10_000
"""Records of a release that are looked at to guess how it was made."""
MOST_LEVELS = 5_000
"""Values of a category beyond which it is compared with nothing: a table of it would have a cell a record."""
TOO_MANY = (
    "{names}: more than {most:,} values that are no numbers, so not compared. Group them, or name an identifier (--id)."
)
GONE = "The release lacks {names}: what rests on them is lost."
ADDED = "The original lacks {names} of the release: not compared."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Both:
    """Original and copies, column beside column."""

    file: Microdata
    releases: tuple[Microdata, ...]
    control_file: Microdata | None
    made: Made
    rows: Rows | None
    """Which record of `original` each row of a linked copy is; None: row i is row i."""
    file_rows: Rows | None
    """The same of the whole files."""
    columns: tuple[str, ...]
    only_original: tuple[str, ...]
    only_release: tuple[str, ...]
    original: pl.DataFrame
    """For what one calculates with."""
    counted: pl.DataFrame
    """For what is counted: numbers in the ranges of the release, where it has such."""
    copies: tuple[pl.DataFrame, ...]
    control: pl.DataFrame | None
    warnings: tuple[str, ...]
    coarse: Mapping[str, Coarse] = field(default_factory=dict)
    """Columns that are released in ranges or groups, and how they are compared."""
    codes: Codes = field(default_factory=dict)
    """Codes for missing values that not all files hold: empty in `file` and `control_file`, not yet in `releases`."""

    @property
    def readable_releases(self) -> tuple[Microdata, ...]:
        """The releases with the codes as empty cells that are empty cells in the original here."""
        return tuple(emptied(release, self.codes) for release in self.releases)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that are compared."""
        return tuple(v for v in self.file.variables if v.name in self.columns)

    @property
    def beside(self) -> pl.DataFrame:
        """The records of the original that the rows of a linked release are."""
        return self._kept(self.original)

    @property
    def beside_counted(self) -> pl.DataFrame:
        """The same, for what is counted."""
        return self._kept(self.counted)

    def _kept(self, original: pl.DataFrame) -> pl.DataFrame:
        return original if self.rows is None else original[self.rows]

    @property
    def sources(self) -> tuple[Source, ...]:
        """All files as the evidence names them."""
        control = [] if self.control_file is None else [source_of(self.control_file, "control")]
        releases = (source_of(data, "release") for data in self.releases)
        return (source_of(self.file, "original"), *releases, *control)


def open_both(data: Any, release: Any, plan: Plan, control: Any = None, *, known: Sequence[str] = ()) -> Both:
    """Open and check everything; raises one `BadPlan` with all faults."""
    faults = [*known, *plan.faults()]
    file = open_file(data, plan, faults)
    made, rows, files = _released(release, plan)
    held = control if control is not None else plan.comparison.control
    control_file = None if held is None else _load(held, plan)
    columns = _columns(file, files, control_file, plan)
    codes = codes_to_empty(file, files, columns)
    file, control_file = emptied(file, codes), None if control_file is None else emptied(control_file, codes)
    made = release.made if isinstance(release, Given) else _origin(made, file, files, rows, plan)
    read = _Reading(plan=plan, columns=columns, linked=made.linked, codes=codes)
    original, copies, seen = read.frames(file, files, rows)
    both = Both(
        file=file,
        releases=files,
        control_file=control_file,
        made=replace(made, origin=replace(made.origin, part=read.share(file))),
        rows=seen,
        file_rows=rows,
        columns=columns,
        only_original=_lacking(file.columns, files[0], file),
        only_release=tuple(name for name in files[0].columns if name not in file.columns),
        original=original,
        counted=original,
        copies=copies,
        control=None if control_file is None else read.frame(control_file, 0),
        warnings=(),
        codes=codes,
    )
    return _comparable(_without_names(_told(both, read), plan))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is read of each file: some columns, and of a large one a random part."""

    plan: Plan
    columns: tuple[str, ...]
    linked: bool
    codes: Codes

    def share(self, data: Microdata) -> float:
        """The part of a file that is read."""
        return min(1.0, self.plan.comparison.sample / data.records)

    def frame(self, data: Microdata, place: int) -> pl.DataFrame:
        """The columns of one file; linked files of one size lose the same rows."""
        table = emptied(data, self.codes).table.select(*self.columns)
        if self.share(data) == 1.0:
            return records(table, self.columns)
        seed = generator(self.plan.seed, "compare", "part", 0 if self.linked else place).integers(2**62)
        return sample_rows(table, self.share(data), seed=int(seed)).select(self.columns)

    def frames(
        self, file: Microdata, releases: Sequence[Microdata], rows: Rows | None
    ) -> tuple[pl.DataFrame, tuple[pl.DataFrame, ...], Rows | None]:
        """The original and its copies, and which record of the original each row is, if not the one beside it."""
        if rows is None or self.share(file) == 1.0:
            copies = (self.frame(release, place) for place, release in enumerate(releases, 1))
            return self.frame(file, 0), tuple(copies), rows
        copy = self.frame(releases[0], 0)  # records were removed: the rows that stayed are read
        seed = generator(self.plan.seed, "compare", "part", 0).integers(2**62)
        kept = np.random.default_rng(int(seed)).random(len(rows)) < self.share(releases[0])
        return records(file.table, self.columns)[rows[kept]], (copy,), None


Released = tuple[Made | None, Rows | None, tuple[Microdata, ...]]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Given:
    """A release whose origin is known: its files, and which record each row of a linked one is (None: row i)."""

    made: Made
    rows: Rows | None
    files: tuple[Microdata, ...]


def _released(release: Any, plan: Plan) -> Released:
    """What is compared with the original, and what the object itself tells of its origin and its rows."""
    if isinstance(release, Given):
        return release.made, release.rows, release.files
    if isinstance(release, Synthesized):
        release = release.release
    if isinstance(release, ProtectedRun):
        release = release.release
    if isinstance(release, Release):
        origin = of_combining(release.combining, release.drawn)
        return Made(origin=origin, told="the release", linked=release.linked), None, release.copies
    if isinstance(release, Protected):
        cells = {name: {int(f): n for f, n in fates.items()} for name, fates in release.cells.items()}
        made = Made(origin=Origin(how=How.CHANGED), told="the release", linked=True, cells=cells)
        return made, release.rows, (release.data,)
    sources = _copies(release) if isinstance(release, (str, Path)) else release
    several = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    if not several:
        raise BadPlan("There is no release to compare: give at least one.")
    return None, None, tuple(_load(one, plan) for one in several)


def copies_in(path: str | Path) -> int:
    """How many copies a release has: the files of a folder, else one."""
    found = _copies(path)
    return len(found) if isinstance(found, list) else 1


def _copies(path: str | Path) -> list[Path] | str | Path:
    """The copies in a folder, those of `synthesize` in their order; a folder of Parquet files is one table."""
    folder = Path(path)
    if not folder.is_dir():
        return path
    found = {int(match[1]): file for file in folder.iterdir() if (match := _COPY.fullmatch(file.name))}
    if found:
        return [found[number] for number in sorted(found)]
    others = sorted(file for file in folder.iterdir() if file.suffix.lower() in FORMATS and file.suffix != ".parquet")
    return others or path


def _load(source: Any, plan: Plan) -> Microdata:
    """A file without roles; numbers that mean missing stay in the cells, as in the original."""
    if isinstance(source, Microdata):
        return source
    texts = {n: tuple(c for c in codes if number_of(c) is None) for n, codes in plan.missing_codes.items()}
    return load(source, engine=plan.engine, spark_master=plan.spark_master, missing=texts, keep_words=plan.keep_words)


def _lacking(names: Sequence[str], other: Microdata, file: Microdata) -> tuple[str, ...]:
    identifiers = file.with_role(Role.IDENTIFIER)
    return tuple(name for name in names if name not in other.columns and name not in identifiers)


def _columns(file: Microdata, releases: Sequence[Microdata], control: Microdata | None, plan: Plan) -> tuple[str, ...]:
    """The columns to compare; what is named and is not there is a fault."""
    choices = plan.comparison
    faults: list[str] = []
    for place, data in enumerate((file, *releases)):
        faults += _unknown("Column", choices.columns, data.columns, f"in {file_name(place)}")
    left_out = {name for role in _NOT_COMPARED for name in file.with_role(role)}
    common = [n for n in file.columns if all(n in r.columns for r in releases)]
    chosen = tuple(choices.columns) or tuple(n for n in common if n not in left_out)
    if not faults and not chosen:
        faults.append(
            "The original and the release have no column in common that can be compared. Check that both files are "
            "meant, and that no column was renamed."
        )
    if control is not None:
        lacking = [f"'{n}'" for n in chosen if n not in control.columns]
        faults += [f"The control lacks {', '.join(lacking)}: it must hold records of the same kind."] if lacking else []
    schema = file.table.schema
    nested = [n for n in chosen if n in schema and schema[n].is_nested()]
    faults += [f"Column '{n}' holds lists or bytes, not single values: leave it out (--columns)." for n in nested]
    if faults:
        raise BadPlan(dict.fromkeys(faults))
    return chosen


def _unknown(what: str, names: Sequence[str], columns: Sequence[str], where: str) -> list[str]:
    return [unknown(what, name, columns, where=where, listed="Columns") for name in names if name not in columns]


def _origin(told: Made | None, file: Microdata, releases: Sequence[Microdata], rows: Rows | None, plan: Plan) -> Made:
    """What options, the release itself, its evidence or a look at its cells tell of its origin, in this order."""
    choices = plan.comparison
    made = None if choices.how is not None else told
    if made is None and choices.made is not None:
        made = of_evidence(Path(choices.made), [source_of(r).sha256 for r in releases], file.records)
    made = made or chosen_or_guessed(choices, releases[0].head(LOOK), file.head(LOOK))
    faults = _unknown("Drawn column", made.origin.drawn, file.columns, "in the original")
    if made.linked and rows is None and any(release.records != file.records for release in releases):
        faults.append(
            f"Row i of a linked release is row i of the original, but there are {releases[0].records:,} rows and "
            f"{file.records:,} records. Leave out --linked, or take the original that the release was made of."
        )
    if len(releases) > 1 and made.origin.how in (How.CHANGED, How.INDEPENDENT):
        faults.append("A changed file, or another sample, is one file. Compare several one by one.")
    if faults:
        raise BadPlan(faults)
    return made


def _told(both: Both, read: _Reading) -> Both:
    """With what must be said of the files; columns that are not compared are no drawn ones."""
    told = [*both.file.notes, *both.made.warnings]
    for text, names in ((GONE, both.only_original), (ADDED, both.only_release)):
        if names:
            told.append(text.format(names=", ".join(f"'{n}'" for n in names)))
    largest = max(data.records for data in (both.file, *both.releases))
    if largest > read.plan.comparison.sample:
        told.append(PART.format(whole=largest, part=read.plan.comparison.sample))
    inside = tuple(n for n in both.made.origin.drawn if n in both.columns)
    made = replace(both.made, origin=replace(both.made.origin, drawn=inside))
    return replace(both, made=made, warnings=tuple(told))


def _comparable(both: Both) -> Both:
    """With cells that can be compared."""
    if len(both.copies) > 1:
        found = [readable(both.original, copy, variables=both.variables) for copy in both.copies]
        notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
        read = replace(both, copies=tuple(one.release for one in found), warnings=(*both.warnings, *notes))
        # Copies are drawn: where they have ranges, all have those of the original, or nothing is known of them.
        alike = all(one.counted.equals(found[0].counted) for one in found)
        return replace(read, counted=found[0].counted, coarse=found[0].coarse) if alike else read
    one = readable(both.original, both.copies[0], variables=both.variables, linked=both.made.linked, rows=both.rows)
    warnings = (*both.warnings, *one.notes)
    read = replace(both, original=one.original, counted=one.counted, copies=(one.release,), warnings=warnings)
    return replace(read, coarse=one.coarse)


def _without_names(both: Both, plan: Plan) -> Both:
    """Without categories of so many values that nothing can be counted by them, unless they were named."""
    known = {v.name: v for v in both.variables}
    many = [
        column.name
        for column in both.original
        if not is_number(column, known[column.name]) and column.n_unique() > MOST_LEVELS
    ]
    if not many:
        return both
    told = TOO_MANY.format(names=", ".join(f"'{name}'" for name in many), most=MOST_LEVELS)
    kept = tuple(name for name in both.columns if name not in many)
    if not kept or plan.comparison.columns:
        raise BadPlan(told)
    return replace(
        both,
        columns=kept,
        original=both.original.select(kept),
        counted=both.counted.select(kept),
        copies=tuple(copy.select(kept) for copy in both.copies),
        control=None if both.control is None else both.control.select(kept),
        warnings=(*both.warnings, told),
    )


def part_of(frame: pl.DataFrame, most: int, rng: Generator) -> pl.DataFrame:
    """A random part of a file that has more records, in the order of the file."""
    return frame if frame.height <= most else frame[np.sort(rng.choice(frame.height, most, replace=False))]
