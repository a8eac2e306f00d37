"""The laws of a release: the model fitted to the encoded file, told what it needs to know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike import models as m
from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.models.mixed import Column, Conditional, Joint, Law, Mixed, Several
from lookalike.models.sequential.asked import Asked, Cells, Fixed, Named
from lookalike.synthesis.choices import Synthesis
from lookalike.synthesis.coding import Coding
from lookalike.synthesis.models import name_of
from lookalike.synthesis.parts import Parts
from lookalike.synthesis.rules import Rules
from lookalike.synthesis.zeros import zeros_of


@dataclass(frozen=True)
class Learning:
    """What a model is fitted to."""

    frame: pl.DataFrame
    codings: Sequence[Coding]
    columns: Parts
    choices: Synthesis
    rules: Rules
    model: Joint
    threads: int | None

    @cached_property
    def table(self) -> Mixed:
        """The file as columns of a model."""
        with stage("encoding columns", total=len(self.codings)) as running:
            found: list[Column] = []
            for coding in self.codings:
                found += coding.encode(self.frame[coding.name])
                running.advance()
        return Mixed(tuple(found))

    def laws(self, rng: Generator) -> Sequence[Law]:
        """One law a copy: draws of a posterior, or the same for all, or one drawn anew for each."""
        copies, proper = self.choices.copies, self.choices.proper
        if isinstance(self.model, Named):
            streams = rng.spawn(copies) if proper else [rng]
            laws = [self._fit(self.table, stream) for stream in streams]
            return laws if proper else laws * copies
        law = self._fit(self.table, rng)
        if isinstance(law, Several):
            return law.apart(copies)
        if not proper:
            return [law] * copies
        return [self._fit(self._resampled(stream), stream) for stream in rng.spawn(copies)]

    def _fit(self, table: Mixed, rng: Generator) -> Law:
        try:
            if isinstance(self.model, Named):
                law = self.model.fit_named(table, self._asked, rng=rng, threads=self.threads)
            else:
                law = self._informed.fit_mixed(table, rng=rng, threads=self.threads)
        except BadPlan as error:
            raise BadPlan([self.by_name(fault) for fault in error.faults]) from None
        needed = "hold columns as they are" if self.columns.kept else "hold given values" if self.choices.given else ""
        if needed and not isinstance(law, Conditional):
            raise BadPlan(f"The model {name_of(self.model)} cannot {needed}: it draws whole records.")
        return law

    @cached_property
    def _informed(self) -> Joint:
        """The model, told of impossible combinations if it can fit without them."""
        if not self.rules or not isinstance(self.model, m.DPMPM):
            return self.model
        return replace(
            self.model, zeros=(*self.model.zeros, *zeros_of(tuple(self.rules.broken.values()), self.codings))
        )

    def _resampled(self, rng: Generator) -> Mixed:
        """A bootstrap sample of the records: a law drawn, where the model has no posterior."""
        n = self.table.records
        return self.table.take(rng.integers(0, n, n))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column of the file that each column of the model belongs to."""
        return tuple(coding.name for coding in self.codings for _ in range(coding.places))

    @cached_property
    def _asked(self) -> Asked:
        """For a model that knows columns by name."""
        return Asked(
            names=self.names,
            given=(*self.columns.kept, *self.choices.given),
            fixed=tuple(self._fixed()),
            proper=self.choices.proper,
        )

    def _fixed(self) -> Sequence[Fixed]:
        """Rules that decide a value in every record of the file that they speak of."""
        coding = {c.name: c for c in self.codings}
        found = []
        for when, then in self.rules.implied:
            concerned = self.frame.filter(when.fill_null(False))
            for name, value in then.items():
                if name in coding and not concerned[name].null_count():
                    cell = pl.select(value.alias(name)).to_series().cast(self.frame.schema[name])
                    holds = _Condition(when, {n: coding[n] for n in when.meta.root_names()})
                    found.append(
                        Fixed(name=name, needs=tuple(holds.codings), holds=holds, value=coding[name].encode(cell))
                    )
        return found

    def by_name(self, said: str) -> str:
        """A sentence of a model, which counts its columns from 1, with the names of the file."""

        def named(found: re.Match[str]) -> str:
            numbers = [int(number) for number in re.findall(r"\d+", found[1])]
            if not all(1 <= number <= len(self.names) for number in numbers):
                return found[0]
            return ", ".join(f"'{self.names[number - 1]}'" for number in numbers)

        return re.sub(r"\bcolumns? (\d+(?:, \d+)*)", named, said)


@dataclass(frozen=True)
class _Condition:
    """Whether a condition of the plan holds, for cells of a model."""

    when: pl.Expr
    codings: Mapping[str, Coding]

    def __call__(self, cells: Mapping[str, Cells]) -> NDArray[np.bool_]:
        frame = pl.DataFrame([coding.decode(cells[name]) for name, coding in self.codings.items()])
        return np.asarray(frame.select(self.when.fill_null(False).alias("holds"))["holds"].to_numpy(), bool)
