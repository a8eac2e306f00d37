"""The records and classes below each k, and above a risk, as a page may show them."""

from __future__ import annotations

from lookalike.evaluate.result import Risk
from lookalike.report.few import Shown, shown, shown_run
from lookalike.risk import MatchRisk


def few_below(risk: Risk) -> list[tuple[Shown, Shown]]:
    """Records and classes by k, in the order of the risk's; no two of them tell a count of one to four."""
    records = shown_run((rate.count for rate in risk.records_below.values()), risk.records)
    classes = shown_run((rate.count for rate in risk.classes_below.values()), risk.classes)
    return list(zip(records, classes, strict=True))


def above(found: MatchRisk, risk: Risk) -> str:
    """The share of records above the threshold; beside the records below each k it tells no count of a few."""
    below = zip(risk.records_below.values(), few_below(risk), strict=True)
    told = [rate.count for rate, (records, _) in below if records.count == f"{rate.count:,}"]
    return shown(round(found.share_above_threshold * risk.records), risk.records, beside=told).share
