"""A simulated hospital: one year of stays, and a file drawn from it, so that the truth is known.

No record is about anyone. The law of the hospital is written in the tables below and never changes; the
seed only says which patients it happens to draw. Each column has its own stream of random numbers, named
after the column, and takes one number a record from it. So a larger population begins with the smaller
one, and a new column would leave the others as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from lookalike.errors import BadPlan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

AGES = np.arange(101)
SEXES = ("F", "M")
ETHNICITIES = ("White", "Hispanic", "Black", "Asian", "Other", "Native")
MARITAL = ("Single", "Married", "Divorced", "Widowed")
REGIONS = 12
AREAS_OF_A_REGION = 10
MISSING = 0.03
LONGEST_STAY = 365


class Diagnosis(NamedTuple):
    """Who has it: a bell of ages around a peak, between two ages; how long they stay; what a day costs."""

    code: str
    meaning: str
    sexes: str
    first: int
    last: int
    peak: int
    spread: int
    weight: float
    days: float
    daily: float


DIAGNOSES = (
    Diagnosis("Z38", "Liveborn infant", "FM", 0, 0, 0, 1, 900, 2.2, 1100),
    Diagnosis("P07", "Short gestation, low birth weight", "FM", 0, 0, 0, 1, 70, 15.0, 3900),
    Diagnosis("P22", "Respiratory distress of newborn", "FM", 0, 0, 0, 1, 45, 7.0, 3600),
    Diagnosis("P59", "Neonatal jaundice", "FM", 0, 0, 0, 1, 60, 2.6, 1300),
    Diagnosis("J21", "Acute bronchiolitis", "FM", 0, 3, 0, 1, 80, 3.0, 1900),
    Diagnosis("A08", "Viral intestinal infection", "FM", 0, 100, 2, 5, 30, 2.4, 1600),
    Diagnosis("R56", "Convulsions", "FM", 0, 100, 3, 5, 22, 2.0, 2200),
    Diagnosis("J35", "Disease of tonsils and adenoids", "FM", 1, 40, 7, 5, 24, 1.1, 4100),
    Diagnosis("J45", "Asthma", "FM", 1, 100, 8, 9, 30, 2.8, 1900),
    Diagnosis("S52", "Fracture of forearm", "FM", 1, 100, 10, 8, 20, 1.6, 4800),
    Diagnosis("K35", "Acute appendicitis", "FM", 2, 95, 17, 10, 34, 2.5, 5600),
    Diagnosis("E10", "Type 1 diabetes", "FM", 1, 90, 18, 14, 12, 3.0, 2300),
    Diagnosis("N44", "Torsion of testis", "M", 8, 40, 15, 4, 6, 1.2, 5200),
    Diagnosis("F32", "Depressive episode", "FM", 12, 95, 24, 16, 24, 8.5, 1200),
    Diagnosis("F20", "Schizophrenia", "FM", 15, 90, 36, 13, 20, 14.0, 1100),
    Diagnosis("F10", "Alcohol disorders", "FM", 15, 90, 46, 12, 20, 4.6, 1600),
    Diagnosis("F11", "Opioid disorders", "FM", 15, 80, 33, 10, 9, 4.4, 1600),
    Diagnosis("O80", "Single spontaneous delivery", "F", 15, 49, 29, 5, 270, 2.1, 3300),
    Diagnosis("O82", "Caesarean delivery", "F", 15, 49, 31, 5, 120, 3.4, 4600),
    Diagnosis("O34", "Care for pelvic abnormality", "F", 15, 49, 32, 5, 60, 3.1, 3900),
    Diagnosis("O42", "Premature rupture of membranes", "F", 15, 49, 29, 5, 45, 2.9, 3200),
    Diagnosis("O48", "Late pregnancy", "F", 15, 49, 28, 5, 40, 2.6, 3300),
    Diagnosis("O14", "Pre-eclampsia", "F", 15, 49, 30, 6, 26, 4.2, 3300),
    Diagnosis("O24", "Diabetes in pregnancy", "F", 15, 49, 33, 5, 20, 3.0, 3100),
    Diagnosis("O60", "Preterm labour", "F", 15, 49, 27, 6, 22, 4.0, 3000),
    Diagnosis("O03", "Spontaneous abortion", "F", 15, 49, 31, 7, 12, 1.2, 3400),
    Diagnosis("N83", "Disorder of ovary", "F", 12, 70, 32, 10, 14, 2.2, 5000),
    Diagnosis("D25", "Leiomyoma of uterus", "F", 25, 65, 45, 6, 34, 2.2, 6100),
    Diagnosis("C50", "Cancer of breast", "F", 25, 100, 58, 13, 18, 2.4, 8200),
    Diagnosis("C56", "Cancer of ovary", "F", 20, 95, 61, 12, 6, 6.5, 5900),
    Diagnosis("N81", "Genital prolapse", "F", 30, 95, 62, 11, 12, 2.0, 5600),
    Diagnosis("C61", "Cancer of prostate", "M", 45, 100, 66, 8, 28, 2.3, 8900),
    Diagnosis("N40", "Enlarged prostate", "M", 45, 100, 72, 9, 18, 2.4, 4400),
    Diagnosis("L03", "Cellulitis", "FM", 0, 100, 52, 22, 30, 4.0, 1900),
    Diagnosis("K80", "Gallstones", "FM", 12, 100, 48, 18, 36, 3.4, 4700),
    Diagnosis("K85", "Acute pancreatitis", "FM", 12, 100, 48, 17, 18, 5.2, 2700),
    Diagnosis("K40", "Inguinal hernia", "FM", 0, 100, 60, 16, 10, 1.7, 5100),
    Diagnosis("M54", "Dorsalgia", "FM", 16, 100, 55, 15, 14, 3.6, 2900),
    Diagnosis("M51", "Disc disorders", "FM", 16, 95, 50, 12, 14, 2.9, 8400),
    Diagnosis("R07", "Pain in chest", "FM", 16, 100, 56, 14, 34, 1.7, 2900),
    Diagnosis("E11", "Type 2 diabetes", "FM", 18, 100, 59, 14, 28, 4.8, 2300),
    Diagnosis("I21", "Acute myocardial infarction", "FM", 28, 100, 67, 13, 38, 4.9, 7900),
    Diagnosis("I25", "Chronic ischaemic heart disease", "FM", 30, 100, 67, 10, 38, 4.0, 9800),
    Diagnosis("C34", "Cancer of lung", "FM", 30, 100, 69, 9, 16, 6.4, 4600),
    Diagnosis("C18", "Cancer of colon", "FM", 25, 100, 69, 12, 14, 7.6, 5200),
    Diagnosis("M17", "Knee osteoarthritis", "FM", 35, 95, 67, 9, 50, 3.0, 9400),
    Diagnosis("M16", "Hip osteoarthritis", "FM", 30, 100, 68, 10, 26, 3.2, 9500),
    Diagnosis("G45", "Transient ischaemic attack", "FM", 30, 100, 74, 11, 16, 2.4, 3300),
    Diagnosis("I48", "Atrial fibrillation", "FM", 25, 100, 74, 11, 36, 3.3, 3300),
    Diagnosis("I63", "Cerebral infarction", "FM", 20, 100, 76, 12, 40, 6.2, 3700),
    Diagnosis("I50", "Heart failure", "FM", 20, 100, 80, 11, 62, 5.6, 2300),
    Diagnosis("J44", "Chronic obstructive pulmonary disease", "FM", 35, 100, 72, 10, 42, 4.8, 2100),
    Diagnosis("J18", "Pneumonia", "FM", 0, 100, 78, 24, 52, 5.2, 2200),
    Diagnosis("J96", "Respiratory failure", "FM", 0, 100, 71, 16, 18, 7.8, 3900),
    Diagnosis("A41", "Sepsis", "FM", 0, 100, 75, 18, 54, 7.9, 3600),
    Diagnosis("N39", "Disorder of urinary system", "FM", 0, 100, 81, 17, 38, 4.1, 1800),
    Diagnosis("N17", "Acute kidney failure", "FM", 10, 100, 76, 15, 26, 5.3, 2400),
    Diagnosis("K92", "Gastrointestinal bleeding", "FM", 10, 100, 74, 16, 26, 3.9, 2900),
    Diagnosis("K56", "Intestinal obstruction", "FM", 0, 100, 67, 18, 26, 5.4, 2600),
    Diagnosis("S72", "Fracture of femur", "FM", 0, 100, 86, 11, 44, 6.3, 5100),
    Diagnosis("S06", "Intracranial injury", "FM", 0, 100, 80, 25, 12, 5.0, 4400),
    Diagnosis("R55", "Syncope", "FM", 8, 100, 79, 16, 18, 2.3, 2700),
    Diagnosis("F03", "Dementia", "FM", 60, 100, 87, 7, 18, 9.5, 1300),
)


class Hospital(NamedTuple):
    """A file of stays and the population it was drawn from."""

    file: pl.DataFrame
    population: pl.DataFrame


def hospital(records: int = 10_000, *, population_records: int = 200_000, seed: int = 1) -> Hospital:
    """A simple random sample of a simulated year, and the year itself.

    >>> file, everyone = hospital(50, population_records=1_000)
    >>> file.height, everyone.height, file.join(everyone, on=everyone.columns, nulls_equal=True).height
    (50, 1000, 50)
    """
    everyone = population(population_records, seed=seed)
    return Hospital(sample(records, population=everyone, seed=seed), everyone)


def sample(records: int = 10_000, *, population: pl.DataFrame | None = None, seed: int = 1) -> pl.DataFrame:
    """A simple random sample without replacement, in the order of the population.

    >>> sample(3, population=pl.DataFrame({"age": [10, 20, 30]}))["age"].to_list()
    [10, 20, 30]
    """
    everyone = _stays(200_000, seed) if population is None else population
    if not 1 <= records <= everyone.height:
        raise BadPlan(f"The sample asks for {records} records: ask for 1 to {everyone.height}.")
    rows = _stream(seed, "sample").choice(everyone.height, records, replace=False)
    return everyone[np.sort(rows)]


def population(records: int = 200_000, *, seed: int = 1) -> pl.DataFrame:
    """Every stay of the simulated year, one a patient.

    >>> stays = population(1_000)
    >>> stays.columns
    ['patient_id', 'age', 'sex', 'area', 'ethnicity', 'marital_status', 'admission_date',
     'length_of_stay', 'diagnosis', 'charges']
    >>> stays["patient_id"][0], stays["patient_id"].n_unique()
    ('P0000001', 1000)
    >>> stays.equals(population(2_000).head(1_000))
    True
    """
    if records < 1:
        raise BadPlan(f"The population asks for {records} records: ask for at least 1.")
    return _stays(records, seed)


def _stays(records: int, seed: int) -> pl.DataFrame:
    """The columns one after the other, each given those before it."""
    codes, sizes, mixes = _areas()
    same = np.zeros(records, np.int64)
    age = _draw(_stream(seed, "age"), _pyramid(), same)
    person = age * 2 + _draw(_stream(seed, "sex"), _sexes(), age)
    area = _draw(_stream(seed, "area"), sizes, same)
    ethnicity = _draw(_stream(seed, "ethnicity"), mixes, area)
    marital = _draw(_stream(seed, "marital_status"), _marital(), person)
    diagnosis = _draw(_stream(seed, "diagnosis"), _diagnoses(), person)
    winter = np.array([d.code.startswith("J") for d in DIAGNOSES], np.int64)
    day = _draw(_stream(seed, "admission_date"), _days(), winter[diagnosis])
    stay = _length(_stream(seed, "length_of_stay"), age, diagnosis)
    return pl.DataFrame(
        {
            "patient_id": _identifiers(records),
            "age": age,
            "sex": _labels(SEXES, person % 2),
            "area": _labels(codes, area),
            "ethnicity": _labels(ETHNICITIES, _holes(_stream(seed, "ethnicity missing"), ethnicity)),
            "marital_status": _labels(MARITAL, _holes(_stream(seed, "marital_status missing"), marital)),
            "admission_date": pl.Series(np.datetime64("2024-01-01") + day),
            "length_of_stay": stay,
            "diagnosis": _labels([d.code for d in DIAGNOSES], diagnosis),
            "charges": _charges(_stream(seed, "charges"), stay, diagnosis),
        }
    )


def _stream(seed: int, name: str) -> Generator:
    """The child of the seed that bears a name."""
    return default_rng(SeedSequence(seed, spawn_key=tuple(name.encode())))


def _draw(rng: Generator, weights: Floats, row: Ints) -> Ints:
    """One category a record, with the weights of the record's row.

    Row r holds its cumulated shares in (r, r + 1], so that one search serves all rows. The factor keeps
    r + u below r + 1 when it is rounded: a category of weight zero is never drawn.
    """
    shares = np.cumsum(weights, axis=1)
    shares /= shares[:, -1:]
    steps = (shares + np.arange(len(shares))[:, None]).ravel()
    at = np.searchsorted(steps, row + rng.random(len(row)) * (1 - 1e-9), side="right")
    return np.asarray(at - row * weights.shape[1], np.int64)


def _by_age(knots: Sequence[float], values: Sequence[float]) -> Floats:
    """A broken line over the ages 0 to 100."""
    return np.asarray(np.interp(AGES, knots, values), np.float64)


@cache
def _pyramid() -> Floats:
    """Inpatients by age: births, few children, young mothers, then the old."""
    line = _by_age([1, 5, 15, 28, 40, 55, 72, 82, 92, 100], [4, 2, 4, 13, 9, 14, 18, 15, 6, 0.5])
    line[0] = 95
    return line[None, :]


@cache
def _sexes() -> Floats:
    """Women and men at each age: more women of child-bearing age and among the oldest."""
    women = _by_age([14, 20, 33, 44, 52, 70, 100], [0.48, 0.72, 0.74, 0.58, 0.49, 0.49, 0.74])
    return np.stack([women, 1 - women], axis=1)


@cache
def _areas() -> tuple[list[str], Floats, Floats]:
    """Area codes (two digits of region, one of district, two of area), their sizes, their ethnic mixes."""
    region, rank = np.divmod(np.arange(REGIONS * AREAS_OF_A_REGION), AREAS_OF_A_REGION)
    codes = [f"{r + 1:02d}{k % 3}{7 * k + r:02d}" for r, k in zip(region, rank, strict=True)]
    sizes = 1 / ((region + 2) ** 0.9 * (rank + 1.5) ** 0.9)
    law = _stream(0, "ethnic mixes")  # part of the law: the same whatever the seed of the user
    of_regions = law.dirichlet(7 * np.array([0.52, 0.2, 0.13, 0.09, 0.05, 0.01]), REGIONS)
    mixes = np.stack([law.dirichlet(12 * of_regions[r] + 0.05) for r in region])
    return codes, sizes[None, :], mixes


@cache
def _marital() -> Floats:
    """Marital status at each age and sex: women outlive their husbands."""
    knots = [17, 20, 30, 45, 60, 70, 80, 100]
    single = _by_age(knots, [1.0, 0.95, 0.47, 0.22, 0.14, 0.1, 0.08, 0.06])
    married = _by_age(knots, [0.0, 0.04, 0.48, 0.62, 0.64, 0.6, 0.45, 0.12])
    divorced = _by_age(knots, [0.0, 0.0, 0.06, 0.15, 0.17, 0.14, 0.09, 0.04])
    widows = _by_age(knots, [0.0, 0.0, 0.004, 0.02, 0.09, 0.24, 0.55, 0.95])
    both = [[single, married, divorced, widowed] for widowed in (widows, widows / 3)]
    return np.array(both).transpose(2, 0, 1).reshape(-1, len(MARITAL))


@cache
def _diagnoses() -> Floats:
    """The weight of each diagnosis at each age and sex; zero outside its ages and its sexes."""
    weights = np.zeros((len(AGES), len(SEXES), len(DIAGNOSES)))
    for at, d in enumerate(DIAGNOSES):
        bell = np.exp(-(((AGES - d.peak) / d.spread) ** 2) / 2) + 0.005
        bell[(d.first > AGES) | (d.last < AGES)] = 0
        weights[:, [SEXES.index(sex) for sex in d.sexes], at] = d.weight * bell[:, None]
    return weights.reshape(-1, len(DIAGNOSES))


@cache
def _days() -> Floats:
    """Admissions by day of 2024: fewer at weekends, more in winter, for lungs above all (second row)."""
    day = np.arange(366)
    # 1 January 2024 was a Monday.
    week = np.array([1.15, 1.12, 1.08, 1.06, 1.0, 0.72, 0.7])[day % 7]
    cold = np.cos(2 * np.pi * (day - 20) / 366)
    return np.stack([week * (1 + 0.05 * cold), week * (1 + 0.45 * cold)])


def _length(rng: Generator, age: Ints, diagnosis: Ints) -> Ints:
    """Days of stay: skewed around the diagnosis' own, longer with age."""
    own = np.array([d.days for d in DIAGNOSES])[diagnosis] * (0.75 + 0.005 * age)
    days = np.rint(own * np.exp(0.6 * rng.standard_normal(len(age)) - 0.18))
    return np.asarray(np.minimum(days, LONGEST_STAY), np.int64)


def _charges(rng: Generator, stay: Ints, diagnosis: Ints) -> Floats:
    """Lognormal around the daily rate of the diagnosis; each further day costs a little less."""
    rate = np.array([d.daily for d in DIAGNOSES])[diagnosis]
    noise = np.exp(0.4 * rng.standard_normal(len(stay)))
    return np.asarray(np.round(rate * (stay + 1) ** 0.85 * noise, 2), np.float64)


def _holes(rng: Generator, index: Ints) -> Ints:
    """The categories with a small share not recorded (-1), whoever the patient is."""
    return np.where(rng.random(len(index)) < MISSING, -1, index)


def _labels(labels: Sequence[str], index: Ints) -> pl.Series:
    """The text of each category; -1 is the null after the last one."""
    return pl.Series([*labels, None], dtype=pl.String).gather(index % (len(labels) + 1))


def _identifiers(records: int) -> pl.Series:
    number = pl.int_range(1, records + 1, eager=True)
    return "P" + number.cast(pl.String).str.zfill(7)
