"""Singling out, linkability and guessing beside `anonymeter` (PyPI): equal attacks on the Adult pair, in one run.

The original is the 5,000 records of the reference figures, the release its synthesis by CART, the control records of
Adult that are not in the original. Anonymeter drops equal records before singling out and scales its control where the
distinct records differ in number; so the control here has as many distinct records as the original, and no scaling is
due. Each tool runs with the same three seeds; times are the best of them, start-up and compilation left out. Rates are
the means over the seeds; they agree if each lies in the other's interval of a single run. Its baseline of inference
loses guesses on the way (it looks rows of the release up by the numbers of the targets, and finds a part), so that the
baselines differ there.

    python benchmarks/attacks_anonymeter.py [--peer python of an environment with anonymeter]
"""

import json
import sys
import time
from math import sqrt
from pathlib import Path

HERE = Path(__file__).parent
SHARED = HERE.parent.parent / "shared"
SEEDS = (1, 2, 3)
KNOWN = ["age", "sex", "race", "marital_status", "education"]
FIRST, SECOND = ["age", "sex", "race", "education"], ["marital_status", "workclass", "occupation", "hours_per_week"]

JOBS = {
    "singling out, 1 column": {"kind": "single", "conditions": 1, "attacks": 2000},
    "singling out, 3 columns": {"kind": "single", "conditions": 3, "attacks": 2000},
    "linkability, k = 1": {"kind": "link", "k": 1, "attacks": 2000},
    "linkability, k = 10": {"kind": "link", "k": 10, "attacks": 2000},
    "guessing occupation": {"kind": "guess", "secret": "occupation", "attacks": 2000},
    "guessing salary_class": {"kind": "guess", "secret": "salary_class", "attacks": 2000},
    "guessing hours_per_week": {"kind": "guess", "secret": "hours_per_week", "attacks": 2000},
}


def pair_and_control() -> Path:
    """A file of the control: complete records of Adult that are not in the original, as many distinct ones."""
    from collections import Counter
    from tempfile import mkdtemp

    import numpy as np
    import polars as pl

    original = pl.read_csv(SHARED / "reference" / "adult5000_10.csv")
    adult = pl.read_csv(SHARED / "data" / "adult.csv").drop_nulls().rename({"income": "salary_class"})
    used, rest = Counter(original.iter_rows()), []
    for row in adult.select(original.columns)[np.random.default_rng(1).permutation(adult.height)].iter_rows():
        if used[row] > 0:
            used[row] -= 1
        else:
            rest.append(row)
    distinct, control, wanted = set(), [], original.n_unique()
    for row in rest:
        if row not in distinct and len(distinct) == wanted:
            break
        distinct.add(row)
        control.append(row)
    path = Path(mkdtemp()) / "control.csv"
    pl.DataFrame(control, schema=original.schema, orient="row").write_csv(path)
    return path


def ours(job: dict, control: str):
    import numpy as np
    import polars as pl

    from lookalike.attacks.files import Files
    from lookalike.attacks.guessing import Guessing, Naive
    from lookalike.attacks.linkability import Linkability
    from lookalike.attacks.singling_out import SinglingOut

    original, release = (pl.read_csv(SHARED / "reference" / f"adult5000_{n}.csv") for n in ("10", "syn_cart"))
    others = pl.read_csv(control)
    attack = {
        "single": lambda: SinglingOut(conditions=job["conditions"], attacks=job["attacks"]),
        "link": lambda: Linkability(first=tuple(FIRST), second=tuple(SECOND), k=job["k"], attacks=job["attacks"]),
        "guess": lambda: Guessing(known=tuple(KNOWN), secret=job["secret"], naive=Naive.RANDOM, attacks=job["attacks"]),
    }[job["kind"]]()

    def run(seed: int) -> dict:
        files = Files(original=original, releases=(release,), control=others)
        found = attack.attack(files, rng=np.random.default_rng(seed)).outcome
        return {"main": found.main.value, "control": found.control.value, "baseline": found.baseline.value}

    return run


