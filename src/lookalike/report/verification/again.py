"""Run the plan of an evidence again on the files that were found, and make its outputs anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.data import Microdata, write
from lookalike.engine import Scratch
from lookalike.evaluate.digest import sha256
from lookalike.plan import Plan, Threshold
from lookalike.plan.paths import with_paths
from lookalike.report.evidence import to_json
from lookalike.report.verification.claims import Claims
from lookalike.report.verification.sought import Checked

if TYPE_CHECKING:
    from lookalike.evaluate.result import Run


def run_again(
    claims: Claims, files: Sequence[Checked], *, engine: str | None = None, spark_master: str | None = None
) -> dict[str, Any]:
    """The evidence of another run of the plan, with outputs made in a scratch directory."""
    chosen = engine or str(claims.document["engine"])
    plan = with_paths(claims.plan, _places(files)).changed(engine=chosen, spark_master=spark_master)
    result = _RUNS[claims.command](claims, plan, files)
    told = result.plan.changed(engine=claims.plan.engine, spark_master=claims.plan.spark_master)
    document: dict[str, Any] = json.loads(to_json(replace(result, plan=told)))
    return {**document, "outputs": _outputs(claims, result)}


def _places(files: Sequence[Checked]) -> Callable[[str, str], str]:
    """Where the files lie that a plan names; one that the run did not read keeps its name."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in files:
        found.setdefault((file.role, file.name), []).append(str(file.path))

    def place(role: str, path: str) -> str:
        there = found.get((role, Path(path).name))
        if there is None:
            return Path(path).name
        return there.pop(0) if len(there) > 1 else there[0]

    return place


def _at(files: Sequence[Checked], role: str) -> list[str]:
    return [str(file.path) for file in files if file.role == role]


def _assess(claims: Claims, plan: Plan, files: Sequence[Checked]) -> Run:
    from lookalike.evaluate import run

    kept = any(output["role"] == "records" for output in claims.outputs)
    return run(_at(files, "data")[0], plan, keep_records=kept)


def _protect(claims: Claims, plan: Plan, files: Sequence[Checked]) -> Run:
    from lookalike.evaluate.protection import run_protection

    drawn = bool(claims.document["seed_drawn"])
    gave_way = claims.document.get("gave_way") == ["sample_to_population"]
    if gave_way:  # as if nobody had asked for it
        limit = Threshold().sample_to_population
        plan = plan.changed(thresholds=replace(plan.thresholds, sample_to_population=limit))
    return run_protection(_at(files, "data")[0], plan, seed_given=not drawn, seed_drawn=drawn, b_given=not gave_way)


def _synthesize(claims: Claims, plan: Plan, files: Sequence[Checked]) -> Run:
    from lookalike.evaluate.synthesis import run_synthesis

    drawn = bool(claims.document["seed_drawn"])
    return run_synthesis(_at(files, "data")[0], plan, seed_given=not drawn, seed_drawn=drawn)


def _compare(_: Claims, plan: Plan, files: Sequence[Checked]) -> Run:
    from lookalike.evaluate.comparison import run_comparison

    releases = _at(files, "release")
    return run_comparison(_at(files, "original")[0], releases if len(releases) > 1 else releases[0], plan)


def _repair(_: Claims, plan: Plan, files: Sequence[Checked]) -> Run:
    from lookalike.evaluate.repair import run_repair

    releases = _at(files, "release")
    return run_repair(_at(files, "original")[0], releases if len(releases) > 1 else releases[0], plan)


_RUNS: dict[str, Callable[[Claims, Plan, Sequence[Checked]], Run]] = {
    "assess": _assess,
    "protect": _protect,
    "synthesize": _synthesize,
    "compare": _compare,
    "repair": _repair,
}


def _outputs(claims: Claims, result: Run) -> list[dict[str, Any]]:
    """The outputs as the evidence names them, those that can be made anew with their new digests."""
    scratch = Scratch()
    releases = iter(_releases(result))
    made = []
    try:
        for output in claims.outputs:
            if output["role"] == "release":
                made.append(_written(next(releases, None), output, scratch))
            else:
                made.append({**output, "sha256": _beside(result, output, scratch)})
    finally:
        scratch.close()
    return made


def _releases(result: Run) -> Sequence[Microdata]:
    from lookalike.evaluate.protection import ProtectedRun
    from lookalike.evaluate.synthesis import Synthesized

    if isinstance(result, Synthesized):
        return result.release.copies
    if isinstance(result, ProtectedRun):
        return (result.release.data,)
    return getattr(result, "release", ())  # of a repair its copies


def _written(data: Microdata | None, output: Mapping[str, Any], scratch: Scratch) -> dict[str, Any]:
    """A release made anew; its file is removed at once, as there may be many."""
    if data is None:
        return {**output, "sha256": None}
    file = write(data, scratch.file(output["name"]), force=True)
    found = {**output, "sha256": sha256([file]), "records": data.records, "columns": len(data.columns)}
    file.unlink()
    return found


def _beside(result: Run, output: Mapping[str, Any], scratch: Scratch) -> str | None:
    """The digest of another output made anew; a page is not, for it tells when it was made."""
    from lookalike.evaluate.protection import ProtectedRun, save_recode
    from lookalike.evaluate.repair import Repaired
    from lookalike.evaluate.result import Evaluation
    from lookalike.report.records import records_table
    from lookalike.report.repaired import changes_table

    path = scratch.file(output["name"])
    if output["role"] == "records" and isinstance(result, Evaluation):
        write(records_table(result), path, force=True)
    elif output["role"] == "records" and isinstance(result, Repaired):
        write(changes_table(result), path, force=True)
    elif output["role"] == "recode" and isinstance(result, ProtectedRun):
        save_recode(result.release, path, force=True)
    else:
        return output["sha256"]  # type: ignore[no-any-return]
    return sha256([path])
