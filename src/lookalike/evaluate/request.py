"""The request: read what is not read yet, and find every fault before anything is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import narwhals as nw

from lookalike.classes import EquivalenceClasses, Missing
from lookalike.data import Microdata, kinds_of, read, roles_of
from lookalike.errors import BadPlan, LookalikeError, unknown
from lookalike.plan import Plan, Roles

_T = TypeVar("_T")


@dataclass(frozen=True)
class Request:
    """A file with roles, its classes, its population as far as known: checked, ready to be measured."""

    plan: Plan
    file: Microdata
    classes: EquivalenceClasses
    people: Microdata | None
    population: int | None
    population_from: str


def prepare(data: Any, plan: Plan, population: Any = None) -> Request:
    """Check the whole request; raises one `BadPlan` with all faults."""
    faults = plan.faults()
    file = _attempt(faults, lambda: _open(data, plan))
    source = population if population is not None else plan.population_file
    people = None if source is None else _attempt(faults, lambda: _open(source, plan, population=True))
    if file is not None:
        known = file
        file = _attempt(faults, lambda: _with_roles(known, plan)) or known
        faults += _column_faults(file, plan, people)
    if faults or file is None:
        raise BadPlan(dict.fromkeys(faults))
    file = file.recode_missing(plan.missing_codes)
    if people is not None:
        people = people.recode_missing({k: v for k, v in plan.missing_codes.items() if k in people.columns})
    return _with_classes(file, plan, people)


def _open(source: Any, plan: Plan, *, population: bool = False) -> Microdata:
    if isinstance(source, Microdata):
        return source
    engine = plan.engine if plan.engine in ("polars", "duckdb", "spark") else "auto"
    if population:
        return read(source, engine=engine, spark_master=plan.spark_master)
    return read(
        source,
        engine=engine,
        spark_master=plan.spark_master,
        delimiter=plan.delimiter,
        sheet=plan.sheet,
        encoding=plan.encoding,
        missing=plan.missing_codes,
    )


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


def _column_faults(file: Microdata, plan: Plan, people: Microdata | None) -> list[str]:
    named = {
        "missing codes": list(plan.missing_codes),
        "targets": [t.variable for t in plan.targets],
        **{f"group '{group}'": list(members) for group, members in plan.groups.items()},
    }
    faults = [
        f"In {where}: " + unknown("column", name, file.columns, where="in the data", listed="Columns")
        for where, names in named.items()
        for name in names
        if name not in file.columns
    ]
    faults += [
        f"In group '{group}': '{name}' is not a quasi-identifier."
        for group, members in plan.groups.items()
        for name in members
        if name in file.columns and name not in file.quasi_identifiers
    ]
    if not file.quasi_identifiers and not faults:
        faults.append("No quasi-identifier is named: which columns may an attacker know? Name them (--qi).")
    faults += _mixed_faults(file, plan)
    if file.weight is not None and not file.table.schema[file.weight].is_numeric():
        faults.append(f"Weight '{file.weight}' is not numeric.")
    if people is not None:
        lacking = [f"'{name}'" for name in file.quasi_identifiers if name not in people.columns]
        if lacking:
            faults.append(f"The population file lacks the quasi-identifiers {', '.join(lacking)}.")
    return faults


def _mixed_faults(file: Microdata, plan: Plan) -> list[str]:
    used = {*file.quasi_identifiers, *file.sensitive, file.weight}
    return [
        f"Column '{name}' mixes numbers with {count:,} cells that are not numbers. If they mean missing, list "
        f"them in the plan under [missing.codes]; if the column is text, say so under [kinds] "
        f'(or --kind "{name}=nominal").'
        for name, count in file.mixed.items()
        if name in used and name not in plan.kinds and name not in plan.missing_codes
    ]


def _with_classes(file: Microdata, plan: Plan, people: Microdata | None) -> Request:
    """Count the classes, and check what only the counts can tell."""
    sums = [file.weight] if file.weight else []
    classes = EquivalenceClasses.of(file, missing=Missing(plan.missing), sums=sums)
    faults = _empty_records(classes)
    size, origin = plan.population, "given"
    if file.weight is not None:
        faults += _weight_faults(file)
        if size is None and people is None and not faults:
            size, origin = round(float(classes.sums(file.weight).sum())), f"the sum of {file.weight}"
    if people is not None:
        size, origin = people.records, people.name
    if size is not None and size < classes.records:
        faults.append(
            f"The population ({size:,} people, {origin}) is smaller than the file ({classes.records:,} records)."
        )
    if faults:
        raise BadPlan(faults)
    return Request(plan, file, classes, people, size, origin if size is not None else "")


def _empty_records(classes: EquivalenceClasses) -> list[str]:
    count = classes.empty_records()
    if not count:
        return []
    return [
        f"{count:,} records have all quasi-identifiers missing: nothing is known of them, so no risk can be "
        "measured. Remove them, or name quasi-identifiers that they have."
    ]


def _weight_faults(file: Microdata) -> list[str]:
    assert file.weight is not None
    weight = nw.col(file.weight)
    bad = nw.when(weight.is_null() | (weight <= 0)).then(nw.lit(1)).otherwise(nw.lit(0))
    frame = file.table.frame.select(bad.sum().alias("bad"))
    count = int(file.table.engine.collect(frame)["bad"][0])
    return [f"Weight '{file.weight}' is missing, zero or negative in {count:,} records."] if count else []
