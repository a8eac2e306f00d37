"""Change the rows behind a risk: coarsen them, draw their cells anew, or drop them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.anonymize.rebuilt import rebuilt
from lookalike.anonymize.repairing.coarsened import coarsened, moved
from lookalike.anonymize.repairing.redrawn import redrawn
from lookalike.data import Microdata
from lookalike.engine import records
from lookalike.errors import BadPlan
from lookalike.evaluate.repair.exposed import Exposed, Exposure
from lookalike.plan import Repair

Ints = NDArray[np.int64]
NONE_LEFT = "Every row is behind a risk: nothing would be left. Protect the original, or draw a new file."


@dataclass(frozen=True, kw_only=True, eq=False)
class Copy:
    """One file of a release under repair, and which row of the release each of its rows was."""

    data: Microdata
    rows: Ints

    @classmethod
    def of(cls, data: Microdata) -> Copy:
        """A file as it came."""
        return cls(data=data, rows=np.arange(data.records))


@dataclass(frozen=True, kw_only=True)
class Mending:
    """How the rows behind a risk are changed."""

    choices: Repair
    columns: tuple[str, ...]
    """Those compared."""
    drawn: tuple[str, ...] = ()
    """Columns of a partly synthetic release that may be drawn again; none: all."""

    def mended(self, copies: tuple[Copy, ...], found: Exposed, rngs: list[Generator]) -> tuple[Copy, ...]:
        """The copies with the rows behind each risk changed."""
        change = {"coarsen": self._coarsened, "redraw": self._redrawn, "drop": self._dropped}[self.choices.by]
        return tuple(
            change(copy, number, found, rng) if len(_rows_of(found.attacks, number)) else copy
            for number, (copy, rng) in enumerate(zip(copies, rngs, strict=True))
        )

    def _dropped(self, copy: Copy, number: int, found: Exposed, rng: Generator) -> Copy:
        kept = np.setdiff1d(np.arange(copy.data.records), _rows_of(found.attacks, number))
        if not len(kept):
            raise BadPlan(NONE_LEFT)
        return Copy(data=rebuilt(copy.data, {}, kept), rows=copy.rows[kept])

    def _coarsened(self, copy: Copy, number: int, found: Exposed, rng: Generator) -> Copy:
        """A copy needs other keys itself; who is matched or given away needs others that look alike."""
        copied = [attack for attack in found.attacks if attack.attack == "copies"]
        others = [attack for attack in found.attacks if attack.attack != "copies"]
        data = copy.data
        if len(rows := _rows_of(others, number)):
            secrets = [
                (attack.secrets[number], attack.behind[number].rows)
                for attack in others
                if attack.secrets and len(np.unique(attack.secrets[number])) > 1
            ]
            data = rebuilt(data, coarsened(data, rows, found.keys, least=self.choices.least, secrets=secrets))
        if len(rows := _rows_of(copied, number)):
            data = rebuilt(data, moved(data, rows, found.keys))
        return replace(copy, data=data)

    def _redrawn(self, copy: Copy, number: int, found: Exposed, rng: Generator) -> Copy:
        for attack in found.attacks:
            rows = attack.behind[number].rows if attack.behind else np.empty(0, np.int64)
            if not len(rows):
                continue
            columns = self._to_draw(attack, found.keys)
            beside = [name for name in self.columns if name not in columns]
            if attack.attack == "attribution":
                beside = list(found.keys)
            drawn = redrawn(copy.data, rows, columns, beside, rng=rng)
            copy = replace(copy, data=rebuilt(copy.data, drawn))
        return copy

    def _to_draw(self, attack: Exposure, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The cells of a row that give it away; of a partly synthetic file only those that were drawn."""
        if attack.target is not None:
            return (attack.target,)
        wanted = keys if attack.attack == "matching" else tuple(name for name in self.columns if name not in keys)
        drawn = tuple(name for name in wanted if name in self.drawn)
        return drawn or wanted or self.columns


def changes(before: Microdata, after: Copy) -> Mapping[str, NDArray[np.bool_]]:
    """By column that changed: which rows of the repaired file have another cell than before."""
    found = {}
    for name in before.columns:
        one = records(before.table, [name])[name].gather(after.rows).cast(pl.String)
        other = records(after.data.table, [name])[name].cast(pl.String)
        differs = ~one.eq_missing(other).to_numpy()
        if differs.any():
            found[name] = differs
    return found


def _rows_of(attacks: Iterable[Exposure], number: int) -> Ints:
    """The rows of a copy behind these attacks."""
    rows = [attack.behind[number].rows for attack in attacks if attack.behind]
    return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)
