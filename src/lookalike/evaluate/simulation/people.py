"""The file as a population: its quasi-identifiers as codes on disk, shared by all workers; samples of it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.classes import encode
from lookalike.data import Microdata
from lookalike.engine import column, number, stage
from lookalike.models import Counts
from lookalike.population import Sample

ROOM = 2**20
"""Combinations of values that are counted in a plain array, however small the file."""
_LARGEST = 2**62


@dataclass(frozen=True)
class Drawn:
    """A sample of the population, and the risk it truly has there."""

    sample: Sample
    truth: float
    """B = (1/n) Σ 1/F."""


@dataclass(frozen=True)
class People:
    """The population: codes from 0 without gaps, one array a quasi-identifier; a missing value is a code."""

    columns: tuple[NDArray[np.unsignedinteger], ...]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, data: Microdata, folder: Path) -> People:
        """The quasi-identifiers of a file, each encoded once and put into the folder."""
        levels = []
        with stage("encoding", total=len(data.quasi_identifiers)) as running:
            for i, name in enumerate(data.quasi_identifiers):
                codes = encode(column(data.table, name))
                dense = Counts.of(codes[:, None], np.ones(len(codes)))
                levels.append(dense.levels[0])
                np.save(folder / f"{i}.npy", dense.codes[:, 0].astype(np.min_scalar_type(levels[-1])))
                running.advance()
        (folder / "levels.json").write_text(json.dumps(levels))
        return cls.load(folder)

    @classmethod
    def load(cls, folder: Path) -> People:
        """What `of` has put into a folder; the arrays stay on disk until they are read."""
        levels = json.loads((folder / "levels.json").read_text())
        return cls(tuple(np.load(folder / f"{i}.npy", mmap_mode="r") for i in range(len(levels))), tuple(levels))

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def digest(self) -> str:
        """SHA-256 of the codes: populations with the same digest give the same study."""
        found = hashlib.sha256(repr((len(self), self.levels)).encode())
        for codes in self.columns:
            found.update(codes.tobytes())
        return found.hexdigest()

    def draw(self, variables: Sequence[int], n: int, rng: Generator) -> Drawn:
        """A simple random sample without replacement, as its classes on some variables.

        The classes stand in the order of their values, so that the sample does not depend on how they are counted.

        >>> people = People((np.array([0, 0, 1, 2], np.uint8),), (3,))
        >>> drawn = people.draw([0], 4, np.random.default_rng(1))
        >>> drawn.sample.sizes.tolist(), drawn.truth
        ([2, 1, 1], 0.75)
        """
        columns, levels = [self.columns[i] for i in variables], [self.levels[i] for i in variables]
        rows = rng.choice(len(self), n, replace=False, shuffle=False)
        if math.prod(levels) <= max(ROOM, 2 * len(self)):
            key = _pack(columns, levels)
            in_population, in_sample = np.bincount(key), np.bincount(key[rows])
            seen = np.flatnonzero(in_sample)
            codes = np.column_stack(np.unravel_index(seen, levels)).astype(np.int32)
        else:
            key = _pack(columns, levels)
            found = number(key)
            in_population, in_sample = found.sizes, np.bincount(found.index[rows])
            seen = np.flatnonzero(in_sample)
            seen = seen[np.argsort(key[found.first[seen]])]
            codes = np.column_stack([codes[found.first[seen]] for codes in columns]).astype(np.int32)
        f, F = in_sample[seen], in_population[seen]
        return Drawn(Sample.from_codes(codes, f), float((f / F).sum() / n))


def _pack(columns: Sequence[NDArray[np.unsignedinteger]], levels: Sequence[int]) -> NDArray[np.int64]:
    """One number a record, equal if and only if the records are equal on all columns; the first column weighs most."""
    key, room = np.zeros(len(columns[0]), np.int64), 1
    for codes, radix in zip(columns, levels, strict=True):
        if room * radix >= _LARGEST:
            key = number(key).index.astype(np.int64)
            room = int(key.max()) + 1
        key *= radix
        key += codes
        room *= radix
    return key
