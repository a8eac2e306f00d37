"""A recode: levels and their hierarchies as plain data, for the next file of the same kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from lookalike.anonymize.generalizing.generalization import Generalization
from lookalike.anonymize.generalizing.laying import Unseen, given_hierarchies
from lookalike.anonymize.method import Asked, Changed
from lookalike.data import Microdata
from lookalike.data.hierarchy import Hierarchy, as_plain, from_plain, suggested
from lookalike.engine import records
from lookalike.errors import BadFile, BadPlan, LookalikeError, unknown
from lookalike.threshold import Threshold

SCHEMA = 1
_KEYS = ("schema", "columns", "max_suppression", "drop", "unseen", "limits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoded:
    """One column of a recode."""

    hierarchy: Hierarchy
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """Columns at stated levels of stated hierarchies: nothing is searched, and nothing is read off the new file.

    Records in classes that break a limit are suppressed as before, up to `max_suppression`: the limits asked for, or
    without any those the recode was made for.

    >>> import lookalike as la, numpy as np, polars as pl
    >>> from lookalike.data.hierarchy import Intervals
    >>> ages = Recode(columns={"age": Recoded(hierarchy=Intervals(widths=(10,)), level=1)})
    >>> file = la.read(pl.DataFrame({"age": [21, 24, 33]}), quasi_identifiers=["age"])
    >>> ages.change(Asked(file=file, rng=np.random.default_rng(1))).columns["age"].to_list()
    ['[20;29]', '[20;29]', '[30;39]']
    >>> Recode.from_plain(ages.to_plain()) == ages
    True
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ages.to_json(Path(folder, "recode.json"))
    ...     kept = Recode.from_json(Path(folder, "recode.json"))
    >>> kept.columns["age"].level
    1
    """

    name: ClassVar[str] = "recode"
    columns: Mapping[str, Recoded]
    max_suppression: float = 0.0
    drop: bool = False
    unseen: Unseen = "refuse"
    limits: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        file: Microdata,
        method: Generalization,
        levels: Mapping[str, int],
        limits: Mapping[str, float] | None = None,
    ) -> Self:
        """The recode of a generalization that was made of a file: its hierarchies, built as then, at these levels."""
        given, _ = given_hierarchies(method.hierarchies, file, tuple(levels))
        columns = {}
        for name, level in levels.items():
            counted = records(file.table, [name])[name].drop_nulls().value_counts(name="__records").sort(name)
            values, counts = counted[name], counted["__records"].to_numpy().astype(np.int64)
            hierarchy = given.get(name) or suggested(file.variable(name), values, counts)
            columns[name] = Recoded(hierarchy=hierarchy.fitted(file.variable(name), values, counts), level=level)
        return cls(
            columns=columns,
            max_suppression=method.max_suppression,
            drop=method.drop,
            unseen=method.unseen,
            limits=dict(limits or {}),
        )

    def faults(self) -> list[str]:
        """What is wrong with the recode alone."""
        faults = [] if self.columns else ["The recode names no column."]
        for name, step in self.columns.items():
            faults += [f"Hierarchy of '{name}': {fault}" for fault in step.hierarchy.faults()]
        faults += [
            unknown("Limit", name, _limits(), where="known", listed="Limits")
            for name in self.limits
            if name not in _limits()
        ]
        return [*faults, *self._method().faults()]

    def change(self, asked: Asked) -> Changed:
        """See `Method`."""
        faults = self.faults()
        if faults:
            raise BadPlan(faults)
        if not list(asked.until) and self.limits:
            asked = replace(asked, until=Threshold(**{"sample_to_population": None, **self.limits}))  # type: ignore[arg-type]
        return self._method().change(asked)

    def to_plain(self) -> dict[str, Any]:
        """The recode as plain data."""
        return {
            "schema": SCHEMA,
            "columns": {n: {"level": s.level, "hierarchy": as_plain(s.hierarchy)} for n, s in self.columns.items()},
            "max_suppression": self.max_suppression,
            "drop": self.drop,
            "unseen": self.unseen,
            "limits": dict(self.limits),
        }

    @classmethod
    def from_plain(cls, document: Any) -> Self:
        """A recode from plain data; raises with all that is wrong."""
        if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
            raise BadPlan(f"This is not a recode of schema {SCHEMA}.")
        faults = [
            unknown("Key", key, _KEYS, where="in a recode", listed="Keys") for key in document if key not in _KEYS
        ]
        columns: dict[str, Recoded] = {}
        for name, step in dict(document.get("columns", {})).items():
            try:
                columns[name] = Recoded(hierarchy=from_plain(step["hierarchy"]), level=int(step["level"]))
            except LookalikeError as error:
                faults.append(f"Column '{name}': {error}")
            except (KeyError, TypeError, ValueError):
                faults.append(f"Column '{name}' of the recode needs a hierarchy and a level.")
        if faults:
            raise BadPlan(faults)
        settings = {key: document[key] for key in _KEYS[2:] if key in document}
        made = cls(columns=columns, **settings)
        if faults := made.faults():
            raise BadPlan(faults)
        return made

    def to_json(self, path: str | Path) -> None:
        """Write it to a file. The file names categories of the data where a hierarchy was built from them."""
        Path(path).write_text(json.dumps(self.to_plain(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def from_json(cls, path: str | Path) -> Self:
        """Read it from a file."""
        path = Path(path)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise BadFile(f"{path.name}: there is no such recode.") from None
        except (IsADirectoryError, UnicodeDecodeError, json.JSONDecodeError):
            raise BadFile(f"{path.name} is not a recode in JSON.") from None
        return cls.from_plain(document)

    def _method(self) -> Generalization:
        return Generalization(
            hierarchies={name: step.hierarchy for name, step in self.columns.items()},
            levels={name: step.level for name, step in self.columns.items()},
            max_suppression=self.max_suppression,
            drop=self.drop,
            unseen=self.unseen,
            columns=tuple(self.columns),
        )


def _limits() -> list[str]:
    return list(Threshold.__dataclass_fields__)
