"""Repair a release: find the rows behind a risk, change just those, and measure both sides again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from lookalike.data import Microdata
from lookalike.engine import stage
from lookalike.errors import BadPlan
from lookalike.evaluate.comparison import Compared, chosen_of, compared
from lookalike.evaluate.comparison.attacks import NO_KEYS
from lookalike.evaluate.comparison.files import Both, Given, open_both
from lookalike.evaluate.comparison.origin import Made
from lookalike.evaluate.comparison.utility import check
from lookalike.evaluate.people import generator
from lookalike.evaluate.repair.changed import Copy, Mending, changes
from lookalike.evaluate.repair.exposed import Exposed, Exposing, Exposure
from lookalike.evaluate.repair.listed import listed
from lookalike.evaluate.result import Outcome, Run
from lookalike.plan import Plan, Repair
from lookalike.utility.origin import How, Origin

__all__ = ["Found", "Repaired", "repair", "run_repair"]

_CHOICES = tuple(f.name for f in fields(Repair))
NO_RULE = (
    "Rows cannot be dropped from several linked copies: no rule combines what is left. Coarsen or redraw them, or "
    "repair one copy."
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """One attack before and after the repair."""

    before: Exposure
    after: Exposure

    @property
    def attack(self) -> str:
        """Its name."""
        return self.before.attack

    @property
    def target(self) -> str | None:
        """What it wants, if it wants one column."""
        return self.before.target

    @property
    def records(self) -> int:
        """Records that were at risk."""
        return self.before.records


@dataclass(frozen=True, kw_only=True)
class Repaired(Run):
    """A repaired release: what was behind its risks, what changed, and both sides before and after.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 31, 31, 64], "sex": ["F", "F", "M", "M", "F"]})
    >>> made = la.repair(table, table, linked=True, quasi_identifiers=["age", "sex"], models=["logistic"], ways=[1])
    >>> made.rounds, made.rows_changed, made.cells, made.changes.filter(done="changed")["row"].to_list()
    (1, 3, {'age': 3}, [1, 2, 5])
    """

    command: str = "repair"
    release: tuple[Microdata, ...] = field(repr=False)
    """The repaired copies."""
    found: tuple[Found, ...]
    rounds: int
    """How often rows were changed."""
    cells: Mapping[str, int]
    """By column, the cells that changed, over all copies."""
    rows_changed: int
    rows_dropped: int
    rows: int
    """Rows of all copies before."""
    before: Compared = field(repr=False)
    after: Compared = field(repr=False)
    changes: pl.DataFrame = field(repr=False)
    """The records at risk, the rows behind them and the rows that changed, by number: for the custodian's eyes only."""

    @property
    def assessed(self) -> Any:
        """The risk of the repaired release as it stands, if the population is known."""
        return self.after.assessed

    @property
    def outcome(self) -> Outcome:
        """Whether no attack with rows behind it is above the threshold now, and the thresholds of the plan hold."""
        if any(one.after.above for one in self.found) or self.after.outcome is Outcome.FAILS:
            return Outcome.FAILS
        unknown = any(one.after.outcome is None for one in self.found)
        return Outcome.NOT_ASSESSABLE if unknown else self.after.outcome


def repair(
    data: Any,
    release: Any,
    *,
    control: Any = None,
    population: Any = None,
    seed: int | None = None,
    plan: Plan | None = None,
    **choices: Any,
) -> Repaired:
    """Change the rows of a release behind a risk above the threshold, and measure what it keeps and gives away again.

    `data`, `release`, `control` and `population` are as in `compare`; `choices` are those of `Repair` (by, threshold,
    least, rounds), of `Comparison`, roles as in `read`, and anything else a `Plan` has.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 31, 31, 64], "sex": ["F", "F", "M", "M", "F"]})
    >>> roles = {"quasi_identifiers": ["age", "sex"]}
    >>> made = la.repair(table, table, linked=True, how="changed", models=["logistic"], ways=[1], by="drop", **roles)
    >>> made.rows_dropped, round(made.found[0].before.risk, 3), made.found[0].attack
    (1, 0.6, 'matching')
    """
    named = {k: choices.pop(k) for k in _CHOICES if k in choices}
    chosen, people = chosen_of(data, plan, choices, population=population, seed=seed)
    chosen = chosen.changed(repair=replace(chosen.repair, **named))
    return run_repair(data, release, chosen, control, people=people)


