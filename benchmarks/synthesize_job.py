"""One job of the synthesis benchmark: python synthesize_job.py NAME FOLDER [DATA]. Prints JSON on its last line."""

import json
import sys
import time
from pathlib import Path

import numpy as np

SENSITIVE = 5
"""The first columns of the PCS table are the five that the PCS paper draws."""


def table_of(folder: Path, data: str):
    from lookalike.models.mixed import Categories, Mixed, Numbers

    columns, levels = load(folder, data)
    return Mixed(
        tuple(
            Numbers(c.astype(float)) if k is None else Categories(c.astype(np.int32), k)
            for c, k in zip(columns, levels, strict=True)
        )
    )


def load(folder: Path, data: str) -> tuple[list[np.ndarray], list[int | None]]:
    """The columns; of each how many levels it has, None for numbers."""
    found = np.load(folder / f"{data}.npz")
    levels = json.loads((folder / f"{data}.json").read_text())
    return [found[name] for name in found.files], levels


def two_way(original: list[np.ndarray], drawn: list[np.ndarray], levels: list[int | None]) -> float:
    """The mean total variation between the two-way tables; numbers in 20 groups of the original."""
    coded = []
    for a, b, k in zip(original, drawn, levels, strict=True):
        if k is None:
            edges = np.unique(np.quantile(a, np.arange(1, 20) / 20))
            coded.append((np.searchsorted(edges, a, "right"), np.searchsorted(edges, b, "right"), len(edges) + 1))
        else:
            coded.append((a.astype(int), np.clip(np.rint(np.nan_to_num(b)), 0, k - 1).astype(int), k))
    gaps = []
    for i in range(len(coded)):
        for j in range(i):
            width = coded[i][2] * coded[j][2]
            shares = [
                np.bincount(coded[i][s] * coded[j][2] + coded[j][s], minlength=width) / len(coded[i][s]) for s in (0, 1)
            ]
            gaps.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(gaps))


def uniforms(folder: Path, data: str) -> dict:
    """The yardstick: 10⁸ uniform numbers by NumPy."""
    rng = np.random.default_rng(1)
    return timed(lambda: rng.random(10**8))


def dpmpm(folder: Path, data: str) -> dict:
    """The PCS paper's job: 70 classes, 5,000 sweeps, five copies with the five sensitive columns drawn."""
    from lookalike.models import DPMPM

    table = table_of(folder, data)

    def job(choice):
        law = choice.fit_mixed(table, rng=np.random.default_rng(2), threads=1)
        rng = np.random.default_rng(3)
        for one in law.apart(5):
            one.redraw(table, range(SENSITIVE), rng=rng, threads=1)
        return law

    job(DPMPM.pcs_paper(sweeps=20, burn_in=10))  # compiles
    start = time.process_time()
    law = job(DPMPM.pcs_paper())
    cpu = time.process_time() - start
    told = law.diagnostics
    return {"seconds": [cpu], "answer": {"occupied": round(float(told.occupied[told.burn_in :].mean()), 1)}}


def ours(folder: Path, data: str) -> dict:
    """Our Gaussian copula: fit, then as many records as the table has."""
    from lookalike.models import GaussianCopula
    from lookalike.models.mixed import Numbers

    table, choice = table_of(folder, data), GaussianCopula()
    rng = np.random.default_rng(1)
    choice.fit_mixed(table.take(np.arange(1000)), rng=rng).sample(2**15, rng=rng)  # compiles
    return fit_and_sample(
        folder,
        data,
        lambda: choice.fit_mixed(table, rng=np.random.default_rng(1)),
        lambda law, n: [
            c.values if isinstance(c, Numbers) else c.codes for c in law.sample(n, rng=np.random.default_rng(2)).columns
        ],
    )


def copulas(folder: Path, data: str) -> dict:
    """`copulas`: GaussianMultivariate with its default margins, codes as numbers."""
    import warnings

    import pandas as pd
    from copulas.multivariate import GaussianMultivariate

    warnings.simplefilter("ignore")
    columns, _ = load(folder, data)
    frame = pd.DataFrame({str(i): c.astype(float) for i, c in enumerate(columns)})

    def fit():
        model = GaussianMultivariate()
        model.fit(frame)
        return model

    def sample(model, n):
        drawn = model.sample(n)
        return [drawn[c].to_numpy() for c in frame.columns]

    return fit_and_sample(folder, data, fit, sample)


