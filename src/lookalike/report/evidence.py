"""The evidence: one JSON file of counts and rates, by the contract of `interface.md`. No record, no value."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.anonymize.choices import Step
from lookalike.data import refuse_to_overwrite, whole_file
from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.result import Evaluation, Outcome, Risk, Run, Source, Verdict
from lookalike.plan import as_document
from lookalike.plan.paths import name_only, step_with_paths, with_paths
from lookalike.report.canonical import digest, sealed
from lookalike.report.release import release_document
from lookalike.risk import MatchRisk

SMALL = 5
_LIBRARIES = ("numpy", "scipy", "polars", "duckdb", "narwhals", "pyarrow", "numba", "scikit-learn")


if TYPE_CHECKING:
    from lookalike.evaluate.comparison import Compared
    from lookalike.evaluate.protection import ProtectedRun
    from lookalike.evaluate.repair import Repaired
    from lookalike.report.signature import Signer


def evidence(result: Run) -> dict[str, Any]:
    """What a run found as plain data, with all that is needed to run it again."""
    plan = _finite(as_document(with_paths(result.plan, name_only)))
    assessed = result if isinstance(result, Evaluation) else getattr(result, "assessed", None)
    document = {
        "schema": 2,
        "lookalike": version("lookalike"),
        "command": result.command,
        "seed": result.plan.seed,
        "seed_drawn": result.seed_drawn,
        "engine": result.engine,
        "started": result.started.isoformat(timespec="seconds"),
        "seconds": round(result.seconds, 3),
        "inputs": [_source(s) for s in result.inputs],
        "outputs": [_source(s) for s in result.outputs],
        "plan": plan,
        "plan_sha256": digest(plan),
        "versions": {name: found for name, found in versions().items() if name != "lookalike"},
        "warnings": list(result.warnings),
        **_made(result),
        "risk": None if assessed is None else _risk(assessed.risk),
        "verdict": None if assessed is None else _main(assessed),
        "thresholds": [] if assessed is None else [_verdict(v) for v in assessed.verdicts],
    }
    return sealed(_finite(document))


def versions() -> dict[str, str]:
    """The versions of this package, of Python and of the libraries that compute."""
    ours = {"lookalike": version("lookalike"), "python": platform.python_version()}
    return {**ours, **{name: version(name) for name in _LIBRARIES}}


def _made(result: Run) -> dict[str, Any]:
    """What a run made beside its figures."""
    return _DOCUMENTS[result.command](result)


def _protected(result: ProtectedRun) -> dict[str, Any]:
    from lookalike.report.protection import protected_document

    release = protected_document(result)
    return {
        "release": {**release, "steps": [_without_folders(step) for step in release["steps"]]},
        "before": _risk(result.before.risk),
        "gave_way": list(result.gave_way),
    }


def _compared(result: Compared) -> dict[str, Any]:
    from lookalike.report.comparison.evidence import compared_document

    return compared_document(result)


def _repaired(result: Repaired) -> dict[str, Any]:
    from lookalike.report.repaired import repaired_document

    return repaired_document(result)


_DOCUMENTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "assess": lambda _: {},
    "synthesize": lambda result: {"release": release_document(result.release)},
    "protect": _protected,
    "compare": _compared,
    "repair": _repaired,
}
"""By command."""


def _without_folders(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step that was taken, with names of files in place of their paths."""
    named = step_with_paths(Step(method=step["method"], options=step["settings"]), name_only)
    return {**step, "settings": dict(named.options)}


def to_json(result: Run, *, signer: Signer | None = None) -> str:
    """The evidence as text, signed if somebody is there to sign."""
    found = evidence(result)
    document = found if signer is None else signer.signed(found)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_evidence(result: Run, path: Path, *, force: bool = False, signer: Signer | None = None) -> Path:
    """The evidence as a file, whole or not at all."""
    refuse_to_overwrite(path, force=force)
    with whole_file(path) as target:
        target.write_text(to_json(result, signer=signer), encoding="utf-8")
    return path


def _source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "role": source.role,
        "sha256": source.sha256,
        "records": source.records,
        "columns": source.columns,
    }


def _risk(risk: Risk) -> dict[str, Any]:
    estimate = risk.sample_to_population
    return {
        "records": risk.records,
        "classes": risk.classes,
        "sample_uniques": risk.unique_records.count,
        "k_anonymity": risk.k_anonymity,
        "records_below_k": {str(k): rate.count for k, rate in risk.records_below.items()},
        "classes_below_k": {str(k): rate.count for k, rate in risk.classes_below.items()},
        "proportion_unique_classes": risk.unique_classes.value,
        "proportion_unique_records": risk.unique_records.value,
        "prosecutor": _match(risk.prosecutor),
        "population": {"size": risk.population, "from": risk.population_from},
        "population_to_sample": risk.population_to_sample,
        "sample_to_population": {
            "exact": risk.exact,
            "chosen": estimate.method if estimate.value is not None else None,
            "bounds": _bounds(risk),
            "estimates": _estimates(risk),
        },
        "estimated_unique_in_population": risk.estimated_unique,
        "population_file": _people(risk),
        "record_risk": _records(risk),
        "backtest": _backtests(risk),
        "sensitivity": {"population": _sensitivity(risk)},
        "diversity": {
            name: {"distinct": s.distinct, "entropy": s.entropy, "recursive_c3": s.recursive}
            for name, s in risk.sensitive.items()
            if s
        },
        "closeness": {
            name: {"kl": s.kl, "total_variation": s.total_variation, "earth_mover": s.earth_mover}
            for name, s in risk.sensitive.items()
            if s
        },
        "attribute_disclosure": {
            **{name: _rate(s.one_value if s else None) for name, s in risk.sensitive.items()},
            **{name: _rate(rate) for name, rate in risk.targets.items()},
        },
        "drivers": _drivers(risk),
        "knowledge": _knowledge(risk),
        "suda": _suda(risk),
        "household": None if risk.household is None else _match(risk.household),
        "fitting_unique_records": None if risk.fitting is None else risk.fitting.value,
        "repeated_records": None if risk.repeated is None else risk.repeated.count,
        "not_assessed": dict(risk.not_assessed),
    }


