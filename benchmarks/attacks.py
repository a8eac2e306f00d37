"""Attacks: matching, CAP and DiSCO of 4 million records × 4 keys beside one group-by; linkage beside `recordlinkage`.

The first job is to be linear in the records: its yardstick is one Polars group-by (streaming) of the same four keys of
the original alone, in the same run. The second: 5,000 records linked to 5,000 rows in blocks of sex, race and
education, five fields compared, weights by EM, greedy one-to-one links; `recordlinkage` (PyPI) does the same in a
process of its own.

    python benchmarks/attacks.py [linear] [linkage]; both if none is named.
"""

import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
REFERENCE = HERE.parent.parent / "shared" / "reference"
BLOCK = ["sex", "race", "education"]
FIELDS = ["marital_status", "workclass", "occupation", "salary_class", "age_band"]
KEYS = {"few classes": ["age_yrs", "sex", "race", "patcnty"], "many classes": ["age_yrs", "sex", "patzip", "los"]}
TARGET = "adm_qtr"


def best(jobs: dict, rounds: int = 6) -> dict[str, float]:
    """The best time of each job, all jobs in turn, so that other work on the machine falls on all of them."""
    seconds = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, work in jobs.items():
            start = time.perf_counter()
            work()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def linear() -> None:
    import numpy as np
    import polars as pl

    from classes import file_of
    from lookalike.attacks import Attribution, Files, Matching
    from lookalike.attacks.cap import record_cap
    from lookalike.attacks.cap_measures import DISCO
    from lookalike.attacks.cells import Cells

    whole = pl.read_parquet(file_of(4_000_000))
    drawn = whole[np.random.default_rng(1).integers(0, whole.height, whole.height)]
    for name, keys in KEYS.items():
        for records in (1_000_000, 2_000_000, 4_000_000):
            original, release = whole.head(records), drawn.head(records)
            files = Files(original=original, releases=(release,), linked=True)
            attack = Attribution(known=tuple(keys), target=TARGET)
            cells = Cells.of(original, release, keys, TARGET)
            jobs = {
                "one group-by": lambda o=original, k=keys: o.lazy().group_by(k).len().collect(engine="streaming"),
                "matching": lambda f=files, k=keys: Matching(known=tuple(k)).attack(f),
                "cells": lambda o=original, r=release, k=keys: Cells.of(o, r, k, TARGET),
                "CAP of every record": lambda o=original, r=release, k=keys: record_cap(Cells.of(o, r, k, TARGET)),
                "DiSCO": lambda o=original, r=release, k=keys: DISCO.outcome(Cells.of(o, r, k, TARGET)),
                "attribution, all measures": lambda a=attack, f=files: a.attack(f),
            }
            seconds = best(jobs)
            one = seconds["one group-by"]
            print(f"{name}, {records:,} records, {len(cells.original.keys):,} keys", flush=True)
            for job, taken in seconds.items():
                print(f"  {job:26s} {taken:7.3f} s  {taken / one:5.2f} times the group-by", flush=True)


def ours() -> dict:
    import numpy as np
    import polars as pl

    from lookalike.attacks import Files, Linkage, Links

    original, release = (pl.read_csv(REFERENCE / f"npb_eight_{n}.csv") for n in ("orig", "syn1"))
    files = Files(original=original, releases=(release,), linked=True)
    answer = {}
    for links in Links:
        attack = Linkage(known=tuple(BLOCK), compared=tuple(FIELDS), links=links)
        found = attack.attack(files, rng=np.random.default_rng(1))
        answer[links.value] = {"true links": found.table.true_linked, "of the original": found.original.true_linked}
    return answer


def ours_alone() -> dict:
    """What `recordlinkage` does below, no more: one release, greedy."""
    import numpy as np
    import polars as pl

    from lookalike.attacks.linkage_em import learn
    from lookalike.attacks.linkage_pairs import Pairs

    original, release = (pl.read_csv(REFERENCE / f"npb_eight_{n}.csv") for n in ("orig", "syn1"))
    start = time.perf_counter()
    pairs = Pairs.of(original, release, BLOCK, FIELDS, {})
    patterns = pairs.patterns()
    compared = time.perf_counter() - start
    weight = learn(patterns, pairs.true_pairs / pairs.total, free=True).weights()
    links = pairs.greedy(weight, above=None, rng=np.random.default_rng(1))
    true = int((links == np.arange(len(links))).sum())
    return {"pairs": pairs.total, "true links": true, "seconds of blocking and comparing": compared}


def theirs() -> dict:
    import pandas as pd
    import recordlinkage
    from recordlinkage.index import Block

    original, release = (pd.read_csv(REFERENCE / f"npb_eight_{n}.csv") for n in ("orig", "syn1"))
    shuffled = release.sample(frac=1, random_state=1)
    start = time.perf_counter()
    indexer = recordlinkage.Index()
    indexer.add(Block(BLOCK, BLOCK))
    pairs = indexer.index(original, shuffled)
    compare = recordlinkage.Compare()
    for field in FIELDS:
        compare.exact(field, field, label=field)
    features = compare.compute(pairs, original, shuffled)
    compared = time.perf_counter() - start
    learner = recordlinkage.ECMClassifier(binarize=None)
    learner.fit(features)
    weight = learner.prob(features).sort_values(ascending=False, kind="stable")
    used, taken, true = set(), set(), 0
    for left, right in weight.index:
        if left not in used and right not in taken:
            used.add(left)
            taken.add(right)
            true += left == right
    return {"pairs": len(pairs), "true links": int(true), "seconds of blocking and comparing": compared}


def linkage() -> None:
    from measure import peers, run

    found = {}
    for name, python in (("ours_alone", Path(sys.executable)), ("ours", Path(sys.executable)), ("theirs", None)):
        m = run(python or peers("peers-attacks.txt", "attacks"), Path(__file__), "--job", name)
        found[name] = m
        told = "failed" if m is None else f"{m.seconds:7.3f} s {m.peak_mb:6.0f} MB {m.answer}"
        print(f"  {name:12s}", told, flush=True)
    same, more = (found["theirs"].seconds / found[name].seconds for name in ("ours_alone", "ours"))
    print(f"recordlinkage / ours, the same job: {same:.1f} (bar: at least 5)")
    print(f"recordlinkage / ours, release and original, both linked greedily and optimally: {more:.1f}")


def job(name: str) -> None:
    work, seconds, answer = {"ours": ours, "ours_alone": ours_alone, "theirs": theirs}[name], [], {}
    for _ in range(5 if name != "theirs" else 3):
        start = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "answer": answer}))


if __name__ == "__main__":
    if "--job" in sys.argv:
        job(sys.argv[sys.argv.index("--job") + 1])
    else:
        parts = {"linear": linear, "linkage": linkage}
        for name in [a for a in sys.argv[1:] if a in parts] or parts:
            parts[name]()