def pyvinecopulib(folder: Path, data: str) -> dict:
    """pyvinecopulib: a Gaussian D-vine on ranks with ties broken at random, margins by empirical quantiles."""
    import pyvinecopulib as pv

    columns, _ = load(folder, data)
    rng = np.random.default_rng(1)
    n, q = len(columns[0]), len(columns)

    def fit():
        ranks = [np.argsort(np.lexsort((rng.random(n), c))) for c in columns]
        u = (np.column_stack(ranks) + 0.5) / n
        controls = pv.FitControlsVinecop(family_set=[pv.BicopFamily.gaussian], num_threads=2)
        return pv.Vinecop.from_data(u, structure=pv.DVineStructure(list(range(1, q + 1))), controls=controls)

    def sample(model, k):
        u = model.sample(k, num_threads=2, seeds=[1])
        return [np.sort(c)[np.minimum((u[:, j] * n).astype(int), n - 1)] for j, c in enumerate(columns)]

    return fit_and_sample(folder, data, fit, sample)


def fit_and_sample(folder: Path, data: str, fit, sample) -> dict:
    """Seconds to fit and to draw as many records as there are."""
    columns, levels = load(folder, data)
    n = len(columns[0])
    start = time.perf_counter()
    law = fit()
    fitted = time.perf_counter() - start
    start = time.perf_counter()
    drawn = sample(law, n)
    sampled = time.perf_counter() - start
    answer = {"fit": fitted, "sample": sampled, "two_way": round(two_way(columns, drawn, levels), 4)}
    return {"seconds": [fitted + sampled], "answer": answer}


def model(folder: Path, data: str) -> dict:
    """Adult by one of our models, through the whole frame; `data` is the model's name."""
    import lookalike as la

    file = la.read(str(folder / "adult.parquet"))
    if data != "normal":
        la.synthesize(file.head(500), data, seed=1)  # compiles
    start = time.perf_counter()
    release = la.synthesize(file, data, seed=1)
    seconds = time.perf_counter() - start
    pair = [frame.to_dict(as_series=True) for frame in (file.head(10**9), release.data.head(10**9))]
    tables = [_as_codes(pair[0][name], pair[1][name]) for name in pair[0]]
    gap = two_way([t[0] for t in tables], [t[1] for t in tables], [t[2] for t in tables])
    like = release.likeness[0]
    uniques = 0.0 if like.repeated_uniques is None else like.repeated_uniques.value
    return {"seconds": [seconds], "answer": {"two_way": gap, "repeated": like.repeated.value, "uniques": uniques}}


def _as_codes(original, drawn):
    """Two columns as numbers, and how many levels they have; None for numbers."""
    import polars as pl

    if original.dtype.is_numeric() and not original.null_count():
        return original.to_numpy().astype(float), drawn.to_numpy().astype(float), None
    both = pl.concat([original.cast(pl.String), drawn.cast(pl.String)]).fill_null("")
    codes = (both.rank("dense") - 1).to_numpy()
    return codes[: len(original)], codes[len(original) :], int(codes.max()) + 1


def memory(folder: Path, data: str) -> dict:
    """The whole job on 3.4 million records of ten columns: read, fit, draw, write."""
    import lookalike as la

    start = time.perf_counter()
    release = la.synthesize(str(folder / f"{data}.parquet"), "gaussian-copula", seed=1)
    la.write(release.data, folder / "drawn.parquet", force=True)
    return {"seconds": [time.perf_counter() - start], "answer": {"records": release.data.records}}


def timed(work) -> dict:
    start = time.process_time()
    work()
    return {"seconds": [time.process_time() - start], "answer": {}}


JOBS = {f.__name__: f for f in (uniforms, dpmpm, ours, copulas, pyvinecopulib, model, memory)}

if __name__ == "__main__":
    name, folder, *data = sys.argv[1:]
    print(json.dumps(JOBS[name](Path(folder), data[0] if data else "")))
