"""What can be wrong with a request, and how it is said: which thing, what is wrong, what to do.

No message carries a cell value of the file: names, counts and line numbers only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class LookalikeError(Exception):
    """Any fault of the input, an option or the plan that the user can mend.

    >>> from lookalike import read
    >>> try:
    ...     read("nowhere.csv")
    ... except LookalikeError as fault:
    ...     print(fault)
    nowhere.csv: there is no such file.
    """


class BadFile(LookalikeError):
    """A file cannot be read as microdata.

    >>> issubclass(BadFile, LookalikeError)
    True
    """


class BadPlan(LookalikeError):
    """A plan, or the options that fill it, has one or more faults; all are told at once.

    >>> print(BadPlan(["k must be at least 2.", "N is smaller than n."]))
    2 faults:
    - k must be at least 2.
    - N is smaller than n.
    """

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__(together(self.faults))


class UnknownColumn(BadPlan):
    """A column is named that the data does not have.

    >>> print(UnknownColumn("zipcode", ["age", "zip_code"]))
    Column 'zipcode' is not in the data. Did you mean 'zip_code'? Columns: age, zip_code.
    """

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        super().__init__(unknown("Column", name, columns, where="in the data", listed="Columns"))


class NotAssessable(LookalikeError):
    """A measure has no answer for this file; the message is the reason.

    >>> import polars as pl
    >>> import lookalike as la
    >>> from lookalike.risk import estimated_frequency_of_uniques
    >>> people = la.EquivalenceClasses.of(la.read(pl.DataFrame({"sex": ["F", "F"]})), ["sex"])
    >>> try:
    ...     estimated_frequency_of_uniques(people, 100)
    ... except NotAssessable as reason:
    ...     print(reason)
    No class is unique in the file, so there is no share of unique classes.
    """


class MissingExtra(LookalikeError):
    """An optional part is asked for and not installed.

    >>> print(MissingExtra("spark", "the Spark engine"))
    the Spark engine needs the extra 'spark': pip install 'lookalike[spark]'.
    """

    def __init__(self, extra: str, what: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'lookalike[{extra}]'.")


def together(faults: Sequence[str]) -> str:
    """One fault as it is, several as a list."""
    if len(faults) == 1:
        return faults[0]
    return "\n".join([f"{len(faults)} faults:", *(f"- {fault}" for fault in faults)])


def unknown(what: str, name: str, known: Sequence[str], *, where: str, listed: str) -> str:
    """The sentence for a name that is not among the known ones, with the nearest one as a hint."""
    close = get_close_matches(name, known, n=1, cutoff=0.6) or [k for k in known if k.lower() == name.lower()]
    hint = f" Did you mean '{close[0]}'?" if close else ""
    shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return f"{what} '{name}' is not {where}.{hint} {listed}: {shown}."
