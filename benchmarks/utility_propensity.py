"""Propensity scores and combining rules: are they calibrated, and how fast is a regression on two million records?

python benchmarks/utility_propensity.py [--calibration] [--rules] [--speed]; all three if none is named.
"""

import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lookalike.utility.combining import combine
from lookalike.utility.origin import How, Origin
from lookalike.utility.propensity import propensity
from lookalike.utility.propensity_models import Cart, Logistic

SHARED = Path(__file__).resolve().parents[2] / "shared"
SIZES = ((1000, 1000), (1000, 500), (1000, 3000))
LEVELS = (4, 3)
ORIGINS = {
    "improper": Origin(),
    "proper": Origin(proper=True),
    "independent": Origin(how=How.INDEPENDENT),
}


def inverse_wishart(df, scatter, rng) -> np.ndarray:
    """By Bartlett's decomposition."""
    size = len(scatter)
    root = np.diag(np.sqrt(rng.chisquare(df - np.arange(size)))) + np.tril(rng.normal(size=(size, size)), -1)
    inverse = np.linalg.cholesky(np.linalg.inv(scatter)) @ root
    return np.linalg.inv(inverse @ inverse.T)


@dataclass(frozen=True)
class Law:
    """Two categories with free chances of their cells, and three numbers, normal with a mean of each cell."""

    chances: np.ndarray
    means: np.ndarray
    covariance: np.ndarray

    @classmethod
    def truth(cls, rng) -> "Law":
        cells = LEVELS[0] * LEVELS[1]
        root = rng.normal(size=(3, 3))
        return cls(rng.dirichlet(np.full(cells, 8.0)), rng.normal(size=(cells, 3)), root @ root.T + np.eye(3))

    @classmethod
    def fitted(cls, file, rng=None) -> "Law":
        """The maximum of likelihood; with rng a draw from the posterior (no prior knowledge)."""
        cell, x = file
        counts = np.bincount(cell, minlength=LEVELS[0] * LEVELS[1])
        means = np.stack([np.bincount(cell, column, len(counts)) for column in x.T], 1) / np.maximum(counts, 1)[:, None]
        scatter = (x - means[cell]).T @ (x - means[cell])
        if rng is None:
            return cls(counts / counts.sum(), means, scatter / len(cell))
        covariance = inverse_wishart(len(cell) - (counts > 0).sum(), scatter, rng)
        noise = rng.multivariate_normal(np.zeros(3), covariance, len(counts)) / np.sqrt(np.maximum(counts, 1))[:, None]
        return cls(rng.dirichlet(np.maximum(counts, 1e-9)), means + noise, covariance)

    def draw(self, n, rng):
        cell = rng.choice(len(self.chances), n, p=self.chances)
        return cell, self.means[cell] + rng.multivariate_normal(np.zeros(3), self.covariance, n)


