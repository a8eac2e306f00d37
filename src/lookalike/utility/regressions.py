"""Regressions on files: linear, logistic or multinomial by the response, coded alike in original and release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.data import Kind, Variable
from lookalike.errors import BadPlan, NotAssessable
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.utility.designs import Design
from lookalike.utility.formula import Formula
from lookalike.utility.glm_fits import GlmFit, fit_linear, fit_logistic, fit_multinomial
from lookalike.utility.numbers import as_numbers, coded
from lookalike.utility.references import against_shared, moved_references, references, taken_parts, unlike
from lookalike.utility.stacked import Stacked, file_name, shared_columns, stack

Floats = NDArray[np.float64]

ENDLESS = 30.0
"""A standard error on the scale of 0/1 and standardized columns above which a coefficient has no finite estimate."""

MOST_CLASSES = 30
"""Levels of a response at most."""


class Family(StrEnum):
    """The law of the response.

    >>> Family("logistic") is Family.LOGISTIC
    True
    """

    LINEAR = "linear"
    LOGISTIC = "logistic"
    MULTINOMIAL = "multinomial"


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients of one file; not a number where the file does not tell them."""

    names: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    records: int
    """Records without a missing value in the columns of the formula."""
    left_out: int
    """Records with one."""
    converged: bool
    references: Mapping[str, str] = field(default_factory=dict)
    """The level that each column with levels is set against; of the response in multinomial regression."""
    moved: tuple[str, ...] = ()
    """Columns of which that is not the first level, for not all files hold the first."""

    @property
    def variances(self) -> Floats:
        """Squared standard errors."""
        return np.asarray(np.diag(self.covariance), np.float64)


