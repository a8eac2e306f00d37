"""Who is unique, matched and given away: the row of figures that synthpop prints, each with what it is a share of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.attacks.cap import Guess, guess_chance, itself, within_release
from lookalike.attacks.cap_measures import (
    CERTAIN,
    DCAP,
    DISCO,
    DISDIO,
    TCAP_B,
    Denominator,
    is_certain,
    keys_in,
)
from lookalike.attacks.cells import Cells
from lookalike.attacks.outcome import Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """Identity and attribute disclosure of one target (Raab, Nowok and Dibben 2025).

    d and s count the original's and the release's records of a key; "certain" is a key all of whose rows have one
    target.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 31, 32, 32], "ill": ["y", "n", "y", "n"]})
    >>> found = disclosure(Cells.of(original, original, ["age"], "ill"))
    >>> str(found.unique_in_original), str(found.replicated_uniques)
    ('2 of 4 records', '2 of 4 records')
    """

    unique_in_original: Share
    """UiO: d = 1."""
    unique_in_release: Share
    """UiS: s = 1, of the rows of the release."""
    unique_in_original_and_in_release: Share
    """UiOiS: d = 1 and s > 0."""
    replicated_uniques: Share
    """repU: d = 1 and s = 1."""
    certain_in_original: Share
    """Dorig: what an attacker with the original could be sure of."""
    certain_in_release: Share
    """Dsyn, of the rows of the release."""
    in_release: Share
    """iS: s > 0."""
    certain_for_the_attacker: Share
    """DiS: the key is certain in the release, rightly or not."""
    right_and_certain: Share
    """DiSCO: the key is certain in the release, and right."""
    right_and_certain_in_both: Share
    """DiSDiO: besides, the key is certain in the original."""
    guess: Share
    """baseCAPd: a guess by the margin."""
    cap_of_original: Share
    """CAPd: CAP of the original against itself."""
    cap_of_release: Share
    """CAPs: CAP of the release against itself."""
    cap: Share
    """DCAP, with an unmatched record as 0."""
    targeted_cap: Share | None
    """TCAP as synthpop computes it (variant B); None if no key is matched."""


def disclosure(cells: Cells, *, certain: float = CERTAIN) -> Disclosure:
    """The figures of one release and one target.

    >>> import polars as pl
    >>> original = pl.DataFrame({"age": [30, 31, 32, 32], "ill": ["y", "n", "y", "n"]})
    >>> release = pl.DataFrame({"age": [30, 30, 32], "ill": ["y", "y", "n"]})
    >>> found = disclosure(Cells.of(original, release, ["age"], "ill"))
    >>> print(found.unique_in_original, "|", found.in_release, "|", found.right_and_certain)
    2 of 4 records | 3 of 4 records | 2 of 4 records
    """
    d, s = cells.original, cells.release
    alone, matched = d.keys == 1, s.keys > 0
    sure_rows = (s.cells * is_certain(cells, s, certain)).sum()
    sure_records = (d.cells * is_certain(cells, d, certain)).sum()
    spoken = keys_in(cells, Denominator.CERTAIN, certain)
    return Disclosure(
        unique_in_original=_records(cells, alone),
        unique_in_release=_rows(cells, int((s.keys == 1).sum())),
        unique_in_original_and_in_release=_records(cells, alone & matched),
        replicated_uniques=_records(cells, alone & (s.keys == 1)),
        certain_in_original=Share(successes=int(sure_records), of=d.records, what="records"),
        certain_in_release=_rows(cells, int(sure_rows)),
        in_release=_records(cells, matched),
        certain_for_the_attacker=_records(cells, spoken),
        right_and_certain=DISCO.share(cells, d, certain=certain),
        right_and_certain_in_both=DISDIO.share(cells, d, certain=certain),
        guess=Share(successes=float((d.cells * guess_chance(cells, Guess.MARGIN)).sum()), of=d.records, what="records"),
        cap_of_original=DCAP.share(itself(cells), d),
        cap_of_release=within_release(cells),
        cap=DCAP.share(cells, d),
        targeted_cap=TCAP_B.share(cells, d, certain=certain) if d.keys[matched].any() else None,
    )


def _records(cells: Cells, keys: NDArray[np.bool_]) -> Share:
    return Share(successes=int(cells.original.keys[keys].sum()), of=cells.original.records, what="records")


def _rows(cells: Cells, count: int) -> Share:
    return Share(successes=count, of=cells.release.records, what="rows of the release")
