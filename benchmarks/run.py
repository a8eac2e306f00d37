"""Run one benchmark by name, or all that take minutes: python benchmarks/run.py [NAME ...] [--large]."""

import subprocess
import sys
from pathlib import Path

GROUPS = {
    "protect": ("protect_scale", "protect_lattice", "protect_cells"),
    "utility": ("utility_tables", "utility_propensity"),
}
"""Several under one name."""
NAMES = (
    "classes",
    "population",
    "areas",
    "thin",
    "designs",
    "calibration",
    "synthesize",
    "sequential",
    *GROUPS["protect"],
    "ontario_protect",
    *GROUPS["utility"],
    "attacks",
    "attack_controls",
    "attack_excess",
    "attacks_anonymeter",
    "coarsened",
    "discharge_study",
    "pcs_study",
    "cap_experiments",
    "study",
)
HOURS = {
    "study",
    "thin",
    "designs",
    "calibration",
    "discharge_study",
    "coarsened",
    "pcs_study",
    "attack_controls",
    "attacks_anonymeter",
}
"""Run only if named."""

if __name__ == "__main__":
    options = [a for a in sys.argv[1:] if a.startswith("-")]
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or [name for name in NAMES if name not in HOURS]
    chosen = [name for asked in chosen for name in GROUPS.get(asked, (asked,))]
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        sys.exit(f"No benchmark '{unknown[0]}'. Benchmarks: {', '.join(NAMES)}.")
    for name in chosen:
        subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py"), *options], check=True)
