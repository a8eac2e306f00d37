"""Controls of attacks on Adult: a release of other people, the original itself, a bootstrap of it.

Each repetition draws an original, a control and other people, none in two of them. An attack must show no excess over
its control (the lower end of the excess is not above 0) for a release of other people in 95 of 100, must succeed on a
copy, and a bootstrap must lie between. Another attack is another line of ATTACKS.

    python benchmarks/attack_controls.py [repetitions] [records] [part of the names of attacks]
"""

import sys
import time
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import numpy as np
import polars as pl

from lookalike.attacks import (
    Attribution,
    Copies,
    Distances,
    Files,
    Guessing,
    Inference,
    Linkability,
    Matching,
    Membership,
    Outcome,
    SinglingOut,
)

SHARED = Path(__file__).parent.parent.parent / "shared"
KNOWN = ("age", "sex", "race", "marital_status", "education")
FIRST, SECOND = ("age", "sex", "race", "education"), ("marital_status", "workclass", "occupation", "hours_per_week")

Attack = Callable[[pl.DataFrame, pl.DataFrame, pl.DataFrame, np.random.Generator], Outcome]


def of(attack, pick=lambda found: found.outcome) -> Attack:
    """One outcome of an attack, as a function of the three files; those that draw nothing take no generator."""
    draws = "rng" in signature(attack.attack).parameters

    def run(original, release, control, rng) -> Outcome:
        files = Files(original=original, releases=(release,), control=control)
        return pick(attack.attack(files, rng=rng) if draws else attack.attack(files))

    return run


ATTACKS: dict[str, Attack] = {
    "singling out, 1 column": of(SinglingOut(conditions=1)),
    "singling out, 3 columns": of(SinglingOut(conditions=3)),
    "singling out, 5 columns": of(SinglingOut(conditions=5)),
    "linkability, k = 1": of(Linkability(first=FIRST, second=SECOND, k=1)),
    "linkability, k = 10": of(Linkability(first=FIRST, second=SECOND, k=10)),
    "guessing occupation": of(Guessing(known=KNOWN, secret="occupation")),
    "guessing salary_class": of(Guessing(known=KNOWN, secret="salary_class")),
    "guessing hours_per_week": of(Guessing(known=KNOWN, secret="hours_per_week")),
    "matching, a row fits": of(Matching(known=KNOWN), lambda found: found.found),
    "attribution, DCAP": of(Attribution(known=KNOWN, target="occupation"), lambda found: found["DCAP"]),
    "attribution, DiSCO": of(Attribution(known=KNOWN, target="occupation"), lambda found: found["DiSCO"]),
    "inference by neighbours": of(
        Inference(known=KNOWN, targets=("occupation",)), lambda found: found.targets[0].outcome
    ),
    "distances, closer": of(Distances(subsets=0), lambda found: found.closer),
    "distances, identical": of(Distances(subsets=0), lambda found: found.identical),
    "distances, singled out": of(Distances(subsets=0), lambda found: found.singled_out),
    "distances, near": of(Distances(subsets=0), lambda found: found.near),
    "distances, worst columns": of(Distances(), lambda found: found.worst),
    "copies": of(Copies(), lambda found: found.whole.every),
    "copies of unique keys": of(Copies(keys=KNOWN), lambda found: found.keys.unique),
    "membership by distance": of(Membership(), lambda found: found.outcomes[0]),
    "membership by density": of(Membership(), lambda found: found.outcomes[1]),
}

RELEASES = {
    "others": lambda original, others, rng: others,
    "bootstrap": lambda original, others, rng: original[rng.integers(0, original.height, original.height)],
    "copy": lambda original, others, rng: original,
}


def adult() -> pl.DataFrame:
    columns = pl.read_csv(SHARED / "reference" / "adult5000_10.csv", n_rows=1).columns
    return pl.read_csv(SHARED / "data" / "adult.csv").rename({"income": "salary_class"}).select(columns)


def main(repetitions: int = 100, records: int = 2_000, part: str = "") -> None:
    whole = adult()
    attacks = {name: attack for name, attack in ATTACKS.items() if part in name}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    seconds = dict.fromkeys(ATTACKS, 0.0)
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        drawn = rng.permutation(whole.height)[: 3 * records].reshape(3, records)
        original, control, others = (whole[part] for part in drawn)
        for kind, make in RELEASES.items():
            if kind != "others" and seed >= 20:
                continue
            release = make(original, others, rng)
            for name, attack in attacks.items():
                start = time.perf_counter()
                excess = attack(original, release, control, rng).excess
                seconds[name] += time.perf_counter() - start
                found.setdefault((name, kind), []).append((excess.low, excess.value))
    print(f"{repetitions} repetitions, {records:,} records each of original, release and control")
    print(f"{'attack':26s} others: excess  above control  bootstrap    copy    shown  s")
    for name in attacks:
        other, again, same = (np.array(found[name, kind]) for kind in RELEASES)
        above, shown = np.count_nonzero(other[:, 0] > 0), np.count_nonzero(same[:, 0] > 0)
        ordered = other[:, 1].mean() < again[:, 1].mean() < same[:, 1].mean()
        ok = above <= 0.05 * len(other) and shown == len(same) and ordered
        print(
            f"{name:26s} {other[:, 1].mean():15.4f} {above:7d} of {len(other):3d} {again[:, 1].mean():10.4f} "
            f"{same[:, 1].mean():7.4f} {shown:3d} of {len(same):2d}  {seconds[name]:.0f} {'ok' if ok else 'MISSED'}"
        )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:3]), *sys.argv[3:4])