def frame(file) -> pl.DataFrame:
    cell, x = file
    names = (
        pl.Series(["a", "b", "c", "d"]).gather(cell // LEVELS[1]),
        pl.Series(["u", "v", "w"]).gather(cell % LEVELS[1]),
    )
    return pl.DataFrame({"g": names[0], "h": names[1], "x": x[:, 0], "y": x[:, 1], "z": x[:, 2]})


def release_of(kind, file, truth, n, rng):
    law = truth if kind == "independent" else Law.fitted(file, rng if kind == "proper" else None)
    return law.draw(n, rng)


def ratios(kind, sizes, replications, rng, **options) -> np.ndarray:
    """pMSE over its expectation, and over its standard deviation."""
    found = []
    for _ in range(replications):
        truth = Law.truth(rng)
        file = truth.draw(sizes[0], rng)
        release = release_of(kind, file, truth, sizes[1], rng)
        one = propensity(frame(file), frame(release), origin=ORIGINS[kind], rng=rng, **options).pmse
        found.append((one.value / one.expected, one.sd / one.expected, one.p_value))
    return np.array(found)


def calibration(replications: int = 500) -> None:
    """Mean of pMSE/E and SD of pMSE/E over the stated one, for a logistic regression on all products of two columns."""
    print(f"Null of pMSE, logistic regression, products of two columns (32 coefficients), {replications} replications")
    for kind in ORIGINS:
        for sizes in SIZES:
            rng = np.random.default_rng([2018, *sizes, list(ORIGINS).index(kind)])
            found = ratios(kind, sizes, replications, rng, model=Logistic(order=2))
            mean, spread = found[:, 0].mean(), found[:, 0].std(ddof=1) / found[:, 1].mean()
            error = found[:, 0].std(ddof=1) / np.sqrt(replications)
            low = (found[:, 2] < 0.05).mean()
            print(
                f"  {kind:12} {sizes[0]:5} + {sizes[1]:5}   mean ratio {mean:.4f} (± {error:.4f})   SD {spread:.3f}"
                f"   p < 0.05 in {low:.1%}"
            )


def partial(replications: int = 500) -> None:
    """Three numbers drawn given two that stay, by their regression; with and without all kept terms it rests on."""
    print(f"Null of pMSE, partial releases, 1000 records, {replications} replications")
    drawn = ("y1", "y2", "y3")
    products = "(x1 + x2):(y1 + y2 + y3) + y1:y2 + y1:y3 + y2:y3 + x1:x2 + x1 + x2 + y1 + y2 + y3"
    for proper in (False, True):
        for terms in ("x1 + x2 + y1 + y2 + y3", f"{products} + s1 + s2", products):
            rng, found = np.random.default_rng([2003, proper]), []
            origin = Origin(how=How.PARTIAL, proper=proper, drawn=drawn)
            for _ in range(replications):
                files = [five_columns(file) for file in drawn_given_two(proper, rng)]
                found.append(propensity(*files, rng=rng, origin=origin, model=Logistic(terms=terms)))
            ratio = np.array([one.pmse.ratio for one in found])
            spread = ratio.std(ddof=1) / np.sqrt(2 / found[0].free)
            print(f"  {origin!s:18} {found[0].free:3} coefficients  mean {ratio.mean():.3f}  SD {spread:.3f}  {terms}")


def drawn_given_two(proper, rng) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(1000, 2))
    y = x @ np.array([[0.5, 1, 0], [0, 0.5, -1]]) + rng.normal(size=(1000, 3)) @ np.array(
        [[1, 0.3, 0], [0, 1, 0.5], [0, 0, 1]]
    )
    design = np.column_stack([np.ones(1000), x, x**2, x[:, 0] * x[:, 1]])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ y
    scatter = (y - design @ b).T @ (y - design @ b)
    covariance = inverse_wishart(994, scatter, rng) if proper else scatter / 1000
    root = np.linalg.cholesky(covariance).T
    if proper:
        b = b + np.linalg.cholesky(inverse) @ rng.normal(size=b.shape) @ root
    return np.column_stack([x, y]), np.column_stack([x, design @ b + rng.normal(size=y.shape) @ root])


def five_columns(file) -> pl.DataFrame:
    frame = pl.DataFrame(file, schema=["x1", "x2", "y1", "y2", "y3"])
    return frame.with_columns(s1=pl.col("x1") ** 2, s2=pl.col("x2") ** 2)


def trees(replications: int = 60) -> None:
    """The same for trees by shuffled labels: known to be too high for improper releases."""
    print(f"Null of pMSE, trees by 20 shuffles, {replications} replications: mean ratio to the expectation")
    for folds in (0, 5):
        for kind in ORIGINS:
            rng = np.random.default_rng([1984, folds, list(ORIGINS).index(kind)])
            found = ratios(kind, (1000, 1000), replications, rng, model=Cart(), folds=folds, permutations=20)
            print(
                f"  {kind:12} folds {folds}   {found[:, 0].mean():.3f} (± {found[:, 0].std() / replications**0.5:.3f})"
            )


SLOPE, MEAN = 0.7, 2.0


def people(n, rng) -> np.ndarray:
    x = rng.normal(1.0, 1.0, n)
    return np.column_stack([x, MEAN + SLOPE * (x - 1.0) + rng.normal(0, 1.5, n)])


def estimates(file) -> tuple[np.ndarray, np.ndarray]:
    """Mean of y and slope of y on x, with their variances."""
    x, y = file.T
    n, d = len(x), x - x.mean()
    slope = d @ y / (d @ d)
    rest = y - y.mean() - slope * d
    return np.array([y.mean(), slope]), np.array([y.var(ddof=1) / n, rest @ rest / (n - 2) / (d @ d)])


