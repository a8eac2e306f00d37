"""Typed values of a parsed document; what is wrong is collected, so that all faults are told together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.errors import unknown


class Values:
    """Reads values from tables and keeps the faults.

    >>> values = Values()
    >>> values.whole({"size": "many"}, "size"), values.texts({"columns": ["a", 2]}, "columns")
    (None, ('a', '2'))
    >>> values.faults
    ['size must be a whole number.']
    """

    def __init__(self) -> None:
        self.faults: list[str] = []

    def known(self, table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
        """Tell of keys that the table does not have."""
        self.faults += [
            unknown("Key", key, keys, where=f"in {where}", listed="Keys") for key in table if key not in keys
        ]

    def table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """A table within the table; empty where there is none."""
        value = table.get(key, {})
        if isinstance(value, Mapping):
            return value
        self.faults.append(f"{key} must be a table.")
        return {}

    def tables(self, table: Mapping[str, Any], key: str, said: str) -> list[Mapping[str, Any]]:
        """A list of tables."""
        found = table.get(key, [])
        if isinstance(found, (list, tuple)) and all(isinstance(one, Mapping) for one in found):
            return list(found)
        self.faults.append(f"[[{said}]] must be tables.")
        return []

    def text(self, table: Mapping[str, Any], key: str) -> str | None:
        """A text, or None; an empty one is none."""
        value = table.get(key)
        if value is None or isinstance(value, str):
            return value or None
        self.faults.append(f"{key} must be a text.")
        return None

    def texts(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """A list of texts; numbers are taken as they are written."""
        value = table.get(key, [])
        if isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
            return tuple(str(v) for v in value)
        self.faults.append(f"{key} must be a list of texts.")
        return ()

    def text_lists(self, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """A list of texts under each key."""
        return {key: self.texts(table, key) for key in table}

    def number(self, table: Mapping[str, Any], key: str) -> float | None:
        """A number, or None."""
        value = table.get(key)
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            return value
        self.faults.append(f"{key} must be a number.")
        return None

    def wholes(self, table: Mapping[str, Any], key: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        value = table[key]
        if isinstance(value, (list, tuple)) and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            return tuple(value)
        self.faults.append(f"{key} must be a list of whole numbers.")
        return ()

    def yes(self, table: Mapping[str, Any], key: str, *, otherwise: bool = True) -> bool:
        """True or false."""
        value = table.get(key, otherwise)
        if not isinstance(value, bool):
            self.faults.append(f"{key} must be true or false.")
        return bool(value)

    def limit(self, table: Mapping[str, Any], key: str) -> float | None:
        """A number, or `false` for a measure that the plan does not decide on."""
        return None if table[key] is False else self.number(table, key)

    def whole(self, table: Mapping[str, Any], key: str) -> int | None:
        """A whole number, or None."""
        value = table.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.faults.append(f"{key} must be a whole number.")
        return None
