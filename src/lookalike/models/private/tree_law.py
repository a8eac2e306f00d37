"""The law of a private tree: records are drawn from its root outward. All of it is private already."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lookalike.models.mixed import Column, Mixed
from lookalike.models.private.cells import Cells
from lookalike.models.private.ledger import Adjacency, Ledger, read_from_file
from lookalike.models.private.margins import Codes, Margin
from lookalike.models.private.tree import Edge

_SEED = (
    "The noise does not come from the seed, which would undo it: the same seed gives another law. Keep the release; "
    "every further fit to the file spends as much again."
)
_REPORT = (
    "The guarantee is for records drawn from the law. Risks and likenesses measured against the file itself are not "
    "covered."
)

_NOISE = (
    "Standard errors by the rule for combining leave out the noise: they are too small, the more so the smaller ε is."
)


class PrivateTreeLaw:
    """Groups of each column along the tree, a cell within its group, a value within its cell.

    >>> from lookalike.models import PrivateTree
    >>> from lookalike.models.mixed import Categories
    >>> sex = np.tile(np.array([0, 1], np.int32), 5000)
    >>> choice = PrivateTree(epsilon=1.0, delta=1e-6, levels={"1": (), "2": ()})
    >>> law = choice.fit_mixed(Mixed((Categories(sex, 2), Categories(sex, 2))), rng=np.random.default_rng(1))
    >>> len(law.edges), round(law.ledger.epsilon_spent, 6), law.sample(10, rng=np.random.default_rng(2)).records
    (1, 1.0, 10)
    """

    def __init__(
        self,
        cells: tuple[Cells, ...],
        margins: tuple[Margin, ...],
        edges: tuple[Edge, ...],
        shape: Mixed,
        records: float,
        ledger: Ledger,
        names: tuple[str, ...] = (),
    ) -> None:
        self._names = names
        self.edges, self.records, self.ledger = edges, records, ledger
        self._cells, self._margins, self._shape = cells, margins, shape

    @property
    def caveats(self) -> tuple[str, ...]:
        """What is guaranteed and what is not."""
        account = self.ledger
        told = [
            f"Differentially private with ε = {account.epsilon:g}, δ = {account.delta:g} (neighbouring files: "
            f"{account.adjacency})."
        ]
        told += [read_from_file(account.read)] if account.read else []
        if account.adjacency is Adjacency.ADD_REMOVE:
            told.append(
                "The number of records drawn is not protected if it is that of the file; the noisy counts tell about "
                f"{self.records:.0f}."
            )
        if len(self._cells) > 2:
            told.append(f"{len(self.edges)} pairs of columns are tied directly; other ties are kept through these.")
        return (*told, _SEED, _REPORT, _NOISE)

    @property
    def figures(self) -> dict[str, float]:
        """The account in numbers, and how fine the tables are."""
        return {
            "epsilon": self.ledger.epsilon,
            "delta": self.ledger.delta,
            "epsilon_spent": self.ledger.epsilon_spent,
            "records_by_noisy_counts": round(self.records),
            "groups_a_column": float(np.mean([margin.groups for margin in self._margins])),
        }

    @property
    def details(self) -> dict[str, object]:
        """The ledger with the names of the columns, the pairs that are tied, and the account in words."""
        account = self.ledger.as_dict()
        named = dict(enumerate(self._names, 1))
        account["domains"] = [{**one, "column": named.get(one["column"], one["column"])} for one in account["domains"]]
        account["in_words"] = list(self.ledger.sentences())
        pairs = [[named.get(j + 1, str(j + 1)) for j in (edge.parent, edge.child)] for edge in self.edges]
        return {"ledger": account, "pairs_tied": pairs}

    @property
    def rows(self) -> int | None:
        """Records to draw unless told: by the noisy counts, where the number of records is to be protected."""
        return max(1, round(self.records)) if self.ledger.adjacency is Adjacency.ADD_REMOVE else None

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; one stream, so the number of threads changes nothing."""
        groups = self._groups(n, rng)
        columns: list[Column] = []
        for j, (cells, margin) in enumerate(zip(self._cells, self._margins, strict=True)):
            codes = _within(groups[j], margin, rng)
            if cells.unknown:
                codes = _known(codes, cells, margin, rng)
            columns.append(cells.column(codes, self._shape.columns[j], rng=rng))
        return Mixed(tuple(columns))

    def _groups(self, n: int, rng: Generator) -> dict[int, Codes]:
        root = self.edges[0].parent if self.edges else 0
        shares = self.edges[0].shares.sum(1) if self.edges else self._margins[0].group_shares
        found = {root: _draw(np.zeros(n, np.int64), shares[None, :], rng)}
        for edge in self.edges:
            found[edge.child] = _draw(found[edge.parent], edge.shares, rng)
        return found


def _draw(rows: Codes, shares: NDArray[np.float64], rng: Generator) -> Codes:
    """A column of the table for each row named, with chances in proportion to that row of the table.

    >>> _draw(np.array([0, 1, 1]), np.array([[1.0, 0.0], [0.0, 3.0]]), np.random.default_rng(1)).tolist()
    [0, 1, 1]
    """
    sums = shares.sum(1, keepdims=True)
    ends = np.cumsum(np.where(sums > 0, shares, 1.0), axis=1)
    ends /= ends[:, -1:]
    # One sorted array for all rows: row r lies between r and r + 1.
    flat = (ends + np.arange(len(ends))[:, None]).ravel()
    places = np.searchsorted(flat, rows + rng.random(len(rows)), side="right") - rows * ends.shape[1]
    return np.asarray(np.clip(places, 0, ends.shape[1] - 1), np.int64)


def _within(groups: Codes, margin: Margin, rng: Generator) -> Codes:
    """A cell of the group, by the shares of its cells; all alike if the noise left nothing of it."""
    if margin.groups == len(margin.group):
        return np.argsort(margin.group)[groups]
    member = margin.group == np.arange(margin.groups)[:, None]
    return _draw(groups, _or_even(member * margin.shares, member), rng)


def _known(codes: Codes, cells: Cells, margin: Margin, rng: Generator) -> Codes:
    """A known cell in place of one that is not, by the shares of the column: another column says where none stands."""
    lost = np.flatnonzero(codes == cells.known)
    shares = margin.shares[None, : cells.known]
    found = codes.copy()
    found[lost] = _draw(np.zeros(len(lost), np.int64), _or_even(shares, np.ones_like(shares)), rng)
    return found


def _or_even(shares: NDArray[np.float64], member: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.where(shares.sum(1, keepdims=True) > 0, shares, member.astype(np.float64))
