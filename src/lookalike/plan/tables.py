"""From the tables of a document to choices: one function a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.anonymize.choices import Protection, Step
from lookalike.plan.comparison import Comparison
from lookalike.plan.keys import RULE, TARGET, THRESHOLDS
from lookalike.plan.plan import Roles
from lookalike.plan.repair import Repair
from lookalike.plan.values import Values
from lookalike.synthesis.choices import Rule, Synthesis
from lookalike.target import Target
from lookalike.threshold import Threshold

_COMPARED = ("columns", "drawn", "keys", "targets", "formulas", "models")


def roles(values: Values, table: Mapping[str, Any]) -> Roles:
    """`[roles]`."""
    return Roles(
        identifiers=values.texts(table, "identifiers"),
        quasi_identifiers=values.texts(table, "quasi_identifiers"),
        sensitive=values.texts(table, "sensitive"),
        weight=values.text(table, "weight"),
        household=values.text(table, "household"),
    )


def thresholds(values: Values, table: Mapping[str, Any]) -> Threshold:
    """`[thresholds]`: what is not named keeps its limit."""
    return Threshold(**{key: values.limit(table, key) for key in THRESHOLDS if key in table})  # type: ignore[arg-type]


def suda_size(values: Values, table: Mapping[str, Any]) -> int | None:
    """`[suda]`: 3 unless told; 0 is none."""
    return (values.whole(table, "size") or None) if "size" in table else 3


def targets(values: Values, tables: Any) -> tuple[Target, ...]:
    """`[[targets]]`: a list of tables."""
    return tuple(target(values, one) for one in (tables if isinstance(tables, (list, tuple)) else [None]))


def target(values: Values, table: Any) -> Target:
    """One of `[[targets]]`."""
    if not isinstance(table, Mapping):
        values.faults.append("[[targets]] must be tables.")
        return Target(variable="")
    values.known(table, TARGET, "[[targets]]")
    return Target(
        variable=values.text(table, "variable") or "",
        equals=values.texts(table, "equals"),
        above=values.number(table, "above"),
        below=values.number(table, "below"),
    )


def protection(values: Values, table: Mapping[str, Any]) -> Protection:
    """`[protect]`."""
    return Protection(
        steps=tuple(step(values, one) for one in values.tables(table, "steps", "protect.steps")),
        drop=values.texts(table, "drop"),
        index=values.text(table, "index"),
        shuffle=values.yes(table, "shuffle", otherwise=False),
    )


def step(values: Values, table: Mapping[str, Any]) -> Step:
    """A method and its settings, side by side: `method = "mondrian"`, `k = 5`."""
    method = values.text(table, "method")
    if method is None:
        values.faults.append("[[protect.steps]] needs a method.")
    return Step(method=method or "generalize", options={k: v for k, v in table.items() if k != "method"})


def synthesis(values: Values, table: Mapping[str, Any]) -> Synthesis:
    """`[synthesize]`."""
    plain = Synthesis()
    copies = values.whole(table, "copies")
    return Synthesis(
        model=values.text(table, "model") or plain.model,
        options=dict(values.table(table, "options")),
        columns=values.texts(table, "columns"),
        drop=values.texts(table, "drop"),
        rows=values.whole(table, "rows"),
        copies=plain.copies if copies is None else copies,
        proper=values.yes(table, "proper", otherwise=False),
        given={k: str(v) for k, v in values.table(table, "given").items()},
        computed={k: str(v) for k, v in values.table(table, "computed").items()},
        identifiers=values.text(table, "identifiers") or plain.identifiers,
        missing=values.text(table, "missing") or plain.missing,
        rules=tuple(rule(values, one) for one in values.tables(table, "rules", "synthesize.rules")),
        impossible=values.texts(table, "impossible"),
    )


def rule(values: Values, table: Mapping[str, Any]) -> Rule:
    """One of `[[synthesize.rules]]`."""
    values.known(table, RULE, "[[synthesize.rules]]")
    return Rule(when=values.text(table, "when") or "", then=dict(values.table(table, "then")))


def comparison(values: Values, table: Mapping[str, Any]) -> Comparison:
    """`[compare]`."""
    found: dict[str, Any] = {k: values.texts(table, k) for k in _COMPARED if k in table}
    found |= {k: values.text(table, k) for k in ("how", "made", "control", "terms")}
    found |= {k: values.yes(table, k, otherwise=False) for k in ("proper", "linked")}
    found |= {"attacks": values.yes(table, "attacks")}
    found |= {k: whole for k in ("draws", "sample", "folds") if (whole := values.whole(table, k)) is not None}
    found |= {"ways": values.wholes(table, "ways")} if "ways" in table else {}
    return Comparison(**found)


def repair(values: Values, table: Mapping[str, Any]) -> Repair:
    """`[repair]`."""
    found: dict[str, Any] = {k: whole for k in ("least", "rounds") if (whole := values.whole(table, k)) is not None}
    found |= {"by": by} if (by := values.text(table, "by")) is not None else {}
    limit = values.limit(table, "threshold") if "threshold" in table else None
    return Repair(**found | ({} if limit is None else {"threshold": limit}))
