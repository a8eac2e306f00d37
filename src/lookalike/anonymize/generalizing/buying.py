"""Which variable buys most: what risk and loss do when one variable is raised a level, or taken out."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import Any

from lookalike.anonymize.generalizing.frontier import risk_of
from lookalike.anonymize.generalizing.judged import Judged
from lookalike.anonymize.generalizing.judging import Judge


def buys(judge: Judge, levels: Sequence[int], *, seconds: float = inf) -> list[dict[str, Any]]:
    """For each variable, the change if it alone is raised one level, or taken out, from these levels on.

    `failing` counts the records in classes that break a limit, `risk` is B if it is limited, else the mean of 1/f;
    nothing is suppressed. The variable that lowers the risk most comes first. Once `seconds` are over, the variables
    not yet looked at are left out.
    """
    started, found = perf_counter(), list[dict[str, Any]]()
    now = judge.unsuppressed(levels)
    for variable in range(len(levels)):
        if perf_counter() - started < seconds:
            found.append(_one(judge, levels, now, variable))
    return sorted(found, key=lambda one: (one["removed"]["risk"], one["column"]))


def _one(judge: Judge, levels: Sequence[int], now: Judged, variable: int) -> dict[str, Any]:
    out, next_one = judge.finest.depths[variable], levels[variable] + 1
    steps = {"removed": out} | ({"raised": next_one} if next_one < out else {})
    told: dict[str, Any] = {"column": judge.finest.names[variable], "level": int(levels[variable])}
    for step, level in steps.items():
        then = judge.unsuppressed([*levels[:variable], level, *levels[variable + 1 :]])
        told[step] = {
            "risk": risk_of(then) - risk_of(now),
            "failing": then.suppressed - now.suppressed,
            "loss": then.loss - now.loss,
        }
    return told
