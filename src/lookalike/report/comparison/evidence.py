"""A comparison as plain data, by the contract of `interface.md`: rates and names, no record, no rare value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.evaluate.comparison import Compared, Utility
from lookalike.evaluate.comparison.grades import findings
from lookalike.evaluate.comparison.rare import Rare
from lookalike.report.comparison.attack_evidence import attacks_document
from lookalike.report.comparison.words import sentence
from lookalike.utility.dependence import PairDependence, Strength
from lookalike.utility.losses import Losses
from lookalike.utility.margins import Margin, NumberMargin
from lookalike.utility.propensity import Propensity
from lookalike.utility.propensity_null import Against
from lookalike.utility.proportions import Proportion, Proportions
from lookalike.utility.readable import Coarse
from lookalike.utility.regression_overlap import RegressionOverlap
from lookalike.utility.table_utility import TableDifference
from lookalike.utility.train_test import TrainTest

WORST = 10
"""Tables that are named."""


def compared_document(result: Compared) -> dict[str, Any]:
    """What a comparison adds to the evidence."""
    return {
        "comparison": {
            "origin": result.origin.how.value,
            "proper": result.origin.proper,
            "drawn": list(result.origin.drawn),
            "origin_from": result.origin_from,
            "linked": result.linked,
            "columns": list(result.columns),
            "only_original": list(result.only_original),
            "only_release": list(result.only_release),
            "records": {"original": result.records[0], "release": result.records[1]},
            "copies": result.copies,
        },
        "findings": [
            {"analysis": f.analysis, "what": f.what, "grade": f.grade.value, "says": sentence(f)}
            for f in findings(result)
        ],
        "utility": _utility(result.utility),
        "attacks": None if result.attacks is None else attacks_document(result.attacks),
    }


def _utility(utility: Utility) -> dict[str, Any]:
    losses = utility.losses
    return {
        "propensity": {model: _propensity(utility, model) for model in utility.propensity},
        "giveaways": [
            {"column": g.column, "alone": g.alone, "without": g.without, "lost": g.lost, "p_value": g.p_value}
            for g in utility.giveaways
        ],
        "tables": _tables(utility),
        "coarse": {name: _coarse(found) for name, found in utility.coarse.items()},
        "columns": {margin.variable: _margin(margin, utility.rare) for margin in utility.margins},
        "permutation_tests": {name: {"ks": t.value, "p_value": t.p_value} for name, t in utility.permuted.items()},
        "pairs": [_pair(pair) for pair in utility.dependence],
        "proportions": []
        if utility.proportions is None
        else [_share(row) for row in utility.rare.shares(utility.proportions)],
        "proportions_overlap": _overlap(utility.proportions),
        "rare_values_left_out": len(utility.rare.values),
        "regressions": [_regression(found, utility.rare) for found in utility.regressions],
        "learned": {name: _learned(found) for name, found in utility.learned.items()},
        "tree_gini": {
            name: {"original": g.original, "release": g.release, "difference": g.difference, "deviation": g.deviation}
            for name, g in utility.gini.items()
        },
        "moved": {
            m.variable: {"changed": m.changed.value, "mse": m.squared_error, "r_squared": m.determination}
            for m in utility.moved
        },
        "information_loss": None if losses is None else losses.information_loss,
        "losses": None if losses is None else _losses(losses),
        "lost": dict(utility.lost),
        "not_assessed": dict(utility.not_assessed),
    }


def _propensity(utility: Utility, model: str) -> dict[str, Any]:
    """The copy in the middle; of the others pMSE and its ratio."""
    shown = utility.shown(model)
    return {
        "pmse": shown.pmse.value,
        "expected": shown.pmse.expected,
        "sd": shown.pmse.sd,
        "ratio": shown.pmse.ratio,
        "z": shown.pmse.z,
        "p_value": shown.pmse.p_value,
        "specks": shown.specks.value,
        "po50": shown.po50.value,
        "auc": shown.auc.value,
        "u": shown.u,
        "share": shown.share,
        "null": shown.null,
        "expectations": {name: _against(getattr(shown, name)) for name in ("pmse", "specks", "po50", "auc")},
        "copies": [_copy(one) for one in utility.propensity[model]],
        "caveats": list(shown.caveats),
    }


def _against(found: Against) -> dict[str, float | None]:
    return {
        "value": found.value,
        "expected": found.expected,
        "sd": found.sd,
        "ratio": found.ratio,
        "z": found.z,
        "p_value": found.p_value,
        "ceiling": found.ceiling,
    }


def _copy(found: Propensity) -> dict[str, float | None]:
    return {"pmse": found.pmse.value, "ratio": found.pmse.ratio, "p_value": found.pmse.p_value}


def _tables(utility: Utility) -> dict[str, Any]:
    """By number of columns: UL of every copy and their mean, and the tables that are farthest off."""
    shown = utility.tables[utility.middle]
    found = {}
    for way in sorted(utility.differences[0]):
        losses = [copy[way].utility_loss for copy in utility.differences]
        tables = [table for table in shown.worst(len(shown.tables)) if len(table.variables) == way]
        found[str(way)] = {
            "utility_loss": sum(losses) / len(losses),
            "copies": losses,
            "tables": len(tables),
            "new_cells": utility.differences[utility.middle][way].new.value,
            "worst": [_table(table) for table in tables[:WORST]],
        }
    return found


def _table(table: TableDifference) -> dict[str, Any]:
    """One table; cells are counted, not named."""
    return {
        "variables": list(table.variables),
        "cells": table.cells,
        "df": table.df,
        "sparse": table.sparse,
        "values": dict(table.values),
        "expected": {**table.expected, **{name: drawn.expected for name, drawn in table.drawn.items()}},
        "p_values": {**table.p_values, **{name: drawn.p_value for name, drawn in table.drawn.items()}},
        "ratio": table.ratio(),
    }


def _coarse(found: Coarse) -> dict[str, Any]:
    """Of a column in ranges or groups: how many values it had and has; values are no people, so few may be told."""
    return {"read": found.read.value, "values": found.values, "classes": found.classes}


def _margin(margin: Margin, rare: Rare) -> dict[str, Any]:
    one, other = (rate.value for rate in margin.missing)
    missing = {"missing": {"original": None if rare.hides_missing(margin) else one, "release": other}}
    if not isinstance(margin, NumberMargin):
        return {"distance": margin.distance, "measure": "total variation", **missing}
    return {
        "distance": margin.distance,
        "measure": "Kolmogorov-Smirnov",
        "mean": dict(zip(("original", "release"), margin.means, strict=True)),
        "deviation": dict(zip(("original", "release"), margin.deviations, strict=True)),
        **missing,
    }


def _pair(pair: PairDependence) -> dict[str, Any]:
    return {
        "variables": list(pair.variables),
        "method": pair.method,
        **_strength(pair.association),
        "information": _strength(pair.information),
    }


def _strength(found: Strength) -> dict[str, float | None]:
    return {"original": found.original, "release": found.release, "difference": found.difference}


def _share(row: Proportion) -> dict[str, Any]:
    return {
        "variable": row.column,
        "value": row.level,
        "original": _interval(row.original, row.original_interval),
        "release": _interval(row.release, row.release_interval),
        "overlap": row.overlap,
    }


def _interval(value: float, ends: Sequence[float]) -> dict[str, float]:
    return {"value": value, "low": ends[0], "high": ends[1]}


def _overlap(found: Proportions | None) -> float | None:
    return None if found is None else found.overlap_not_below_zero


def _regression(found: RegressionOverlap, rare: Rare) -> dict[str, Any]:
    fit = found.lack_of_fit
    return {
        "formula": found.formula,
        "family": found.family.value,
        "rule": found.rule.value,
        "records": {"original": found.records[0], "release": found.records[1]},
        "overlap": found.overlap,
        "overlap_not_below_zero": found.overlap_not_below_zero,
        "difference": found.difference,
        "difference_expected": found.difference_expected,
        "lack_of_fit": None
        if fit is None
        else {"statistic": fit.statistic, "df": list(fit.df), "p_value": fit.p_value},
        "coefficients": [
            {
                "name": c.name,
                "original": _interval(c.original, c.original_interval),
                "release": _interval(c.release, c.release_interval),
                "overlap": c.overlap,
                "difference": c.difference,
                "same_conclusion": c.same_conclusion,
            }
            for c in rare.told(found)
        ],
        "untold": list(rare.untold(found)),
        "rare_coefficients_left_out": len(rare.coefficients[found.formula]),
        "caveats": list(found.caveats),
    }


def _learned(found: TrainTest) -> dict[str, Any]:
    return {
        "learner": found.learner.value,
        "tested": found.tested,
        "scores": [
            {
                "measure": s.measure,
                "release": s.release,
                "original": s.original,
                "baseline": s.baseline,
                "difference": {"low": s.difference[0], "high": s.difference[1]},
            }
            for s in found.scores
        ],
        "caveats": list(found.caveats),
    }


def _losses(losses: Losses) -> dict[str, Any]:
    return {
        "granularity": losses.granularity,
        "suppressed": losses.suppressed,
        "average_class_size": losses.average_class_size,
        "discernibility": losses.discernibility,
        "removed": losses.removed,
    }
