"""How far a reader walks: files, imports and names of the package, and what one command runs through.

    python benchmarks/walk.py            static figures of this checkout
    python benchmarks/walk.py commands   files and functions that assess, protect, synthesize and compare run through

Both take the package that `import lookalike` finds, so the same script measures an older checkout
(`PYTHONPATH=OLD/src python benchmarks/walk.py`). Figures before and after the rebuild: docs/decisions/0015.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_spec = find_spec("lookalike")
assert _spec is not None
assert _spec.origin is not None
SOURCE = Path(_spec.origin).parent


def modules(source: Path) -> dict[str, Path]:
    """Each module of the package by its dotted name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = ("lookalike", *path.relative_to(source).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(files: dict[str, Path]) -> dict[str, set[str]]:
    """The modules of the package that each module imports, late imports and those for types among them."""
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        wanted: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                wanted |= {
                    f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in files else node.module for a in node.names
                }
        found[name] = {w for w in wanted if w in files and w != name}
    return found


def longest_chain(graph: dict[str, set[str]]) -> int:
    """Files on the longest path of imports at module level; a cycle through late imports is cut where it closes."""
    sys.setrecursionlimit(10_000)
    walking: set[str] = set()

    @cache
    def depth(name: str) -> int:
        walking.add(name)
        below = [depth(other) for other in sorted(graph[name]) if other not in walking]
        walking.discard(name)
        return 1 + max(below, default=0)

    return max(depth(name) for name in sorted(graph))


def names_used_twice(files: dict[str, Path]) -> dict[str, list[str]]:
    """Class names that more than one module defines."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, path in files.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    return {name: found for name, found in homes.items() if len(found) > 1}


def static() -> None:
    """Print the figures of the package as it stands."""
    files = modules(SOURCE)
    graph = imports(files)
    importers: dict[str, int] = defaultdict(int)
    for wanted in graph.values():
        for name in wanted:
            importers[name] += 1
    plain = [name for name, path in files.items() if path.name != "__init__.py"]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files.values())
    twice = names_used_twice(files)
    print(f"files                          {len(files)}")
    print(f"lines                          {lines:,}")
    print(f"files with one importer        {sum(importers[name] == 1 for name in plain)}")
    print(f"longest chain of imports       {longest_chain(graph)}")
    print(f"class names used more than once {len(twice)}: {', '.join(sorted(twice))}")


COMMANDS = {
    "assess": ["assess", "hospital.csv", "--plan", "plan.toml", "--population", "60000", "--quiet"],
    "protect": ["protect", "hospital.csv", "--plan", "plan.toml", "--population", "60000", "-o", "protected.csv"],
    "synthesize": ["synthesize", "hospital.csv", "--plan", "plan.toml", "--population", "60000", "-o", "drawn.csv"],
    "compare": ["compare", "hospital.csv", "drawn.csv", "--plan", "plan.toml"],
}
TRACED = """
import sys, threading
from pathlib import Path
source, out = sys.argv[1], sys.argv[2]
seen, deepest = set(), 0
def watch(frame, event, _):
    global deepest
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(source) and code.co_name[0] != "<":
        seen.add((code.co_filename, code.co_qualname))
        depth, up = 1, frame.f_back
        while up is not None:
            depth += up.f_code.co_filename.startswith(source) and up.f_code.co_name[0] != "<"
            up = up.f_back
        deepest = max(deepest, depth)
from lookalike.cli import main
sys.argv = ["lookalike", *sys.argv[3:]]
sys.setprofile(watch); threading.setprofile(watch)
try:
    main()
finally:
    sys.setprofile(None)
    files = {file for file, _ in seen}
    Path(out).write_text(f"{len(files)} files, {len(seen)} functions, {deepest} deep")
"""


def commands() -> None:
    """Run each command on the demonstration's file under a profiler, and count what it called."""
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "lookalike.cli"]
        run = [sys.executable, "-c", "from lookalike.cli import main; main()"]
        subprocess.run([*run, "demo", folder, "--force", "--quiet"], check=True, capture_output=True)
        subprocess.run([*run, "plan", "hospital.csv", "-o", "plan.toml", "--quiet"], cwd=folder, check=True)
        for name, arguments in COMMANDS.items():
            out = Path(folder, f"{name}.walked")
            subprocess.run(
                [sys.executable, "-c", TRACED, str(SOURCE), str(out), *arguments],
                cwd=folder,
                check=False,
                capture_output=True,
                env={**os.environ, "NUMBA_NUM_THREADS": "1"},
            )
            print(f"{name:12s} {out.read_text()}", flush=True)


if __name__ == "__main__":
    commands() if "commands" in sys.argv else static()
