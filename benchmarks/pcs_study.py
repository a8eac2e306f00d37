"""The study of the Patient Characteristics Survey (the PCS paper) on its file of 2015 with our DPMPM, m = 5.

    python benchmarks/pcs_study.py            some minutes

Prints the tables of docs/concepts/pcs-study.md (2 to 7, and what stands in the text of the study) and draws its
figure 1, docs/pictures/pcs-differences.svg. Three releases: the model sees the five drawn columns alone, as the study
writes; it sees all ten; all ten are drawn, so that no row is anybody's.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import lookalike as la
from lookalike.attacks import (
    Attribution,
    Files,
    Inference,
    Linkage,
    Links,
    LinkTable,
    Matching,
    Neighbours,
    Perceptron,
    Weights,
)
from lookalike.report.comparison.charts import difference_curves, svg
from lookalike.utility.origin import How, Origin
from lookalike.utility.pair import CodedPair
from lookalike.utility.propensity import propensity
from lookalike.utility.propensity_models import Logistic
from lookalike.utility.propensity_models import Perceptron as Network
from lookalike.utility.proportions import proportions
from lookalike.utility.regression_overlap import RegressionOverlap, regression_overlap
from lookalike.utility.relative_differences import relative_differences

HERE = Path(__file__).resolve().parent
PCS = HERE.parents[1] / "shared" / "data" / "pcs2015_complete_cases.csv"
PICTURE = HERE.parent / "docs" / "pictures" / "pcs-differences.svg"
RECORDS, COPIES, SWEEPS = 5000, 5, 5000
KNOWN = ("Age Group", "Sex", "Race")
KEPT = (*KNOWN, "Hispanic Ethnicity", "Veteran Status")
DRAWN = ("Alcohol Related Disorder", "Drug Substance Disorder", "Obesity", "Diabetes", "High Blood Pressure")
CONSTANT = "Mental Illness"
"""YES for everybody: kept, so that rows stay linked, and no help to the model."""
_FIGURES = (
    "latent classes in use, mean",
    "effective draws of alpha",
    "effective draws of the log-likelihood",
    "two-way tables foreseen, mean total variation",
    "the same by chance alone",
)


@dataclass(frozen=True)
class Made:
    """A release and how it came about."""

    name: str
    copies: tuple[pl.DataFrame, ...]
    origin: Origin

    @property
    def linked(self) -> bool:
        return self.origin.linked


def survey() -> tuple[pl.DataFrame, pl.DataFrame]:
    """5,000 records, and 5,000 others that no release is made from."""
    whole = pl.read_csv(PCS, infer_schema=False)
    rng = np.random.default_rng(1)
    rows = rng.choice(whole.height, RECORDS, replace=False)
    others = rng.permutation(np.setdiff1d(np.arange(whole.height), rows))[:RECORDS]
    return whole[rows], whole[others]


def released(file: pl.DataFrame, *, sweeps: int) -> list[Made]:
    model = la.LatentClasses.pcs_paper(sweeps=sweeps, burn_in=sweeps // 2)
    partial = Origin(how=How.PARTIAL, drawn=DRAWN)
    found, told = [], []
    for name, columns, drawn in (
        ("five seen", (CONSTANT, *DRAWN), DRAWN),
        ("ten seen", (*KEPT, *DRAWN), DRAWN),
        ("all drawn", (*KEPT, *DRAWN), ()),
    ):
        part = file.select(columns)
        data = la.read(part, quasi_identifiers=[c for c in columns if c not in DRAWN], sensitive=list(DRAWN))
        release = la.synthesize(data, model, columns=drawn, copies=COPIES, seed=1)
        copies = [copy.head(file.height) for copy in release.copies]
        whole = [c if not drawn else file.select(KEPT).hstack(c.select(DRAWN)) for c in copies]
        origin = partial if drawn else Origin(how=How.COMPLETE, proper="proper" in release.combining.value.split()[1])
        found.append(Made(name, tuple(c.select(*KEPT, *DRAWN) for c in whole), origin))
        told.append([name, release.combining.value, *(float(release.figures[what]) for what in _FIGURES)])
        print(f"{name}: {' '.join(release.caveats)}", flush=True)
    table("Models", ["release", "combining rule", *_FIGURES], told)
    return found


def table(title: str, heads: list[str], rows: list[list[object]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print("| " + " | ".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print(flush=True)


def propensities(file: pl.DataFrame, releases: list[Made]) -> None:
    """Section 3.1.1."""
    rows: list[list[object]] = []
    for made in releases:
        for model in (Logistic(), Logistic(order=2), Network()):
            rng = np.random.default_rng(1)
            few = {} if isinstance(model, Logistic) else {"permutations": 10}
            found = [propensity(file, c, rng=rng, model=model, origin=made.origin, **few) for c in made.copies]
            name = model.name + (", products of two" if isinstance(model, Logistic) and model.order == 2 else "")
            ratios = [f.pmse.ratio for f in found if f.pmse.ratio is not None]
            pmse = f"{np.mean([f.pmse.value for f in found]):.6f}"
            rows.append([made.name, name, pmse, found[0].free or "–", float(np.mean(ratios)) if ratios else "–"])
    table("Propensity", ["release", "model", "pMSE, mean of 5", "coefficients", "times the expectation"], rows)


def differences(file: pl.DataFrame, releases: list[Made], *, draw: bool) -> None:
    """Figure 1, of the drawn columns alone."""
    models = {}
    for made in releases:
        pairs = [CodedPair.of(file.select(DRAWN), copy.select(DRAWN)) for copy in made.copies]
        models[made.name] = [relative_differences(pair, ways) for ways in (1, 2, 3) for pair in pairs]
    title = "Relative differences of frequencies, PCS 2015, five drawn columns, m = 5"
    if draw:
        PICTURE.write_text(svg(difference_curves(models, title=title), "pcs"), encoding="utf-8")
    rows: list[list[object]] = []
    for name, found in models.items():
        for ways in (1, 2, 3):
            d = np.concatenate([f.differences for f in found if f.ways == ways])
            near = np.mean(np.abs(d) < 0.1)
            rows.append(
                [
                    name,
                    ways,
                    len(d) // COPIES,
                    *map(float, (np.abs(d).mean(), d.mean(), np.median(d), near, np.abs(d).max())),
                ]
            )
    heads = ["release", "ways", "cells", "UL = mean of D without sign", "mean D", "median D", "within 0.1", "largest"]
    table("Figure 1", heads, rows)


def shares(file: pl.DataFrame, releases: list[Made]) -> None:
    """Table 2."""
    rows: list[list[object]] = []
    for made in releases:
        found = proportions(file, made.copies, columns=DRAWN, origin=made.origin, rule=None)
        for row in found.rows:
            if row.level == "YES":
                ends = (*row.original_interval, row.release, *row.release_interval, row.overlap)
                rows.append([made.name, row.column, row.original, *ends])
    heads = ["release", "variable", "confidential", "2.5 %", "97.5 %", "synthetic", "2.5 %", "97.5 %", "overlap"]
    table("Table 2", heads, rows)


def significant(file: pl.DataFrame, response: str) -> str:
    """The formula of a drawn column on its predictors that are significant at 5 % in the original."""
    others = [name for name in (*KEPT, *DRAWN) if name != response]
    for _ in range(2):
        formula = f"`{response}` ~ " + " + ".join(f"`{name}`" for name in others)
        found = regression_overlap(file, file, formula, origin=Origin(how=How.CHANGED))
        told = [c.name for c in found.coefficients if c.original_interval[0] > 0 or c.original_interval[1] < 0]
        others = [name for name in others if any(one.startswith(f"{name}=") for one in told)]
    return formula


def regressions(file: pl.DataFrame, releases: list[Made]) -> None:
    """Table 3."""
    rows: list[list[object]] = []
    means: list[list[object]] = []
    fits: dict[str, list[RegressionOverlap]] = {made.name: [] for made in releases}
    for response in DRAWN:
        formula = significant(file, response)
        found = {
            made.name: regression_overlap(file, made.copies, formula, origin=made.origin, rule=None)
            for made in releases
        }
        for name, one in found.items():
            fits[name].append(one)
        for i, first in enumerate(found[releases[0].name].coefficients):
            if first.name == "intercept":
                continue
            low, high = first.original_interval
            row: list[object] = [response, first.name, f"{first.original:.3f} [{low:.3f}; {high:.3f}]"]
            for made in releases:
                c = found[made.name].coefficients[i]
                a, b = c.release_interval
                row += [f"{c.release:.3f} [{a:.3f}; {b:.3f}]", f"{c.overlap:.3f}"]
            rows.append(row)
    heads = ["Z", "X", "confidential"]
    for made in releases:
        heads += [made.name, "overlap"]
    table("Table 3", heads, rows)
    for name, several in fits.items():
        every = [c for one in several for c in one.coefficients if c.name != "intercept"]
        overlaps = np.array([c.overlap for c in every])
        size = np.mean([abs(c.release) < abs(c.original) for c in every])
        gaps = np.mean([abs(c.difference) for c in every])
        counts = f"{sum(c.same_conclusion for c in every)} of {len(every)}"
        means.append([name, *map(float, (overlaps.mean(), overlaps.min(), overlaps.max(), gaps, size)), counts])
    heads = ["release", "mean overlap", "least", "most", "mean d without sign", "nearer to 0", "same conclusion"]
    table("Table 3, in short", heads, means)


def matched(files: dict[str, Files]) -> None:
    """Table 4."""
    rows: list[list[object]] = []
    for name, of in files.items():
        found = Matching(known=(*KNOWN, *DRAWN)).attack(of)
        fits = f"{found.found.main.value:.4f}, control {found.found.control.value:.4f}" if found.found.control else "–"
        if not found.releases:
            rows.append([name, *["no row is anybody's"] * 4, fits])
            continue
        if not rows:
            rows.append(_match_row("confidential", [found.original], "1.0000"))
        rows.append(_match_row(f"{name}, mean of 5", list(found.releases), fits))
        rows.append(_match_row(f"{name}, pooled", [found.pooled], ""))
    heads = ["file", "expected match risk", "true match rate", "false match rate", "unique matches", "a row fits"]
    table("Table 4", heads, rows)


def _match_row(name: str, found: list, fits: str) -> list[object]:
    """The mean over releases."""
    false = [r.false_match_rate.value for r in found if r.false_match_rate is not None]
    return [
        name,
        _range([r.expected_match_risk for r in found]),
        f"{np.mean([r.true_match_rate.value for r in found]):.5f}",
        f"{np.mean(false):.4f}" if false else "–",
        f"{np.mean([r.unique_matches for r in found]):.1f}",
        fits,
    ]


def _range(values: list[float]) -> str:
    mean = f"{np.mean(values):.2f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.1f} to {max(values):.1f})"


def linked(files: dict[str, Files]) -> None:
    """Tables 5 and 6."""
    rows: list[list[object]] = []
    compared = tuple(name for name in (*KEPT, *DRAWN) if name not in KNOWN)
    for weights, links in (
        (Weights.AGREEMENTS, Links.GREEDY),
        (Weights.AGREEMENTS, Links.OPTIMAL),
        (Weights.FELLEGI_SUNTER, Links.GREEDY),
    ):
        attack = Linkage(known=KNOWN, compared=compared, weights=weights, links=links)
        how = f"{weights.value}, {links.value}"
        for name, of in files.items():
            if of.linked:
                found = attack.attack(of, rng=np.random.default_rng(1))
                rows.append(_link_row(how, name, found.table))
        rows.append(_link_row(how, "confidential", found.original))
    by_chance = found.outcome.baseline
    rows.append(["", "by chance", "", "", "", f"{by_chance.successes:.1f}", by_chance.value])
    heads = [
        "weights, links",
        "file",
        "false, left",
        "false, linked",
        "true, left",
        "true, linked",
        "share linked rightly",
    ]
    table("Tables 5 and 6", heads, rows)


def _link_row(how: str, name: str, found: LinkTable) -> list[object]:
    (left, false), (lost, true) = found.rows
    return [how, name, *(f"{cell:,.1f}" for cell in (left, false, lost, true)), true / RECORDS]


def inferred(files: dict[str, Files]) -> None:
    """Table 7 and section 3.2.5: answers coded 1 and 2, as the study has them."""
    rows: list[list[object]] = []
    for name, of in files.items():
        coded = Files(
            original=_coded(of.original),
            releases=tuple(map(_coded, of.releases)),
            control=None if of.control is None else _coded(of.control),
        )
        for learner in (Neighbours(), Perceptron()):
            found = Inference(known=KNOWN, targets=DRAWN, learner=learner).attack(coded, rng=np.random.default_rng(1))
            sums = [sum(getattr(t, what).squared for t in found.targets) for what in ("original", "release", "guess")]
            better, equal = (
                float(np.mean([getattr(t, what).value for t in found.targets])) for what in ("better", "equal")
            )
            each = ", ".join(f"{t.better.value:.2f}" for t in found.targets)
            rows.append([name, learner.name, *map(float, sums), better, equal, each])
    heads = [
        "release",
        "model",
        "confidential MSE",
        "synthetic MSE",
        "a guess",
        "predicted better",
        "equally well",
        "by target",
    ]
    table("Table 7", heads, rows)


def categories(files: dict[str, Files]) -> None:
    """The same by nearest neighbours on categories, where control and loss tell what a guess is worth."""
    rows: list[list[object]] = []
    for name, of in files.items():
        found = Inference(known=KNOWN, targets=DRAWN).attack(of, rng=np.random.default_rng(1))
        for t in found.targets:
            right = [s.value for s in (t.outcome.main, t.outcome.control, t.outcome.baseline) if s is not None]
            rows.append([name, t.target, *right, t.original.log_loss, t.release.log_loss, t.guess.log_loss])
    heads = ["release", "target", "right", "control", "a guess", "log loss, confidential", "synthetic", "a guess"]
    table("Inference by category", heads, rows)


def attributed(files: dict[str, Files]) -> None:
    """Figures 3 and 4 in numbers: the CAP of records that have a disorder and of those that have not."""
    rows: list[list[object]] = []
    for name, of in files.items():
        for target in DRAWN:
            found = Attribution(known=KEPT, target=target).attack(of)
            yes = (of.original[target] == "YES").to_numpy()
            caps = [float(np.nanmean(cap[who])) for who in (yes, ~yes) for cap in (found.before, found.after)]
            dcap = found["DCAP"]
            rows.append(
                [name, target, float(yes.mean()), *caps, dcap.main.value, dcap.control.value if dcap.control else "–"]
            )
    heads = ["release", "target", "share YES", "YES before", "YES after", "NO before", "NO after", "DCAP", "control"]
    table("Figures 3 and 4", heads, rows)


def _coded(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.when(pl.col(DRAWN) == "YES").then(2).otherwise(1).name.keep())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", type=int, default=SWEEPS, help="fewer are a quick look, without the picture")
    sweeps = parser.parse_args().sweeps
    start = time.perf_counter()
    whole, others = survey()
    releases = released(whole, sweeps=sweeps)
    file, control = (frame.select(*KEPT, *DRAWN) for frame in (whole, others))
    differences(file, releases, draw=sweeps == SWEEPS)
    propensities(file, releases)
    shares(file, releases)
    regressions(file, releases)
    files = {m.name: Files(original=file, releases=m.copies, control=control, linked=m.linked) for m in releases}
    for attack in (matched, linked, attributed, categories, inferred):
        attack(files)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
