"""Seed 001's simulation on five data sets by `lookalike study`, and the tables of docs/concepts/study-results.md.

    python benchmarks/study.py [FOLDER]            all studies, resumed where they stopped; hours on two cores
    python benchmarks/study.py FOLDER --posterior  the posterior and the average copula alone
    python benchmarks/study.py FOLDER --tables     the tables of what is in FOLDER

The posterior was tuned on Adult and Texas; the other sets are reported as they come. Needs ../shared/data.
"""

import subprocess
import sys
from pathlib import Path

import polars as pl

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
ACS = "STATE,AGEP,RAC1P,HISP,SCHL,SEX,CIT,DIS"
PCS = (
    "Age Group,Household Composition,Special Education Services,Criminal Justice Status,Program_Category,"
    "Religion_Category,Employment_Status,Education_Category,RACE,hispanic_ethnicity,Living_Situation,"
    "Gender_Identity_Orientation,Insured_or_Not,Receiving Cash Assistance"
)
ADULT = "age,workclass,education,marital_status,occupation,relationship,race,sex,native_country,capital_gain,income"
TEXAS = "DISCHARGE,PAT_STATE,SEX_CODE,RACE,ETHNICITY,ADMIT_WEEKDAY,PAT_AGE,LENGTH_OF_STAY,TYPE_OF_ADMISSION,PAT_STATUS"
NEXOID = "country,gender,age,height,weight,income,blood_type,region"
SD2011 = "sex,age,placesize,region,edu,eduspec,socprof,marital,mmarr,smoke"
TESTDATA = "urbrur,roof,walls,water,electcon,relat,sex,age,hhcivil"
LOW, LOWEST, WIDE = "0.001,0.05", "0.001,0.01", "0.01,0.99"
# name: file, quasi-identifiers, fractions, points for the posterior, points for the others (0: posterior and average)
STUDIES = {
    "adult": ("adult.csv", ADULT, WIDE, 110, 1000),
    "texas": ("texas.csv", TEXAS, WIDE, 110, 1000),
    "nexoid": ("nexoid_subset.csv", NEXOID, WIDE, 400, 1000),
    "pcs": ("pcs2019_recoded.parquet", PCS, WIDE, 50, 200),
    "acs": ("acs2024_person_us12.parquet", ACS, WIDE, 30, 60),
    "pcslow": ("pcs2019_recoded.parquet", PCS, LOW, 80, 200),
    "acslow": ("acs2024_person_us12.parquet", ACS, LOW, 60, 60),
    "sd2011": ("synthpop_SD2011.csv", SD2011, WIDE, 100, 300),
    "testdata": ("sdcMicro_testdata.csv", TESTDATA, WIDE, 100, 300),
    "pcslowest": ("pcs2019_recoded.parquet", PCS, LOWEST, 60, 0),
    "acslowest": ("acs2024_person_us12.parquet", ACS, LOWEST, 60, 0),
    "texaslowest": ("texas.csv", TEXAS, LOWEST, 60, 0),
    "sd2011lowest": ("synthpop_SD2011.csv", SD2011, LOWEST, 60, 0),
    "testdatalowest": ("sdcMicro_testdata.csv", TESTDATA, LOWEST, 60, 0),
}
FAST = (
    "average,gaussian_copula,d_vine,entropy,hypothesis_test,benedetti_franconi,pitman_yor,zayatz,"
    "slide_negative_binomial,dankar,chao,log_linear"
)
SEED = ("entropy", "benedetti_franconi", "gaussian_copula", "d_vine", "average")
"""Estimators that Jiang et al. (2022) compare."""
BANDS = ("0.001 to 0.01", "0.01 to 0.1", "0.1 to 0.5", "0.5 and more")
EDGES = (0.01, 0.1, 0.5)


def run(folder: Path) -> None:
    """All studies; with `--posterior` the posterior and the average copula alone."""
    for name, (file, known, fractions, slow, fast) in STUDIES.items():
        for points, estimators in ((slow, "posterior,average"), (fast, FAST)):
            if not points or ("--posterior" in sys.argv and estimators is FAST):
                continue
            command = [str(Path(sys.executable).parent / "lookalike"), "study", str(DATA / file), "--qi", known, "-o"]
            command += [str(folder / name), "--points", str(points), "--fractions", fractions]
            subprocess.run([*command, "--estimators", estimators, "--quiet"], check=True)