def whole(file, k, proper, rng) -> np.ndarray:
    """A complete copy from a bivariate normal law, its parameters estimated or drawn."""
    n, mean = len(file), file.mean(axis=0)
    scatter = (file - mean).T @ (file - mean)
    covariance = scatter / n
    if proper:
        covariance = inverse_wishart(n - 1, scatter, rng)
        mean = mean + np.linalg.cholesky(covariance / n) @ rng.normal(size=2)
    return mean + rng.normal(size=(k, 2)) @ np.linalg.cholesky(covariance).T


def given_x(file, known, proper, rng) -> np.ndarray:
    """y drawn anew for all records given x, by the regression on the known records."""
    x, y = file[known].T
    design = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ y
    squares = np.sum((y - design @ b) ** 2)
    s2 = squares / (rng.chisquare(len(x) - 2) if proper else len(x) - 2)
    if proper:
        b = b + np.linalg.cholesky(s2 * inverse) @ rng.normal(size=2)
    drawn = b[0] + b[1] * file[:, 0] + np.sqrt(s2) * rng.normal(size=len(file))
    return np.column_stack([file[:, 0], drawn])


def copies_of(origin, n, k, m, nests, rng) -> list[np.ndarray]:
    file, every = people(n, rng), np.ones(n, bool)
    if origin.how in (How.COMPLETE, How.POPULATIONS):
        return [whole(file, k, origin.proper, rng) for _ in range(m)]
    if origin.how is not How.NESTED:
        return [given_x(file, every, origin.proper, rng) for _ in range(m)]
    known, found = rng.random(n) < 0.7, []
    for _ in range(nests):
        imputed = np.where(known[:, None], file, given_x(file, known, True, rng))
        found += [given_x(imputed, every, True, rng) for _ in range(m // nests)]
    return found


CASES = [
    *((Origin(proper=p), k, m, None) for p in (False, True) for k, m in ((500, 1), (500, 5), (250, 5), (1000, 1))),
    *((Origin(how=How.PARTIAL, proper=p), 500, m, None) for p in (False, True) for m in (2, 5)),
    (Origin(how=How.INCOMPLETE), 500, 5, None),
    *((Origin(how=How.POPULATIONS, proper=True), 500, m, None) for m in (10, 50, 100)),
    *((Origin(how=How.NESTED, proper=True), 500, m, 5) for m in (10, 25)),
]


def rules(replications: int = 1000) -> None:
    """Coverage of 95 % intervals for a mean and a slope, 500 records in the file."""
    print(
        f"Coverage of 95 % intervals, {replications} replications (± {1.96 * (0.05 * 0.95 / replications) ** 0.5:.3f})"
    )
    for place, (origin, k, m, nests) in enumerate(CASES):
        rng, hits = np.random.default_rng([2003, place]), np.zeros(2)
        for _ in range(replications):
            q, v = zip(*map(estimates, copies_of(origin, 500, k, m, nests, rng)), strict=True)
            found = combine(q, v, n=500, k=k, origin=origin, nests=nests)
            hits += (found.low <= [MEAN, SLOPE]) & (found.high >= [MEAN, SLOPE])
        mean, slope = hits / replications
        print(
            f"  {origin!s:20} k {k:5} m {m:3} {f'nests {nests}' if nests else '':8} mean {mean:.3f}   slope {slope:.3f}"
        )


def speed() -> None:
    """Twelve columns of Adult drawn to a million records, against another such draw."""
    file = pl.read_csv(SHARED / "data" / "adult.csv", null_values="?")
    file = file.select(file.columns[:12])
    one, other = (file.sample(1_000_000, with_replacement=True, seed=seed) for seed in (1, 2))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    propensity(one.head(2_000), other.head(2_000), rng=np.random.default_rng(1))
    start, cpu = time.perf_counter(), time.process_time()
    found = propensity(one, other, origin=Origin(how=How.INDEPENDENT), rng=np.random.default_rng(1))
    took = time.perf_counter() - start, time.process_time() - cpu
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"Logistic propensity, 1,000,000 + 1,000,000 records, 12 columns, {found.free} coefficients:"
        f" {took[0]:.1f} s ({took[1]:.1f} CPU s), peak {after:,.0f} MB of which {before:,.0f} MB with the files alone;"
        f" ratio {found.pmse.ratio:.3f}"
    )


if __name__ == "__main__":
    asked = set(sys.argv[1:])
    if not asked or "--speed" in asked:
        speed()
    if not asked or "--rules" in asked:
        rules()
    if not asked or "--calibration" in asked:
        calibration()
        partial()
        trees()
