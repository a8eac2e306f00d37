"""What a run found: figures with their reasons, verdicts, and where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.doubts import Doubt
from lookalike.evaluate.people import Estimates
from lookalike.plan import Plan
from lookalike.risk import Driver, Knowledge, MatchRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveRisk:
    """What classes give away about one sensitive variable."""

    distinct: int
    entropy: float
    recursive: int
    """The largest ℓ of recursive (3, ℓ)-diversity."""
    one_value: Rate
    """Records whose whole class has one value."""
    kl: float
    total_variation: float
    earth_mover: float | None
    """Ordered variables only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SudaRisk:
    """Special uniques: how small the sets of variables are that make records unique."""

    records: int
    """Records with a minimal sample unique."""
    sets_by_size: Mapping[int, int]
    contributions: Mapping[str, float]
    """Percent of all scores in which a variable takes part."""
    dis_mean: float
    dis_maximum: float
    largest_set: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRisk:
    """Measures that need a population file."""

    records: int
    unmatched: int
    """Records of the file whose class the population file lacks."""
    journalist: MatchRisk
    k_map: int
    delta_presence: tuple[float, float]
    unique: Rate | None
    """Sample-unique classes that are population unique; None if no class is unique in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """Every measure on a file; what could not be measured is in `not_assessed` with the reason.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 34, 35]})
    >>> risk = la.assess(people, quasi_identifiers=["age"]).risk
    >>> risk.k_anonymity, str(risk.unique_records), risk.sample_to_population.value
    (1, '1 of 3 records', None)
    >>> risk.sample_to_population.caveats
    ('needs the size of the population (--population N) or a population file',)
    """

    records: int
    classes: int
    k_anonymity: int
    records_below: Mapping[int, Rate]
    classes_below: Mapping[int, Rate]
    unique_classes: Rate
    unique_records: Rate
    prosecutor: MatchRisk
    population: int | None
    population_from: str
    population_to_sample: float | None
    estimated_unique: float | None
    """Estimated share of sample-unique classes that are population unique (RFUE)."""
    exact: float | None
    sample_to_population: Estimate
    estimates: Estimates | None
    """What the estimators say; None without the size of the population."""
    bounds: tuple[float, float] | None
    """What B is at least and at most, whatever the population looks like."""
    population_file: PopulationRisk | None
    sensitive: Mapping[str, SensitiveRisk | None]
    """By variable; None if it could not be assessed."""
    targets: Mapping[str, Rate | None]
    """By target of the plan; None if it could not be assessed."""
    drivers: tuple[Driver, ...]
    knowledge: tuple[Knowledge, ...]
    suda: SudaRisk | None
    household: MatchRisk | None
    fitting: Rate | None
    """Records that are unique in the worst case in a file with intervals and wildcards."""
    repeated: Rate | None
    """Records that equal another in every column; None if this was not counted or would tell nothing."""
    not_assessed: Mapping[str, str]


class Outcome(StrEnum):
    """How a threshold came out.

    >>> [outcome.value for outcome in Outcome]
    ['holds', 'fails', 'not assessable', 'undecided']
    """

    HOLDS = "holds"
    FAILS = "fails"
    NOT_ASSESSABLE = "not assessable"
    UNDECIDED = "undecided"
    """It holds by the value, and a doubt could turn that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One threshold of the plan, decided.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 34, 35]})
    >>> verdict = la.assess(people, quasi_identifiers=["age"], population=people).verdicts[0]
    >>> verdict.measure, round(verdict.value, 3), verdict.threshold, verdict.outcome.value
    ('sample_to_population', 0.667, 0.09, 'fails')
    """

    measure: str
    value: float | None
    threshold: float
    outcome: Outcome
    reason: str = ""
    doubts: tuple[Doubt, ...] = ()
    """Why it is undecided, each with the value that would decide if the doubt were justified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An input or output as the evidence names it."""

    name: str
    sha256: str | None
    records: int | None = None
    """None of a file that is no table."""
    columns: int | None = None
    role: str = "data"
    """What it is for: data, population, margins, release, report …"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """Where a result came from: the command, its plan, what it read and wrote."""

    command: str
    plan: Plan
    engine: str
    started: datetime
    seconds: float
    inputs: tuple[Source, ...]
    outputs: tuple[Source, ...] = ()
    warnings: tuple[str, ...]
    seed_drawn: bool = False
    """Whether the seed was drawn by chance, as none was given."""

    def to_dict(self) -> dict[str, object]:
        """The evidence as plain data (`interface.md`)."""
        from lookalike.report import evidence

        return evidence(self)

    def to_json(self, path: str | Path, *, force: bool = False) -> Path:
        """The evidence as a file."""
        from lookalike.report import write_evidence

        return write_evidence(self, Path(path), force=force)

    def to_html(self, path: str | Path, *, force: bool = False, language: str = "en") -> Path:
        """The report as one file, in English, German (de) or French (fr)."""
        from lookalike.report.pages import write_page

        return write_page(self, Path(path), force=force, language=language)

    def _repr_html_(self) -> str:
        """The report inside a notebook."""
        from lookalike.report.pages import in_notebook

        return in_notebook(self)


@dataclass(frozen=True, kw_only=True)
class Evaluation(Run):
    """The risk of a file, and the thresholds decided.

    >>> import polars as pl
    >>> import lookalike as la
    >>> people = pl.DataFrame({"age": [34, 34, 35], "sex": ["F", "F", "M"]})
    >>> evaluation = la.assess(people, quasi_identifiers=["age", "sex"], population=people)
    >>> evaluation.outcome.value, evaluation.risk.records, evaluation.to_dict()["command"]
    ('fails', 3, 'assess')
    """

    risk: Risk
    verdicts: tuple[Verdict, ...]
    overlooked: tuple[str, ...] = ()
    """Columns that look like something an attacker may know, and are not counted as such."""
    undeclared: tuple[str, ...] = ()
    """Columns that look like something that names a person, and have no role."""
    records: Mapping[str, NDArray[np.float64]] | None = field(default=None, repr=False)
    """Risk per record in the order of the file, for the custodian's own eyes."""

    @property
    def outcome(self) -> Outcome:
        """A limit that fails decides, then one not assessed, then one undecided; without limits there is no verdict."""
        outcomes = {v.outcome for v in self.verdicts} or {Outcome.NOT_ASSESSABLE}
        for worst in (Outcome.FAILS, Outcome.NOT_ASSESSABLE, Outcome.UNDECIDED):
            if worst in outcomes:
                return worst
        return Outcome.HOLDS

    def __str__(self) -> str:
        from lookalike.report import as_text

        return as_text(self)
