"""Plans from TOML: all faults at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.errors import BadFile, BadPlan
from lookalike.plan import tables as read
from lookalike.plan.keys import TABLES, TOP
from lookalike.plan.plan import Plan
from lookalike.plan.values import Values


def load_plan(path: str | Path) -> Plan:
    """A plan from a TOML file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = Path(folder, "plan.toml").write_text('population = {size = 9000}')
    ...     plan = load_plan(Path(folder, "plan.toml"))
    >>> plan.population, plan.thresholds.sample_to_population
    (9000, 0.09)
    """
    path = Path(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path.name}: there is no such plan.") from None
    except (IsADirectoryError, UnicodeDecodeError):
        raise BadFile(f"{path.name} is not a plan in TOML.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadPlan(f"{path.name} is not valid TOML: {error}.") from None
    return parse_plan(document)


def parse_plan(document: Mapping[str, Any]) -> Plan:
    """A plan from a parsed TOML document or the evidence's JSON.

    >>> parse_plan({"roles": {"quasi_identifiers": ["age"]}, "population": {"size": 1000}}).population
    1000
    >>> parse_plan({"role": {}, "seed": "x"})
    Traceback (most recent call last):
    ...
    lookalike.errors.BadPlan: 2 faults:
    - Key 'role' is not in a plan. Did you mean 'roles'? Keys: schema, seed, roles, ...
    - seed must be a whole number.
    """
    values = Values()
    plan = _plan(values, document, _tables(values, document))
    if values.faults:
        raise BadPlan([*values.faults, *plan.faults()])
    return plan


def _tables(values: Values, document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Every table of the document, empty where it has none; unknown keys are told."""
    values.known(document, TOP, "a plan")
    found = {name: values.table(document, name) for name in TABLES}
    for name, keys in TABLES.items():
        if keys:
            values.known(found[name], keys, f"[{name}]")
    return found


def _plan(values: Values, document: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> Plan:
    limits = read.thresholds(values, tables["thresholds"])
    if document.get("schema", 1) != 1:
        values.faults.append("schema must be 1: this plan was written for another version.")
    missing, population, knowledge, data = (tables[name] for name in ("missing", "population", "knowledge", "data"))
    return Plan(
        roles=read.roles(values, tables["roles"]),
        kinds={k: str(v) for k, v in tables["kinds"].items()},
        missing=values.text(missing, "mode") or "own",
        missing_codes=values.text_lists(values.table(missing, "codes")),
        keep_words=values.texts(missing, "keep"),
        population=values.whole(population, "size"),
        population_file=values.text(population, "file"),
        population_counts=values.text(population, "counts"),
        cluster=values.text(population, "cluster"),
        margins=values.texts(population, "margins"),
        estimators=values.texts(population, "estimators") or ("posterior",),
        backtest=values.yes(population, "backtest"),
        thresholds=limits,
        known_up_to=values.whole(knowledge, "up_to"),
        groups=values.text_lists(values.table(knowledge, "groups")),
        targets=read.targets(values, document.get("targets", [])),
        suda_size=read.suda_size(values, tables["suda"]),
        synthesis=read.synthesis(values, tables["synthesize"]),
        protection=read.protection(values, tables["protect"]),
        comparison=read.comparison(values, tables["compare"]),
        repair=read.repair(values, tables["repair"]),
        seed=seed if (seed := values.whole(document, "seed")) is not None else 1,
        engine=values.text(data, "engine") or "auto",
        **{k: values.text(data, k) for k in ("spark_master", "delimiter", "encoding", "sheet")},
    )