def points_of(folder: Path) -> pl.DataFrame:
    found = []
    for name in STUDIES:
        file = folder / name / "points.csv"
        if file.exists():
            wide = pl.read_csv(file, infer_schema_length=None, schema_overrides={"low": pl.Float64, "high": pl.Float64})
            found.append(wide.filter(pl.col("ratio") == 1).with_columns(pl.lit(name).alias("data")))
    return pl.concat(found, how="diagonal_relaxed").with_columns(
        pl.col("fraction").cut(EDGES, labels=BANDS, left_closed=True).cast(pl.String).alias("fractions"),
        (pl.col("value") - pl.col("truth")).alias("error"),
        pl.col("truth").is_between(pl.col("low") - 1e-12, pl.col("high") + 1e-12).alias("covered"),
        (pl.col("truth") > pl.col("high") + 1e-12).alias("above"),
    )


TITLES = {
    "adult": "Adult (N = 48,842), used for tuning",
    "texas": "Texas discharges (N = 50,000), used for tuning",
    "nexoid": "Nexoid survey (N = 5,789)",
    "pcs": "PCS 2019 (N = 194,117)",
    "acs": "ACS 2024 (N = 3,422,888)",
    "pcslow": "PCS 2019, fractions 0.001 to 0.05",
    "acslow": "ACS 2024, fractions 0.001 to 0.05",
    "sd2011": "Social Diagnosis 2011 (N = 5,000)",
    "testdata": "sdcMicro's testdata (N = 4,580)",
    "pcslowest": "PCS 2019, fractions 0.001 to 0.01",
    "acslowest": "ACS 2024, fractions 0.001 to 0.01",
    "texaslowest": "Texas discharges, fractions 0.001 to 0.01, used for tuning",
    "sd2011lowest": "Social Diagnosis 2011, fractions 0.001 to 0.01",
    "testdatalowest": "sdcMicro's testdata, fractions 0.001 to 0.01",
}
TUNED = ("adult", "texas", "texaslowest")


