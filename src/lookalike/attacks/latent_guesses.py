"""Files as codes for latent classes, draws of their posterior, and how likely these make each guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.attacks.columns import alike
from lookalike.attacks.files import Files
from lookalike.models.latent_bins import Bins
from lookalike.models.latent_chain import Draw
from lookalike.models.latent_mixed import DPMPM
from lookalike.models.mixed import Categories, Mixed

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """The original, the releases and, if given, the control in one code book; numbers in bins of the original.

    A missing value is a level of its own: that it is missing can be known, and guessed."""

    columns: tuple[str, ...]
    levels: tuple[int, ...]
    target: int
    guesses: tuple[str, ...]
    """What the levels of the target are."""
    files: list[Rows]
    releases: list[Rows]
    control: Rows | None

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the levels of each column begin among those of all, and the end."""
        return np.cumsum([0, *self.levels]).astype(np.int64)


def coded(files: Files, columns: Sequence[str], target: str, bins: int) -> Codes:
    """Code the columns of all files.

    >>> file = pl.DataFrame({"age": [20, 30, None], "ill": ["no", "yes", "no"]})
    >>> codes = coded(Files(original=file, releases=(file,)), ["age", "ill"], "ill", bins=5)
    >>> codes.files[0].tolist(), codes.levels, codes.guesses
    ([[0, 0], [1, 1], [2, 0]], (3, 2), ('no', 'yes'))
    """
    every = [files.original, *files.releases] + ([] if files.control is None else [files.control])
    found = [_coded([file[name] for file in every], bins) for name in columns]
    joined = np.column_stack([codes for codes, _ in found]).astype(np.int32)
    parts = np.split(joined, np.cumsum([file.height for file in every])[:-1])
    at = list(columns).index(target)
    control = None if files.control is None else parts[-1]
    levels = tuple(len(names) for _, names in found)
    return Codes(tuple(columns), levels, at, found[at][1], parts, parts[1 : 1 + len(files.releases)], control)


def latent_draws(model: DPMPM, rows: Rows, codes: Codes, rng: Generator) -> Sequence[Draw]:
    """Draws of the posterior of (π, θ) given some rows."""
    columns = [Categories(np.ascontiguousarray(rows[:, j]), levels) for j, levels in enumerate(codes.levels)]
    return model.fit_mixed(Mixed(tuple(columns)), rng=rng).draws


def guess_weights(
    draws: Sequence[Draw], codes: Codes, people: Rows, known: Sequence[int], *, taken_out: bool
) -> tuple[Floats, Floats]:
    """log E[r] of every record and guess over the draws, and how many draws that mean rests on (Kish 1965).

    r = f(known, guess | θ), divided by f(whole record | θ) if the record is to be taken out of what was learned."""
    logs = np.empty((len(draws), len(people), codes.levels[codes.target]))
    for h, draw in enumerate(draws):
        table = np.log(np.maximum(draw.levels, 1e-300))
        part = np.log(np.maximum(draw.shares, 1e-300)) + _summed(table, codes, people, known)
        logs[h] = _log_product(part, draw.levels[codes.first[codes.target] : codes.first[codes.target + 1]])
        if taken_out:
            others = [j for j in range(len(codes.levels)) if j not in known]
            whole = part + _summed(table, codes, people, others)
            top = whole.max(axis=1)
            logs[h] -= (top + np.log(np.exp(whole - top[:, None]).sum(axis=1)))[:, None]
    top = logs.max(axis=0)
    weights = np.exp(logs - top)
    total = weights.sum(axis=0)
    return top + np.log(total / len(draws)), total**2 / (weights**2).sum(axis=0)


def _summed(table: Floats, codes: Codes, people: Rows, columns: Sequence[int]) -> Floats:
    """Σ_j log θ_hj(x_j) over some columns, of a record a row and a latent class a column."""
    found = np.zeros((len(people), table.shape[1]))
    for j in columns:
        found += table[codes.first[j] + people[:, j]]
    return found


def _log_product(part: Floats, levels: Floats) -> Floats:
    """log Σ_h exp(part_h) θ_h(y*) of every record and guess."""
    top = part.max(axis=1, keepdims=True)
    found: Floats = top + np.log(np.maximum(np.exp(part - top) @ levels.T, 1e-300))
    return found


def _coded(columns: Sequence[pl.Series], bins: int) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    together = pl.concat(alike(columns))
    if not (together.dtype.is_numeric() or together.dtype.is_temporal()):
        texts = together.cast(pl.String)
        names = texts.drop_nulls().unique().sort()
        codes = texts.replace_strict(names, np.arange(len(names)), default=None, return_dtype=pl.Int64)
        return _with_missing(codes.fill_null(-1).to_numpy(), tuple(names.to_list()))
    values = together.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    own = values[: len(columns[0])]
    own = own[~np.isnan(own)]
    if not len(own):
        return _with_missing(np.where(np.isnan(values), -1, 0), ("any",))
    cut = Bins.of(own, bins=bins)
    return _with_missing(cut.codes(values).astype(np.int64), tuple(f"bin {b + 1}" for b in range(cut.count)))


def _with_missing(codes: NDArray[np.int64], names: tuple[str, ...]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    if (codes >= 0).all():
        return codes, names
    return np.where(codes < 0, len(names), codes), (*names, "missing")
