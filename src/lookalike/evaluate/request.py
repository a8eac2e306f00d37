"""The request: read what is not read yet, and find every fault before anything is measured."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import narwhals as nw
import polars as pl

from lookalike.classes import EquivalenceClasses, Missing
from lookalike.data import Kind, Microdata, Role, kinds_of, load, number_of, roles_of
from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.evaluate.margins import check_total, count_column, margin_of
from lookalike.plan import MARGINS_TOO, NO_CLUSTER, Plan, Roles
from lookalike.population import Margin, Sample
from lookalike.population.margins import check_apart

_T = TypeVar("_T")


MOST_PEOPLE = 9_000_000_000
"""More people than live: a population beyond would make every file look safe."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """Groups of records that nobody named, and the column that shows them."""

    by: str
    of_record: pl.Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How the records of a release were sampled, as the file that it was made from tells it."""

    clusters: pl.Series | None = None
    """The cluster of each record."""
    suspected: Suspected | None = None
    narrowed: tuple[str, ...] = ()
    """Quasi-identifiers by which the file seems to be of some people only."""
    even: tuple[str, ...] = ()
    """Quasi-identifiers of which each value occurs too equally often for a random sample."""


@dataclass(frozen=True)
class Request:
    """A file with roles, its classes, its population as far as known: checked, ready to be measured."""

    plan: Plan
    file: Microdata
    classes: EquivalenceClasses
    people: Microdata | None
    population: int | None
    population_from: str
    design: Design | None = field(default=None, kw_only=True)
    """How the records of a release were sampled; of a file, the file itself tells it."""
    margins: tuple[Margin, ...] = ()
    margin_files: tuple[Microdata, ...] = ()
    """The tables that the margins were read from."""
    released: bool = False
    """Whether records were changed to look alike."""

    @property
    def overlooked(self) -> tuple[str, ...]:
        """Columns that look like something an attacker may know, and have no role in the plan."""
        other = self.file.with_role(Role.OTHER)
        return tuple(v.name for v in self.file.guesses if v.role is Role.QUASI_IDENTIFIER and v.name in other)


def prepare(
    data: Any, plan: Plan, population: Any = None, *, known: Sequence[str] = (), released: bool = False
) -> Request:
    """Check the whole request; raises one `BadPlan` with all faults, those already `known` first.

    A file that was `released` may have records whose quasi-identifiers were all suppressed: they are one class.
    """
    faults = [*known, *plan.faults()]
    file = _attempt(faults, lambda: _open(data, plan))
    source = population if population is not None else plan.population_file
    people = None if source is None else _attempt(faults, lambda: _open(source, plan, population=True))
    if file is not None:
        opened = file
        file = _attempt(faults, lambda: _with_roles(opened, plan)) or opened
        faults += [*_column_faults(file, plan), *_population_faults(file, plan, people)]
    if people is not None and plan.margins:
        faults.append(MARGINS_TOO)
    known_margins = _margin_tables(faults, file, plan)
    if faults or file is None:
        raise BadPlan(dict.fromkeys(faults))
    request = _with_classes(
        _recoded(file, plan), plan, None if people is None else _recoded(people, plan), released=released
    )
    if not known_margins:
        return request
    return replace(
        request, margins=_margins(request, known_margins), margin_files=tuple(table for table, _ in known_margins)
    )


def _margin_tables(faults: list[str], file: Microdata | None, plan: Plan) -> list[tuple[Microdata, str]]:
    """The known margins, opened, each with the column that counts people."""
    found = []
    for source in plan.margins:
        table = _attempt(faults, lambda source=source: _table(source, plan))  # type: ignore[misc]
        if table is None or file is None:
            continue
        people, wrong = count_column(table, file.quasi_identifiers)
        faults += wrong
        if people is not None:
            found.append((table, people))
    return found


def _table(source: str, plan: Plan) -> Microdata:
    return load(source, missing=plan.missing_codes, keep_words=plan.keep_words)


def _margins(request: Request, tables: Sequence[tuple[Microdata, str]]) -> tuple[Margin, ...]:
    if request.population is None:
        raise BadPlan("Known margins need the size of the population (--population N).")
    faults: list[str] = []
    people_told = request.population
    sample = Sample.of(request.classes)
    found = []
    for table, people in tables:
        margin = _attempt(faults, lambda t=table, p=people: margin_of(t, request.classes, sample, p))  # type: ignore[misc]
        if margin is not None:
            _attempt(faults, lambda m=margin: check_total(m, people_told))  # type: ignore[misc]
            found.append(margin)
    _attempt(faults, lambda: check_apart(found, request.classes.variables))
    if faults:
        raise BadPlan(faults)
    return tuple(found)


