"""The verdict on a release and what to do next, for the page and for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lookalike.anonymize.cells import Done
from lookalike.anonymize.generalizing.goals import OF_CLASSES, OF_RECORDS
from lookalike.anonymize.release import Taken
from lookalike.evaluate.left_alone import SINGLE, TELLS
from lookalike.evaluate.result import Evaluation, Outcome
from lookalike.report.protection import words

if TYPE_CHECKING:
    from lookalike.evaluate.protection import ProtectedRun

MOODS = {"holds": "good", "undecided": "middling", "fails": "bad", "not assessable": "middling", "none": "middling"}
COLOURS = {"holds": "green", "undecided": "yellow", "fails": "red", "not assessable": "yellow", "none": "yellow"}
"""Of the verdict in a terminal."""
SEARCHING = "generalize"
_LEFT = tuple(text.removeprefix("{names}") for text in (SINGLE, TELLS))


def decided(evaluation: Evaluation) -> str:
    """How the thresholds came out, by the keys of the sentences."""
    return evaluation.outcome.value if evaluation.verdicts else "none"


def is_unchanged(result: ProtectedRun) -> bool:
    """Whether the release has all records, with every cell as it was."""
    release = result.release
    return not release.removed and all(release.count(fate) == 0 for fate in Done if fate is not Done.KEPT)


def verdict_of(result: ProtectedRun) -> str:
    """The verdict in one sentence."""
    how = decided(result.assessed)
    return words.UNCHANGED if how == "holds" and is_unchanged(result) else words.SAYS[how]


def next_of(result: ProtectedRun) -> str:
    """What to do next: look at what is kept, and keep the evidence; or what to try where a threshold does not hold."""
    how = decided(result.assessed)
    if how == "fails":
        return " ".join(_tries(result))
    made = result.outputs[0].name if result.outputs else words.NO_FILE
    limit = result.plan.thresholds.sample_to_population or 0
    said = words.NEXT[how].format(file=result.inputs[0].name, release=made, threshold=f"{limit:g}")
    parts = [
        *([words.ALONE_FIRST] if any(warning.endswith(_LEFT) for warning in result.warnings) else []),
        said,
        *([words.SAFER] if how == "holds" and is_unchanged(result) else []),
    ]
    return " ".join(parts)


def _tries(result: ProtectedRun) -> Iterator[str]:
    said = words.FAILS_NEXT
    searched = [step for step in result.release.taken if "frontier" in step.details]
    given = [step for step in searched if step.method != SEARCHING or step.settings.get("levels") is not None]
    if not searched:
        yield said["method"].format(method=result.release.method)
    elif given:
        yield said["levels"]
    else:
        yield from _search_tries(result, searched[-1])
    yield said["last"]


def _search_tries(result: ProtectedRun, step: Taken) -> Iterator[str]:
    """After a search that found nothing: more time, fewer records, fewer columns. Suppression does not lower B."""
    failed = {v.measure for v in result.assessed.verdicts if v.outcome is Outcome.FAILS}
    if not step.details.get("complete", True):
        yield words.FAILS_NEXT["time"]
    if failed & {*OF_CLASSES, *OF_RECORDS}:
        yield words.FAILS_NEXT["few"]
    buys = [column for column in step.details.get("buys", {}).get("chosen", ()) if column["removed"]["risk"] < 0]
    if buys and len(result.release.data.quasi_identifiers) > 1:
        yield words.FAILS_NEXT["column"].format(name=buys[0]["column"])
