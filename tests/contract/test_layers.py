"""The house: a room imports only from rooms above it (design/house.md)."""

import ast
from pathlib import Path

import lookalike

SOURCE = Path(lookalike.__file__).parent
ROWS = [
    {"notebook", "visible"},
    {"console", "errors", "estimate"},
    {"engine", "settings", "target", "threshold"},
    {"data"},
    {"classes", "models"},
    {"risk", "population"},
    {"anonymize", "synthesis", "utility", "attacks"},
    {"plan"},
    {"evaluate"},
    {"report"},
    {"cli", "web"},
]
ROW = {room: number for number, rooms in enumerate(ROWS) for room in rooms}
# Late imports of the page by the result it shows: `Evaluation.to_json` and `str(evaluation)`.
ALLOWED = {("evaluate", "report")}
ENGINES = {"duckdb", "pyspark"}


def imports(path: Path) -> set[str]:
    """All modules a file imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def rooms_of(path: Path) -> set[str]:
    names = {i.split(".")[1] for i in imports(path) if i.startswith("lookalike.")}
    return {name for name in names if name in ROW}


def faults(source: Path) -> list[str]:
    found = []
    for path in sorted(source.rglob("*.py")):
        home = path.relative_to(source).parts[0].removesuffix(".py")
        if home == "__init__":
            continue
        for room in rooms_of(path) - {home}:
            if ROW[room] >= ROW[home] and (home, room) not in ALLOWED:
                found.append(f"{path.relative_to(source)} imports {room}")
    return found


def test_every_room_is_in_a_row() -> None:
    rooms = {p.name.removesuffix(".py") for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert rooms - {"__init__"} <= set(ROW)


def test_rooms_import_only_from_rooms_above() -> None:
    assert faults(SOURCE) == []


def test_only_the_engine_room_imports_engines() -> None:
    outside = [p for p in SOURCE.rglob("*.py") if "engine" not in p.relative_to(SOURCE).parts]
    assert [str(p) for p in outside if {i.split(".")[0] for i in imports(p)} & ENGINES] == []


def test_the_check_finds_a_fault(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bad.py").write_text("def f():\n    from lookalike.cli import main\n")
    assert faults(tmp_path) == ["data/bad.py imports cli"]
