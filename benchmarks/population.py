"""Population estimators: 18,903 records, ten quasi-identifiers, 13,448,494 people (see `ontario.py`).

The job: B from the file and N alone. `average` fits two copulas, draws 13.4 million records from each and counts
their classes; `posterior` draws no population, so it is also run with 340 million people. The yardstick: what NumPy
needs to draw 13.4 million × 10 standard normals once and to sort 13.4 million random 64-bit keys once.
"""

import sys
from pathlib import Path

import numpy as np

from measure import HERE, Measured, run
from ontario import PEOPLE, population, sample

DATA = HERE / "data"
JOB = HERE / "population_job.py"
OURS = Path(sys.executable)
LARGE = 340_000_000
BAR = 4.0


def file_of() -> Path:
    """The sample and the truth; the population is simulated once and let go."""
    DATA.mkdir(exist_ok=True)
    path = DATA / "ontario.npz"
    if not path.exists():
        records, rate = sample(population())
        np.savez(path, records=records, rate=rate)
    return path


def show(name: str, found: Measured | None, yardstick: float) -> None:
    told = "failed"
    if found is not None:
        told = f"{found.seconds:8.2f} s {found.peak_mb:6.0f} MB  ratio {found.seconds / yardstick:5.2f}  {found.answer}"
    print(f"{name:22s} {told}", flush=True)


def main() -> None:
    file = file_of()
    print(f"true B of this sample: {float(np.load(file)['rate']):.4f}")
    yardstick = run(OURS, JOB, "yardstick", str(file), str(PEOPLE))
    show("yardstick", yardstick, yardstick.seconds)
    average = run(OURS, JOB, "average", str(file), str(PEOPLE))
    show("average", average, yardstick.seconds)
    # In turn, for the machine may slow down between the two: the better of two rounds each.
    rounds = [[run(OURS, JOB, "posterior", str(file), str(people)) for people in (PEOPLE, LARGE)] for _ in range(2)]
    posterior, large = (min(pair, key=lambda found: found.seconds) for pair in zip(*rounds, strict=True))
    show("posterior", posterior, yardstick.seconds)
    show("posterior, 340 million", large, yardstick.seconds)
    if "--large" in sys.argv:
        show("average, 340 million", run(OURS, JOB, "average", str(file), str(LARGE), "1"), yardstick.seconds)
    print(f"average against the yardstick: {average.seconds / yardstick.seconds:.2f} (bar: at most {BAR:.0f})")
    print(f"posterior against the average: {posterior.seconds / average.seconds:.2f} (bar: at most 3)")
    print(f"posterior at 340 million against itself: {large.seconds / posterior.seconds:.2f} (bar: 0.9 to 1.1)")
    print(f"peak memory of average: {average.peak_mb:.0f} MB, interpreter included (bar: 2,000)")


if __name__ == "__main__":
    main()
