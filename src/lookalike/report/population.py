"""The population risk in a terminal: the estimates, how far to trust them, and who carries the risk."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lookalike.evaluate.people import Estimates
from lookalike.evaluate.result import Risk
from lookalike.population import RecordRisk
from lookalike.report.numbers import digits, interval, number
from lookalike.report.tables import new_table, percent

_NONE = "–"
_MOST = 6
"""Groups of values that are shown, the largest part of the risk first."""


def population_parts(risk: Risk, estimates: Estimates) -> Iterator[RenderableType]:
    """What the estimators say of the people who look like the records."""
    if len(estimates.findings) > 1 or risk.exact is not None:
        yield _estimates(risk, estimates)
    if estimates.margins_used:
        yield Text(f"Known margins, used by {', '.join(estimates.margins_used)}: {_margins(estimates)}\n")
    trust = _trust(estimates)
    if trust.row_count:
        yield trust
    if estimates.backtests:
        yield from _backtests(estimates)
    if estimates.records is not None:
        yield from _records(estimates.records)
        yield from _groups(estimates.records)


def _margins(estimates: Estimates) -> str:
    return "; ".join(f"{m.name}, by {', '.join(m.variables)}, {m.people:,} people" for m in estimates.margins)


def _estimates(risk: Risk, estimates: Estimates) -> Table:
    table = new_table("B by estimator: the chance to match a record to the right person")
    for name in ("estimator", "B", "interval", "caveat"):
        table.add_column(name, justify="left" if name in ("estimator", "caveat") else "right")
    if risk.exact is not None:
        source = "population file" if risk.population_file is not None else "the file is the population"
        table.add_row(f"exact ({source})", number(risk.exact), "", "")
    for key, finding in estimates.findings.items():
        rate = finding.match_rate
        table.add_row(key, number(rate.value), interval(rate), "; ".join(rate.caveats))
    return table


def _trust(estimates: Estimates) -> Table:
    """If N is wrong."""
    table = new_table(f"How far to trust it ({estimates.chosen})")
    for name in ("if", "B", "instead of"):
        table.add_column(name, justify="left" if name == "if" else "right")
    for ratio, value in estimates.sensitivity.items():
        if ratio != 1 and value is not None:
            side = f"{abs(ratio - 1):.0%} {'smaller' if ratio < 1 else 'larger'}"
            table.add_row(f"the population were {side}", number(value), number(estimates.match_rate.value))
    return table


def _backtests(estimates: Estimates) -> Iterator[RenderableType]:
    """The file taken for the population: the estimate from a part of it beside the truth."""
    table = new_table("Backtest: the file as population, a part of it as sample")
    for name in ("sample", "records", "B", "interval", "true B", "interval contains it"):
        table.add_column(name, justify="left" if name == "interval contains it" else "right")
    for test in estimates.backtests:
        rate = test.estimate
        table.add_row(
            f"{test.fraction:.0%}",
            f"{test.records:,}",
            number(rate.value),
            interval(rate) or _NONE,
            number(test.truth),
            {True: "yes", False: "no", None: _NONE}[test.covers],
        )
    yield table
    if estimates.margins_used:
        yield Text("The backtest does not use the known margins: they are not those of the file.\n")


def _records(records: RecordRisk) -> Iterator[RenderableType]:
    table = new_table("Risk of single records")
    table.add_column("risk")
    table.add_column("records", justify="right")
    for low, high, share in records.distribution:
        table.add_row(f"{low:g} to {high:g}", percent(share))
    yield table
    above = f"{percent(records.share_above_threshold)} of records above {records.threshold:g}"
    yield Text(f"1/F expected: median {digits(records.median)}, worst {digits(records.maximum)}; {above}\n")


def _groups(records: RecordRisk) -> Iterator[RenderableType]:
    table = new_table("Who carries the risk: records by how rare their value of one variable is")
    for name in ("variable", "records with", "records", "mean risk", "part of all risk"):
        table.add_column(name, justify="left" if name in ("variable", "records with") else "right")
    found = sorted(records.groups, key=lambda g: -g.mean)[:_MOST]
    for group in found:
        table.add_row(Text(group.variable), group.group, f"{group.records:,}", digits(group.mean), percent(group.share))
    yield table
    more = len(records.groups) - len(found)
    rest = f", and {more} with a lower mean risk" if more else ""
    yield Text(f"Left out: groups of fewer than {records.fewest} records{rest}.\n")
