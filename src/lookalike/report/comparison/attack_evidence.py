"""Attacks as plain data, by the contract of `interface.md`: shares with their controls and baselines, no record."""

from __future__ import annotations

from typing import Any

from lookalike.attacks.cap_classes import ClassCap
from lookalike.attacks.inference import InferredTarget
from lookalike.attacks.key_subsets import KeySubsets
from lookalike.attacks.linkage import Linked
from lookalike.attacks.matching import Matched
from lookalike.attacks.outcome import Outcome, Share
from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate
from lookalike.evaluate.comparison.attacks import Attacks
from lookalike.evaluate.comparison.rare import FEWEST


def attacks_document(attacks: Attacks) -> dict[str, Any]:
    """What an attacker gains."""
    return {
        "keys": list(attacks.keys),
        "targets": list(attacks.targets),
        "control": attacks.control,
        "matching": None if attacks.matching is None else _matching(attacks.matching),
        "linkage": None if attacks.linkage is None else _linkage(attacks.linkage),
        "attribution": {target: _attribution(attacks, target) for target in attacks.attribution},
        "inference": {target: _inference(attacks, target) for target in attacks.targets if attacks.inference},
        "singling_out": {str(c): _outcome(found.outcome) for c, found in attacks.singling_out.items()},
        "linkability": None if attacks.linkability is None else _outcome(attacks.linkability.outcome),
        "guessing": {target: _outcome(found.outcome) for target, found in attacks.guessing.items()},
        "copies": _several(attacks.copies),
        "distances": _several(attacks.distances),
        "membership": _several(attacks.membership),
        "not_assessed": dict(attacks.not_assessed),
        "notes": list(attacks.notes),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "main": _share(outcome.main),
        "control": None if outcome.control is None else _share(outcome.control),
        "baseline": _share(outcome.baseline),
        "if_original_released": None if outcome.original is None else _share(outcome.original),
        "reading": outcome.reading.value,
        "risk": _estimate(outcome.risk),
        "caveats": list(outcome.caveats),
    }


def _share(share: Share) -> dict[str, Any]:
    return {"value": share.value, "low": share.low, "high": share.high, "of": share.of, "what": share.what}


def _estimate(found: Estimate) -> dict[str, float | None]:
    return {"value": found.value, "low": found.low, "high": found.high}


def _several(found: Any) -> dict[str, Any]:
    return {} if found is None else {outcome.measure: _outcome(outcome) for outcome in found.outcomes}


def _matching(found: Matched) -> dict[str, Any]:
    """Rates of a single row that fits; of who is right only where rows are linked."""
    best = found.pooled
    told: dict[str, Any] = {"row_fits": _outcome(found.found), "unique": found.unique.value}
    if best is None:
        return {**told, "expected_match_risk": None, "true_match_rate": None, "false_match_rate": None}
    false = best.false_match_rate
    return {
        **told,
        "expected_match_risk": best.expected_match_risk,
        "true_match_rate": best.true_match_rate.value,
        "false_match_rate": None if false is None else false.value,
        "unique_matches": _few(best.unique_matches),
    }


def _few(count: int) -> int | str:
    return f"<{FEWEST}" if 0 < count < FEWEST else count


def _linkage(found: Linked) -> dict[str, Any]:
    return {
        "true_links": found.outcome.main.value,
        "chance": found.outcome.baseline.value,
        "outcome": _outcome(found.outcome),
        "twins": _outcome(found.twins),
    }


def _attribution(attacks: Attacks, target: str) -> dict[str, Any]:
    found = attacks.attribution[target]
    measures = {outcome.measure: outcome for outcome in found.outcomes}
    cap = measures.get("DCAP")
    return {
        "cap_original": None if cap is None or cap.original is None else cap.original.value,
        "cap_release": None if cap is None else cap.main.value,
        **_classes(attacks.classes.get(target)),
        "baseline": None if cap is None else cap.baseline.value,
        "measures": {name: _outcome(outcome) for name, outcome in measures.items()},
        "worst_keys": _worst(attacks.subsets.get(target)),
        "not_assessed": dict(found.not_assessed),
    }


def _classes(found: ClassCap | None) -> dict[str, float | None]:
    if found is None:
        return dict.fromkeys(("class_cap_original", "class_cap_release", "cap_change", "cap_min"))
    return {
        "class_cap_original": found.original.value,
        "class_cap_release": found.release.value,
        "cap_change": found.change,
        "cap_min": found.least_change,
    }


def _worst(found: KeySubsets | None) -> dict[str, Any] | None:
    """The keys that give most away."""
    try:
        worst = None if found is None else found.worst
    except NotAssessable:
        return None
    if worst is None or worst.outcome is None:
        return None
    return {"columns": list(worst.columns), "outcome": _outcome(worst.outcome)}


def _inference(attacks: Attacks, target: str) -> dict[str, Any]:
    return {
        learner: _inferred(one)
        for learner, inferred in attacks.inference.items()
        for one in inferred.targets
        if one.target == target
    }


def _inferred(found: InferredTarget) -> dict[str, Any]:
    return {
        "outcome": _outcome(found.outcome),
        "squared_error": {"release": found.release.squared, "original": found.original.squared},
        "better": found.better.value,
        "equal": found.equal.value,
    }
