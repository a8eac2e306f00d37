"""Run a job in a process of its own; measure its time and the peak memory of its whole process tree."""

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers"


@dataclass
class Measured:
    seconds: float
    """The best of the repeats, start-up left out."""
    peak_mb: float
    """Peak resident memory of the process and its children, start-up included."""
    answer: dict


def run(python: Path, script: Path, *args: str, limit: float | None = None) -> Measured | None:
    """The job's last line must be JSON: {"seconds": [...], "answer": {...}}. None if it failed, or took too long."""
    process = subprocess.Popen([str(python), str(script), *args], stdout=subprocess.PIPE, text=True)
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
    watcher.start()
    try:
        out, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    watcher.join()
    if process.returncode:
        return None
    result = json.loads(out.strip().splitlines()[-1])
    return Measured(min(result["seconds"]), peak[0], result["answer"])


def repeat(work, times: int = 3) -> None:
    """Run the work several times and print what `run` reads."""
    seconds, answer = [], {}
    for _ in range(times):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "answer": answer}))


def peers(requirements: str, name: str = "") -> Path:
    """A virtual environment of its own for packages whose pins do not go with ours, nor with each other's."""
    folder = PEERS.with_name(f"{PEERS.name}-{name}") if name else PEERS
    python = folder / "bin" / "python"
    if not python.exists():
        import sys

        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-qq", "-r", str(HERE / requirements)], check=True)
    return python


def _watch(process: subprocess.Popen, peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(_resident(pid) for pid in _tree(process.pid)))
        time.sleep(0.02)


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        try:
            tasks = list(Path(f"/proc/{pid}/task").iterdir())
            found += [int(c) for t in tasks for c in (t / "children").read_text().split()]
        except OSError:
            continue
    return found


def _resident(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except OSError:
        return 0.0
