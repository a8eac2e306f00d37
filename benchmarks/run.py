"""Run one benchmark by name, or all that take minutes: python benchmarks/run.py [NAME ...] [--large]."""

import subprocess
import sys
from pathlib import Path

NAMES = ("classes", "population", "areas", "synthesize", "sequential", "study")
HOURS = {"study"}
"""Run only if named."""

if __name__ == "__main__":
    options = [a for a in sys.argv[1:] if a.startswith("-")]
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or [name for name in NAMES if name not in HOURS]
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        sys.exit(f"No benchmark '{unknown[0]}'. Benchmarks: {', '.join(NAMES)}.")
    for name in chosen:
        subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py"), *options], check=True)
