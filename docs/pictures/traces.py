"""Draw the traces of the PCS paper's job (docs/concepts/dpmpm.md): classes in use, α and the log-likelihood by sweep."""

from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

import lookalike as la

SENSITIVE = ["Alcohol Related Disorder", "Drug Substance Disorder", "Obesity", "Diabetes", "High Blood Pressure"]
KNOWN = ["Age Group", "Sex", "Race", "Hispanic Ethnicity", "Veteran Status"]
HERE = Path(__file__).parent
PCS = HERE.parents[2] / "shared" / "data" / "pcs2015_complete_cases.csv"
EVERY = 10

if __name__ == "__main__":
    pcs = pl.read_csv(PCS, infer_schema=False).select(KNOWN + SENSITIVE)
    file = pcs[np.random.default_rng(1).choice(pcs.height, 5000, replace=False)]
    data = la.read(file, quasi_identifiers=KNOWN, sensitive=SENSITIVE)
    release = la.synthesize(data, la.LatentClasses.pcs_paper(), columns=SENSITIVE, copies=5, seed=1)
    told = release.laws[0].diagnostics  # type: ignore[attr-defined]
    traces = {"classes in use": told.occupied, "α": told.alpha, "log-likelihood": told.log_likelihood}
    rows = pl.concat(
        pl.DataFrame({"what": name, "sweep": np.arange(0, len(t), EVERY), "value": t[::EVERY].astype(float)})
        for name, t in traces.items()
    )
    chart = (
        alt.Chart(rows)
        .mark_line(strokeWidth=0.7)
        .encode(x=alt.X("sweep:Q"), y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)))
        .properties(width=640, height=110)
        .facet(row=alt.Row("what:N", sort=list(traces), title=None))
        .resolve_scale(y="independent")
    )
    chart.save(HERE / "traces.svg")
    for name, value in release.figures.items():
        print(f"{name}: {value:.4g}")
