"""The choices of a run as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lookalike.anonymize.choices import Protection
from lookalike.classes import Missing
from lookalike.data import Kind, Microdata
from lookalike.engine import ENGINES
from lookalike.errors import unknown
from lookalike.plan.comparison import Comparison
from lookalike.plan.repair import Repair
from lookalike.population import ESTIMATORS
from lookalike.synthesis.choices import Synthesis
from lookalike.target import Target
from lookalike.threshold import Threshold

NO_CLUSTER = "none"
COUNTS = ("eligible", "all")
MARGINS_TOO = "Known margins are of no use with a population file, which tells all of them. Keep one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which column is what; a column not named is `other`.

    >>> Roles(quasi_identifiers=("age", "sex"), sensitive=("income",)).identifiers
    ()
    """

    identifiers: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    household: str | None = None

    @classmethod
    def of(cls, data: Microdata) -> Roles:
        """The roles that the data's variables have."""
        from lookalike.data import Role

        return cls(
            identifiers=data.with_role(Role.IDENTIFIER),
            quasi_identifiers=data.quasi_identifiers,
            sensitive=data.sensitive,
            weight=data.weight,
            household=data.household,
        )


def all_of(estimators: Sequence[str]) -> tuple[str, ...]:
    """The estimators named, each once; "all" stands for the rest of them.

    >>> all_of(["average", "all"])[:2]
    ('average', 'posterior')
    """
    named: list[str] = []
    for key in estimators:
        named += ESTIMATORS if key == "all" else [key]
    return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All choices of a run; equal plans on equal files give equal figures.

    >>> Plan(missing="none", seed=-1).faults()
    ["Missing mode 'none' is not known. Modes: own, wildcard, conservative.", 'The seed must be at least 0.']
    """

    roles: Roles = field(default_factory=Roles)
    kinds: Mapping[str, str] = field(default_factory=dict)
    missing: str = "own"
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keep_words: tuple[str, ...] = ()
    """Columns in which words such as NA are values, not missing."""
    population: int | None = None
    population_file: str | None = None
    population_counts: str | None = None
    """Who is counted: "eligible", everyone who could have been in the file, or "all", others too; None: not said."""
    cluster: str | None = None
    """The column of what was sampled whole (households, practices), or "none"; not said: the household, if named."""
    margins: tuple[str, ...] = ()
    estimators: tuple[str, ...] = ("posterior",)
    backtest: bool = True
    thresholds: Threshold = field(default_factory=Threshold)
    known_up_to: int | None = None
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    suda_size: int | None = 3
    synthesis: Synthesis = field(default_factory=Synthesis)
    protection: Protection = field(default_factory=Protection)
    comparison: Comparison = field(default_factory=Comparison)
    repair: Repair = field(default_factory=Repair)
    seed: int = 1
    engine: str = "auto"
    spark_master: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimators", all_of(self.estimators))

    def changed(self, **choices: Any) -> Plan:
        """The plan with other choices."""
        return replace(self, **choices)

    def faults(self) -> list[str]:
        """What is wrong with the plan by itself, without the data; all of it."""
        faults = [*self.thresholds.faults(), *self.synthesis.faults(), *self.protection.faults()]
        faults += [*self.comparison.faults(), *self.repair.faults()]
        modes = [m.value for m in Missing]
        if self.missing not in modes:
            faults.append(unknown("Missing mode", self.missing, modes, where="known", listed="Modes"))
        if self.engine not in ENGINES:
            faults.append(unknown("Engine", self.engine, ENGINES, where="known", listed="Engines"))
        kinds = [k.value for k in Kind]
        faults += [
            unknown(f"Column '{name}': kind", kind, kinds, where="known", listed="Kinds")
            for name, kind in self.kinds.items()
            if kind not in kinds
        ]
        if self.population is not None and self.population < 1:
            faults.append("The population must have at least 1 person.")
        if self.population is not None and self.population_file is not None:
            faults.append("The population is given twice: as a number and as a file. Keep one.")
        if self.population_counts not in (None, *COUNTS):
            faults.append(f"The population counts '{self.population_counts}': say {' or '.join(COUNTS)}.")
        known = list(ESTIMATORS)
        faults += [
            unknown("Estimator", key, [*known, "all"], where="known", listed="Estimators")
            for key in self.estimators
            if key not in known
        ]
        if not self.estimators:
            faults.append("At least one estimator of the population risk must be named.")
        if self.margins and self.population_file is not None:
            faults.append(MARGINS_TOO)
        if self.seed < 0:
            faults.append("The seed must be at least 0.")
        if self.known_up_to is not None and self.known_up_to < 1:
            faults.append("Attacker knowledge must reach at least 1 variable.")
        if self.suda_size is not None and self.suda_size < 1:
            faults.append("The largest set of SUDA must have at least 1 variable.")
        faults += [
            f"Target '{t.variable}' needs a value (equals) or a range (above, below)."
            for t in self.targets
            if not t.equals and t.above is None and t.below is None
        ]
        return faults
