"""How figures are written, in a terminal and on a page alike."""

from __future__ import annotations

from lookalike.estimate import Estimate

NOT_ASSESSABLE = "not assessable"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def digits(value: float | None, places: int = 3) -> str:
    """So many digits that tell; very small figures as powers of ten, as people write them.

    >>> digits(0.123456), digits(0.0000906), digits(1721.4), digits(None)
    ('0.123', '9.06·10⁻⁵', '1,720', 'not assessable')
    """
    if value is None:
        return NOT_ASSESSABLE
    found, power, of_ten = f"{value:.{places}g}".partition("e")
    if power and abs(value) > 1:
        return f"{float(found + power + of_ten):,.0f}"
    return f"{found}·10{str(int(of_ten)).translate(_RAISED)}" if power else found


def number(value: float | None) -> str:
    """Four digits that tell; what could not be measured is said so.

    >>> number(0.123456), number(None)
    ('0.1235', 'not assessable')
    """
    return digits(value, 4)


def fixed(value: float, places: int = 3) -> str:
    """So many places behind the point; what rounds to nothing has no sign.

    >>> fixed(0.98765), fixed(-0.0001)
    ('0.988', '0.000')
    """
    return f"{round(value, places) + 0.0:.{places}f}"


def interval(estimate: Estimate) -> str:
    """From where to where, or nothing if there is no interval.

    >>> interval(Estimate(value=0.1, low=0.08, high=0.12, method="posterior"))
    '0.08 to 0.12'
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{digits(estimate.low)} to {digits(estimate.high)}"
