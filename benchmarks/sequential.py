"""Sequential synthesis: CPU seconds, and use beside synthpop's own release. python benchmarks/sequential.py

Needs ../shared/data and ../shared/reference. Compilation is left out: each job runs once before it is timed.
"""

import time
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

import lookalike as la
from lookalike.models import Sequential
from lookalike.models.mixed import Categories, Mixed, Numbers
from lookalike.models.steps import Cart
from lookalike.synthesis import Synthesis
from lookalike.synthesis import synthesize as draw

SHARED = Path(__file__).resolve().parents[2] / "shared"
SYNTHPOP = 13.7
"""CPU seconds of its CART on 30,162 × 10 (reference/README.md)."""


def cpu(job, rounds: int = 3) -> float:
    """The least CPU seconds of some rounds, after one that compiles."""
    job()
    found = []
    for _ in range(rounds):
        start = time.process_time()
        job()
        found.append(time.process_time() - start)
    return min(found)


def mixed(frame: pl.DataFrame, numbers: set[str]) -> Mixed:
    columns = []
    for name in frame.columns:
        if name in numbers:
            columns.append(Numbers(frame[name].cast(pl.Float64).to_numpy()))
        else:
            codes = frame[name].cast(pl.String).fill_null("?").rank("dense").to_numpy().astype(np.int32) - 1
            columns.append(Categories(codes, int(codes.max()) + 1))
    return Mixed(tuple(columns))


def many_levels() -> None:
    rng = np.random.default_rng(1)
    level = rng.integers(0, 60, 50_000).astype(np.int32)
    answer = rng.integers(0, 3, 50_000)
    answer = np.where(rng.random(50_000) < 0.5, level % 3, answer).astype(np.int32)
    table = Mixed((Categories(level, 60),))

    def job():
        Cart().fit(Categories(answer, 3), table, rng=rng).draw(table, rng=rng)

    print(f"3 classes, 60 levels, 50,000 records: {cpu(job):.3f} CPU s (rpart: 31 s at 26 levels, 2,000 records)")


def adult() -> None:
    names = pl.read_csv(SHARED / "reference" / "adult5000_10.csv", n_rows=1).columns
    whole = pl.read_csv(SHARED / "data" / "adult.csv", null_values="?").drop_nulls().head(30_162)
    whole = whole.rename({"income": "salary_class"})
    found = [n for n in names if n in whole.columns]
    table = mixed(whole.select(found), {"age", "hours_per_week", "capital_gain", "capital_loss", "education_num"})

    def model():
        law = Sequential().fit_mixed(table, rng=np.random.default_rng(1), threads=1)
        law.sample(table.records, rng=np.random.default_rng(2), threads=1)

    seconds, times = cpu(model), SYNTHPOP / cpu(model)
    print(f"Adult, {table.records:,} x {len(found)}, CART: {seconds:.2f} CPU s, {times:.0f} times fewer than synthpop")
    file, asked = la.read(whole.select(found)), Synthesis(model="sequential")
    seconds = cpu(lambda: draw(file, asked, rng=np.random.default_rng(1)), 1)
    print(f"  the whole frame (encode, fit, draw, compare): {seconds:.2f} CPU s")


def variation(one: pl.DataFrame, other: pl.DataFrame, ways: int) -> float:
    """The mean total variation between all tables of so many columns; numbers in 5 groups of the first."""
    both = []
    for name in one.columns:
        a, b = one[name], other[name]
        if a.dtype.is_numeric() and a.n_unique() > 20:
            edges = np.unique(np.quantile(a.to_numpy(), [0.2, 0.4, 0.6, 0.8]))
            both.append([np.searchsorted(edges, s.to_numpy(), "right") for s in (a, b)])
        else:
            codes = pl.concat([a.cast(pl.String), b.cast(pl.String)]).rank("dense").to_numpy().astype(int) - 1
            both.append([codes[: len(a)], codes[len(a) :]])
    gaps = []
    for columns in combinations(both, ways):
        sizes = [max(c[0].max(), c[1].max()) + 1 for c in columns]
        shares = [
            np.bincount(np.ravel_multi_index([c[s] for c in columns], sizes), minlength=int(np.prod(sizes)))
            / len(columns[0][s])
            for s in (0, 1)
        ]
        gaps.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(gaps))


def propensity(one: pl.DataFrame, other: pl.DataFrame) -> float:
    """pMSE over its expectation for a correct release, logistic with main effects."""
    import statsmodels.api as sm

    stacked = pl.concat([one, other], how="vertical_relaxed")
    parts = [np.ones((stacked.height, 1))]
    for name in one.columns:
        column = stacked[name]
        if column.dtype.is_numeric():
            x = column.cast(pl.Float64).to_numpy()
            parts.append(((x - x.mean()) / (x.std() or 1))[:, None])
        else:
            parts.append(column.to_dummies(drop_first=True).to_numpy().astype(float))
    x = np.concatenate(parts, axis=1)
    kept = np.linalg.matrix_rank(x)
    t = np.repeat([0.0, 1.0], [one.height, other.height])
    p = sm.GLM(t, x, family=sm.families.Binomial()).fit_regularized(alpha=1e-9, L1_wt=0, maxiter=200).predict(x)
    c = other.height / stacked.height
    return float(((p - c) ** 2).mean() / ((kept - 1) * c * (1 - c) ** 2 / stacked.height))


def use() -> None:
    original = pl.read_csv(SHARED / "reference" / "adult5000_10.csv")
    theirs = pl.read_csv(SHARED / "reference" / "adult5000_syn_cart.csv").select(original.columns)
    file = la.read(original)
    print("adult5000: mean total variation of 1-, 2- and 3-way tables, pMSE ratio")
    rows = {"synthpop, CART, its one release": [theirs]}
    for method in ("cart", "parametric", "rf", "bag", "ctree"):
        seeds = range(5) if method == "cart" else range(2)
        rows[f"ours, {method}, mean of {len(seeds)}"] = [
            draw(file, Synthesis(), model=Sequential(method=method), rng=np.random.default_rng(s)).data.head(5000)
            for s in seeds
        ]
    for name, releases in rows.items():
        figures = [[variation(original, r, ways) for ways in (1, 2, 3)] + [propensity(original, r)] for r in releases]
        print(f"  {name:34}", " ".join(f"{v:.4f}" for v in np.mean(figures, axis=0)))


def wide() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=(5_000, 20))
    columns = base @ rng.normal(size=(20, 300)) + 3 * rng.normal(size=(5_000, 300))
    for width in (75, 150, 300):
        cells = [
            Numbers(c) if j % 2 else Categories(np.digitize(c, [-5, 0, 5]).astype(np.int32), 4)
            for j, c in enumerate(columns[:, :width].T)
        ]
        table = Mixed(tuple(cells))

        def job(table=table):
            law = Sequential(most_predictors=10).fit_mixed(table, rng=np.random.default_rng(1), threads=1)
            law.sample(5_000, rng=np.random.default_rng(2), threads=1)

        seconds = cpu(job, 2)
        print(
            f"{width} columns x 5,000, at most 10 predictors: {seconds:.2f} CPU s, {1000 * seconds / width:.1f} ms each"
        )


if __name__ == "__main__":
    many_levels()
    adult()
    wide()
    use()