def _open(source: Any, plan: Plan, *, population: bool = False) -> Microdata:
    if isinstance(source, Microdata):
        return source
    engine = plan.engine if plan.engine in ("polars", "duckdb", "spark") else "auto"
    text = {} if population else {"delimiter": plan.delimiter, "sheet": plan.sheet, "encoding": plan.encoding}
    return load(
        source,
        engine=engine,
        spark_master=plan.spark_master,
        missing=plan.missing_codes,
        keep_words=plan.keep_words,
        **text,
    )


def open_file(data: Any, plan: Plan, faults: list[str]) -> Microdata:
    """A file with the roles of the plan, for work that needs no quasi-identifiers; raises with all faults.

    Numbers that mean missing stay in the cells, named in their variable.
    """
    texts = {n: tuple(c for c in codes if number_of(c) is None) for n, codes in plan.missing_codes.items()}
    file = _attempt(faults, lambda: _open(data, plan.changed(missing_codes=texts)))
    if file is not None:
        opened = file
        faults += _not_there({"missing codes": plan.missing_codes, "words to keep": plan.keep_words}, file)
        file = _attempt(faults, lambda: _with_roles(opened, plan)) or opened
    if faults or file is None:
        raise BadPlan(dict.fromkeys(faults))
    codes = plan.missing_codes
    named = (replace(v, missing=tuple(codes[v.name])) if v.name in codes else v for v in file.variables)
    return replace(file, variables=tuple(named)).knowing_codes(codes)


def _recoded(data: Microdata, plan: Plan) -> Microdata:
    return data.recode_missing({name: codes for name, codes in plan.missing_codes.items() if name in data.columns})


def _attempt(faults: list[str], action: Callable[[], _T]) -> _T | None:
    """The result of an action, or None; its faults join the others."""
    try:
        return action()
    except BadPlan as error:
        faults += error.faults
    except LookalikeError as error:
        faults.append(str(error))
    return None


def _with_roles(file: Microdata, plan: Plan) -> Microdata:
    roles = plan.roles if plan.roles != Roles() else Roles.of(file)
    named = roles_of(
        file.columns,
        identifiers=roles.identifiers,
        quasi_identifiers=roles.quasi_identifiers,
        sensitive=roles.sensitive,
        weight=roles.weight,
        household=roles.household,
    )
    return file.assign(named, kinds_of(file.columns, plan.kinds))


def _column_faults(file: Microdata, plan: Plan) -> list[str]:
    named = {
        "missing codes": list(plan.missing_codes),
        "words to keep": plan.keep_words,
        "clusters": [plan.cluster] if plan.cluster not in (None, NO_CLUSTER) else [],
        "targets": [t.variable for t in plan.targets],
        **{f"group '{group}'": list(members) for group, members in plan.groups.items()},
    }
    faults = _not_there(named, file)
    faults += [
        f"In group '{group}': '{name}' is not a quasi-identifier."
        for group, members in plan.groups.items()
        for name in members
        if name in file.columns and name not in file.quasi_identifiers
    ]
    if not file.quasi_identifiers and not plan.roles.quasi_identifiers:
        faults.append(_none_named(file))
    faults += [*_type_faults(file, plan), *_mixed_faults(file, plan)]
    return faults


def _not_there(named: Mapping[str, Iterable[str]], file: Microdata) -> list[str]:
    """Columns that a part of the plan names and the file lacks."""
    return [
        f"In {where}: " + unknown("column", name, file.columns, where="in the data", listed="Columns")
        for where, names in named.items()
        for name in names
        if name not in file.columns
    ]


def _none_named(file: Microdata) -> str:
    """Ask for quasi-identifiers, with those that the columns' names and values suggest."""
    ask = "No quasi-identifier is named: which columns may an attacker know?"
    free = {v.name for v in file.variables if v.role is Role.OTHER}
    guessed = [v.name for v in file.guesses if v.role is Role.QUASI_IDENTIFIER and v.name in free]
    if not guessed:
        return f"{ask} Name them (--qi)."
    cells = io.StringIO()
    csv.writer(cells, lineterminator="").writerow(guessed)
    return (
        f"{ask} Guessed from names and contents: {', '.join(guessed)}. "
        f"To take these: --qi {shlex.quote(cells.getvalue())}"
    )


