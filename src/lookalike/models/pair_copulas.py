"""A D-vine with other pair copulas than Gaussian ones, through pyvinecopulib if it is installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.models.grouped_table import GroupedTable
from lookalike.models.margin import Floats, LevelMargin, Margin
from lookalike.models.margins import margin_caveats, margins_of
from lookalike.models.mixed import Mixed, Numbers
from lookalike.models.mixed_copula import filled, room
from lookalike.models.normals import each
from lookalike.models.sampler import CHUNK, new_seed

if TYPE_CHECKING:
    from lookalike.models.d_vine_copula import DVineCopula

_EDGE = 1e-10
_DISCRETE = 0.02


@dataclass(frozen=True)
class VineLaw:
    """A fitted D-vine of pair copulas of several families; it draws whole records and completes none.

    >>> from lookalike.models import DVineCopula
    >>> from lookalike.models.mixed import Numbers
    >>> x = np.random.default_rng(1).normal(size=(200, 2))
    >>> table = Mixed((Numbers(x[:, 0]), Numbers(x[:, 0] + x[:, 1])))
    >>> choice = DVineCopula(pair_families=("gaussian", "clayton"))
    >>> choice.fit_mixed(table, rng=np.random.default_rng(2)).sample(10, rng=np.random.default_rng(3)).records
    10
    """

    margins: tuple[Margin, ...]
    vine: Any
    """Of pyvinecopulib."""
    shape: Mixed
    caveats: tuple[str, ...]

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records: uniforms in chunks with their own streams, through the vine, then each margin's quantile."""
        from scipy.special import ndtri

        from lookalike.models._normals import uniforms

        seed, out = new_seed(rng), [room(column, n) for column in self.shape.columns]

        def work(first: int) -> None:
            u = np.empty((min(CHUNK, n - first), len(out)))
            uniforms(seed, first // CHUNK, u)
            tied = self.vine.inverse_rosenblatt(np.asfortranarray(u), num_threads=1)
            for j, margin in enumerate(self.margins):
                margin.draw(ndtri(np.clip(tied[:, j], _EDGE, 1 - _EDGE)), out[j][first : first + CHUNK])

        each(work, range(0, n, CHUNK), threads)
        return filled(self.shape, out)


def fit_families(
    choice: DVineCopula, grouped: GroupedTable, row: tuple[int, ...], *, threads: int | None = None
) -> VineLaw:
    """Each pair's family by AIC among those named, tree by tree (Panagiotelis, Czado and Joe 2012 for steps)."""
    vines = _library()
    margins = margins_of(grouped, choice.margins, threads=threads)
    data, types = _probabilities(grouped, margins)
    controls = vines.FitControlsVinecop(
        family_set=_families(vines, choice.pair_families), selection_criterion="aic", num_threads=threads or 1
    )
    levels = len(row) if choice.levels is None else choice.levels
    structure = vines.DVineStructure([j + 1 for j in row], min(levels, len(row) - 1))
    vine = vines.Vinecop.from_data(data, controls, structure=structure, var_types=types)
    caveats = (
        *margin_caveats(margins, choice.margins),
        "Pairs of columns given those between are tied in the same way whatever the values between (the vine's "
        "simplifying assumption), and learned only from the records that are known whole.",
    )
    return VineLaw(margins, vine, grouped.table.empty(0), caveats)


def _probabilities(grouped: GroupedTable, margins: tuple[Margin, ...]) -> tuple[Floats, list[str]]:
    """F(x) of all columns side by side, then the left limits F(x−) of those with steps; and which have steps."""
    columns = grouped.table.columns
    whole = np.logical_and.reduce([column.known for column in columns])
    if not whole.any():
        raise BadPlan(
            "No record is known in all columns: a vine of other than Gaussian pairs has nothing to learn from."
        )
    above, below, types = [], [], []
    for column, margin in zip(columns, margins, strict=True):
        low, high = margin.stretch((column.values if isinstance(column, Numbers) else column.codes)[whole])
        steps = isinstance(margin, LevelMargin) or margin.largest_atom > _DISCRETE
        types.append("d" if steps else "c")
        above.append(high if steps else (low + high) / 2)
        below += [low] if steps else []
    return np.asfortranarray(np.clip(np.column_stack([*above, *below]), _EDGE, 1 - _EDGE)), types


def _families(vines: Any, names: tuple[str, ...]) -> list[Any]:
    known = [name for name in dir(vines.BicopFamily) if not name.startswith("_")]
    faults = [
        unknown("Pair family", name, known, where="known to pyvinecopulib", listed="Families")
        for name in names
        if name not in known
    ]
    if faults:
        raise BadPlan(faults)
    return [getattr(vines.BicopFamily, name) for name in names]


def _library() -> Any:
    try:
        return import_module("pyvinecopulib")
    except ImportError as error:
        raise LookalikeError(
            "Pair copulas of other families than 'gaussian' need the package pyvinecopulib and what it needs: "
            f"pip install 'lookalike[vines]'. Not found: {error.name}."
        ) from error
