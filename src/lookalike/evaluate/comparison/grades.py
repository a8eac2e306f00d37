"""How far a release keeps each analysis: rules of thumb, the same for every file (docs/concepts/compare.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from lookalike.evaluate.comparison.result import Compared, Utility
from lookalike.utility.dependence import PairDependence
from lookalike.utility.margins import Margin
from lookalike.utility.propensity import Propensity
from lookalike.utility.regression_overlap import RegressionOverlap
from lookalike.utility.table_utility import FINE, GOOD, TableDifference
from lookalike.utility.train_test import TrainTest

SHARE = 0.9
"""Of the tables that must be within a limit."""
VARIATION = (0.05, 0.15)
"""Total variation, and distance of a column, that is kept and partly kept."""
AUC = (0.55, 0.65)
OVERLAP = (0.7, 0.5)
MOVED = (0.1, 0.2)
"""Change of an association."""
FAR = 3.0
"""Standard errors of the original that a coefficient may move by."""
LEARNED = (0.9, 0.5)
"""Of what the original gains over a guess, the share that the release gains."""
NO_GAIN = 0.02
"""Over a guess: up to this the learner finds nothing in the original."""


class Grade(StrEnum):
    """What is left of an analysis.

    >>> Grade.PARTLY.value
    'partly'
    """

    KEPT = "kept"
    PARTLY = "partly"
    LOST = "lost"
    OPEN = "open"
    """The original does not tell either, or not by this means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One analysis with its grade and the figures that the grade rests on."""

    analysis: str
    what: str
    grade: Grade
    figures: Mapping[str, Any] = field(default_factory=dict)


def findings(compared: Compared) -> tuple[Finding, ...]:
    """All analyses, those that the user named first."""
    return tuple(_findings(compared.utility))


def _findings(utility: Utility) -> Iterator[Finding]:
    for what, reason in utility.lost.items():
        yield Finding(analysis="unanswered", what=what, grade=Grade.LOST, figures={"reason": reason})
    yield from (_regression(found, utility.rare.coefficients[found.formula]) for found in utility.regressions)
    yield from (learned_finding(found) for found in utility.learned.values())
    yield from _columns(utility)
    every = utility.tables[utility.middle].tables
    tables = [table for table in every if utility.touched & set(table.variables)]
    for way in sorted({len(table.variables) for table in tables} - {1}):
        yield _tables(way, [t for t in tables if len(t.variables) == way], all_=len(tables) == len(every))
    yield from _pairs(utility)
    yield from _shares(utility)
    yield from (_propensity(model, utility.shown(model)) for model in utility.propensity)


def _by(value: float, limits: tuple[float, float], *, at_most: bool = True) -> Grade:
    """By two limits, the first of them the stricter one."""
    within = [value <= limit if at_most else value >= limit for limit in limits]
    return Grade.KEPT if within[0] else Grade.PARTLY if within[1] else Grade.LOST


def _regression(found: RegressionOverlap, rare: Collection[str]) -> Finding:
    untold = [name for name in found.untold if name not in found.never_told]
    lost = [c.name for c in found.coefficients if not c.same_conclusion] + untold
    all_ = len(found.coefficients) + len(untold)
    shown = [c for c in found.coefficients if c.name not in rare]
    moved = max(shown, key=lambda c: abs(c.difference), default=None)
    near = found.overlap_not_below_zero >= OVERLAP[1] and all(abs(c.difference) <= FAR for c in found.coefficients)
    grade = Grade.LOST if 2 * len(lost) >= all_ else Grade.KEPT if near and not lost else Grade.PARTLY
    figures = {
        "family": found.family.value,
        "of": all_,
        "lost": len(lost),
        "named": tuple(name for name in lost if name not in rare),
        "overlap": found.overlap_not_below_zero,
        "moved": None if moved is None else (moved.name, moved.difference),
    }
    return Finding(analysis="regression", what=found.formula, grade=grade, figures=figures)


def learned_finding(found: TrainTest) -> Finding:
    """What a learner gains over the guess from the release, as a share of what it gains from the original."""
    score = found.scores[0]
    gain = score.original - score.baseline
    left = (score.release - score.baseline) / gain if gain > NO_GAIN else 0.0
    grade = _by(left, LEARNED, at_most=False) if gain > NO_GAIN else Grade.OPEN
    figures = {
        "measure": score.measure,
        "release": score.release,
        "original": score.original,
        "baseline": score.baseline,
    }
    return Finding(analysis="learning", what=found.target, grade=grade, figures=figures)


def _columns(utility: Utility) -> Iterator[Finding]:
    far = [(_distance(m), m.variable) for m in utility.margins]
    if far:
        distance, name = max(far)
        beyond = tuple(n for d, n in sorted(far, reverse=True) if d > VARIATION[0])
        figures = {"distance": distance, "column": name, "beyond": beyond, "of": len(far)}
        yield Finding(analysis="columns", what="each column", grade=_by(distance, VARIATION), figures=figures)


def _distance(margin: Margin) -> float:
    """Of a column that is empty in one file alone all is lost; of one that is empty in both nothing is."""
    if margin.distance is not None:
        return margin.distance
    empty = [rate.count == rate.of for rate in margin.missing]
    return 1.0 if empty[0] != empty[1] else 0.0


def _tables(way: int, tables: Sequence[TableDifference], *, all_: bool) -> Finding:
    ratios = [table.ratio() for table in tables]
    expected = any(ratio is not None for ratio in ratios)
    values = np.array([r or 0.0 for r in ratios] if expected else [table.values["SPECKS"] for table in tables])
    limits = (GOOD, FINE) if expected else VARIATION
    worst = tables[int(values.argmax())]
    figures = {
        "all": all_,
        "of": len(tables),
        "within": tuple(int((values <= limit).sum()) for limit in limits),
        "limits": limits,
        "expected": expected,
        "worst": worst.variables,
        "worst_value": float(values.max()),
    }
    grade = _by(float(np.quantile(values, SHARE, method="inverted_cdf")), limits)
    return Finding(analysis="tables", what=str(way), grade=grade, figures=figures)


def _pairs(utility: Utility) -> Iterator[Finding]:
    touched = utility.touched.union(utility.coarse)  # they are calculated with the middles of the ranges
    pairs = [pair for pair in utility.dependence if touched & set(pair.variables)]
    moved = [(abs(gap), pair) for pair in pairs if (gap := _gap(pair)) is not None]
    if moved:
        change, pair = max(moved, key=lambda one: one[0])
        figures = {
            "change": change,
            "pair": pair.variables,
            "method": pair.method,
            "original": pair.association.original,
            "release": pair.association.release,
            "beyond": sum(one > MOVED[0] for one, _ in moved),
            "of": len(moved),
        }
        yield Finding(analysis="pairs", what="pairs of columns", grade=_by(change, MOVED), figures=figures)


def _gap(pair: PairDependence) -> float | None:
    """The change of an association; one that the release does not tell is gone."""
    if pair.association.original is None:
        return None
    return (pair.association.release or 0.0) - pair.association.original


def _shares(utility: Utility) -> Iterator[Finding]:
    found = utility.proportions
    rows = [] if found is None else [row for row in found.rows if row.column in utility.touched]
    if rows:
        mean = float(np.mean([max(row.overlap, 0.0) for row in rows]))
        figures = {"overlap": mean, "of": len(rows), "apart": sum(row.overlap <= 0 for row in rows)}
        grade = _by(mean, OVERLAP, at_most=False)
        yield Finding(analysis="shares", what="shares of values", grade=grade, figures=figures)


def _propensity(model: str, found: Propensity) -> Finding:
    ratio = found.pmse.ratio
    if found.pmse.ceiling is not None and found.pmse.expected:
        ratio = (found.pmse.value - found.pmse.nothing) / (found.pmse.ceiling - found.pmse.nothing)
    grade = _by(found.auc.value, AUC) if ratio is None else _by(ratio, (GOOD, FINE))
    figures = {"ratio": ratio, "auc": found.auc.value, "ceiling": found.pmse.ceiling is not None}
    return Finding(analysis="propensity", what=model, grade=grade, figures=figures)
