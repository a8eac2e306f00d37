"""Hierarchies: how each value of a column is told more generally, level by level; read or built."""

from lookalike.data.hierarchy.dates import DateParts
from lookalike.data.hierarchy.folder import Folder, read_folder
from lookalike.data.hierarchy.grouped import Groups, OrderedGroups
from lookalike.data.hierarchy.hierarchy import Hierarchy, Laid, lay
from lookalike.data.hierarchy.intervals import Intervals, TopBottom
from lookalike.data.hierarchy.plain import KINDS, as_plain, from_plain
from lookalike.data.hierarchy.prefix import Prefix
from lookalike.data.hierarchy.rare import Rare
from lookalike.data.hierarchy.suggest import suggest, suggested
from lookalike.data.hierarchy.table import Table

__all__ = [
    "KINDS",
    "DateParts",
    "Folder",
    "Groups",
    "Hierarchy",
    "Intervals",
    "Laid",
    "OrderedGroups",
    "Prefix",
    "Rare",
    "Table",
    "TopBottom",
    "as_plain",
    "from_plain",
    "lay",
    "read_folder",
    "suggest",
    "suggested",
]
