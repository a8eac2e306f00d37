"""The verdict that an evidence file holds: that its figures are the same does not say that a threshold holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.report.numbers import number
from lookalike.report.verdict import B_UPPER, B
from lookalike.report.words import MEASURES

SHORT = {B: "B", "k_anonymity": "k", "l_diversity": "ℓ", "t_closeness": "t"}
"""Measures that have a letter; others are told in words."""
OUTCOMES = {True: "holds", False: "fails", None: "not assessable"}
NONE, UNDECIDED = "none", "undecided"
SAYS = "Its verdict: {outcome} ({why})."
NO_VERDICT = "Its verdict: none. Nothing was decided."
DOUBTED = "{measure} {value}, in doubt up to {high}, threshold {threshold}"
WHY = "{measure} {value}, threshold {threshold}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """How the thresholds of an evidence came out: holds, undecided, fails, not assessable or none."""

    outcome: str = NONE
    says: str = NO_VERDICT


def decided_of(document: Mapping[str, Any]) -> Decided:
    """The verdict of an evidence. Schema 1 had none that is undecided: there the interval of B decides what is.

    >>> at = {"measure": "sample_to_population", "value": 0.08, "threshold": 0.09, "meets": True}
    >>> decided_of({"verdict": at, "thresholds": [at]}).says
    'Its verdict: holds (B 0.08, threshold 0.09).'
    >>> found = {"sample_to_population": {"exact": None, "chosen": "chao", "estimates": {"chao": {"high": 0.12}}}}
    >>> decided_of({"verdict": at, "thresholds": [at], "risk": found}).says
    'Its verdict: undecided (B 0.08, in doubt up to 0.12, threshold 0.09).'
    >>> decided_of({"verdict": {**at, "meets": None, "outcome": "undecided", "doubts": [{"value": 0.2}]}}).says
    'Its verdict: undecided (B 0.08, in doubt up to 0.2, threshold 0.09).'
    >>> decided_of({"verdict": None}).outcome
    'none'
    """
    main = document.get("verdict")
    if not isinstance(main, Mapping):
        return Decided()
    outcome = main.get("outcome", OUTCOMES.get(main.get("meets"), NONE))
    doubted = main if outcome == UNDECIDED else None
    high = _most_doubted(main)
    if "outcome" not in main and outcome == "holds":
        high = _high(document)
        doubted = _opened(document, high)
    if doubted is not None and high is not None:
        why = DOUBTED.format(**_told(doubted), high=number(high))
        return Decided(outcome=UNDECIDED, says=SAYS.format(outcome=UNDECIDED, why=why))
    return Decided(outcome=str(outcome), says=SAYS.format(outcome=outcome, why=WHY.format(**_told(main))))


def _most_doubted(verdict: Mapping[str, Any]) -> float | None:
    """The highest value that a doubt would put in place of the verdict's."""
    told = verdict.get("doubts")
    values: list[Any] = [d.get("value") for d in told if isinstance(d, Mapping)] if isinstance(told, list) else []
    return max((float(v) for v in values if _is_number(v)), default=None)


def _told(verdict: Mapping[str, Any]) -> dict[str, str]:
    measure, value, threshold = (verdict.get(key) for key in ("measure", "value", "threshold"))
    return {
        "measure": SHORT.get(str(measure)) or f"{MEASURES.get(str(measure), measure)}:",
        "value": number(value) if _is_number(value) else "not known",
        "threshold": f"{threshold:g}" if _is_number(threshold) else "not known",
    }


def _opened(document: Mapping[str, Any], high: float | None) -> Mapping[str, Any] | None:
    """The verdict on B that its interval leaves open, if no limit is on the upper end."""
    limits = document.get("thresholds")
    found = [v for v in limits if isinstance(v, Mapping)] if isinstance(limits, list) else []
    if high is None or any(v.get("measure") == B_UPPER for v in found):
        return None
    of_b = (v for v in found if v.get("measure") == B and _is_number(v.get("value")))
    return next((v for v in of_b if _is_number(v.get("threshold")) and v["threshold"] < high), None)


def _high(document: Mapping[str, Any]) -> float | None:
    """The upper end of the estimate that B was taken from."""
    inner: Any = _inner(_inner(document, "risk"), B)
    if inner.get("exact") is not None:
        return None
    high = _inner(_inner(inner, "estimates"), str(inner.get("chosen"))).get("high")
    return high if _is_number(high) else None


def _inner(outer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = outer.get(key)
    return found if isinstance(found, Mapping) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
