"""Decide each threshold of a plan on the figures found."""

from __future__ import annotations

from lookalike.estimate import Estimate
from lookalike.evaluate.result import Outcome, Risk, Verdict
from lookalike.plan import Threshold, holds


def decide(thresholds: Threshold, risk: Risk) -> tuple[Verdict, ...]:
    """One verdict a threshold."""
    return tuple(_verdict(name, limit, risk) for name, limit in thresholds)


def _verdict(name: str, limit: float, risk: Risk) -> Verdict:
    if name == "sample_to_population":
        return _on_estimate(limit, risk.sample_to_population)
    value, reason = _value(name, risk)
    if value is None:
        return Verdict(measure=name, value=None, threshold=limit, outcome=Outcome.NOT_ASSESSABLE, reason=reason)
    outcome = Outcome.HOLDS if holds(name, value, limit) else Outcome.FAILS
    return Verdict(measure=name, value=value, threshold=limit, outcome=outcome)


def _on_estimate(limit: float, estimate: Estimate) -> Verdict:
    """By the value; without one, by the bounds where they decide."""
    measure = "sample_to_population"
    if estimate.value is not None:
        outcome = Outcome.HOLDS if estimate.value <= limit else Outcome.FAILS
        return Verdict(measure=measure, value=estimate.value, threshold=limit, outcome=outcome)
    if estimate.high is not None and estimate.high <= limit:
        reason = f"it is at most {estimate.high:.4g} whatever the population looks like"
        return Verdict(measure=measure, value=None, threshold=limit, outcome=Outcome.HOLDS, reason=reason)
    if estimate.low is not None and estimate.low > limit:
        reason = f"it is at least {estimate.low:.4g} whatever the population looks like"
        return Verdict(measure=measure, value=None, threshold=limit, outcome=Outcome.FAILS, reason=reason)
    return Verdict(
        measure=measure,
        value=None,
        threshold=limit,
        outcome=Outcome.NOT_ASSESSABLE,
        reason="; ".join(estimate.caveats),
    )


def _value(name: str, risk: Risk) -> tuple[float | None, str]:
    """The figure a threshold is about: the worst over sensitive variables and targets."""
    if name == "k_anonymity":
        return risk.k_anonymity, ""
    if name == "unique_records":
        return risk.unique_records.value, ""
    if name == "prosecutor_maximum":
        return risk.prosecutor.maximum, ""
    if name == "attribute_disclosure":
        rates = [rate.value for rate in risk.targets.values()]
        rates = rates or [s.one_value.value for s in risk.sensitive.values()]
        return (max(rates), "") if rates else (None, _reason(risk, "disclosure", "no sensitive variable is named"))
    if not risk.sensitive:
        return None, _reason(risk, "spread", "no sensitive variable is named")
    if name == "l_diversity":
        return min(s.distinct for s in risk.sensitive.values()), ""
    far = [s.total_variation if s.earth_mover is None else s.earth_mover for s in risk.sensitive.values()]
    return max(far), ""


def _reason(risk: Risk, prefix: str, otherwise: str) -> str:
    reasons = [why for what, why in risk.not_assessed.items() if what.startswith(prefix)]
    return "; ".join(reasons) or otherwise
