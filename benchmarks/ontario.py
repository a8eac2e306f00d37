"""A simulated population with the ten quasi-identifiers of a COVID survey in Ontario, and a sample of it.

The variables follow table 2 of Jiang, Mosquera, Jiang, Kong and El Emam (2022), after generalization: 13,448,494
people, 18,903 of them in the file. Their true law is not published; this one is invented, with dependence that no
copula has: areas differ in age, ethnicity and travel, conditions rise with age, results follow answers in time. No
record is about anyone.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

PEOPLE = 13_448_494
RECORDS = 18_903
VARIABLES = (
    "month",
    "fsa",
    "conditions",
    "age_1",
    "travel_outside_canada",
    "ethnicity",
    "sex",
    "tobacco_usage",
    "travel_work_school",
    "covid_results_month",
)
FSAS = 510
BLOCK = 500_000

Codes = NDArray[np.int16]


def steps(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cumulated shares of each row r, moved to (r, r + 1], so that one search serves all rows."""
    shares = np.cumsum(weights, axis=1)
    return np.asarray(shares / shares[:, -1:] + np.arange(len(shares))[:, None], np.float64)


def draw(rng: Generator, of: NDArray[np.float64], row: NDArray[np.int64]) -> NDArray[np.int64]:
    """One category a person, by the shares of its row."""
    u = rng.random(len(row)) * (1 - 1e-9)
    return np.asarray(np.searchsorted(of.ravel(), u + row, side="right") - row * of.shape[1], np.int64)


def population(people: int = PEOPLE, *, seed: int = 2020) -> Codes:
    """One row a person, one column a variable; drawn block by block from a law with its own seed."""
    law = default_rng(seed)
    fsa = steps((law.gamma(1.2, 1, FSAS) + 0.02)[None, :])
    age = steps(law.dirichlet(60 * np.array([0.28, 0.27, 0.28, 0.17]), FSAS))
    ethnicity = steps(law.dirichlet(3 * np.array([0.62, 0.1, 0.09, 0.05, 0.05, 0.04, 0.03, 0.02]), FSAS))
    condition = np.array([[60, 4, 3, 2, 1, 1, 9, 3, 1, 1], [50, 6, 5, 4, 2, 2, 9, 3, 2, 1]], float)
    old = np.array([[30, 9, 12, 9, 6, 5, 7, 4, 5, 3], [18, 9, 18, 14, 9, 9, 5, 4, 8, 6]], float)
    condition = steps(np.concatenate([condition, old]))
    month = steps(np.array([[34, 38, 12, 6, 4, 3, 3]], float))
    tobacco = steps(np.array([[0.93, 0.07], [0.8, 0.2], [0.82, 0.18], [0.9, 0.1]]))
    parts = [
        _block(default_rng([seed, start]), min(BLOCK, people - start), fsa, age, ethnicity, condition, month, tobacco)
        for start in range(0, people, BLOCK)
    ]
    return np.concatenate(parts)


def _block(rng: Generator, n: int, fsa, age, ethnicity, condition, month, tobacco) -> Codes:  # type: ignore[no-untyped-def]
    zero = np.zeros(n, np.int64)
    place = draw(rng, fsa, zero)
    years = draw(rng, age, place)
    asked = draw(rng, month, zero)
    tested = rng.random(n) < 0.06
    work = rng.random(n) < np.array([0.35, 0.55, 0.45, 0.05])[years]
    columns = (
        asked,
        place,
        draw(rng, condition, years),
        years,
        rng.random(n) < 0.02 + 0.03 * (asked == 0) + 0.02 * (place % 7 == 0),
        draw(rng, ethnicity, place),
        rng.random(n) < 0.51,
        draw(rng, tobacco, years),
        np.where(work, 1 + (rng.random(n) < 0.3), 0),
        np.where(tested, 1 + np.minimum(6, asked + (rng.random(n) < 0.3)), 0),
    )
    return np.column_stack([np.asarray(c, np.int16) for c in columns])


def sample(people: Codes, *, records: int = RECORDS, seed: int = 1) -> tuple[Codes, float]:
    """Some people, drawn without return, and the true B of their file."""
    rows = default_rng(seed).choice(len(people), records, replace=False)
    keys = np.zeros(len(people), np.int64)
    for j in range(people.shape[1]):
        keys = keys * (int(people[:, j].max()) + 1) + people[:, j]
    found, size = np.unique(keys, return_counts=True)
    return people[rows], float((1 / size[np.searchsorted(found, keys[rows])]).mean())
