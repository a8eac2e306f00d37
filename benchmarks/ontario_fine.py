"""The simulated Ontario survey before it was generalized: dates by day, ages in years, people in the household.

`ontario.py` has the people as table 2 of Jiang et al. (2022) leaves them; here each gets the finer values that lie
inside, and the eleventh variable, which the paper removed. As there, the law is invented and nobody is meant.
"""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.random import default_rng
from numpy.typing import NDArray

import ontario

NAMES = (
    "date",
    "fsa",
    "conditions",
    "age",
    "travel_outside_canada",
    "ethnicity",
    "sex",
    "tobacco_usage",
    "travel_work_school",
    "covid_results_date",
    "people_in_household",
)
FIRST = date(2020, 4, 1)
MONTHS = np.cumsum([0, 30, 31, 30, 31, 31, 30, 31])
"""Days before each month from April 2020 on, and in all."""
YEARS = (np.arange(12, 26), np.arange(26, 45), np.arange(45, 65), np.arange(65, 96))
CONDITIONS = (
    "none",
    "asthma",
    "high blood pressure",
    "diabetes",
    "heart disease",
    "lung disease",
    "allergies",
    "depression",
    "cancer",
    "kidney disease",
)
ETHNICITIES = ("white", "south asian", "chinese", "black", "filipino", "latin american", "arab", "indigenous")
WORK = ("no", "work", "school")
LETTERS = "ABCEGHJKLMNPRSTVWXYZ"

Codes = NDArray[np.int16]


def population(people: int = ontario.PEOPLE, *, seed: int = 2020) -> Codes:
    """One row a person, one column a variable; made block by block."""
    coarse = ontario.population(people, seed=seed)
    out = np.empty((people, len(NAMES)), np.int16)
    for start in range(0, people, ontario.BLOCK):
        at = slice(start, start + ontario.BLOCK)
        out[at] = _finer(default_rng([seed, 7, start]), coarse[at])
    return out


def _finer(rng: np.random.Generator, coarse: Codes) -> Codes:
    n = len(coarse)
    month, age, results = coarse[:, 0], coarse[:, 3], coarse[:, 9]
    # Most answered in the first days of a month, when the survey was in the news.
    share = rng.random(n) ** 1.5
    day = MONTHS[month] + (share * np.diff(MONTHS)[month]).astype(int)
    years = np.empty(n, np.int64)
    for group, ages in enumerate(YEARS):
        rows = np.flatnonzero(age == group)
        weight = np.exp(-0.06 * np.maximum(ages - 70, 0)) * np.where(ages < 16, 0.4, 1.0)
        years[rows] = rng.choice(ages, len(rows), p=weight / weight.sum())
    tested = np.maximum(results - 1, 0)
    result = np.where(results > 0, 1 + MONTHS[tested] + (rng.random(n) * np.diff(MONTHS)[tested]).astype(int), 0)
    mean = np.where(age == 3, 0.7, np.where(age == 1, 1.6, 2.1)) + 0.8 * (coarse[:, 5] > 0)
    household = np.minimum(1 + rng.poisson(mean), 10)
    columns = (day, coarse[:, 1], coarse[:, 2], years, *coarse[:, 4:9].T, result, household)
    return np.column_stack([np.asarray(c, np.int16) for c in columns])


def sample(people: Codes, *, records: int = ontario.RECORDS, seed: int = 1) -> NDArray[np.int64]:
    """The rows of some people, drawn without return: the same people as in `ontario.sample`."""
    return default_rng(seed).choice(len(people), records, replace=False)


def table(codes: Codes) -> pl.DataFrame:
    """Codes as the values a survey has; who was not tested has no date of results."""
    return pl.DataFrame({name: _values(name, codes[:, j]) for j, name in enumerate(NAMES)})


def _values(name: str, codes: Codes) -> list[object]:
    texts: dict[str, tuple[str, ...]] = {
        "fsa": tuple(f"{'KLMNP'[i % 5]}{i // 5 % 10}{LETTERS[i // 50 % 20]}" for i in range(ontario.FSAS)),
        "conditions": CONDITIONS,
        "travel_outside_canada": ("no", "yes"),
        "ethnicity": ETHNICITIES,
        "sex": ("male", "female"),
        "tobacco_usage": ("no", "yes"),
        "travel_work_school": WORK,
    }
    if name in texts:
        return [texts[name][c] for c in codes]
    if name == "date":
        return [FIRST + timedelta(days=int(c)) for c in codes]
    if name == "covid_results_date":
        return [FIRST + timedelta(days=int(c) - 1) if c else None for c in codes]
    return [int(c) for c in codes]
