"""The order in which a sequential model draws the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.errors import BadPlan
from lookalike.models.mixed import Categories, Column, Mixed, Numbers
from lookalike.models.steps.design import Floats
from lookalike.models.steps.information_matrix import mutual_information

_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Order:
    """Columns in the order they are drawn in, the figures behind the choice, and a sentence."""

    columns: tuple[int, ...]
    """Places in the table, from 0."""
    figures: Mapping[str, Floats]
    """By name; one entry a column, in the order of drawing."""
    sentence: str


def order_by_regression(table: Mixed) -> Order:
    """Algorithm 1 of the thesis (section 4.5.1): what the others explain best is drawn last.

    Each column is regressed on all others; the one with the lowest p-value of the F test (all slopes 0) is set aside,
    then the same again with those left. The order of drawing is the reverse of that list. At each step all tests have
    the same degrees of freedom, so the lowest p-value is the highest R². Of two columns that are left both have the
    same; the first in the file is then drawn first. Categories must be ordered or have two levels; their codes count.

    >>> rng = np.random.default_rng(1)
    >>> a = rng.exponential(0.5, 100)
    >>> b = 2 * a + rng.normal(size=100)
    >>> c = 3 * a + 5 * b + rng.normal(size=100)
    >>> order_by_regression(Mixed((Numbers(c), Numbers(a), Numbers(b)))).columns
    (1, 2, 0)
    """
    correlation = _correlation(table)
    left, aside, figures = list(range(len(correlation))), list[int](), list[tuple[float, float]]()
    while len(left) > 1:
        explained = _explained(correlation[np.ix_(left, left)])
        best = max(i for i in range(len(left)) if explained[i] >= explained.max() - _TIE)
        figures.append((explained[best], _log_p(explained[best], len(left) - 1, table.records - len(left))))
        aside.append(left.pop(best))
    columns = (*left, *reversed(aside))
    table_of = np.array([(0.0, 0.0), *reversed(figures)]).reshape(-1, 2)
    told = {"explained by those before": table_of[:, 0], "log p": table_of[:, 1]}
    return Order(columns, told, f"{_row(columns)}: the better those before explain a column, the later it is drawn.")


def order_by_detail(table: Mixed) -> Order:
    """Columns with unknown cells first, then by detail: few values early, codes and numbers with many values late.

    The detail of a column is e^H, H the entropy of its values: how many values it has, were they equally frequent.

    >>> few, many = np.arange(60, dtype=np.int32) % 2, np.arange(60, dtype=np.int32) % 30
    >>> order_by_detail(Mixed((Categories(many, 30), Categories(few, 2)))).columns
    (1, 0)
    """
    _check(table)
    unknown = np.array([1 - column.known.mean() for column in table.columns])
    detail = np.array([_detail(column) for column in table.columns])
    columns = tuple(sorted(range(len(detail)), key=lambda j: (unknown[j] == 0, detail[j], j)))
    figures = {"share unknown": unknown[list(columns)], "detail": detail[list(columns)]}
    return Order(columns, figures, f"{_row(columns)}: columns with unknown cells first, then from coarse to detailed.")


def order_by_information(table: Mixed, *, threads: int | None = None) -> Order:
    """Every column after the one that tells most of it: along the tree of largest information (Chow and Liu 1968).

    The first column is the one that tells most of all others together; then comes, again and again, the column of
    which some column before tells most (Prim's algorithm). The sum of these pieces of information is the largest that
    any order reaches with one predictor a column.

    >>> x = np.arange(400, dtype=np.int32) % 8
    >>> table = Mixed((Categories(x // 4, 2), Categories(x, 8), Categories(x % 2, 2)))
    >>> order_by_information(table).columns
    (1, 0, 2)
    """
    _check(table)
    told = mutual_information(table, threads=threads)
    between = told - np.diag(np.diag(told))
    columns, gains = [int(between.sum(axis=1).argmax())], [0.0]
    while len(columns) < len(told):
        left = [j for j in range(len(told)) if j not in columns]
        best = between[np.ix_(columns, left)].max(axis=0)
        columns.append(left[int(best.argmax())])
        gains.append(float(best.max()))
    figures = {"told by one before": np.array(gains), "entropy": np.diag(told)[columns]}
    return Order(tuple(columns), figures, f"{_row(columns)}: each column comes after the one that tells most of it.")


def _row(columns: Sequence[int]) -> str:
    names = [f"column {j + 1}" for j in columns]
    return "The order is " + ", ".join(names)


def _check(table: Mixed) -> None:
    if not table.columns or not table.records:
        raise BadPlan("An order needs at least one column and one record.")


def _correlation(table: Mixed) -> Floats:
    _check(table)
    wrong = [j + 1 for j, c in enumerate(table.columns) if isinstance(c, Categories) and not c.ordered and c.levels > 2]
    if wrong:
        raise BadPlan(
            f"The order by regression needs numbers or ordered levels; column {', '.join(map(str, wrong))} has levels "
            "without an order. Take the order by information."
        )
    if not all(column.known.all() for column in table.columns):
        raise BadPlan("The order by regression needs every cell known. Take the order by information.")
    values = [c.values if isinstance(c, Numbers) else c.codes.astype(np.float64) for c in table.columns]
    scaled = np.column_stack([(x - x.mean()) / (x.std() or 1.0) for x in values])
    correlation = np.asarray(scaled.T @ scaled / table.records, np.float64)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _explained(correlation: Floats) -> Floats:
    """R² of each column on all others: 1 − 1/(C⁻¹)_ii; a copy of others has 1."""
    values, vectors = np.linalg.eigh(correlation)
    inverse = (vectors**2) @ (1 / np.maximum(values, 1e-13))
    return np.asarray(np.clip(1 - 1 / inverse, 0.0, 1.0))


def _log_p(explained: float, slopes: int, free: int) -> float:
    """ln of the p-value of the F test: P(Beta(free/2, slopes/2) ≤ 1 − R²), by its series where it underflows."""
    from scipy.special import betainc, betaln, hyp2f1

    x = 1 - explained
    if free < 1 or x <= 0:
        return 0.0 if free < 1 else -np.inf
    a, b = free / 2, slopes / 2
    p = float(betainc(a, b, x))
    if p > 1e-290:
        return float(np.log(p))
    series = float(np.log(hyp2f1(a + b, 1.0, a + 1, x)))
    return float(a * np.log(x) + b * np.log1p(-x) - np.log(a) - betaln(a, b) + series)


def _detail(column: Column) -> float:
    cells = column.values if isinstance(column, Numbers) else column.codes
    counts = np.unique(cells[column.known], return_counts=True)[1]
    shares = counts / counts.sum() if len(counts) else np.ones(1)
    return float(np.exp(-(shares @ np.log(shares))))
