"""How the records came to be in the file: clusters, signs of clusters that nobody named, signs of some people only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.classes import EquivalenceClasses
from lookalike.classes.codes import encode
from lookalike.data import Role
from lookalike.engine import records
from lookalike.evaluate.request import Design, Request, Suspected
from lookalike.plan import NO_CLUSTER
from lookalike.population import Clusters, Sample, some_people_only, too_even

MORE_ALIKE = 0.1  # neighbouring records with the same value, beyond chance, from which a file seems grouped
SURE = 6.0  # standard deviations
FEWEST, LARGEST = 50, 10.0  # groups, and records per group: beyond, the file was sorted rather than sampled in groups


def clusters_of(request: Request) -> Clusters | None:
    """The clusters that were sampled whole: those that the plan names, else households; None if each has one record."""
    if request.design is not None and request.design.clusters is not None:
        return grouped_records(request.design.clusters, request.classes)
    cluster = named_cluster(request)
    if cluster is None:
        return None
    classes, names = request.classes, list(request.classes.variables)
    pairs = EquivalenceClasses.of(request.file, list(dict.fromkeys([cluster, *names])), missing=classes.missing)
    place = pl.Series("_class", np.arange(len(classes)), dtype=pl.Int64)
    found = pairs.keys.join(
        classes.keys.with_columns(place), on=names, how="left", nulls_equal=True, maintain_order="left"
    )
    return _clusters(found[cluster], found["_class"].to_numpy(), pairs.sizes)


def named_cluster(request: Request) -> str | None:
    """The column that the plan names, or else that of households."""
    cluster = request.plan.cluster or request.file.household
    return None if cluster == NO_CLUSTER else cluster


def suspected(request: Request) -> Suspected | None:
    """Signs of clusters where the plan says nothing of them: a household number without a role, or runs of records."""
    plan, file, index = request.plan, request.file, request.classes.index
    if request.released:
        return None if request.design is None else request.design.suspected
    if plan.cluster is not None or file.household is not None or index is None:
        return None
    other = file.with_role(Role.OTHER)
    for name in (v.name for v in file.guesses if v.role is Role.HOUSEHOLD and v.name in other):
        cells = records(file.table, [name])[name]
        if cells.drop_nulls().is_duplicated().any():
            return Suspected(name, cells)
    return _runs(request.classes, index)


def narrowed(request: Request, sample: Sample) -> tuple[str, ...]:
    """The quasi-identifiers by which the file seems to be of some people only, unless N counts just these."""
    if request.plan.population_counts == "eligible":
        return ()
    if request.released:
        return () if request.design is None else request.design.narrowed
    return tuple(request.classes.variables[j] for j in some_people_only(sample))


def evenly_sampled(request: Request, sample: Sample) -> tuple[str, ...]:
    """The quasi-identifiers of which the file has each value too equally often for a random sample of N people.

    Empty if the plan says what was sampled whole, or that nothing was.
    """
    if request.plan.cluster is not None:
        return ()
    if request.released:
        return () if request.design is None else request.design.even
    return tuple(request.classes.variables[j] for j in too_even(sample))


def design_of(request: Request, rows: NDArray[np.int64] | None) -> Design:
    """How these records of a file were sampled, for a release that no longer shows it."""

    def kept(cells: pl.Series) -> pl.Series:
        return cells if rows is None else cells[rows]

    cluster, found = named_cluster(request), suspected(request)
    sample = replace(Sample.of(request.classes), margins=request.margins)
    return Design(
        clusters=None if cluster is None else kept(records(request.file.table, [cluster])[cluster]),
        suspected=None if found is None else Suspected(found.by, kept(found.of_record)),
        narrowed=narrowed(request, sample),
        even=evenly_sampled(request, sample),
    )


def grouped_records(of_record: pl.Series, classes: EquivalenceClasses) -> Clusters | None:
    """Clusters from that of each record, in the order of the file."""
    if classes.index is None:
        return None
    own = pl.DataFrame({"cluster": of_record, "class": classes.index})
    counted = own.group_by("cluster", "class").len().sort("cluster", "class")
    return _clusters(counted["cluster"], counted["class"].to_numpy(), counted["len"].to_numpy())


def _clusters(cluster: pl.Series, of_class: NDArray[np.integer], records: NDArray[np.integer]) -> Clusters | None:
    own = encode(cluster).astype(np.int64)
    # Records without a cluster were sampled by themselves.
    alone = own < 0
    own[alone] = own.max(initial=0) + 1 + np.arange(int(alone.sum()))
    found = Clusters(own, of_class.astype(np.int64), records.astype(np.int64))
    return found if found.mean_size > 1 else None


def _runs(classes: EquivalenceClasses, index: NDArray[np.integer]) -> Suspected | None:
    """Short runs of records with the same value of a variable, in a file that is not sorted by it."""
    if classes.records < 2 * FEWEST:
        return None
    best: tuple[float, str, NDArray[np.bool_]] | None = None
    for j, name in enumerate(classes.variables):
        values = classes.codes[:, j][index]
        steps = np.diff(values)
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        shares = np.unique(values, return_counts=True)[1] / len(values)
        chance = float((shares**2).sum())
        same = float((steps == 0).mean())
        runs = int((steps != 0).sum()) + 1
        sure = (same - chance) * np.sqrt(len(steps)) > SURE * np.sqrt(chance * (1 - chance))
        short = runs >= FEWEST and len(values) <= LARGEST * runs
        if sure and short and same - chance > max(MORE_ALIKE, best[0] if best else 0.0):
            best = (same - chance, name, steps != 0)
    if best is None:
        return None
    return Suspected(best[1], pl.Series(np.concatenate([[0], np.cumsum(best[2])]).astype(np.int64)))
