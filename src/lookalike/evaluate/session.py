"""Protection by hand: apply a step, see the risk change, undo it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lookalike.anonymize.method import Method
from lookalike.anonymize.methods import methods_of
from lookalike.anonymize.work import Work
from lookalike.evaluate import planned, run
from lookalike.evaluate.protection import ProtectedRun, after, asked_of, finished
from lookalike.evaluate.request import prepare
from lookalike.evaluate.result import Evaluation
from lookalike.plan import Plan, Threshold
from lookalike.utility import Losses, losses


@dataclass(frozen=True, kw_only=True)
class Look:
    """The file after a step: how it came there, its risk, what it lost.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 34, 35]})
    >>> look = la.Session(people, quasi_identifiers=["age"], until=la.Threshold(k_anonymity=2)).looks[0]
    >>> print(look)
    the file: k 1, unique 33.33%, mean 1/f 0.6667, B not known, loss 0.0000: fails
    """

    step: str
    evaluation: Evaluation
    losses: Losses | None
    """None for the file itself."""

    def __str__(self) -> str:
        risk = self.evaluation.risk
        b = risk.sample_to_population
        b_said = "not known" if b.value is None else f"{b.value:.4g}"
        lost = 0.0 if self.losses is None else self.losses.granularity
        return (
            f"{self.step}: k {risk.k_anonymity}, unique {risk.unique_records.value:.2%}, "
            f"mean 1/f {risk.prosecutor.mean:.4g}, B {b_said}, loss {lost:.4f}: {self.evaluation.outcome.value}"
        )


class Session:
    """A file under protection, one step at a time.

    >>> import lookalike as la, polars as pl
    >>> table = pl.DataFrame({"age": [30, 31, 45, 47], "sex": ["F", "F", "M", "M"]})
    >>> session = la.Session(table, quasi_identifiers=["age", "sex"], until=la.Threshold(k_anonymity=2))
    >>> session.apply(la.Microaggregation(k=2)).evaluation.risk.k_anonymity
    2
    >>> session.undo().evaluation.risk.k_anonymity
    1
    """

    def __init__(
        self,
        data: Any,
        *,
        population: Any = None,
        until: Threshold | float | None = None,
        plan: Plan | None = None,
        **choices: Any,
    ) -> None:
        chosen, people = planned(data, plan, choices, population=population, threshold=until)
        self._asked = asked_of(prepare(data, chosen, people))
        file = self._asked.request.file
        self._works = [Work(file, file)]
        # A look is for the eye: what takes long and changes nothing of the verdict waits for the release.
        self._quick = self._asked.plan.changed(backtest=False, suda_size=None, known_up_to=1, seed=chosen.seed)
        self._taken: list[Method | str] = []
        self.looks = [Look(step="the file", evaluation=run(file, self._quick, self._asked.request.people), losses=None)]

    @property
    def now(self) -> Look:
        """The file as it is after the last step."""
        return self.looks[-1]

    def apply(self, method: Method | str) -> Look:
        """Take one more step."""
        [step] = methods_of([method], self._asked.plan.thresholds)
        work = self._works[-1].step(step, self._asked.for_step(len(self._works)))
        release = work.release()
        look = Look(
            step=work.taken[-1].method,
            evaluation=after(release, self._quick, self._asked.request),
            losses=losses(release.original, release.data, release.cells, rows=release.rows),
        )
        self._works.append(work)
        self._taken.append(method)
        self.looks.append(look)
        return look

    def undo(self) -> Look:
        """Take the last step back; the file itself cannot be taken back."""
        if len(self._works) > 1:
            self._works.pop()
            self._taken.pop()
            self.looks.pop()
        return self.now

    def release(self) -> ProtectedRun:
        """The file as it is now as a release, measured in full before and after."""
        choices = self._asked.plan.protection
        asked = self._asked.by(self._taken) if self._taken else self._asked
        return finished(asked, self._works[-1].release(drop=choices.drop, index=choices.index))

    def __repr__(self) -> str:
        return "\n".join(str(look) for look in self.looks)
