"""Matching over several releases whose rows are linked: which record gets the most of the chance, by hashing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.engine import number

Ints = NDArray[np.int64]

TIE = 1e-9
"""Sums of chances this close are equal."""


def most_voted(
    targets: Ints, releases: Sequence[Ints], people: Ints, room: int, *, owned: bool
) -> tuple[Ints, NDArray[np.bool_]]:
    """For each target: the records that share the most votes over the releases, and whether its own is among them.

    Release l gives 1/max(|M_l|, F) to each record whose row has the target's key; what is left of m is the vote for
    "none of them", if F > 0. A record has one key in a release, so all votes for all keys are m·n pairs (key,
    record).

    >>> keys = np.array([0, 1])
    >>> votes, own = most_voted(keys, [np.array([0, 0]), np.array([0, 1])], np.zeros(2, np.int64), 2, owned=True)
    >>> votes.tolist(), own.tolist()
    ([1, 1], [True, True])
    """
    n, m = len(releases[0]), len(releases)
    population = np.zeros(room, np.int64)
    population[targets] = people
    asked = np.zeros(room, bool)
    asked[targets] = True
    keys, records, weights, given = [], [], [], np.zeros(room)
    for release in releases:
        sizes = np.bincount(release, minlength=room)
        weight = 1 / np.maximum(np.maximum(sizes, population), 1)
        given += sizes * weight
        voters = np.flatnonzero(asked[release])
        keys.append(release[voters])
        records.append(voters)
        weights.append(weight[release[voters]])
    if owned:  # a vote of nothing, so that each target's own pair has a place
        keys.append(targets)
        records.append(np.arange(len(targets)))
        weights.append(np.zeros(len(targets)))
    key, record = np.concatenate(keys), np.concatenate(records)
    pairs = number(key * n + record)
    votes = np.bincount(pairs.index, weights=np.concatenate(weights))
    key = key[pairs.first]
    most = np.zeros(room)
    np.maximum.at(most, key, votes)
    tied = np.bincount(key, weights=(votes >= most[key] - TIE) & (votes > 0), minlength=room).astype(np.int64)
    none = np.where(population > 0, m - given, 0.0)
    tied += (most > 0) & (population > 0) & (np.abs(none - most) <= TIE)
    tied[(none > most + TIE) | (most == 0)] = 0
    hit = np.zeros(len(targets), bool)
    if owned:
        mine = votes[pairs.index[-len(targets) :]]
        hit = (mine > 0) & (mine >= most[targets] - TIE) & (tied[targets] > 0)
    return tied[targets], hit
