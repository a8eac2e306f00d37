"""Merge classes whose coarse codes are equal: with compiled kernels where there are many, else with NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

PAYS = 6_000_000
"""Classes merged, all in all, from which the compiled kernels pay for being loaded."""
_DENSE = 8
"""A table of all possible keys is used if it has at most so many places a class."""


class Merged(NamedTuple):
    """Classes in the order of their first member: its place, the size, and the class of every one merged."""

    places: Codes
    sizes: Ints
    labels: Codes


def merge_classes(codes: Codes, places: Codes, sizes: Ints, parts: Ints, *, large: bool) -> Merged:
    """Merge the classes at `places` with equal keys; `parts[w, c]` is what code c adds to word w of a key.

    >>> codes = np.array([[0, 2], [1, 2], [1, 3]], np.int32)
    >>> places, sizes, parts = np.arange(3, dtype=np.int32), np.array([5, 1, 1]), np.array([[0, 0, 0, 1]])
    >>> merged = merge_classes(codes, places, sizes, parts, large=False)
    >>> merged.places.tolist(), merged.sizes.tolist(), merged.labels.tolist()
    ([0, 2], [6, 1], [0, 0, 1])
    """
    if large:
        return _compiled(codes, places, sizes, parts)
    rows = codes[places].T
    keys = _summed(parts[0], rows)
    for more in parts[1:]:
        word = _summed(more, rows)
        keys = _numbered(keys) * (int(word.max(initial=0)) + 1) + word
    room = int(keys.max(initial=0)) + 1
    first, labels = _dense(keys, room) if room <= _DENSE * len(keys) else _sparse(keys)
    # By key so far; in the order of the first member the result does not depend on what it was merged from.
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ordered = rank[labels]
    return Merged(places[first[order]], np.bincount(ordered, weights=sizes).astype(np.int64), ordered)


def merge_counts(
    labels: Codes, classes: int, starts: Ints, codes: Codes, counts: Ints, values: int, *, large: bool
) -> tuple[Ints, Codes, Ints]:
    """The counts of values in merged classes: where each class begins, codes in order, counts.

    >>> starts, codes, counts = np.array([0, 1, 3]), np.array([1, 0, 1], np.int32), np.array([2, 1, 1])
    >>> [a.tolist() for a in merge_counts(np.array([0, 0], np.int32), 1, starts, codes, counts, 2, large=False)]
    [[0, 2], [0, 1], [1, 3]]
    """
    if large:
        from lookalike.anonymize.generalizing import _lattice as kernel

        out_starts, out_codes, out_counts = np.empty(classes + 1, np.int64), np.empty_like(codes), np.empty_like(counts)
        some = kernel.merge(labels, classes, starts, codes, counts, values, out_starts, out_codes, out_counts)
        return out_starts, out_codes[:some].copy(), out_counts[:some].copy()
    pairs = np.repeat(labels.astype(np.int64), np.diff(starts)) * values + codes
    if classes * values <= _DENSE * max(len(pairs), 1):
        total = np.bincount(pairs, weights=counts, minlength=classes * values)
        found = np.flatnonzero(total)
        amounts = total[found]
    else:
        found, at = np.unique(pairs, return_inverse=True)
        amounts = np.bincount(at, weights=counts, minlength=len(found))
    begins = np.searchsorted(found, np.arange(classes + 1) * values)
    return begins.astype(np.int64), (found % values).astype(np.int32), amounts.astype(np.int64)


def cell_sums(codes: Codes, places: Codes, terms: NDArray[np.float64], *, large: bool) -> NDArray[np.float64]:
    """Of the classes at `places`, the sum of a term a cell."""
    if not large:
        return _summed(terms, codes[places].T)
    from lookalike.anonymize.generalizing import _lattice as kernel

    out = np.empty(len(places))
    kernel.added(codes, places, terms, out)
    return out


def _compiled(codes: Codes, places: Codes, sizes: Ints, parts: Ints) -> Merged:
    from lookalike.anonymize.generalizing import _lattice as kernel

    rows = len(places)
    keys, labels = np.empty((rows + 1, len(parts)), np.int64), np.empty(rows, np.int32)
    out_places, out_sizes = np.empty(rows, np.int32), np.empty(rows, np.int64)
    found = kernel.roll(codes, places, sizes, parts, keys, out_places, out_sizes, labels)
    return Merged(out_places[:found].copy(), out_sizes[:found].copy(), labels)


def _dense(keys: Ints, room: int) -> tuple[Ints, Ints]:
    """The first place and the number of each key, by a table of all possible keys."""
    first = np.full(room, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    present = first >= 0
    return first[present], (np.cumsum(present) - 1)[keys]


def _sparse(keys: Ints) -> tuple[Ints, Ints]:
    """The same by sorting."""
    order, ordered = _sorted(keys)
    new = np.append(True, ordered[1:] != ordered[:-1])
    labels = np.empty(len(keys), np.int64)
    labels[order] = np.cumsum(new) - 1
    return order[new], labels


def _sorted(keys: Ints) -> tuple[Ints, Ints]:
    """Places in the order of their keys, and the keys: both in one number where they fit, which sorts much faster."""
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)) >= 2 ** (62 - bits):
        order = np.argsort(keys, kind="stable")
        return order, keys[order]
    packed = (keys << bits) | np.arange(len(keys))
    packed.sort()
    return packed & ((1 << bits) - 1), packed >> bits


def _summed(terms: NDArray[Any], rows: Codes) -> NDArray[Any]:
    """A term a cell, added variable by variable: NumPy is slow along a short axis."""
    found: NDArray[Any] = terms[rows[0]]
    for codes in rows[1:]:
        found += terms[codes]
    return found


def _numbered(keys: Ints) -> Ints:
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
