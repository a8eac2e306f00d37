"""Plans as TOML: read with all faults at once, written with the reason for each guess."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.anonymize.choices import Protection, Step
from lookalike.data import Microdata, Role, Variable
from lookalike.errors import BadFile, BadPlan, unknown
from lookalike.plan.comparison import Comparison
from lookalike.plan.plan import Plan, Roles
from lookalike.plan.repair import Repair
from lookalike.synthesis.choices import Rule, Synthesis
from lookalike.target import Target
from lookalike.threshold import Threshold

_LISTS = ("identifiers", "quasi_identifiers", "sensitive")
_NAMES = ("weight", "household")
_THRESHOLDS = tuple(Threshold.__dataclass_fields__)
SYNTHESIZE = tuple(Synthesis.__dataclass_fields__)
PROTECT = tuple(Protection.__dataclass_fields__)
_COMPARED = ("columns", "drawn", "keys", "targets", "formulas", "models")
COMPARE = tuple(Comparison.__dataclass_fields__)
REPAIR = tuple(Repair.__dataclass_fields__)
_TABLES: dict[str, tuple[str, ...]] = {
    "roles": (*_LISTS, *_NAMES),
    "kinds": (),
    "missing": ("mode", "codes", "keep"),
    "population": ("size", "file", "margins", "estimators", "backtest"),
    "thresholds": _THRESHOLDS,
    "knowledge": ("up_to", "groups"),
    "suda": ("size",),
    "synthesize": SYNTHESIZE,
    "protect": PROTECT,
    "compare": COMPARE,
    "repair": REPAIR,
    "data": ("engine", "spark_master", "delimiter", "encoding", "sheet"),
}
_TOP = ("schema", "seed", *_TABLES, "targets")


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
    reader = _Reader()
    plan = reader.plan(document)
    if reader.faults:
        raise BadPlan([*reader.faults, *plan.faults()])
    return plan


class _Reader:
    """Reads typed values and collects what is wrong."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def plan(self, document: Mapping[str, Any]) -> Plan:
        self._known(document, _TOP, "a plan")
        tables = {name: self._table(document, name) for name in _TABLES}
        for name, keys in _TABLES.items():
            if keys:
                self._known(tables[name], keys, f"[{name}]")
        roles, data = tables["roles"], tables["data"]
        limits = {k: self._limit(tables["thresholds"], k) for k in _THRESHOLDS if k in tables["thresholds"]}
        if document.get("schema", 1) != 1:
            self.faults.append("schema must be 1: this plan was written for another version.")
        return Plan(
            roles=Roles(
                identifiers=self._texts(roles, "identifiers"),
                quasi_identifiers=self._texts(roles, "quasi_identifiers"),
                sensitive=self._texts(roles, "sensitive"),
                weight=self._text(roles, "weight"),
                household=self._text(roles, "household"),
            ),
            kinds={k: str(v) for k, v in tables["kinds"].items()},
            missing=self._text(tables["missing"], "mode") or "own",
            missing_codes=self._text_lists(self._table(tables["missing"], "codes")),
            keep_words=self._texts(tables["missing"], "keep"),
            population=self._whole(tables["population"], "size"),
            population_file=self._text(tables["population"], "file"),
            margins=self._texts(tables["population"], "margins"),
            estimators=self._texts(tables["population"], "estimators") or ("posterior",),
            backtest=self._yes(tables["population"], "backtest"),
            thresholds=Threshold(**limits),  # type: ignore[arg-type]
            known_up_to=self._whole(tables["knowledge"], "up_to"),
            groups=self._text_lists(self._table(tables["knowledge"], "groups")),
            targets=tuple(self._target(t) for t in document.get("targets", [])),
            suda_size=(self._whole(tables["suda"], "size") or None) if "size" in tables["suda"] else 3,
            synthesis=self._synthesis(tables["synthesize"]),
            protection=self._protection(tables["protect"]),
            comparison=self._comparison(tables["compare"]),
            repair=self._repair(tables["repair"]),
            seed=seed if (seed := self._whole(document, "seed")) is not None else 1,
            engine=self._text(data, "engine") or "auto",
            **{k: self._text(data, k) for k in ("spark_master", "delimiter", "encoding", "sheet")},
        )

    def _protection(self, table: Mapping[str, Any]) -> Protection:
        return Protection(
            steps=tuple(self._step(step) for step in self._tables(table, "steps", "protect.steps")),
            drop=self._texts(table, "drop"),
            index=self._text(table, "index"),
            shuffle=self._yes(table, "shuffle", otherwise=False),
        )

    def _comparison(self, table: Mapping[str, Any]) -> Comparison:
        found: dict[str, Any] = {k: self._texts(table, k) for k in _COMPARED if k in table}
        found |= {k: self._text(table, k) for k in ("how", "made", "control", "terms")}
        found |= {k: self._yes(table, k, otherwise=False) for k in ("proper", "linked")}
        found |= {"attacks": self._yes(table, "attacks")}
        found |= {k: whole for k in ("draws", "sample", "folds") if (whole := self._whole(table, k)) is not None}
        found |= {"ways": self._wholes(table, "ways")} if "ways" in table else {}
        return Comparison(**found)

    def _repair(self, table: Mapping[str, Any]) -> Repair:
        found: dict[str, Any] = {k: whole for k in ("least", "rounds") if (whole := self._whole(table, k)) is not None}
        found |= {"by": by} if (by := self._text(table, "by")) is not None else {}
        limit = self._limit(table, "threshold") if "threshold" in table else None
        return Repair(**found | ({} if limit is None else {"threshold": limit}))

    def _step(self, table: Mapping[str, Any]) -> Step:
        """A method and its settings, side by side: `method = "mondrian"`, `k = 5`."""
        method = self._text(table, "method")
        if method is None:
            self.faults.append("[[protect.steps]] needs a method.")
        return Step(method=method or "generalize", options={k: v for k, v in table.items() if k != "method"})

    def _synthesis(self, table: Mapping[str, Any]) -> Synthesis:
        plain = Synthesis()
        copies = self._whole(table, "copies")
        return Synthesis(
            model=self._text(table, "model") or plain.model,
            options=dict(self._table(table, "options")),
            columns=self._texts(table, "columns"),
            drop=self._texts(table, "drop"),
            rows=self._whole(table, "rows"),
            copies=plain.copies if copies is None else copies,
            proper=self._yes(table, "proper", otherwise=False),
            given={k: str(v) for k, v in self._table(table, "given").items()},
            computed={k: str(v) for k, v in self._table(table, "computed").items()},
            identifiers=self._text(table, "identifiers") or plain.identifiers,
            missing=self._text(table, "missing") or plain.missing,
            rules=tuple(self._rule(rule) for rule in self._tables(table, "rules", "synthesize.rules")),
            impossible=self._texts(table, "impossible"),
        )

    def _rule(self, table: Mapping[str, Any]) -> Rule:
        self._known(table, ("when", "then"), "[[synthesize.rules]]")
        return Rule(when=self._text(table, "when") or "", then=dict(self._table(table, "then")))

    def _target(self, table: Any) -> Target:
        if not isinstance(table, Mapping):
            self.faults.append("[[targets]] must be tables.")
            return Target(variable="")
        self._known(table, ("variable", "equals", "above", "below"), "[[targets]]")
        return Target(
            variable=self._text(table, "variable") or "",
            equals=self._texts(table, "equals"),
            above=self._number(table, "above"),
            below=self._number(table, "below"),
        )

    def _known(self, table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
        self.faults += [
            unknown("Key", key, keys, where=f"in {where}", listed="Keys") for key in table if key not in keys
        ]

    def _table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = table.get(key, {})
        if isinstance(value, Mapping):
            return value
        self.faults.append(f"{key} must be a table.")
        return {}

    def _tables(self, table: Mapping[str, Any], key: str, said: str) -> list[Mapping[str, Any]]:
        """A list of tables."""
        found = table.get(key, [])
        if isinstance(found, (list, tuple)) and all(isinstance(one, Mapping) for one in found):
            return list(found)
        self.faults.append(f"[[{said}]] must be tables.")
        return []

    def _text(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is None or isinstance(value, str):
            return value or None
        self.faults.append(f"{key} must be a text.")
        return None

    def _texts(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
            return tuple(str(v) for v in value)
        self.faults.append(f"{key} must be a list of texts.")
        return ()

    def _text_lists(self, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        return {key: self._texts(table, key) for key in table}

    def _number(self, table: Mapping[str, Any], key: str) -> float | None:
        value = table.get(key)
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            return value
        self.faults.append(f"{key} must be a number.")
        return None

    def _wholes(self, table: Mapping[str, Any], key: str) -> tuple[int, ...]:
        value = table[key]
        if isinstance(value, (list, tuple)) and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            return tuple(value)
        self.faults.append(f"{key} must be a list of whole numbers.")
        return ()

    def _yes(self, table: Mapping[str, Any], key: str, *, otherwise: bool = True) -> bool:
        value = table.get(key, otherwise)
        if not isinstance(value, bool):
            self.faults.append(f"{key} must be true or false.")
        return bool(value)

    def _limit(self, table: Mapping[str, Any], key: str) -> float | None:
        """A number, or `false` for a measure that the plan does not decide on."""
        return None if table[key] is False else self._number(table, key)

    def _whole(self, table: Mapping[str, Any], key: str) -> int | None:
        value = table.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.faults.append(f"{key} must be a whole number.")
        return None


def as_document(plan: Plan) -> dict[str, Any]:
    """The plan as plain data: what `parse_plan` reads and the evidence holds."""
    limits = plan.thresholds
    document = {
        "schema": 1,
        "seed": plan.seed,
        "roles": {
            **{k: list(getattr(plan.roles, k)) for k in _LISTS},
            **{k: getattr(plan.roles, k) for k in _NAMES},
        },
        "kinds": dict(plan.kinds),
        "missing": {
            "mode": plan.missing,
            "codes": {k: list(v) for k, v in plan.missing_codes.items()},
            "keep": list(plan.keep_words),
        },
        "population": {
            "size": plan.population,
            "file": plan.population_file,
            "margins": list(plan.margins),
            "estimators": list(plan.estimators),
            "backtest": plan.backtest,
        },
        "thresholds": {k: False if (limit := getattr(limits, k)) is None else limit for k in _THRESHOLDS},
        "knowledge": {"up_to": plan.known_up_to, "groups": {k: list(v) for k, v in plan.groups.items()}},
        "suda": {"size": plan.suda_size or 0},
        "synthesize": _synthesis_document(plan.synthesis),
        "protect": {
            "steps": [{"method": step.method, **step.options} for step in plan.protection.steps],
            "drop": list(plan.protection.drop),
            "index": plan.protection.index,
            "shuffle": plan.protection.shuffle,
        },
        "compare": {
            key: list(value) if isinstance(value := getattr(plan.comparison, key), tuple) else value for key in COMPARE
        },
        "repair": {key: getattr(plan.repair, key) for key in REPAIR},
        "targets": [
            {"variable": t.variable, "equals": list(t.equals), "above": t.above, "below": t.below} for t in plan.targets
        ],
        "data": {k: getattr(plan, k) for k in _TABLES["data"]},
    }
    return {key: _without_none(value) for key, value in document.items()}


def _synthesis_document(choices: Synthesis) -> dict[str, Any]:
    found = {key: getattr(choices, key) for key in SYNTHESIZE}
    return {
        **found,
        "options": dict(choices.options),
        **{key: list(found[key]) for key in ("columns", "drop", "impossible")},
        "given": dict(choices.given),
        "computed": dict(choices.computed),
        "rules": [{"when": rule.when, "then": dict(rule.then)} for rule in choices.rules],
    }


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_none(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_none(v) for v in value]
    return value


def starter(data: Microdata) -> str:
    """An editable plan for a file, with the reason for each guess beside it."""
    lines = [
        f"# A plan for {data.name}, guessed from names and contents. Check every role before you trust a figure.",
        "schema = 1",
        "seed = 1",
        "",
        "[roles]",
        *_role_lines(data, "identifiers", Role.IDENTIFIER, "names a person: never released"),
        *_role_lines(data, "quasi_identifiers", Role.QUASI_IDENTIFIER, "what an attacker may know"),
        *_role_lines(data, "sensitive", Role.SENSITIVE, "what an attacker wants to know"),
        *_one_line("weight", data.weight, data),
        *_one_line("household", data.household, data),
        *(f"# other: {v.name}: {v.why}" for v in data.variables if v.role is Role.OTHER),
        "",
        "[kinds]  # numeric, ordinal, nominal, date, text code",
        *(_kind_line(v, data.mixed.get(v.name, 0)) for v in data.variables),
        "",
        "[missing]  # a missing quasi-identifier is: own (a category), wildcard (matches all), conservative (none)",
        'mode = "own"',
        '# keep = ["region"]  # columns in which NA, NULL and the like are values, not missing',
        "[missing.codes]  # codes that mean missing, by column",
        '# "income" = ["-8", "-9"]',
        "",
        "[population]  # how many people the file was drawn from, or a file of them",
        "# size = 1000000",
        '# file = "population.parquet"',
        '# margins = ["people-by-area.csv"]  # known counts of people by some quasi-identifiers',
        '# estimators = ["posterior", "average"]  # the first decides; ["all"] asks every one',
        "",
        "[synthesize]",
        '# model = "latent-classes"',
        "# columns = []  # those to draw; none named: all",
        "# copies = 1",
        "# [[synthesize.rules]]",
        """# when = "age < 16\"""",
        """# then = { marital_status = "never married" }""",
        "",
        "[protect]",
        "# [[protect.steps]]  # none: generalize until the thresholds hold",
        '# method = "mondrian"',
        "# k = 5",
        "",
        "[compare]",
        '# formulas = ["income ~ age + sex"]  # regressions whose conclusions should be kept',
        '# targets = ["income"]  # what is learned from the release; none named: the sensitive columns',
        "",
        "[thresholds]",
        "sample_to_population = 0.09  # false: not decided on",
        "# k_anonymity = 5",
        "",
        "# [[targets]]  # values whose disclosure is to be measured",
        '# variable = "charges"',
        "# above = 100000",
    ]
    return "\n".join(lines) + "\n"


def _kind_line(variable: Variable, mixed: int) -> str:
    line = f"{json.dumps(variable.name, ensure_ascii=False)} = {json.dumps(variable.kind.value)}"
    if not mixed:
        return line
    return f"# {line}  # not numbers: {mixed:,}. Missing codes? List them below. Text? Then say so here."


def _role_lines(data: Microdata, key: str, role: Role, meaning: str) -> list[str]:
    members = [v for v in data.variables if v.role is role]
    if not members:
        return [f"{key} = []  # {meaning}"]
    cells = [f"    {json.dumps(v.name, ensure_ascii=False)},  # {v.why}" for v in members]
    return [f"{key} = [  # {meaning}", *cells, "]"]


def _one_line(key: str, name: str | None, data: Microdata) -> list[str]:
    if name is None:
        return [f'# {key} = "column"']
    return [f"{key} = {json.dumps(name, ensure_ascii=False)}  # {data.variable(name).why}"]