def markdown(rows: list[tuple[object, ...]], heads: tuple[str, ...]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(_cell(v) for v in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def estimators(points: pl.DataFrame) -> str:
    """The table of every estimator, by data set and band of the fraction."""
    error, size = pl.col("error"), pl.col("error").abs()
    figures = (
        pl.len().alias("points"),
        pl.col("value").null_count().alias("no answer"),
        error.median().alias("median e"),
        error.quantile(0.05).alias("5 %"),
        error.quantile(0.95).alias("95 %"),
        size.median().alias("median \\|e\\|"),
        size.quantile(0.95).alias("95 % of \\|e\\|"),
        size.mean().alias("mean \\|e\\|"),
        size.max().alias("largest"),
        pl.col("seconds").mean().alias("seconds"),
    )
    parts = []
    for name, title in TITLES.items():
        part = points.filter(pl.col("data") == name)
        if part.height:
            found = part.group_by("fractions", "estimator").agg(*figures).sort("fractions", "mean \\|e\\|")
            parts.append(f"### {title}\n\n" + markdown(found.rows(), tuple(found.columns)))
    return "\n".join(parts)


def posterior(points: pl.DataFrame) -> str:
    """The posterior against its bars: by data set and band, beside the average copula on the same points."""
    size = pl.col("error").abs()
    asked = points.filter(pl.col("estimator") == "posterior").select("data", "point")
    average = points.filter(pl.col("estimator") == "average").join(asked, on=["data", "point"])
    mine = points.filter(pl.col("estimator") == "posterior")
    rows: list[tuple[object, ...]] = []
    for name in TITLES:
        for band in (*BANDS, "all"):
            kept = (pl.col("data") == name) & ((pl.col("fractions") == band) | pl.lit(band == "all"))
            ours, theirs = mine.filter(kept), average.filter(kept)
            if ours.height:
                e, a = ours.select(size).to_series(), theirs.select(size).to_series()
                figures = (float(e.median()), float(e.quantile(0.95)), float(e.mean()), float(a.mean()))
                ratio = f"{figures[2] / figures[3]:.2f}"
                rows.append((name, band, ours.height, e.null_count(), *figures, ratio, *_coverage(ours)))
    heads = (
        "data",
        "fractions",
        "points",
        "no answer",
        "median \\|e\\|",
        "95 % of \\|e\\|",
        "mean \\|e\\|",
        "of the average copula",
    )
    text = markdown(rows, (*heads, "ratio", "interval contains", "truth above"))
    return text + "\n## Coverage of the 90 % interval\n\n" + coverage(mine)


def coverage(mine: pl.DataFrame) -> str:
    """By band of the fraction, for data that was used for tuning and that was not."""
    rows: list[tuple[object, ...]] = []
    for said, tuned in (("not used for tuning", ~pl.col("data").is_in(TUNED)), ("used", pl.col("data").is_in(TUNED))):
        for band in (*BANDS, "all"):
            part = mine.filter(tuned & ((pl.col("fractions") == band) | pl.lit(band == "all")))
            if part["covered"].drop_nulls().len():
                rows.append((said, band, part["covered"].drop_nulls().len(), *_coverage(part)))
    return markdown(rows, ("data", "fractions", "points", "interval contains", "truth above"))


def _coverage(points: pl.DataFrame) -> tuple[str, str]:
    """The shares of points whose interval contains the truth, and whose truth is above it."""
    known = points.drop_nulls("covered")
    if not known.height:
        return "", ""
    return f"{known['covered'].mean():.3f}", f"{known['above'].mean():.3f}"


def worst_cells(points: pl.DataFrame) -> str:
    """The cells (band of the fraction, bin of the true B) where the posterior's median error is largest."""
    mine = points.filter((pl.col("estimator") == "posterior") & pl.col("error").is_not_null())
    cells = mine.group_by("data", "fractions", (pl.col("truth") * 10).floor().cast(pl.Int64).alias("bin")).agg(
        pl.len().alias("points"), pl.col("error").median().alias("median e")
    )
    worst = cells.filter(pl.col("points") >= 10).sort(pl.col("median e").abs(), descending=True)
    rows = [(d, f, f"{b / 10:.1f} to {(b + 1) / 10:.1f}", n, m) for d, f, b, n, m in worst.head(8).rows()]
    return markdown(rows, ("data", "fractions", "true B", "points", "median e"))


def directions(points: pl.DataFrame) -> str:
    """The findings of Jiang et al. (2022), by data set: who errs to which side, and which copula errs less."""
    error = pl.col("error")
    figures = (error.mean(), error.abs().mean().alias("size"), (error.abs() < 0.05).mean().alias("near"))
    rows: list[tuple[object, ...]] = []
    for name in TITLES:
        part = points.filter((pl.col("data") == name) & error.is_not_null())
        if part.filter(pl.col("estimator") == "entropy").height:
            found = {key: part.filter(pl.col("estimator") == key).select(*figures).row(0) for key in SEED}
            copulas = (f"{found[key][1]:.4f} ({found[key][2]:.1%})" for key in SEED[2:])
            rows.append((name, found["entropy"][0], found["benedetti_franconi"][0], *copulas))
    heads = ("data", "entropy: mean e", "Benedetti–Franconi: mean e", "Gaussian copula: mean \\|e\\| (below 0.05)")
    return markdown(rows, (*heads, "D-vine", "average"))


def wrong_people(folder: Path) -> str:
    """The median of B̂(wrong N) / B̂(N) by estimator, over the points that were estimated with a wrong N."""
    found = []
    for name in STUDIES:
        file = folder / name / "points.csv"
        if file.exists():
            wide = pl.read_csv(file, infer_schema_length=None).filter(pl.col("value") > 0)
            right = wide.filter(pl.col("ratio") == 1).select("point", "estimator", pl.col("value").alias("right"))
            found.append(wide.filter(pl.col("ratio") != 1).join(right, on=["point", "estimator"]))
    together = pl.concat(found, how="diagonal_relaxed").filter(pl.col("fraction") <= 0.7)
    if not together.height:
        return "No point was estimated with a wrong N.\n"
    change = (pl.col("value") / pl.col("right")).median().alias("change")
    wide = together.group_by("estimator", "ratio").agg(change).pivot("ratio", index="estimator", values="change")
    ratios = sorted((c for c in wide.columns if c != "estimator"), key=float)
    table = wide.select("estimator", *ratios).sort("estimator")
    return markdown(table.rows(), ("estimator", *(f"N × {r}" for r in ratios)))


def tables(folder: Path) -> str:
    points = points_of(folder)
    parts = [
        ("The posterior against its bars", posterior(points)),
        ("Largest median errors of the posterior in a cell of 10 points or more", worst_cells(points)),
        ("Directions", directions(points)),
        ("A wrong N", wrong_people(folder)),
        ("Every estimator", estimators(points)),
    ]
    return "\n".join(f"## {title}\n\n{text}" for title, text in parts)


if __name__ == "__main__":
    named = [a for a in sys.argv[1:] if not a.startswith("-")]
    folder = Path(named[0]) if named else HERE / "data" / "study"
    if "--tables" not in sys.argv:
        run(folder)
    print(tables(folder))
