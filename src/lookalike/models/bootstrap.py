"""Bootstrap: whole records drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.random import Generator

from lookalike.models.filled import Filled
from lookalike.models.mixed import Mixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Every record of the file with the same chance 1/n, again and again (thesis, section 3.2.9).

    The same as the inverse transformation of the empirical cdf. No protection at all: a yardstick for what the best
    agreement with the file looks like, and a way to measure sampling error.

    >>> import numpy as np
    >>> from lookalike.models.mixed import Numbers
    >>> table = Mixed((Numbers(np.array([1.0, 2.0, 4.0])),))
    >>> law = Bootstrap().fit_mixed(table, rng=np.random.default_rng(1))
    >>> sorted({float(x) for x in law.sample(50, rng=np.random.default_rng(2)).columns[0].values})
    [1.0, 2.0, 4.0]
    """

    def fit_mixed(self, table: Mixed, *, rng: Generator, threads: int | None = None) -> BootstrapLaw:
        """Keep the records; unknown cells are filled from other records of the column."""
        return BootstrapLaw(Filled.of(table, rng=rng, what="The bootstrap"))


class BootstrapLaw:
    """The records themselves."""

    def __init__(self, records: Filled) -> None:
        self._records = records

    @property
    def caveats(self) -> tuple[str, ...]:
        """That nothing is protected."""
        return ("Every record drawn is a record of the file: the bootstrap protects nobody.", *self._records.caveats)

    def sample(self, n: int, *, rng: Generator, threads: int | None = None) -> Mixed:
        """n records; one stream, so the number of threads changes nothing."""
        table = self._records.table
        return table.take(rng.integers(0, table.records, n))
