"""One outcome of several releases of one original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lookalike.attacks.outcome import Outcome, Share


def mean_outcome(each: Sequence[Outcome]) -> Outcome:
    """The mean of each part that all have, with the width of the release that is least sure: they share an original.

    >>> def outcome(s, of): return Outcome(attack="a", measure="m", main=Share(successes=s, of=of, what="rows"),
    ...                                    baseline=Share(successes=0.5, of=1, what="rows", exact=True))
    >>> str(mean_outcome([outcome(2, 10), outcome(2, 5)]).main)
    '1.5 of 5 rows'
    """
    if len(each) == 1:
        return each[0]
    main, baseline = _mean([o.main for o in each]), _mean([o.baseline for o in each])
    control, original = (_all([getattr(o, part) for o in each]) for part in ("control", "original"))
    caveats = tuple(dict.fromkeys(caveat for o in each for caveat in o.caveats))
    return replace(each[0], main=main, baseline=baseline, control=control, original=original, caveats=caveats)


def _all(shares: Sequence[Share | None]) -> Share | None:
    there = [share for share in shares if share is not None]
    return _mean(there) if len(there) == len(shares) else None


def _mean(shares: Sequence[Share]) -> Share:
    of = min(share.of for share in shares)
    value = sum(share.value for share in shares) / len(shares)
    return Share(successes=value * of, of=of, what=shares[0].what, exact=all(share.exact for share in shares))
