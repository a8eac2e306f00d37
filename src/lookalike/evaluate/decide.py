"""Decide each threshold of a plan on the figures found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from lookalike.estimate import Estimate
from lookalike.evaluate.doubts import doubts
from lookalike.evaluate.result import Outcome, Risk, Verdict
from lookalike.plan import AT_LEAST, Threshold, holds

NO_INTERVAL = "{method} tells no interval of B: ask an estimator that does (--estimators posterior)"


def decide(thresholds: Threshold, risk: Risk) -> tuple[Verdict, ...]:
    """One verdict a threshold.

    A limit on the upper end of B's interval decides how much of it is too much: then the interval is no doubt.
    """
    upper = thresholds.sample_to_population_upper is not None
    return tuple(_verdict(name, limit, risk, interval=not upper) for name, limit in thresholds)


def _verdict(name: str, limit: float, risk: Risk, *, interval: bool) -> Verdict:
    if name == "sample_to_population":
        made = _on_estimate(limit, risk.sample_to_population)
        return made if made.outcome is not Outcome.HOLDS else _doubted(made, risk, interval=interval)
    if name == "sample_to_population_upper":
        return _on_upper_end(limit, risk.sample_to_population)
    values, reason = _values(name, risk)
    worst = (min(values) if name in AT_LEAST else max(values)) if values else None
    if worst is not None and not holds(name, worst, limit):
        return _made(name, worst, limit, Outcome.FAILS)
    if worst is None or reason:
        return _made(name, None, limit, Outcome.NOT_ASSESSABLE, reason)
    return _made(name, worst, limit, Outcome.HOLDS)


def _on_estimate(limit: float, estimate: Estimate) -> Verdict:
    """By the value; without one, by the bounds where they decide."""
    made = partial(_made, "sample_to_population")
    if estimate.lower_limit:
        return _on_lower_limit(limit, estimate)
    if estimate.value is not None:
        return made(estimate.value, limit, Outcome.HOLDS if estimate.value <= limit else Outcome.FAILS)
    if estimate.high is not None and estimate.high <= limit:
        return made(None, limit, Outcome.HOLDS, f"it is at most {estimate.high:.4g} whatever the population looks like")
    if estimate.low is not None and estimate.low > limit:
        return made(None, limit, Outcome.FAILS, f"it is at least {estimate.low:.4g} whatever the population looks like")
    return made(None, limit, Outcome.NOT_ASSESSABLE, "; ".join(estimate.caveats))


def _doubted(verdict: Verdict, risk: Risk, *, interval: bool) -> Verdict:
    """The same, undecided if a doubt about the estimate could turn it; the gravest doubt first."""
    if verdict.value is None:
        return verdict
    all_of_them = doubts(risk.sample_to_population, risk.estimates, interval=interval)
    against = sorted((d for d in all_of_them if d.value > verdict.threshold), key=lambda doubt: -doubt.value)
    return replace(verdict, outcome=Outcome.UNDECIDED, doubts=tuple(against)) if against else verdict


def _on_lower_limit(limit: float, estimate: Estimate) -> Verdict:
    """A limit from below may show that the threshold fails; that it holds, the upper end alone can show."""
    made = partial(_made, "sample_to_population")
    assert estimate.value is not None
    assert estimate.high is not None
    if estimate.value > limit:
        return made(estimate.value, limit, Outcome.FAILS)
    if estimate.high <= limit:
        return made(None, limit, Outcome.HOLDS, f"it is at most {estimate.high:.4g} whatever the population looks like")
    reason = f"{estimate.method} tells a lower limit only, and B may be as high as {estimate.high:.4g}"
    return made(None, limit, Outcome.NOT_ASSESSABLE, reason)


def _on_upper_end(limit: float, estimate: Estimate) -> Verdict:
    """By the upper end of the interval; where nothing was estimated, by the bounds where they decide."""
    made = partial(_made, "sample_to_population_upper")
    if estimate.low is not None and estimate.low > limit:
        return made(estimate.high, limit, Outcome.FAILS)
    if estimate.high is None:
        return made(None, limit, Outcome.NOT_ASSESSABLE, NO_INTERVAL.format(method=estimate.method))
    if estimate.high <= limit:
        return made(estimate.high, limit, Outcome.HOLDS)
    if estimate.value is None:
        return made(None, limit, Outcome.NOT_ASSESSABLE, "; ".join(estimate.caveats))
    return made(estimate.high, limit, Outcome.FAILS)


def _made(name: str, value: float | None, limit: float, outcome: Outcome, reason: str = "") -> Verdict:
    return Verdict(measure=name, value=value, threshold=limit, outcome=outcome, reason=reason)


def _values(name: str, risk: Risk) -> tuple[list[float], str]:
    """The figures a threshold is about, and why some are lacking: what was not assessed must not hold."""
    if name == "k_anonymity":
        return [risk.k_anonymity], ""
    if name == "unique_records":
        return [risk.unique_records.value], ""
    if name == "prosecutor_maximum":
        return [risk.prosecutor.maximum], ""
    if name == "attribute_disclosure" and risk.targets:
        return [r.value for r in risk.targets.values() if r], _lacking(risk, risk.targets)
    found = [s for s in risk.sensitive.values() if s]
    reason = _lacking(risk, risk.sensitive) if risk.sensitive else "no sensitive variable is named"
    if name == "attribute_disclosure":
        return [s.one_value.value for s in found], reason
    if name == "l_diversity":
        return [s.distinct for s in found], reason
    return [s.total_variation if s.earth_mover is None else s.earth_mover for s in found], reason


def _lacking(risk: Risk, figures: Mapping[str, object]) -> str:
    if all(figure is not None for figure in figures.values()):
        return ""
    reasons = [why for what, why in risk.not_assessed.items() if what.startswith(("spread of", "disclosure of"))]
    return "; ".join(reasons)
