"""The ranges of a release as classes: a record is shared out over all ranges that hold it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.attacks.cells import Cells, Counted, Ints
from lookalike.attacks.coarse import Coded, table
from lookalike.attacks.fitted import Fitted, Sparse


def row_cells(coded: Coded) -> Cells:
    """Counts of which the keys are the boxes g of the release: what a row says on all known columns.

    A record is in box g by the part v_g = s_g/Σ s_g', the sum over all boxes that hold it: every row that fits is as
    likely theirs, as in matching. d_tg is the sum of these parts over the records with target t. Where boxes do not
    overlap, a record is in one box or in none, and d are counts. Then Σ d_tg · s_tg/s_g is the sum over records of
    the share of their target among the rows that fit: equation 2.10 of Qu (2024) with fits for classes.

    The records have no place of their own among these cells.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [18, 19, 25], "test": ["A", "B", "A"]})
    >>> release = pl.DataFrame({"age": ["[18;19]", "[18;19]", "[19;25]"], "test": ["A", "B", "A"]})
    >>> cells = row_cells(Coded.of(original, release, ["age"], "test"))
    >>> sorted(cells.original.keys.round(2).tolist())          # 19 lies in the first box by 2/3, in the other by 1/3
    [1.33, 1.67]
    """
    fitted, width = coded.fitted, 1 + max(int(t.max(initial=0)) for t in (*coded.people, coded.rows))
    rows = table(fitted.rows, coded.rows, len(fitted.boxes), width)
    people = _shared_out(fitted, coded.people, width)
    occurs = sum([abs(counts) for counts in people], rows).tocoo()
    key, target = (axis.astype(np.int64) for axis in occurs.coords)
    spread = [_counted(counts, key, target, own) for counts, own in zip(people, coded.people, strict=True)]
    none = np.empty(0, np.int64)
    third = len(people) > 1
    release = _counted(rows, key, target, coded.rows)
    return Cells(key, target, spread[0], release, spread[1] if third else None, none, none if third else None)


def _shared_out(fitted: Fitted, targets: list[Ints], width: int) -> list[Sparse]:
    """d of each file of people, boxes by targets."""
    from scipy.sparse import csr_array, diags_array

    room = len(fitted.keys)
    people = [table(keys, own, room, width) for keys, own in zip(fitted.people, targets, strict=True)]
    found = [csr_array((len(fitted.boxes), width)) for _ in people]
    sizes = fitted.sizes.astype(np.float64)
    for some, fits in fitted.parts():
        rows = fits @ sizes
        share = np.divide(1.0, rows, out=np.zeros(len(rows)), where=rows > 0)
        part = (diags_array(sizes) @ fits.T @ diags_array(share)).tocsr()
        found = [so_far + part @ counts[some] for so_far, counts in zip(found, people, strict=True)]
    return found


def _counted(counts: Sparse, key: Ints, target: Ints, own: Ints) -> Counted:
    """The counts of the cells; parts of records are no whole numbers. By target all records count, fitting or not."""
    cells = np.asarray(counts[key, target]).ravel()
    keys: Any = np.bincount(key, weights=cells, minlength=counts.shape[0])
    return Counted(cells, keys, np.bincount(own, minlength=counts.shape[1]))