def run_repair(
    data: Any, release: Any, plan: Plan, control: Any = None, *, people: Any = None, known: Sequence[str] = ()
) -> Repaired:
    """Run the repair of a plan; `people` is the population, if it is a frame or microdata."""
    started, clock = datetime.now(UTC), perf_counter()
    both = open_both(data, release, plan, control, known=known)
    check(both, plan)
    if not (plan.comparison.keys or both.file.quasi_identifiers):
        raise BadPlan(NO_KEYS)
    if plan.repair.by == "drop" and both.made.linked and len(both.releases) > 1:
        raise BadPlan(NO_RULE)
    first = Exposing(both=both, plan=plan).found()
    before = compared(both, plan, people, started=started, clock=clock)
    copies = tuple(Copy.of(data) for data in both.releases)
    mended, last, now, rounds = _mended(both, plan, first, copies)
    after = compared(now, plan, people, started=started, clock=perf_counter())
    differing = [changes(data, copy) for data, copy in zip(both.releases, mended, strict=True)]
    return Repaired(
        plan=plan,
        engine=both.file.table.engine.name,
        started=started,
        inputs=before.inputs,
        warnings=before.warnings,
        release=tuple(copy.data for copy in mended),
        found=tuple(Found(before=b, after=a) for b, a in zip(first.attacks, last.attacks, strict=True)),
        rounds=rounds,
        cells=_counted(differing),
        rows_changed=sum(int(np.any(list(one.values()), axis=0).sum()) for one in differing if one),
        rows_dropped=sum(d.records - c.data.records for d, c in zip(both.releases, mended, strict=True)),
        rows=sum(d.records for d in both.releases),
        before=before,
        after=after,
        changes=listed(both, first, mended, differing),
        seconds=perf_counter() - clock,
    )


def _mended(
    both: Both, plan: Plan, found: Exposed, copies: tuple[Copy, ...]
) -> tuple[tuple[Copy, ...], Exposed, Both, int]:
    """The copies after so many rounds as there was something to change, and what is left to find."""
    mending = Mending(choices=plan.repair, columns=both.columns, drawn=both.made.origin.drawn)
    now, rounds = both, 0
    with stage("repairing", plan.repair.rounds) as progress:
        while found.anything and rounds < plan.repair.rounds:
            rngs = [generator(plan.seed, "repair", rounds, number) for number in range(len(copies))]
            copies = mending.mended(copies, found, rngs)
            now = _opened(both, plan, copies)
            found = Exposing(both=now, plan=plan).found()
            rounds += 1
            progress.advance()
    return copies, found, now, rounds


def _opened(both: Both, plan: Plan, copies: tuple[Copy, ...]) -> Both:
    """The files with the repaired copies in place of the release."""
    rows = both.file_rows
    if both.made.linked:
        kept = copies[0].rows
        rows = kept if rows is None else rows[kept]
        rows = None if len(rows) == both.file.records and both.file_rows is None else rows
    given = Given(made=_made(both, copies), rows=rows, files=tuple(copy.data for copy in copies))
    return open_both(both.file, given, plan, both.control_file)


def _made(both: Both, copies: tuple[Copy, ...]) -> Made:
    """The origin after a repair: of a partly synthetic file more columns may differ, or rows are gone."""
    made = both.made
    if made.origin.how is not How.PARTIAL:
        return made
    if copies[0].data.records < both.releases[0].records:
        return replace(made, origin=Origin(how=How.CHANGED))
    pairs = zip(both.releases, copies, strict=True)
    drawn = dict.fromkeys([*made.origin.drawn, *(name for data, copy in pairs for name in changes(data, copy))])
    return replace(made, origin=replace(made.origin, drawn=tuple(drawn)))


def _counted(differing: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    names = dict.fromkeys(name for one in differing for name in one)
    return {name: sum(int(one[name].sum()) for one in differing if name in one) for name in names}