def theirs(job: dict, control: str):
    import warnings

    import numpy as np
    import pandas as pd
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    warnings.simplefilter("ignore")
    original, release = (pd.read_csv(SHARED / "reference" / f"adult5000_{n}.csv") for n in ("10", "syn_cart"))
    others = pd.read_csv(control)

    def run(seed: int) -> dict:
        np.random.seed(seed)  # noqa: NPY002 (pandas draws from it)
        files = {"ori": original, "syn": release, "control": others, "n_attacks": job["attacks"]}
        if job["kind"] == "single":
            mode = "univariate" if job["conditions"] == 1 else "multivariate"
            found = SinglingOutEvaluator(**files, n_cols=job["conditions"], seed=seed).evaluate(mode=mode)
        elif job["kind"] == "link":
            found = LinkabilityEvaluator(**files, aux_cols=(FIRST, SECOND), n_neighbors=job["k"]).evaluate(n_jobs=-1)
        else:
            number = job["secret"] == "hours_per_week"
            found = InferenceEvaluator(**files, aux_cols=KNOWN, secret=job["secret"], regression=number)
            found = found.evaluate(n_jobs=-1)
        counts = found.results()
        tried = _tried(found, job)
        rates = {"main": counts.n_success / tried, "control": counts.n_control / tried}
        return {**rates, "baseline": counts.n_baseline / job["attacks"], "tried": tried}

    return run


def _tried(found, job: dict) -> int:
    """How many predicates it tried: of one column there are fewer than asked for, and it divides by what was asked."""
    from anonymeter.evaluators.singling_out_evaluator import univariate_singling_out_queries
    from numpy.random import default_rng

    if job.get("conditions") != 1:
        return job["attacks"]
    return len(univariate_singling_out_queries(found._syn, job["attacks"], default_rng(1)))


def worker(tool: str, name: str, control: str) -> None:
    work = {"ours": ours, "theirs": theirs}[tool]
    work(JOBS[name] | {"attacks": 20}, control)(0)  # compiles
    run = work(JOBS[name], control)
    seconds, rates = [], []
    for seed in SEEDS:
        start = time.perf_counter()
        rates.append(run(seed))
        seconds.append(time.perf_counter() - start)
    mean = {key: sum(r[key] for r in rates) / len(rates) for key in rates[0]}
    print(json.dumps({"seconds": seconds, "answer": mean}))


def interval(rate: float, n: int) -> tuple[float, float]:
    """Wilson's; from 0 where less than one success is expected."""
    z = 1.959964
    centre, half = (rate * n + z * z / 2) / (n + z * z), z / (n + z * z) * sqrt(n * rate * (1 - rate) + z * z / 4)
    return 0.0 if rate * n < 1 else centre - half, centre + half


def agree(one: float, other: float, n: int) -> bool:
    return all(low <= a <= high for a, (low, high) in ((one, interval(other, n)), (other, interval(one, n))))


def main() -> None:
    from measure import peers, run

    given = "--peer" in sys.argv
    peer = Path(sys.argv[sys.argv.index("--peer") + 1]) if given else peers("peers-anonymeter.txt", "anonymeter")
    control = str(pair_and_control())
    print(f"{'attack':36s} {'ours s':>8s} {'theirs s':>9s} {'times':>6s}  rates ours / theirs")
    for name, job in JOBS.items():
        mine = run(Path(sys.executable), Path(__file__), "--job", "ours", name, control)
        other = run(peer, Path(__file__), "--job", "theirs", name, control)
        tried = {"main": other.answer["tried"], "control": other.answer["tried"], "baseline": job["attacks"]}
        rates = "; ".join(
            f"{key} {mine.answer[key]:.4f} / {other.answer[key]:.4f} "
            f"{'agree' if agree(mine.answer[key], other.answer[key], round(n)) else 'DIFFER'}"
            for key, n in tried.items()
        )
        times = other.seconds / mine.seconds
        print(f"{name:36s} {mine.seconds:8.3f} {other.seconds:9.3f} {times:6.1f}  {rates}", flush=True)


if __name__ == "__main__":
    if "--job" in sys.argv:
        worker(*sys.argv[sys.argv.index("--job") + 1 :])
    else:
        main()
