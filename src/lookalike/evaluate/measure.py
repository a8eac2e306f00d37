"""Measure a checked request: every measure of one file, each by its function, none hidden if it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike import risk as r
from lookalike.classes import EquivalenceClasses, Spread
from lookalike.data import GENERALIZED, Kind, spans
from lookalike.engine import stage
from lookalike.errors import NotAssessable
from lookalike.estimate import Estimate, Rate
from lookalike.evaluate.people import Estimates, ask
from lookalike.evaluate.request import Request
from lookalike.evaluate.result import PopulationRisk, Risk, SensitiveRisk, SudaRisk
from lookalike.plan import Target

BELOW = (2, 3, 5, 10)
RECURSIVE_C = 3.0
ORDERED = (Kind.NUMERIC, Kind.ORDINAL, Kind.DATE)
UNMATCHED = 0.05
"""The share of records lacking in a population file above which it is not the file's population."""
NO_POPULATION = "needs the size of the population (--population N) or a population file"
REPEATED = (
    "{rate} equal another in every column. If people stand in the file more than once, the risk is understated: "
    "remove repeats."
)

_T = TypeVar("_T")


class Measurement:
    """One run over a request; keeps what could not be assessed, with the reason."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.plan = request.plan
        self.classes = request.classes
        self.not_assessed: dict[str, str] = {}
        self.warnings: list[str] = []
        self._threshold = self.plan.thresholds.sample_to_population or 0.09
        self._suda: r.Suda | None = None
        self._in_population: NDArray[np.int64] | None = None
        self._people: EquivalenceClasses | None = None
        self._estimates: Estimates | None = None

    def risk(self) -> Risk:
        """All measures."""
        classes, size = self.classes, self.request.population
        people = self._population()
        self._estimates = ask(self.request, threshold=self._threshold) if size else None
        exact = people.journalist.mean if people and not people.unmatched else None
        exact = r.prosecutor(classes).mean if people is None and size == classes.records else exact
        spreads = {n: self._try(f"spread of {n}", partial(Spread.of, classes, n)) for n in self._sensitive_names()}
        return Risk(
            records=classes.records,
            classes=len(classes),
            k_anonymity=r.k_anonymity(classes),
            records_below={k: r.records_below(classes, k) for k in self._ks()},
            classes_below={k: r.classes_below(classes, k) for k in self._ks()},
            unique_classes=r.unique_classes(classes),
            unique_records=r.unique_records(classes),
            prosecutor=r.prosecutor(classes, threshold=self._threshold),
            population=size,
            population_from=self.request.population_from,
            population_to_sample=r.population_to_sample(classes, size) if size else None,
            estimated_unique=self._estimated_unique(),
            exact=exact,
            sample_to_population=self._sample_to_population(exact, people),
            estimates=self._estimates,
            bounds=r.bounds_of_sample_to_population(classes, size) if size else None,
            population_file=people,
            sensitive=self._sensitive(spreads),
            targets=self._targets(spreads),
            drivers=tuple(r.drivers(classes)),
            knowledge=self._knowledge(),
            suda=self._try("suda", self._measure_suda),
            household=self._household(),
            fitting=self._fitting(),
            repeated=self._repeated(),
            not_assessed=self.not_assessed,
        )

    def records(self) -> dict[str, NDArray[np.float64]]:
        """Risk per record, in the order of the file."""
        classes = self.classes
        columns: dict[str, NDArray[np.float64]] = {"lookalikes_in_file": classes.size_per_record().astype(float)}
        columns["prosecutor"] = 1 / columns["lookalikes_in_file"]
        if self._in_population is not None:
            lookalikes = r.at_least_sample(classes, self._in_population)
            columns["lookalikes_in_population"] = classes.per_record(lookalikes)
            columns["sample_to_population"] = 1 / columns["lookalikes_in_population"]
        if self._estimates is not None:
            for key, finding in self._estimates.findings.items():
                if finding.risk is not None:
                    columns[f"sample_to_population_{key}"] = classes.per_record(finding.risk)
        if self._suda is not None:
            columns["suda"] = classes.per_record(self._suda.scores)
            columns["dis_suda"] = classes.per_record(self._suda.dis)
        if self.request.file.household is not None:
            members = r.households(self.request.file)
            columns["household"] = r.household_risk(self._single_risk(), members)
        return columns

    def _try(self, name: str, measure: Callable[[], _T]) -> _T | None:
        """The measure, or None with its reason kept."""
        try:
            return measure()
        except NotAssessable as reason:
            self.not_assessed[name] = str(reason)
            return None

    def _population(self) -> PopulationRisk | None:
        if self.request.people is None:
            return None
        classes = self.classes
        population = EquivalenceClasses.of(self.request.people, classes.variables, missing=classes.missing)
        self._people = population
        with stage("matching the population"):
            found = classes.sizes_in(population)
        self._in_population = found
        unmatched = int(classes.sizes[found < classes.lookalikes].sum())
        if unmatched:
            self.warnings.append(
                f"{unmatched:,} of {classes.records:,} records have fewer lookalikes in the population file than in "
                "the file itself: the file is not a part of it. They count with their lookalikes in the file."
            )
        return PopulationRisk(
            records=population.records,
            unmatched=unmatched,
            journalist=r.journalist(classes, found, threshold=self._threshold),
            k_map=r.k_map(classes, found),
            delta_presence=r.delta_presence(classes, population),
            unique=self._try(
                "relative_frequency_of_uniques", lambda: r.relative_frequency_of_uniques(classes, population)
            ),
        )

    def _estimated_unique(self) -> float | None:
        size = self.request.population
        if size is None:
            return None
        return self._try("estimated_frequency_of_uniques", lambda: r.estimated_frequency_of_uniques(self.classes, size))

    def _sample_to_population(self, exact: float | None, people: PopulationRisk | None) -> Estimate:
        if exact is not None:
            return Estimate(value=exact, low=exact, high=exact, method="exact")
        if people is not None:
            return self._upper(people)
        size = self.request.population
        if size is None:
            high = r.prosecutor(self.classes).mean
            return Estimate.not_assessable(NO_POPULATION, method="bounds", low=0.0, high=high)
        assert self._estimates is not None
        estimate = self._estimates.match_rate
        if estimate.value is not None:
            return estimate
        low, high = r.bounds_of_sample_to_population(self.classes, size)
        return replace(estimate, low=low, high=high)

    def _upper(self, people: PopulationRisk) -> Estimate:
        """B when some records are not in the population file: at most what they count in the file itself."""
        high, share = people.journalist.mean, people.unmatched / self.classes.records
        reason = (
            f"{people.unmatched:,} of {self.classes.records:,} records have fewer lookalikes in the population file "
            "than in the file itself"
        )
        if share > UNMATCHED:
            reason += ": do both files write their values alike?"
            return Estimate.not_assessable(reason, method="bounds", low=0.0, high=high)
        return Estimate(value=high, low=0.0, high=high, method="upper bound", caveats=(reason,))

    def _ks(self) -> list[int]:
        return sorted({*BELOW, self.plan.thresholds.k_anonymity or BELOW[0]})

    def _sensitive_names(self) -> list[str]:
        return list(dict.fromkeys([*self.request.file.sensitive, *(t.variable for t in self.plan.targets)]))

    def _sensitive(self, spreads: dict[str, Spread | None]) -> dict[str, SensitiveRisk | None]:
        names = self.request.file.sensitive
        return {name: self._spread_risk(name, spread) if (spread := spreads[name]) else None for name in names}

    def _spread_risk(self, name: str, spread: Spread) -> SensitiveRisk:
        kind, text = self.request.file.variable(name).kind, spread.values.dtype == pl.String
        ordered = kind is Kind.ORDINAL or (kind in ORDERED and not text)
        return SensitiveRisk(
            distinct=int(r.distinct_diversity(spread).minimum),
            entropy=r.entropy_diversity(spread).minimum,
            recursive=int(r.recursive_diversity(spread, c=RECURSIVE_C).minimum),
            one_value=r.any_disclosure(spread),
            kl=r.kullback_leibler_closeness(spread).t,
            total_variation=r.total_variation_closeness(spread).t,
            earth_mover=r.earth_mover_closeness(spread).t if ordered else None,
        )

    def _targets(self, spreads: dict[str, Spread | None]) -> dict[str, Rate | None]:
        found: dict[str, Rate | None] = {}
        for target in self.plan.targets:
            spread = spreads[target.variable]
            measure = partial(_disclosure, spread, target) if spread else None
            found[str(target)] = self._try(f"disclosure of {target}", measure) if measure else None
        return found

    def _knowledge(self) -> tuple[r.Knowledge, ...]:
        plan = self.plan
        return tuple(r.by_knowledge(self.classes, up_to=plan.known_up_to, groups=plan.groups, population=self._people))

    def _measure_suda(self) -> SudaRisk:
        if self.plan.suda_size is None:
            raise NotAssessable("not asked for")
        classes, size = self.classes, self.request.population
        r.check_affordable(len(classes), len(classes.variables), self.plan.suda_size)
        with stage("special uniques"):
            found = r.suda(
                classes.codes,
                classes.sizes,
                classes.variables,
                max_size=self.plan.suda_size,
                fraction=classes.records / size if size else 0.01,
            )
        self._suda = found
        return SudaRisk(
            records=int(classes.sizes[found.scores > 0].sum()),
            sets_by_size=found.uniques_by_size,
            contributions=found.contributions,
            dis_mean=float((found.dis * classes.sizes).sum() / classes.records),
            dis_maximum=float(found.dis.max()),
            largest_set=self.plan.suda_size,
        )

    def _household(self) -> r.MatchRisk | None:
        if self.request.file.household is None:
            return None
        members = r.households(self.request.file)
        return r.over_records(r.household_risk(self._single_risk(), members), threshold=self._threshold)

    def _single_risk(self) -> NDArray[np.float64]:
        """The risk of each record alone: by the population file, else as estimated, else as in the file itself."""
        classes = self.classes
        if self._in_population is not None:
            return 1 / classes.per_record(r.at_least_sample(classes, self._in_population))
        if self._estimates is not None and self._estimates.risk is not None:
            return classes.per_record(self._estimates.risk)
        return 1 / classes.size_per_record()

    def _repeated(self) -> Rate | None:
        if self.request.released:
            return None  # equal records are what a release is made for
        found = r.repeated_records(self.request.file)
        if found is not None:
            self.warnings.append(REPEATED.format(rate=found))
        return found

    def _fitting(self) -> Rate | None:
        keys = self.classes.keys
        texts = [c for c in self.classes.variables if keys[c].dtype == pl.String]
        ranges = [c for c in texts if keys[c].str.contains(GENERALIZED).any()]
        if not ranges:
            return None
        with stage("fitting intervals and wildcards"):
            pairs = [spans(self.classes.keys[c]) for c in self.classes.variables]
            found = r.fitting_uniques(
                np.column_stack([low for low, _ in pairs]),
                np.column_stack([high for _, high in pairs]),
                self.classes.sizes,
            )
        if found.undecided:
            self.warnings.append(
                f"{found.undecided:,} records could not be shown to be covered by others in the time allowed; "
                "they count as unique (worst case)."
            )
        self.warnings.append(
            f"Intervals or wildcards in {', '.join(ranges)}: class sizes compare cells as written; "
            "the fitting uniqueness is the worst case over the values a cell may stand for."
        )
        unique = int(self.classes.sizes[found.unique].sum())
        return Rate(count=unique, of=self.classes.records, what="records")


def _disclosure(spread: Spread, target: Target) -> Rate:
    if target.equals:
        return r.attribute_disclosure(spread, r.equal_to(spread, *target.equals))
    return r.attribute_disclosure(spread, r.in_range(spread, above=target.above, below=target.below))
