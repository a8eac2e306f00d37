"""Draw the study of docs/concepts/discharge-study.md from what benchmarks/discharge_study.py has found.

python docs/pictures/discharges.py        writes docs/pictures/discharges-*.svg
"""

import json
from functools import cache
from pathlib import Path

import altair as alt
import polars as pl

HERE = Path(__file__).parent
BLUE, ORANGE, GREY = "#3b528b", "#e07b39", "#999999"
KS = (2, 3, 5, 10)
MASKED = {"safe harbor": "masked in order", "safe harbor, all nine compared": "masked, all nine compared"}
"""How the releases of the masking order are called."""
PERCENT = alt.Axis(format="%")
BROKEN = "split(replace(replace(datum.label, 'coarsened ', 'coarsened;'), ', all nine ', ';all nine;'), ';')"
"""Names of releases over several lines."""


@cache
def found() -> dict:
    """What the study found."""
    return json.loads((HERE.parents[1] / "benchmarks" / "data" / "discharge-study.json").read_text())


def knowledge() -> alt.Chart:
    """Figure S3: unique records by what the attacker knows."""
    rows = [
        {"known": known, "file": MASKED.get(name, name), "unique": share}
        for known, shares in found()["knowledge"].items()
        for name, share in shares.items()
    ]
    return (
        alt.Chart(pl.DataFrame(rows), width=420, height=200)
        .mark_bar()
        .encode(
            y=alt.Y("known:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)),
            yOffset=alt.YOffset("file:N", sort=None),
            x=alt.X("unique:Q", title="unique records", axis=PERCENT),
            color=alt.Color("file:N", title=None, sort=None, scale=alt.Scale(range=[BLUE, ORANGE, GREY])),
        )
    )


def releases() -> alt.VConcatChart:
    """Figure S4: risk and loss of each release."""
    names = [*(f"k = {k}" for k in KS), *(f"coarsened 1/{r}" for r in (32, 16, 8)), *MASKED]
    label = alt.Axis(labelAngle=0, labelLimit=90, labelExpr=BROKEN)
    shown = {"unique": "unique records", "random": "mean 1/f", "disclosure": "charges above 100,000 disclosed"}
    rows = [
        {"release": name, "what": what, "value": found()["releases"][name][key]}
        for name in names
        for key, what in shown.items()
    ]
    bars = (
        alt.Chart(pl.DataFrame(rows), width=640, height=170)
        .mark_bar()
        .encode(
            x=alt.X("release:N", sort=names, title=None, axis=label),
            xOffset=alt.XOffset("what:N", sort=None),
            y=alt.Y("value:Q", title="risk", axis=PERCENT),
            color=alt.Color("what:N", title=None, sort=None, scale=alt.Scale(range=[BLUE, GREY, ORANGE])),
        )
    )
    lost = pl.DataFrame([{"release": name, "loss": found()["releases"][name]["loss"]} for name in names])
    below = (
        alt.Chart(lost, width=640, height=110)
        .mark_bar(color="#5a9e6f")
        .encode(
            x=alt.X("release:N", sort=names, title=None, axis=label),
            y=alt.Y("loss:Q", title="information loss"),
        )
    )
    return alt.vconcat(bars, below)


def closeness() -> alt.HConcatChart:
    """Figure S7: k-anonymity with and without t-closeness, and the better partition."""
    ways = {"": "clustering (S2)", ", t-close": "with t-closeness (S4)", ", Mondrian": "Mondrian"}
    rows = [
        {"k": k, "way": said, **{key: found()["releases"][f"k = {k}{way}"][key] for key in ("disclosure", "loss")}}
        for k in KS
        for way, said in ways.items()
    ]
    base = alt.Chart(pl.DataFrame(rows), width=270, height=180).encode(
        x=alt.X("k:O", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("way:N", sort=None),
        color=alt.Color("way:N", title=None, sort=None, scale=alt.Scale(range=[BLUE, ORANGE, GREY])),
    )
    left = base.mark_bar().encode(y=alt.Y("disclosure:Q", title="charges above 100,000 disclosed", axis=PERCENT))
    return alt.hconcat(left, base.mark_bar().encode(y=alt.Y("loss:Q", title="information loss")))


def surface() -> alt.HConcatChart:
    """Figures S5 and S6: unique records and loss by resolution."""
    rows = pl.DataFrame(found()["surface"]).with_columns(
        pl.col("spatiotemporal", "census").cast(pl.String).fill_null("all"),
        pl.when(pl.col("unique") < 1e-4)
        .then(pl.format("{} records", "unique_records"))
        .otherwise(pl.format("{}%", (pl.col("unique") * 100).round(2)))
        .alias("said"),
        pl.col("loss").round(2).cast(pl.String).alias("lost"),
    )
    order = ["2", "4", "8", "16", "32", "all"]
    return alt.hconcat(
        square(rows, "unique", "said", order, "unique records"),
        square(rows, "loss", "lost", order, "information loss"),
    ).resolve_scale(color="independent")


def square(rows: pl.DataFrame, value: str, said: str, order: list[str], title: str) -> alt.LayerChart:
    """One heat map with its figures."""
    base = alt.Chart(rows, width=280, height=230, title=title).encode(
        x=alt.X("census:O", sort=order, title="census resolution", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("spatiotemporal:O", sort=order[::-1], title="spatiotemporal resolution"),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(f"{value}:Q", title=None, scale=alt.Scale(scheme="blues"), legend=None)
    )
    dark = alt.datum[value] > rows[value].max() / 2
    return cells + base.mark_text(fontSize=10).encode(
        text=f"{said}:N", color=alt.condition(dark, alt.value("white"), alt.value("black"))
    )


if __name__ == "__main__":
    for name, draw in {"knowledge": knowledge, "risk": releases, "closeness": closeness, "surface": surface}.items():
        draw().save(HERE / f"discharges-{name}.svg")
