"""Seed 001's case: generalize a COVID survey of 18,903 in Ontario until B ≤ 0.09 among 13,448,494 people.

    python benchmarks/ontario_protect.py [--quick]        a few minutes; tables: docs/concepts/ontario-protect.md

The survey is simulated (`ontario_fine.py`), so the true B of every version is known. One fit of the latent-class model
to the file as it is tells B of every version of it; the search over the levels of all eleven quasi-identifiers takes
the one that loses least. Then every estimator of B looks at the file before and after. `--quick`: a tenth of the people
and the search alone. Writes docs/pictures/ontario-frontier.svg.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl
from lookalike.population.leverage import leverage

import lookalike as la
import ontario
import ontario_fine
from lookalike.anonymize import Asked
from lookalike.anonymize.generalizing.class_table import NodeTable
from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.generalizing.generalized import Generalized
from lookalike.data.hierarchy import DateParts, Groups, Intervals, Prefix
from lookalike.population import ESTIMATORS, Sample
from lookalike.population.coarsened import CoarsenedRisk
from lookalike.population.recoded import Recoded
from study import markdown

LIMIT = 0.09
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "ontario-frontier.svg"
LIMITS = (0.6, 0.45, 0.3, 0.2, 0.15, 0.12, 0.09, 0.06, 0.04, 0.025, 0.015)
"""Other limits, whose best versions draw the frontier."""
SECONDS = 120.0
"""For one search."""


def two_steps(first: dict[str, tuple[str, ...]], second: dict[str, tuple[str, ...]]) -> Groups:
    return Groups(steps=(first, second))


HIERARCHIES = {
    "date": DateParts(parts=("month", "quarter")),
    "fsa": Prefix(keep=(2, 1)),
    "conditions": two_steps(
        {
            "none": ("none",),
            "breathing": ("asthma", "lung disease", "allergies"),
            "circulation": ("high blood pressure", "heart disease", "diabetes", "kidney disease"),
            "other": ("depression", "cancer"),
        },
        {"some": ("breathing", "circulation", "other")},
    ),
    "age": Intervals(widths=(5, 10, 20), top=80),
    "travel_outside_canada": Groups(steps=({"any": ("no", "yes")},), everything=False),
    "ethnicity": two_steps(
        {
            "white": ("white",),
            "asian": ("south asian", "chinese", "filipino"),
            "other": ("black", "latin american", "arab", "indigenous"),
        },
        {"other than white": ("asian", "other")},
    ),
    "sex": Groups(steps=({"any": ("male", "female")},), everything=False),
    "tobacco_usage": Groups(steps=({"any": ("no", "yes")},), everything=False),
    "travel_work_school": Groups(steps=({"no": ("no",), "yes": ("work", "school")},)),
    "covid_results_date": DateParts(parts=("month", "quarter")),
    "people_in_household": Intervals(widths=(2,), origin=1, top=5),
}
TABLE_2 = {"date": 1, "age": 3, "covid_results_date": 1, "people_in_household": 2}
"""What Jiang et al. (2022) did; their ages are cut at 26, 45 and 65, here at 20, 40, 60 and 80."""


class Survey:
    """The simulated people, the file, and B of every version of it."""

    def __init__(self, people: int) -> None:
        self.people = ontario_fine.population(people)
        self.rows = ontario_fine.sample(self.people)
        self.table = ontario_fine.table(self.people[self.rows])
        file = la.read(self.table, quasi_identifiers=list(ontario_fine.NAMES))
        until = la.Threshold(sample_to_population=LIMIT)
        self.asked = Asked(file=file, rng=np.random.default_rng(1), until=until, population=people)
        laid = Generalization(hierarchies=HIERARCHIES, levels={}).search(self.asked, lambda _: 1.0)
        self.finest = laid.judge.finest
        self.nodes, self.seconds = 0, 0.0

    def fit(self) -> float:
        """Fit the file as it is; the levels of the hierarchies are the groups of its values."""
        start, finest = perf_counter(), self.finest
        groups = [[finest.map(j, level) for level in range(1, depth)] for j, depth in enumerate(finest.depths)]
        rng, population = np.random.default_rng(1), self.asked.population or 0
        self.risk = CoarsenedRisk.of_codes(finest.codes, finest.sizes, population, rng=rng, groups=groups)
        return perf_counter() - start

    def rate(self, node: NodeTable) -> float:
        start = perf_counter()
        found = self.risk.rate(node)
        self.nodes, self.seconds = self.nodes + 1, self.seconds + perf_counter() - start
        return found

    def version(self, levels: Sequence[int]) -> Recoded:
        maps = [self.finest.map(j, level) for j, level in enumerate(levels)]
        return self.risk.version(maps, tuple(levels))

    def truth(self, levels: Sequence[int]) -> float:
        """B of a version, counted in the population."""
        keys = np.zeros(len(self.people), np.int64)
        for j, level in enumerate(levels):
            codes = self._codes(j, level)
            keys = keys * (int(codes.max()) + 1) + codes[self.people[:, j]]
        everyone, own = np.sort(keys), keys[self.rows]
        return float((1 / (np.searchsorted(everyone, own, "right") - np.searchsorted(everyone, own))).mean())

    def _codes(self, j: int, level: int) -> np.ndarray:
        """From the codes of the simulation to those of a level.

        Values that no record has go with their neighbour above level 0: five small areas, a few days and high ages.
        """
        cells = self.table[ontario_fine.NAMES[j]].to_list()
        values = self.finest.columns[j].values.to_list()
        place = {value: i for i, value in enumerate(values)}
        seen, row = np.unique(self.people[self.rows, j], return_index=True)
        known = np.array([self.finest.map(j, level)[place.get(cells[r], len(values))] for r in row])
        everyone = np.arange(int(self.people[:, j].max()) + 1)
        near = known[np.minimum(np.searchsorted(seen, everyone), len(seen) - 1)]
        return np.where(np.isin(everyone, seen) | (level > 0), near, known.max() + 1 + everyone)


def estimated(sample: Sample, population: int) -> dict[str, tuple[float | None, float]]:
    """B by every estimator, with the seconds it took."""
    found = {}
    for key, estimator in ESTIMATORS.items():
        start = perf_counter()
        value = estimator.estimate(sample, population, rng=np.random.default_rng(1)).match_rate.value
        found[key] = (value, perf_counter() - start)
        print(f"    {key}: {value if value is None else round(value, 4)}, {found[key][1]:.1f} s", file=sys.stderr)
    return found


def by_estimator(survey: Survey, chosen: Sequence[int]) -> str:
    population = survey.asked.population or 0
    versions = [survey.version([0] * len(chosen)), survey.version(chosen)]
    before, after = (estimated(Sample.from_codes(v.codes, v.sizes), population) for v in versions)
    rows: list[tuple[object, ...]] = [("counted in the population", survey.truth([0] * len(chosen)), "")]
    rows[0] += (survey.truth(chosen), "")
    rows.append(("one fit", survey.risk.rate(versions[0]), "", survey.risk.rate(versions[1]), ""))
    for key, (value, seconds) in before.items():
        rows.append((key, value, f"{seconds:.1f}", after[key][0], f"{after[key][1]:.1f}"))
    return markdown(rows, ("estimator", "B before", "s", "B after", "s"))


def plan(made: Generalized) -> str:
    finest, chosen = made.judge.finest, made.best.levels
    rows = []
    for j, name in enumerate(finest.names):
        kinds = [len(np.unique(finest.map(j, level)[finest.codes[:, j]])) for level in (0, chosen[j])]
        rows.append((name, f"{chosen[j]} of {finest.depths[j] - 1}", *kinds))
    return markdown(rows, ("quasi-identifier", "level", "values before", "after"))


def bought(survey: Survey, chosen: Sequence[int]) -> str:
    """B if one variable alone is raised a level or taken out."""
    finest = survey.finest
    ladders = [[finest.map(j, level) for level in range(depth)] for j, depth in enumerate(finest.depths)]
    start, end = leverage(survey.risk, ladders), leverage(survey.risk, ladders, chosen)
    after = {one.variable: one for one in end}
    rows = [
        (finest.names[one.variable], one.raised, one.removed, after[one.variable].raised, after[one.variable].removed)
        for one in start
    ]
    heads = ("quasi-identifier", "file: raised", "file: without", "plan: raised", "plan: without")
    return markdown(rows, heads)


def frontier(survey: Survey, made: Generalized) -> pl.DataFrame:
    """The best version for each limit, with its B by one fit and in truth."""
    limits = [la.Threshold(sample_to_population=limit) for limit in LIMITS]
    rows = []
    for limit, point in zip(LIMITS, made.trace(limits, time_limit=SECONDS), strict=True):
        levels = [point.levels[name] for name in ontario_fine.NAMES]
        rows.append((limit, "".join(map(str, levels)), point.loss, point.risk, survey.truth(levels)))
    return pl.DataFrame(rows, schema=["limit", "levels", "loss", "one fit", "truth"], orient="row")


def picture(points: pl.DataFrame, made: Generalized) -> None:
    import altair as alt

    seen = pl.DataFrame(
        [(n.loss, n.figures["sample_to_population"]) for n in made.found.visited if n.loss < 0.12],
        schema=["loss", "rate"],
        orient="row",
    )
    across = alt.X("loss:Q", title="information loss (mean share of the domain that a cell covers)")
    up = alt.Y("rate:Q", title="B, sample to population", scale=alt.Scale(type="log", domain=[0.01, 1], clamp=True))
    long = points.rename({"one fit": "by one fit", "truth": "counted in the population"})
    long = long.unpivot(["by one fit", "counted in the population"], index="loss", variable_name="B", value_name="rate")
    colors = alt.Color("B:N", title=None, scale=alt.Scale(range=["#3b528b", "#e07b39"]))
    cloud = alt.Chart(seen).mark_circle(size=14, color="#bbbbbb").encode(x=across, y=up)
    line = alt.Chart(long).mark_line(point=True).encode(x=across, y=up, color=colors)
    rule = alt.Chart(pl.DataFrame({"rate": [LIMIT]})).mark_rule(strokeDash=[4, 3]).encode(y="rate:Q")
    best = pl.DataFrame({"loss": [made.best.loss], "rate": [made.best.figures["sample_to_population"]]})
    ring = alt.Chart(best).mark_point(size=180, color="#3b528b", strokeWidth=2).encode(x=across, y=up)
    (cloud + line + rule + ring).properties(width=520, height=300).save(PICTURE)


def main() -> None:
    quick = "--quick" in sys.argv
    survey = Survey(ontario.PEOPLE // 10 if quick else ontario.PEOPLE)
    print(f"one fit: {survey.fit():.1f} s", flush=True)
    method = Generalization(hierarchies=HIERARCHIES, time_limit=SECONDS)
    start = perf_counter()
    made = method.search(survey.asked, survey.rate)
    seconds = perf_counter() - start
    print(
        f"{made.found.nodes:,} versions, {survey.nodes} asked for B in {survey.seconds:.1f} of {seconds:.1f} s; every "
        f"other one ruled out: {made.found.complete}; loss {made.best.loss:.4f}\n\n{plan(made)}",
        flush=True,
    )
    print(bought(survey, made.best.levels), flush=True)
    if quick:
        return
    table_2 = tuple(TABLE_2.get(name, 0) for name in survey.finest.names)
    print(f"table 2: {survey.rate(survey.version(table_2)):.4f}, in truth {survey.truth(table_2):.4f}\n", flush=True)
    points = frontier(survey, made)
    print(markdown(points.rows(), tuple(points.columns)), flush=True)
    picture(points, made)
    print(by_estimator(survey, made.best.levels))


if __name__ == "__main__":
    main()