def fit_all(
    frames: Sequence[pl.DataFrame],
    formula: str,
    *,
    variables: Sequence[Variable] = (),
    family: Family | None = None,
) -> tuple[Family, Formula, tuple[Fit, ...]]:
    """The same regression on each file, levels coded alike; the first file is the original.

    Levels are set against the first one that all files hold. A coefficient that means something else in a file than in
    the original, for it takes the part of columns that the file does not tell, is not a number there.

    Numbers as response make it linear, two levels (or numbers that are 0 and 1) logistic, more levels multinomial,
    unless a family is given. Records with a missing value in a column of the formula are left out.

    >>> file = pl.DataFrame({"y": [1.0, 2.0, 3.0, 5.0], "x": [0, 1, 2, 3]})
    >>> family, read, (fit,) = fit_all([file], "y ~ x")
    >>> family.value, fit.names, fit.estimates.round(3).tolist()
    ('linear', ('intercept', 'x'), [0.8, 1.3])
    """
    read = Formula.read(formula, frames[0].columns)
    names = shared_columns(frames, read.columns)
    whole = [complete(frame.select(names), variables) for frame in frames]
    empty = [file_name(place) for place, frame in enumerate(whole) if not frame.height]
    if empty:
        raise NotAssessable(f"No record without a missing value in the columns of the formula: {', '.join(empty)}.")
    family = _family(whole, read.response, variables, family)
    answer = _answer(whole, read.response, family)
    predictors = [name for name in names if name != read.response]
    stacked = stack(whole, predictors, variables=variables) if predictors else _nothing(whole)
    coded_alike = against_shared(stacked)
    design = Design.of(coded_alike, read.terms)
    fits = _fits(design, answer, family, [len(frames[p]) - whole[p].height for p in range(len(frames))])
    against = {**references(coded_alike), **answer.references}
    moved = (*answer.moved, *moved_references(stacked, coded_alike))
    return family, read, tuple(replace(fit, references=against, moved=moved) for fit in fits)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The response of all files: numbers, or codes with the labels of their levels."""

    numbers: Floats
    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    moved: tuple[str, ...] = ()


def complete(frame: pl.DataFrame, variables: Sequence[Variable]) -> pl.DataFrame:
    """The records without a missing value, codes that mean missing counted as such.

    >>> complete(pl.DataFrame({"pay": [1, None, 3], "sex": ["F", "M", None]}), ()).height
    1
    """
    known = {v.name: v for v in variables}
    keep = np.ones(frame.height, np.bool_)
    for column in frame:
        cells = column.fill_nan(None) if column.dtype.is_float() else column
        keep &= cells.is_not_null().to_numpy()
        keep &= ~coded(column, known.get(column.name)).to_numpy()
    return frame.filter(pl.Series(keep))


def _family(
    frames: Sequence[pl.DataFrame], response: str, variables: Sequence[Variable], asked: Family | None
) -> Family:
    values = pl.concat([frame[response].cast(pl.String) for frame in frames]).unique()
    number = _is_number(frames[0][response], response, variables)
    if asked is None:
        if number and not set(values.to_list()) <= {"0", "1", "0.0", "1.0"}:
            return Family.LINEAR
        asked = Family.LOGISTIC if len(values) <= 2 else Family.MULTINOMIAL
    if asked is Family.LINEAR and as_numbers(frames[0][response]) is None:
        raise BadPlan(f"The response '{response}' holds no numbers: a linear regression does not fit it.")
    if asked is Family.LOGISTIC and len(values) > 2:
        raise BadPlan(f"The response '{response}' has {len(values)} levels: take multinomial regression.")
    if asked is Family.MULTINOMIAL and len(values) > MOST_CLASSES:
        raise BadPlan(f"The response '{response}' has {len(values)} levels; at most {MOST_CLASSES} can be regressed.")
    return asked


def _is_number(column: pl.Series, name: str, variables: Sequence[Variable]) -> bool:
    variable = next((v for v in variables if v.name == name), None)
    if variable is not None:
        return variable.kind in (Kind.NUMERIC, Kind.DATE)
    return column.dtype.is_numeric() or column.dtype.is_temporal()


def _answer(frames: Sequence[pl.DataFrame], response: str, family: Family) -> _Answer:
    kind = Kind.NUMERIC if family is Family.LINEAR else Kind.NOMINAL
    stacked = stack(frames, [response], variables=[Variable(name=response, kind=kind)])
    cells = stacked.table.columns[0]
    if isinstance(cells, Numbers):
        return _Answer(cells.values, np.empty(0, np.int32), ())
    assert isinstance(cells, Categories)
    if cells.levels < 2:
        raise NotAssessable(f"The response '{response}' is the same in all records.")
    if family is Family.LOGISTIC:
        return _Answer(cells.codes.astype(np.float64), cells.codes, stacked.labels[0])
    alike = against_shared(stacked)
    cells = alike.table.columns[0]
    assert isinstance(cells, Categories)
    return _Answer(np.empty(0), cells.codes, alike.labels[0], references(alike), moved_references(stacked, alike))


def _nothing(frames: Sequence[pl.DataFrame]) -> Stacked:
    """Files without predictors: a model of the intercept alone."""
    return Stacked((), (), Mixed(()), (), tuple(frame.height for frame in frames))


def _fits(design: Design, answer: _Answer, family: Family, left_out: Sequence[int]) -> list[Fit]:
    """The fit of each file, without what means something else than in the first."""
    found, parts = [], []
    for file, out in enumerate(left_out):
        rows = design.stacked.rows(file)
        fit = _glm(design, answer, family, rows)
        parts.append(taken_parts(design, fit.kept, rows))
        other = np.tile(unlike(parts[0], parts[file], design.width), len(fit.coefficients))
        found.append(_without(_fit(design, answer, family, fit, rows, out), other))
    return found


def _glm(design: Design, answer: _Answer, family: Family, rows: slice) -> GlmFit:
    if family is Family.LINEAR:
        return fit_linear(design, answer.numbers, rows)
    if family is Family.LOGISTIC:
        return fit_logistic(design, answer.numbers, rows)
    return fit_multinomial(design, answer.codes, len(answer.labels), rows)


def _without(fit: Fit, gone: NDArray[np.bool_]) -> Fit:
    """The fit with some coefficients not told."""
    covariance = np.where(gone | gone[:, None], np.nan, fit.covariance)
    return replace(fit, estimates=np.where(gone, np.nan, fit.estimates), covariance=covariance)


def _fit(design: Design, answer: _Answer, family: Family, fit: GlmFit, rows: slice, left_out: int) -> Fit:
    """Coefficients by name and in units of the file."""
    names = design.names
    if family is Family.MULTINOMIAL:
        names = tuple(f"{label}: {name}" for label in answer.labels[1:] for name in design.names)
    estimates, covariance = _in_units(design, fit, endless=family is not Family.LINEAR)
    return Fit(names, estimates, covariance, rows.stop - rows.start, left_out, fit.converged)


def _in_units(design: Design, fit: GlmFit, *, endless: bool) -> tuple[Floats, Floats]:
    """Coefficients of the numbers as they are, and their covariance; not a number where the file does not tell them.

    That is so for columns that others make up, for levels the file does not have, and, if the response can be told for
    certain, for coefficients that grow without end.
    """
    classes, width = fit.coefficients.shape
    units = design.units
    every = (np.arange(classes)[:, None] * width + fit.kept).ravel()
    block = np.kron(np.eye(classes), units[np.ix_(fit.kept, fit.kept)])
    covariance = np.full((classes * width, classes * width), np.nan)
    covariance[np.ix_(every, every)] = block @ fit.covariance @ block.T
    estimates = np.full(classes * width, np.nan)
    estimates[every] = (fit.coefficients @ units.T).ravel()[every]
    if endless:
        gone = every[np.diag(fit.covariance) > ENDLESS**2]
        estimates[gone] = covariance[gone, :] = covariance[:, gone] = np.nan
    return estimates, covariance
