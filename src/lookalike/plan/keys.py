"""The tables of a plan in TOML and the keys of each."""

from __future__ import annotations

from lookalike.anonymize.choices import Protection
from lookalike.plan.comparison import Comparison
from lookalike.plan.repair import Repair
from lookalike.synthesis.choices import Synthesis
from lookalike.threshold import Threshold

ROLE_LISTS = ("identifiers", "quasi_identifiers", "sensitive")
ROLE_NAMES = ("weight", "household")
THRESHOLDS = tuple(Threshold.__dataclass_fields__)
SYNTHESIZE = tuple(Synthesis.__dataclass_fields__)
PROTECT = tuple(Protection.__dataclass_fields__)
COMPARE = tuple(Comparison.__dataclass_fields__)
REPAIR = tuple(Repair.__dataclass_fields__)
DATA = ("engine", "spark_master", "delimiter", "encoding", "sheet")
TARGET = ("variable", "equals", "above", "below")
RULE = ("when", "then")

TABLES: dict[str, tuple[str, ...]] = {
    "roles": (*ROLE_LISTS, *ROLE_NAMES),
    "kinds": (),
    "missing": ("mode", "codes", "keep"),
    "population": ("size", "file", "counts", "cluster", "margins", "estimators", "backtest"),
    "thresholds": THRESHOLDS,
    "knowledge": ("up_to", "groups"),
    "suda": ("size",),
    "synthesize": SYNTHESIZE,
    "protect": PROTECT,
    "compare": COMPARE,
    "repair": REPAIR,
    "data": DATA,
}
"""The keys of each table. The keys of `kinds` are the columns of the file, so none is known beforehand."""
TOP = ("schema", "seed", *TABLES, "targets")
