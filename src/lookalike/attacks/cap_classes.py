"""CAP by equivalence classes: values in one class count as equal, so that numbers can be attacked too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.attacks.bins import NONE, Classes, EqualLength, apart, class_codes, room_of
from lookalike.attacks.cap_ranges import row_cells
from lookalike.attacks.cells import Cells, Floats, Ints, ratio
from lookalike.attacks.coarse import Coded
from lookalike.attacks.outcome import Share
from lookalike.attacks.ranges import is_coarse
from lookalike.attacks.release_ranges import released_target
from lookalike.errors import NotAssessable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCap:
    """CAP of every pair of a key class and a target class, and of the whole file.

    `key` and `target` number the classes of the pairs that occur in either file.

    >>> original = pl.DataFrame({"height": [160, 161, 168, 170], "weight": [48, 52, 52, 59]})
    >>> rules = {"height": EqualLength(2), "weight": EqualLength(2)}
    >>> found = class_cap(original, original, ["height"], "weight", rules)
    >>> found.key.tolist(), found.target.tolist(), found.before.round(2).tolist()
    ([0, 1, 1], [0, 0, 1], [1.0, 0.5, 0.5])
    >>> found.change, found.least_change, abs(found.least_drop), found.pair(1, 0)
    (0.0, 0.0, 0.0, (0.5, 0.5, 0.5))
    """

    key: Ints = field(repr=False)
    target: Ints = field(repr=False)
    before: Floats = field(repr=False)
    """CAP_O of the pair, P(T_o in class | K_o in class) (equation 2.6)."""
    plain: Floats = field(repr=False)
    """The same share in the release alone (2.7), which may claim what no record has."""
    after: Floats = field(repr=False)
    """CAP_A of the pair (2.8): (2.7), or 0 if no record has the pair; undefined if a file lacks the key."""
    original: Share
    """P_o(correct match) (2.11): over all records, one that lies in no class is never matched."""
    release: Share
    """P_a(correct match) (2.10): over the records whose key class the release has too."""

    @property
    def change(self) -> float:
        """CAP_change = P_a − P_o (2.12)."""
        return self.release.value - self.original.value

    @property
    def least_change(self) -> float | None:
        """CAP_min = min (CAP_A − CAP_O) over pairs (2.13), as printed; None if no record has a pair of classes."""
        return _least(self._changes())

    @property
    def least_drop(self) -> float | None:
        """min (CAP_O − CAP_A): what the text calls the worst case; below 0 a pair is easier to guess than before."""
        return _least(-self._changes())

    def pair(self, key: int, target: int) -> tuple[float, float, float]:
        """(2.6), (2.7) and (2.8) of one pair of classes; a pair that does not occur has 0."""
        at = np.flatnonzero((self.key == key) & (self.target == target))
        if not len(at):
            return 0.0, 0.0, 0.0
        return float(self.before[at[0]]), float(self.plain[at[0]]), float(self.after[at[0]])

    def _changes(self) -> Floats:
        """Over the pairs that some record has and whose key both files have."""
        found = (self.after - self.before)[self.before > 0]
        return found[~np.isnan(found)]


def class_cap(
    original: pl.DataFrame,
    release: pl.DataFrame,
    known: Sequence[str],
    target: str,
    classes: Mapping[str, Classes] | None = None,
) -> ClassCap:
    """Equations 2.6 to 2.13 of Qu (2024); columns without classes are compared by value.

    Known columns that hold ranges in the release need no classes: their ranges are the classes, also where they
    overlap (see `row_cells`). The ranges of a target are classes too (see `ReleaseRanges`).

    >>> from lookalike.attacks.bins import Edges
    >>> original = pl.DataFrame({"height": [160, 161, 168, 170], "weight": [48, 52, 52, 59]})
    >>> release = original.with_columns(pl.Series("weight", [48.01, 52.01, 52.01, 59.01]))
    >>> rules = {"height": EqualLength(2), "weight": Edges((45, 50, 55, 60))}
    >>> class_cap(original, release, ["height"], "weight", rules).release.value
    0.5
    """
    files, rules = [original, release], released_target(original, release, target, classes or {})
    if any(is_coarse(release[name], original[name]) for name in known if name not in rules):
        coded = Coded.of(original, release, known, target, classes=rules)
        cells = row_cells(coded)
        return _scored(cells, cells.target < coded.levels, original.height)
    return of_classes(class_codes(files, known, rules), class_codes(files, [target], rules))


def of_classes(keys: Sequence[Ints], targets: Sequence[Ints]) -> ClassCap:
    """The same from the classes of the original and of the release; `NONE` lies in no class."""
    cells, inside = _cells(keys, targets)
    key_inside = np.zeros(len(cells.original.keys), bool)
    key_inside[np.concatenate([k[k != NONE] for k in keys])] = True
    return _scored(cells, inside, len(keys[0]), key_inside)


def _scored(
    cells: Cells, inside: NDArray[np.bool_], records: int, key_inside: NDArray[np.bool_] | None = None
) -> ClassCap:
    """The equations from the counts; cells and keys that are not inside lie in no class."""
    d, s = cells.original, cells.release
    both = (d.keys > 0) & (s.keys > 0) & (True if key_inside is None else key_inside)
    if not both.any():
        raise NotAssessable("No class of the known columns holds records of both files, so nobody is matched.")
    before, plain = ratio(d.cells, d.keys[cells.key]), ratio(s.cells, s.keys[cells.key])
    after = np.where(both[cells.key], np.where(d.cells > 0, np.nan_to_num(plain), 0.0), np.nan)
    matched = inside & both[cells.key]
    found = float((d.cells * np.nan_to_num(plain))[matched].sum())
    own = float((d.cells * np.nan_to_num(before))[inside].sum())
    return ClassCap(
        key=cells.key[inside],
        target=cells.target[inside],
        before=np.nan_to_num(before[inside]),
        plain=plain[inside],
        after=after[inside],
        original=Share(successes=own, of=records, what="records"),
        release=Share(
            successes=found, of=round(float(d.keys[both].sum())), what="records whose class of key is in the release"
        ),
    )


def sweep(
    original: pl.DataFrame,
    release: pl.DataFrame,
    known: Sequence[str],
    target: str,
    *,
    rule: Callable[[int], Classes] = EqualLength,
    target_rule: Callable[[int], Classes] | None = None,
    bins: Iterable[int] = range(1, 11),
) -> pl.DataFrame:
    """P_o, P_a and their changes for every number of bins of the keys and of the target (Qu 2024, figures 2.3 to 2.13).

    `rule` makes classes of so many bins, `target_rule` those of the target, if they are made in another way.

    >>> file = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    >>> sweep(file, file, ["x"], "y", bins=(1, 4)).select("key_bins", "target_bins", "release").rows()
    [(1, 1, 1.0), (1, 4, 0.25), (4, 1, 1.0), (4, 4, 1.0)]
    """
    files, numbers = [original, release], list(bins)
    keys = {b: class_codes(files, known, {name: rule(b) for name in known}) for b in numbers}
    targets = {b: class_codes(files, [target], {target: (target_rule or rule)(b)}) for b in numbers}
    rows = [_row(k, t, of_classes(keys[k], targets[t])) for k in numbers for t in numbers]
    return pl.DataFrame(rows, orient="row")


def _least(values: Floats) -> float | None:
    return float(values.min()) if len(values) else None


def _row(key_bins: int, target_bins: int, found: ClassCap) -> dict[str, float | int | None]:
    return {
        "key_bins": key_bins,
        "target_bins": target_bins,
        "original": found.original.value,
        "release": found.release.value,
        "change": found.change,
        "least_change": found.least_change,
        "least_drop": found.least_drop,
    }


def _cells(keys: Sequence[Ints], targets: Sequence[Ints]) -> tuple[Cells, NDArray[np.bool_]]:
    """The cells, those without a class as cells of their own file, and which cells lie in classes."""
    own_keys, own_targets = apart(keys), apart(targets)
    cells = Cells.of_numbers(own_keys, own_targets)
    rooms = [room_of(codes) for codes in (keys, targets)]
    return cells, (cells.key < rooms[0]) & (cells.target < rooms[1])