def _type_faults(file: Microdata, plan: Plan) -> list[str]:
    schema = file.table.schema
    used = dict.fromkeys([*file.quasi_identifiers, *file.sensitive, *(t.variable for t in plan.targets)])
    faults = [
        f"Column '{name}' holds lists or bytes, not single values: it cannot be compared."
        for name in used
        if name in schema and (schema[name].is_nested() or schema[name] == nw.Binary)
    ]
    faults += [
        f"Target '{t.variable}' is a range of numbers, but the column is not numeric."
        for t in plan.targets
        if (t.above is not None or t.below is not None) and t.variable in schema and not schema[t.variable].is_numeric()
    ]
    faults += [
        f"Column '{name}' is said to be numeric and holds text. Say ordinal or nominal, or mend its cells."
        for name, kind in plan.kinds.items()
        if kind == Kind.NUMERIC and name in schema and schema[name] == nw.String
    ]
    if file.weight is not None and not schema[file.weight].is_numeric():
        faults.append(f"Weight '{file.weight}' is not numeric.")
    return faults


def _population_faults(file: Microdata, plan: Plan, people: Microdata | None) -> list[str]:
    if people is None:
        return _too_few(plan.population, "given", file.records)
    lacking = [f"'{name}'" for name in file.quasi_identifiers if name not in people.columns]
    faults = [f"The population file lacks the quasi-identifiers {', '.join(lacking)}."] if lacking else []
    ours, theirs = file.table.schema, people.table.schema
    faults += [
        f"Quasi-identifier '{name}' is {_type(ours[name])} in the file and {_type(theirs[name])} in the population "
        "file: no value of one would equal one of the other. Give both the same form."
        for name in file.quasi_identifiers
        if name in theirs and not _alike(ours[name], theirs[name])
    ]
    return faults + _too_few(people.records, people.name, file.records)


def _too_few(population: int | None, origin: str, records: int) -> list[str]:
    if population is not None and population > MOST_PEOPLE:
        return [f"The population ({population:,} people, {origin}) is larger than mankind. Check the number or weight."]
    if population is None or not 1 <= population < records:
        return []
    return [f"The population ({population:,} people, {origin}) is smaller than the file ({records:,} records)."]


def _alike(one: nw.dtypes.DType, other: nw.dtypes.DType) -> bool:
    """Whether equal values have equal texts: whole numbers and texts do, reals or dates and texts do not."""
    types = {_type(one), _type(other)}
    return len(types) == 1 or types in ({"whole numbers", "text"}, {"whole numbers", "numbers"})


def _type(dtype: nw.dtypes.DType) -> str:
    if dtype.is_integer():
        return "whole numbers"
    return "numbers" if dtype.is_numeric() else "dates" if dtype.is_temporal() else "text"


def _mixed_faults(file: Microdata, plan: Plan) -> list[str]:
    """Numbers with words between them, in columns that are used and that the plan does not explain."""
    used = {*file.quasi_identifiers, *file.sensitive, file.weight}
    codes_unused = (name for name in file.mixed if name in plan.missing_codes and not file.variable(name).missing)
    explained = {*plan.kinds, *codes_unused}
    cells = ("cell that is not a number", "cells that are not numbers")
    return [
        f"Column '{name}' mixes numbers with {_counted(count, *cells)}. If "
        f'they mean missing, name them (--missing-code "{name}=CODE", or [missing.codes] in the plan); if the column '
        f'is text, say so (--kind "{name}=nominal", or [kinds] in the plan).'
        for name, count in file.mixed.items()
        if name in used and name not in explained
    ]


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _with_classes(file: Microdata, plan: Plan, people: Microdata | None, *, released: bool) -> Request:
    """Count the classes, and check what only the counts can tell."""
    sums = [file.weight] if file.weight else []
    classes = EquivalenceClasses.of(file, missing=Missing(plan.missing), sums=sums)
    faults = [] if released else _empty_records(classes)
    size, origin = plan.population, "given"
    if file.weight is not None:
        faults += _weight_faults(file)
        if size is None and people is None and not faults:
            size, origin = round(float(classes.sums(file.weight).sum())), f"the sum of {file.weight}"
    if people is not None:
        size, origin = people.records, people.name
    faults += _too_few(size, origin, classes.records)
    if faults:
        raise BadPlan(faults)
    return Request(plan, file, classes, people, size, origin if size is not None else "", released=released)


def _empty_records(classes: EquivalenceClasses) -> list[str]:
    count = classes.empty_records()
    if not count:
        return []
    return [
        f"{_counted(count, 'record has', 'records have')} all quasi-identifiers missing: nothing is known there, so no "
        "risk can be measured. Remove what is empty, or name quasi-identifiers that are filled."
    ]


def _weight_faults(file: Microdata) -> list[str]:
    assert file.weight is not None
    weight = nw.col(file.weight)
    bad = nw.when(weight.is_null() | (weight <= 0)).then(nw.lit(1)).otherwise(nw.lit(0))
    frame = file.table.frame.select(bad.sum().alias("bad"))
    count = int(file.table.engine.collect(frame)["bad"][0])
    said = _counted(count, "record", "records")
    return [f"Weight '{file.weight}' is missing, zero or negative in {said}."] if count else []
