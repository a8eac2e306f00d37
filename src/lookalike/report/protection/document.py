"""A protected file in the evidence: what was done, what it cost; counts and names, no cell."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lookalike.anonymize.cells import Done
from lookalike.utility import Losses

if TYPE_CHECKING:
    from lookalike.evaluate.protection import ProtectedRun


def protected_document(result: ProtectedRun) -> dict[str, Any]:
    """The release as plain data: counts and names, no cell."""
    release, lost = result.release, result.losses
    return {
        "method": release.method,
        "information_loss": lost.information_loss,
        "cells_generalized": release.count(Done.GENERALIZED),
        "cells_suppressed": release.count(Done.SUPPRESSED),
        "cells_perturbed": release.count(Done.PERTURBED),
        "records": release.data.records,
        "records_removed": release.removed,
        "left_out": list(release.left_out),
        "columns_emptied": list(release.emptied),
        "losses": _lost(lost),
        "cells": {
            name: {fate.name.lower(): count for fate, count in fates.items()} for name, fates in release.cells.items()
        },
        "steps": [
            {
                "method": step.method,
                "settings": dict(step.settings),
                "figures": dict(step.figures),
                "details": dict(step.details),
            }
            for step in release.taken
        ],
        "caveats": list(release.caveats),
    }


def _lost(losses: Losses) -> dict[str, Any]:
    """What was lost as plain data."""
    found = asdict(losses)
    return {**found, "columns": {name: dict(column) for name, column in found["columns"].items()}}
