"""One contender of `population.py`: python population_job.py CONTENDER FILE PEOPLE [TIMES]."""

import sys

import numpy as np

from measure import repeat


def yardstick(file: str, people: int):
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**62, people)

    def work():
        # Block by block: the yardstick shall not pay for a gigabyte of memory.
        for start in range(0, people, 2**20):
            rng.standard_normal((min(2**20, people - start), 10))
        np.sort(keys)
        return {}

    return work


def estimator(key: str):
    def make(file: str, people: int):
        from lookalike.population import ESTIMATORS, Sample

        records = np.load(file)["records"]
        sample = Sample.from_codes(*np.unique(records, axis=0, return_counts=True))

        def work():
            found = ESTIMATORS[key].estimate(sample, people, rng=np.random.default_rng(1)).match_rate
            return {"B": found.value, "low": found.low, "high": found.high}

        return work

    return make


if __name__ == "__main__":
    contender, path, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    made = yardstick if contender == "yardstick" else estimator(contender)
    # The first run compiles the kernels or loads them from disk; the best of the runs leaves it out.
    repeat(made(path, number), int(sys.argv[4]) if len(sys.argv) > 4 else 4)
