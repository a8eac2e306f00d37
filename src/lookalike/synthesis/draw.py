"""Draw a release: encode the file, fit the model, draw copies block by block, keep the rules, decode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.data import Microdata
from lookalike.engine import Scratch, Stage, Table, engine_for, records, stage
from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Conditional, Counted, Joint, Law, Mixed, Numbers, Redrawing, Several
from lookalike.synthesis.choices import Synthesis
from lookalike.synthesis.coding import Coding, coding_of
from lookalike.synthesis.formulas import Formulas
from lookalike.synthesis.learning import Learning
from lookalike.synthesis.likeness import likenesses
from lookalike.synthesis.models import model_of, name_of
from lookalike.synthesis.parts import Parts
from lookalike.synthesis.release import Combining, Release
from lookalike.synthesis.rules import Rules

BLOCK = 2**20
"""Rows drawn at a time, each block from a stream of its own."""
IN_MEMORY = 3e7
"""Cells of all copies above which they are kept on disk."""
FEW = 100
OFTEN = 0.05
"""Records drawn again because of rules, a record, from which it is told."""
ROUNDS = 100
"""How often records that break a rule are drawn again."""


def synthesize(
    file: Microdata,
    choices: Synthesis,
    *,
    rng: Generator,
    model: Joint | None = None,
    threads: int | None = None,
) -> Release:
    """Copies drawn from a model of the file; `model` stands for the one that the choices name.

    >>> import lookalike as la, numpy as np, polars as pl
    >>> file = la.read(pl.DataFrame({"age": [30, 31, 45] * 20, "sex": ["F", "M", "F"] * 20}))
    >>> release = synthesize(file, Synthesis(model="independent", rows=5), rng=np.random.default_rng(1))
    >>> release.data.records, release.data.columns, release.linked
    (5, ('age', 'sex'), False)
    """
    return _Drawing(file, choices, model, rng, threads).release()


class _Drawing:
    """One run."""

    def __init__(
        self, file: Microdata, choices: Synthesis, model: Joint | None, rng: Generator, threads: int | None
    ) -> None:
        faults = choices.faults()
        if faults:
            raise BadPlan(faults)
        self.file, self.choices, self.threads = file, choices, threads
        self.columns = Parts.of(file, choices)
        self.model = model if model is not None else model_of(choices.model, choices.options)
        self.fit_rng, *self.copy_rngs = rng.spawn(1 + choices.copies)
        self.frame = records(file.table, [n for n in file.columns if n in self.columns.modelled])
        _check_cells(self.frame, file)
        self.rules = Rules.of(choices, dict(self.frame.schema), self.columns.drawn)
        self.rules.check(self.frame)
        with_computed = self._with_computed() if choices.computed else self.frame
        self.formulas = Formulas.of(choices.computed, with_computed, self.frame.columns, file.variables)
        self._given(1)
        self.redrawn = 0

    def _with_computed(self) -> pl.DataFrame:
        """The file with the columns that formulas compute."""
        return records(
            self.file.table, [n for n in self.file.columns if n in (*self.frame.columns, *self.columns.computed)]
        )

    @cached_property
    def laws(self) -> Sequence[Law]:
        return self.learning.laws(self.fit_rng)

    @cached_property
    def rows(self) -> int:
        if self.choices.rows is not None:
            return self.choices.rows
        law = self.laws[0]
        return (law.rows if isinstance(law, Counted) else None) or self.frame.height

    @cached_property
    def codings(self) -> list[Coding]:
        impute = self.choices.missing == "impute"
        # Levels that the model is told, not those that the file happens to hold.
        told = getattr(self.model, "levels", None)
        levels = told if isinstance(told, Mapping) else {}
        return [
            coding_of(self.file.variable(name), self.frame[name], impute=impute, levels=levels.get(name))
            for name in self.frame.columns
        ]

    @cached_property
    def learning(self) -> Learning:
        return Learning(
            self.frame, self.codings, self.columns, self.choices, self.rules, model=self.model, threads=self.threads
        )

    def release(self) -> Release:
        laws = self.laws
        scratch = Scratch() if self.rows * len(self.frame.columns) * len(laws) > IN_MEMORY else None
        with stage("drawing records", total=self.rows * len(laws)) as running:
            copies = tuple(self._copy(i, law, running, scratch) for i, law in enumerate(laws))
        columns = self.columns
        linked = bool(columns.kept)
        return Release(
            copies=copies,
            model=name_of(self.model),
            drawn=tuple(n for n in (*columns.drawn, *columns.computed) if n not in self.choices.given),
            kept=columns.kept,
            left_out=columns.left_out,
            given=tuple(self.choices.given),
            linked=linked,
            combining=self._combining(laws[0]),
            redrawn=self.redrawn,
            caveats=tuple(dict.fromkeys([*map(self.learning.by_name, laws[0].caveats), *self._caveats(laws[0])])),
            figures={self.learning.by_name(name): value for name, value in getattr(laws[0], "figures", {}).items()},
            details=dict(getattr(laws[0], "details", {})),
            likeness=likenesses(self.file, copies, (*columns.drawn, *columns.computed), linked=linked),
            laws=tuple(laws),
        )

    def _combining(self, law: Law) -> Combining:
        if self.columns.kept:
            return Combining.PARTIAL
        proper = self.choices.proper or isinstance(law, Several)
        return Combining.COMPLETE_PROPER if proper else Combining.COMPLETE_IMPROPER

    def _copy(self, number: int, law: Law, running: Stage, scratch: Scratch | None) -> Microdata:
        blocks = -(-self.rows // BLOCK)
        rngs = self.copy_rngs[number].spawn(blocks)
        frames, files = [], []
        for block, rng in enumerate(rngs):
            start = block * BLOCK
            rows = np.arange(start, min(start + BLOCK, self.rows))
            drawn = self._finished(self._lawful(law, rows, rng), rows)
            running.advance(len(rows))
            if scratch is None:
                frames.append(drawn)
            else:
                files.append(scratch.file(f"{number}-{block}.parquet"))
                drawn.write_parquet(files[-1])
        engine = engine_for("polars")
        lazy = engine.scan_parquet(files) if scratch else engine.adopt(pl.concat(frames))
        names = lazy.collect_schema().names()
        said = self.file.variables
        return replace(
            self.file,
            table=Table(lazy, engine),
            variables=tuple(v for v in said if v.name in names),
            guesses=tuple(v for v in self.file.guesses if v.name in names),
            name=f"{self.file.name}, copy {number + 1}",
            files=(),
            notes=(),
            mixed={},
            scratch=scratch,
        )

    def _lawful(self, law: Law, rows: NDArray[np.int64], rng: Generator) -> pl.DataFrame:
        """Records that keep the rules: those that do not are drawn again, as often as it takes."""
        first, *again = rng.spawn(1 + ROUNDS)
        drawn = self.rules.imply(self._decoded(self._drawn(law, rows, first), rows))
        if not self.rules:
            return drawn
        for more in again:
            broken = np.flatnonzero(self.rules.against(drawn).to_numpy())
            if not len(broken):
                return drawn
            self.redrawn += len(broken)
            better = self.rules.imply(self._decoded(self._drawn(law, rows[broken], more), rows[broken]))
            order = np.arange(drawn.height)
            order[broken] = drawn.height + np.arange(len(broken))
            drawn = pl.concat([drawn, better])[order]
        broken = np.flatnonzero(self.rules.against(drawn).to_numpy())
        if len(broken):
            raise BadPlan(
                f"After {ROUNDS} attempts {len(broken):,} of {drawn.height:,} records still break a rule: the model "
                "hardly ever draws records that keep it. Latent classes fit without impossible records."
            )
        return drawn

    def _drawn(self, law: Law, rows: NDArray[np.int64], rng: Generator) -> Mixed:
        """The model's records for some rows of the release."""
        if self.columns.kept:
            places = self._places(self.columns.drawn)
            if isinstance(law, Redrawing):
                return law.redraw(self.learning.table, places, rng=rng, threads=self.threads).take(rows)
            assert isinstance(law, Conditional)
            return law.complete(self.learning.table.take(rows).blank(places), rng=rng, threads=self.threads)
        if self.choices.given:
            assert isinstance(law, Conditional)
            return law.complete(self._given(len(rows)), rng=rng, threads=self.threads)
        return law.sample(len(rows), rng=rng, threads=self.threads)

    def _places(self, names: Sequence[str]) -> list[int]:
        """The columns of the model that hold these columns of the file."""
        found: list[int] = []
        at = 0
        for coding in self.codings:
            if coding.name in names:
                found += range(at, at + coding.places)
            at += coding.places
        return found

    def _given(self, rows: int) -> Mixed:
        """Records of which only the given values are known."""
        columns, faults = list(self.learning.table.empty(rows).columns), []
        for coding in self.codings:
            if coding.name not in self.choices.given:
                continue
            places = self._places([coding.name])
            try:
                value = pl.Series([self.choices.given[coding.name]]).cast(self.frame.schema[coding.name])
            except pl.exceptions.PolarsError:
                faults.append(f"The value given for '{coding.name}' is not of its type.")
                continue
            for place, column in zip(places, coding.encode(value), strict=True):
                if not column.known.all() or _outside(column, self.learning.table.columns[place]):
                    faults.append(f"The value given for '{coding.name}' lies outside what the file holds.")
                columns[place] = column.take(np.zeros(rows, np.int64))
        if faults:
            raise BadPlan(faults)
        return Mixed(tuple(columns))

    def _decoded(self, drawn: Mixed, rows: NDArray[np.int64]) -> pl.DataFrame:
        return pl.DataFrame(list(self._cells(drawn, rows)))

    def _cells(self, drawn: Mixed, rows: NDArray[np.int64]) -> Iterator[pl.Series]:
        at = 0
        for coding in self.codings:
            if coding.name in self.columns.kept:
                yield self.frame[coding.name].gather(rows)
            else:
                yield coding.decode(drawn.columns[at : at + coding.places])
            at += coding.places

    def _codes_told(self) -> Iterator[str]:
        """Codes that mean missing and stand in no cell: mistaken, or taken out when the file was read."""
        for coding in self.codings:
            named = self.file.variable(coding.name).missing
            cells = self.frame[coding.name]
            found = pl.Series(named, dtype=pl.String).cast(cells.dtype, strict=False).drop_nulls()
            absent = [code for code in found.to_list() if not (cells == code).any()]
            if absent and cells.dtype.is_numeric():
                yield (
                    f"{coding.name}: {len(absent)} of the codes that mean missing stand in no cell. If the file was "
                    "read with them before, they are empty cells by now and come back as such; name them in the plan "
                    "instead."
                )

    def _finished(self, drawn: pl.DataFrame, rows: NDArray[np.int64]) -> pl.DataFrame:
        """The columns in the order of the file, new identifiers among them."""
        fresh = [pl.Series(name, rows + 1).cast(_id_type(self.file, name)) for name in self.columns.new]
        whole = self.formulas.add(drawn).with_columns(fresh)
        return whole.select(name for name in self.file.columns if name in whole.columns)

    def _caveats(self, law: Law) -> Iterator[str]:
        again = self.redrawn / (self.rows * self.choices.copies)
        if again > OFTEN:
            yield (
                f"Records were drawn again because of rules {again:.0%} as often as there are records: the columns "
                "that the rules speak of, and what goes with them, may be distorted. Compare their distributions."
            )
        if self.choices.given:
            yield (
                "Values were given: the rule for combining is for estimates of the whole file, not of the records that "
                "have these values."
            )
        if self.columns.kept and isinstance(law, Redrawing):
            yield (
                "Cells are drawn given the latent class of their whole record, the real value included, as it is done "
                "in the literature: a drawn value is nearer to the real one than the kept columns alone would tell."
            )
        yield from self._codes_told()
        yield from self.rules.unmet(self.frame)
        copied = [f"'{n}'" for n in self.columns.drawn if all_different(self.frame[n])]
        if copied:
            yield (
                f"{', '.join(copied)}: every record has a text of its own, which can only be copied. "
                "Leave it out (--drop)."
            )
        if self.frame.height < FEW:
            yield f"The file has {self.frame.height} records only: a model of so few is nearly a copy of them."
        if self.file.household is not None:
            yield "Records are drawn one by one: who lived in one household is lost."
        yield from self.formulas.caveats(self._with_computed()) if self.columns.computed else ()
        if self.columns.kept:
            yield f"{', '.join(self.columns.kept)}: kept as in the file; what is known of them is not protected."


def _outside(given: Column, file: Column) -> bool:
    """Whether numbers lie below or above all of the file's."""
    if not (isinstance(given, Numbers) and isinstance(file, Numbers)):
        return False
    return bool((given.values < np.nanmin(file.values)).any() or (given.values > np.nanmax(file.values)).any())


def all_different(cells: pl.Series) -> bool:
    """Whether a column of text has a value of its own in each of many records."""
    return cells.dtype == pl.String and len(cells) > 1 and cells.n_unique() == len(cells)


def _id_type(file: Microdata, name: str) -> pl.DataType:
    dtype = records(file.table.select(name), [name]).schema[name]
    return dtype if dtype.is_integer() or dtype == pl.String else pl.Int64()


def _check_cells(frame: pl.DataFrame, file: Microdata) -> None:
    faults = [
        f"Column '{name}' holds lists or bytes: it cannot be drawn. Leave it out (--drop)."
        for name, dtype in frame.schema.items()
        if dtype.is_nested() or dtype == pl.Binary
    ]
    faults += [
        f"Column '{name}' has no value in any record: nothing can be learned of it. Leave it out (--drop)."
        for name in frame.columns
        if frame[name].null_count() == frame.height
    ]
    if faults:
        raise BadPlan(faults)
