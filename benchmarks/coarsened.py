"""B of coarser versions of a file from one fit, beside the truth and a fit of each (docs/concepts/coarsened-risk.md).

    python benchmarks/coarsened.py [NAME:FRACTION ...] [--no-refits]

A file is taken as the population and sampled. From the sample's finest version random variables are raised level by
level, ten versions on the way are estimated. Levels are groups of neighbours in the order of the values: every fourth
bound of more than 30 levels is kept, else every second. Adult and Texas were used to choose among variants.
Needs ../shared/data.
"""

import sys
from time import perf_counter

import numpy as np
import polars as pl

from lookalike.classes import encode, group
from lookalike.population import Posterior, Sample
from lookalike.population.coarsened import CoarsenedRisk
from study import DATA, STUDIES, markdown

RUNS = ("adult:0.05", "adult:0.2", "texas:0.05", "texas:0.2", "pcs:0.05", "acs:0.006", "sd2011:0.2", "testdata:0.2")
VERSIONS = 10
STRETCH = 0.8
"""The part of the way to the coarsest version that is looked at; beyond, B is next to 0."""
WIDE = 30


def read(name: str) -> np.ndarray:
    file, known, *_ = STUDIES[name]
    path = DATA / file
    data = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema_length=None)
    ranks = [np.unique(encode(data[c]), return_inverse=True)[1] for c in known.split(",")]
    return np.column_stack(ranks).astype(np.int32)


def ladder(levels: int) -> list[np.ndarray]:
    maps, groups = [np.arange(levels)], levels
    while groups > 2:
        groups = max(2, -(-groups // (4 if groups > WIDE else 2)))
        maps.append(np.arange(levels) * groups // levels)
    return [*maps, np.zeros(levels, int)] if levels > 1 else maps


def way_up(depths: list[int], rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Versions on a random way from the finest to the coarsest."""
    left = rng.permutation(np.repeat(np.arange(len(depths)), np.array(depths) - 1))
    levels, found = [0] * len(depths), [tuple([0] * len(depths))]
    for j in left[: int(STRETCH * len(left))]:
        levels[j] += 1
        found.append(tuple(levels))
    return [found[i] for i in np.linspace(0, len(found) - 1, VERSIONS).round().astype(int)]


def truth(people: np.ndarray, maps: list[np.ndarray], rows: np.ndarray) -> float:
    used = [m[people[:, j]] for j, m in enumerate(maps) if m.max() > 0]
    labels = group(used)
    return float((1 / np.bincount(labels)[labels[rows]]).mean())


class Drawn:
    """A sample of a file, with one fit to it."""

    def __init__(self, name: str, fraction: float) -> None:
        self.people = read(name)
        rng = np.random.default_rng(7)
        records = round(fraction * len(self.people))
        self.rows = rng.choice(len(self.people), records, replace=False)
        self.ladders = [ladder(int(n)) for n in self.people.max(axis=0) + 1]
        self.way = way_up([len(steps) for steps in self.ladders], rng)
        fine, sizes = np.unique(self.people[self.rows], axis=0, return_counts=True)
        start = perf_counter()
        groups = [steps[1:] for steps in self.ladders]
        self.risk = CoarsenedRisk.of_codes(fine, sizes, len(self.people), rng=rng, groups=groups)
        self.seconds = perf_counter() - start

    def maps(self, levels: tuple[int, ...]) -> list[np.ndarray]:
        return [steps[level] for steps, level in zip(self.ladders, levels, strict=True)]


def versions(drawn: Drawn, refits: bool) -> list[tuple[object, ...]]:
    rows = []
    for levels in drawn.way:
        maps = drawn.maps(levels)
        version = drawn.risk.version(maps, levels)
        start = perf_counter()
        value = drawn.risk.rate(version)
        seconds, again = perf_counter() - start, None
        if refits:
            sample = Sample.from_codes(version.codes, version.sizes)
            found = Posterior().estimate(sample, len(drawn.people), rng=np.random.default_rng(1)).match_rate
            again = found.value
        steps = "".join(map(str, levels))
        real = truth(drawn.people, maps, drawn.rows)
        rows.append((steps, len(version.sizes), real, value, again, round(1000 * seconds)))
    return rows


def main() -> None:
    if not DATA.is_dir():
        sys.exit("needs the real data beside the project")
    named = [a for a in sys.argv[1:] if not a.startswith("-")] or list(RUNS)
    refits = "--no-refits" not in sys.argv
    for run in named:
        name, fraction = run.split(":")
        drawn = Drawn(name, float(fraction))
        records, people = len(drawn.rows), len(drawn.people)
        print(f"\n### {name}: {records:,} of {people:,}; one fit {drawn.seconds:.1f} s\n", flush=True)
        found = versions(drawn, refits)
        print(markdown(found, ("levels", "classes", "B", "one fit", "fit anew", "ms")))
        for what, at in (("one fit", 3), ("fit anew", 4))[: 1 + refits]:
            errors = np.array([row[at] - row[2] for row in found])
            part = errors / np.array([row[2] for row in found])
            print(
                f"{what}: mean |e| {np.abs(errors).mean():.4f}, mean e {errors.mean():+.4f}, "
                f"mean |e|/B {np.abs(part).mean():.3f}, largest {np.abs(part).max():.3f}"
            )


if __name__ == "__main__":
    main()
