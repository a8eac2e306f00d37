"""Two evidence files, leaf by leaf: where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9
"""How far two figures may lie apart, relative to the larger: libraries may add in another order."""
NOT_COMPARED = ("lookalike", "started", "seconds", "versions", "sha256", "signature")
"""Keys of the evidence that another run has otherwise; digest and signature are checked before."""
Path = tuple[str | int, ...]


class _Nothing:
    """What stands where a key is lacking."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where two evidence files differ."""

    path: Path
    was: Any
    now: Any

    @property
    def where(self) -> str:
        """The place in words of the file.

        >>> Difference(path=("risk", "drivers", 0, "distinct"), was=1, now=2).where
        'risk.drivers[0].distinct'
        """
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return "".join(parts).removeprefix(".")

    @property
    def lost(self) -> bool:
        """Whether a figure stood there and the other run could not assess it."""
        return is_figure(self.was) and self.now is None


def leaves(document: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All values of nested data that hold no others, with their places; empty lists and tables are values.

    >>> list(leaves({"a": [1, {"b": None}], "c": {}}))
    [(('a', 0), 1), (('a', 1, 'b'), None), (('c',), {})]
    """
    if isinstance(document, Mapping) and document:
        for key, value in document.items():
            yield from leaves(value, (*path, key))
    elif isinstance(document, list) and document:
        for place, value in enumerate(document):
            yield from leaves(value, (*path, place))
    else:
        yield path, document


def compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[Path, Any], dict[Path, Any]]:
    """The leaves of both that must be the same."""
    was, now = ({path: value for path, value in leaves(one) if not _apart(path)} for one in (old, new))
    return was, now


def differences(
    was: Mapping[Path, Any], now: Mapping[Path, Any], tolerance: float = TOLERANCE
) -> tuple[Difference, ...]:
    """Where two evidence files differ, in the order of the first.

    >>> [d.where for d in differences({("a",): 1.0, ("b",): 2}, {("a",): 1.0 + 1e-12, ("b",): 3})]
    ['b']
    """
    places = dict.fromkeys((*was, *now))
    pairs = ((path, was.get(path, NOTHING), now.get(path, NOTHING)) for path in places)
    return tuple(Difference(path=path, was=a, now=b) for path, a, b in pairs if not same(a, b, tolerance))


def same(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two leaves are equal: real numbers within the tolerance, all else exactly.

    >>> same(0.3, 0.1 + 0.2, 1e-9), same(1, 1.0, 1e-9), same(True, 1, 1e-9), same(3, 4, 1.0)
    (True, True, False, False)
    """
    if is_figure(one) and is_figure(other):
        if isinstance(one, int) and isinstance(other, int):
            return one == other
        return math.isclose(one, other, rel_tol=tolerance)
    return type(one) is type(other) and bool(one == other)


def is_figure(value: Any) -> bool:
    """Whether a leaf is a number.

    >>> is_figure(0.5), is_figure(True), is_figure(None)
    (True, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _apart(path: Path) -> bool:
    """Whether a leaf may be otherwise in another run: the clock of the run, of an estimator, of a search."""
    if path[0] in NOT_COMPARED:
        return True
    estimator = path[0] in ("risk", "before") and path[2:3] == ("estimates",)
    search = path[:2] == ("release", "steps") and path[3:4] == ("details",)
    return (estimator or search) and path[4:] == ("seconds",)