def _people(risk: Risk) -> dict[str, Any] | None:
    """Against a file of the population."""
    people = risk.population_file
    if people is None:
        return None
    return {
        "records": people.records,
        "unmatched": people.unmatched,
        "journalist": _match(people.journalist),
        "k_map": people.k_map,
        "delta_presence": {"low": people.delta_presence[0], "high": people.delta_presence[1]},
        "unique_in_population": None if people.unique is None else people.unique.value,
    }


def _drivers(risk: Risk) -> list[dict[str, Any]]:
    return [
        {
            "variable": d.variable,
            "distinct": d.distinct,
            "uniques_without": d.uniques_without,
            "prosecutor_mean_without": d.mean_without,
            "suda_contribution": None if risk.suda is None else risk.suda.contributions.get(d.variable),
        }
        for d in risk.drivers
    ]


def _knowledge(risk: Risk) -> list[dict[str, Any]]:
    return [
        {
            "variables": list(k.variables),
            "group": k.group,
            "unique": k.unique_records.value,
            "mean": k.mean,
            "sample_to_population": k.sample_to_population,
        }
        for k in risk.knowledge
    ]


def _suda(risk: Risk) -> dict[str, Any] | None:
    if risk.suda is None:
        return None
    return {
        "records": risk.suda.records,
        "sets_by_size": {str(k): v for k, v in risk.suda.sets_by_size.items()},
        "dis_mean": risk.suda.dis_mean,
        "dis_maximum": risk.suda.dis_maximum,
        "largest_set": risk.suda.largest_set,
    }


def _bounds(risk: Risk) -> dict[str, float | None]:
    """What holds for every population."""
    low, high = risk.bounds or (risk.sample_to_population.low, risk.sample_to_population.high)
    return {"low": low, "high": high}


def _estimates(risk: Risk) -> dict[str, Any]:
    if risk.estimates is None:
        return {}
    return {
        key: {
            **_estimate(found.match_rate),
            "population_uniques": found.population_uniques,
            "lower_limit": found.match_rate.lower_limit,
            "diagnostics": None if found.diagnostics is None else dict(found.diagnostics),
        }
        for key, found in risk.estimates.findings.items()
    }


def _sensitivity(risk: Risk) -> dict[str, float | None]:
    if risk.estimates is None:
        return {}
    return {f"{ratio:g}" if ratio != 1 else "1.0": value for ratio, value in risk.estimates.sensitivity.items()}


def _backtests(risk: Risk) -> list[dict[str, Any]]:
    """Samples of the file itself, where the truth is known."""
    if risk.estimates is None:
        return []
    return [
        {
            "fraction": test.fraction,
            "records": test.records,
            "truth": test.truth,
            "value": test.estimate.value,
            "low": test.estimate.low,
            "high": test.estimate.high,
        }
        for test in risk.estimates.backtests
    ]


def _records(risk: Risk) -> dict[str, Any] | None:
    found = None if risk.estimates is None else risk.estimates.records
    if found is None:
        return None
    return {
        "median": found.median,
        "maximum": found.maximum,
        "share_above_threshold": found.share_above_threshold,
        "distribution": [{"above": low, "to": high, "share": share} for low, high, share in found.distribution],
        "groups": [
            {"variable": g.variable, "group": g.group, "records": g.records, "mean": g.mean, "share": g.share}
            for g in found.groups
        ],
    }


def _match(risk: MatchRisk) -> dict[str, float]:
    return {
        "maximum": risk.maximum,
        "mean": risk.mean,
        "share_above_threshold": risk.share_above_threshold,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "seconds": estimate.seconds,
        "caveats": list(estimate.caveats),
    }


def _rate(rate: Rate | None) -> dict[str, Any]:
    """A share of the records that have a value; too few of them would point at someone."""
    if rate is None:
        return {"value": None, "of": None}
    if rate.of < SMALL:
        return {"value": None, "of": f"<{SMALL}"}
    return {"value": rate.value, "of": rate.of}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    meets = {Outcome.HOLDS: True, Outcome.FAILS: False}.get(verdict.outcome)
    return {
        "measure": verdict.measure,
        "value": verdict.value,
        "threshold": verdict.threshold,
        "meets": meets,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "doubts": [{"name": d.name, "value": d.value, "about": list(d.about)} for d in verdict.doubts],
    }


def _main(evaluation: Evaluation) -> dict[str, Any] | None:
    """The verdict that decides: a failed one, else one not assessed, else the first."""
    for verdict in evaluation.verdicts:
        if verdict.outcome is evaluation.outcome:
            return _verdict(verdict)
    return None


def _finite(value: Any) -> Any:
    """JSON has no infinity: it becomes null, which readers take for 'no finite value'."""
    if isinstance(value, Mapping):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
