"""The experiments 2.6.8, 2.6.10 and 2.6.11 of Qu (2024) on CAP by classes, as pictures.

    python benchmarks/cap_experiments.py        half a minute

Writes docs/pictures/cap-2-6-8.svg, cap-2-6-10.svg and cap-2-6-11.svg, and prints the figures their shapes rest on: the
tables of docs/concepts/cap-experiments.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from lookalike.attacks import EqualFrequency, EqualLength, class_cap, sweep
from lookalike.report.charts import ORIGINAL, PALETTE, RELEASE, dressed, svg
from lookalike.report.comparison.attack_charts import VALUES, Spread, sweep_lines, sweep_map
from measure import HERE

PICTURES = HERE.parent / "docs" / "pictures"
RULES = {"equal length": EqualLength, "equal frequency": EqualFrequency}
BINS = (5, 10, 20)
"""The thesis does not say how many bins 2.6.8 has."""
PANELS = {
    "original": "P_o of the original (figure 2.3)",
    "release": "P_a of the release (2.4)",
    "drop": "P_o − P_a (2.5)",
    "least_drop": "least CAP_O − CAP_A (2.6, by the text)",
    "least_change": "least CAP_A − CAP_O (2.6, by formula 2.13)",
    "overlap": "targets within the release's range",
}
VALUES_SHOWN = ("original", "release")
NAMES = {"key": "the key", "target": "the target"}


def normal(mean: tuple[float, float], covariance: list[list[float]], n: int, seed: int) -> pl.DataFrame:
    """A key and a target, normal together."""
    drawn = np.random.default_rng(seed).multivariate_normal(mean, covariance, n)
    return pl.DataFrame({"key": drawn[:, 0], "target": drawn[:, 1]})


def exponential(file: pl.DataFrame, rate: float, seed: int) -> pl.DataFrame:
    """The file with noise on its target."""
    noise = np.random.default_rng(seed).exponential(1 / rate, file.height)
    return file.with_columns(pl.col("target") + pl.Series(noise))


def moved(seed: int = 1, means: Sequence[int] = range(51), bins: Sequence[int] = BINS) -> pl.DataFrame:
    """Example 2.6.8: noise of mean 0 to 50 and standard deviation 10 on the target of 1,000 records."""
    original = normal((10, 20), [[20, 10], [10, 20]], 1000, seed)
    rng, rows = np.random.default_rng(seed + 1), []
    for mean in means:
        noisy = original.with_columns(pl.col("target") + pl.Series(rng.normal(mean, 10, original.height)))
        ends = noisy["target"].min(), noisy["target"].max()
        shared = {"mean": mean, "overlap": float(original["target"].is_between(*ends).mean())}
        rows += [shared | {"bins": b} | scores(original, noisy, b) for b in bins]
    return pl.DataFrame(rows, infer_schema_length=None)


def scores(original: pl.DataFrame, noisy: pl.DataFrame, bins: int) -> dict[str, float | None]:
    """What figures 2.3 to 2.6 show."""
    found = class_cap(original, noisy, ["key"], "target", dict.fromkeys(original.columns, EqualLength(bins)))
    whole = {"original": found.original.value, "release": found.release.value, "drop": -found.change}
    return whole | {"least_drop": found.least_drop, "least_change": found.least_change}


def over_draws(draws: int = 20) -> pl.DataFrame:
    """Example 2.6.8 with 10 bins: the mean and the ends over draws of file and noise."""
    found = pl.concat([moved(1 + 2 * i, range(0, 51, 5), (10,)) for i in range(draws)])
    each = [f(c) for c in PANELS for f in (_mean, _ends)]
    return found.group_by("mean").agg(*each).sort("mean")


def _mean(column: str) -> pl.Expr:
    return pl.col(column).mean().round(3)


def _ends(column: str) -> pl.Expr:
    low, high = pl.col(column).min(), pl.col(column).max()
    return pl.format("{} to {}", low.round(2), high.round(2)).alias(f"{column} ends")


def dependent(seed: int = 3) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Examples 2.6.10 and 2.6.11: 10,000 records, the target the key plus 10, exponential noise of rate 0.5."""
    original = normal((5, 15), [[15, 15], [15, 15]], 10_000, seed)
    return original, exponential(original, 0.5, seed + 1)


def narrower() -> tuple[pl.DataFrame, pl.DataFrame]:
    """The second file of example 2.6.11, with noise of rate 5."""
    original = normal((1, 5), [[5, 5], [5, 5]], 10_000, 5)
    return original, exponential(original, 5, 6)


def swept(files: tuple[pl.DataFrame, pl.DataFrame], rule: Any) -> pl.DataFrame:
    return sweep(*files, ["key"], "target", rule=rule)


def roughness(surface: pl.DataFrame) -> float:
    """The mean second difference along both axes from 2 bins on: 0 is a plane."""
    grid = surface.sort("key_bins", "target_bins")["release"].to_numpy().reshape(10, 10)[1:, 1:]
    return float(np.abs(np.diff(grid, 2, axis=0)).mean() + np.abs(np.diff(grid, 2, axis=1)).mean())


def spread(file: pl.DataFrame) -> float:
    """The range of the target."""
    return float(np.ptp(file["target"].to_numpy()))


def by(surface: pl.DataFrame, axis: str, value: str = "release") -> list[float]:
    """The mean over the other axis."""
    return surface.group_by(axis).agg(pl.col(value).mean()).sort(axis)[value].to_list()


def falls(surface: pl.DataFrame, axis: str) -> str:
    """How many of the steps along an axis go down, and how many up, by more than 0.005."""
    other = "target_bins" if axis == "key_bins" else "key_bins"
    steps = surface.sort(axis).select(pl.col("release").diff().over(other)).to_series().drop_nulls()
    return f"{int((steps < -0.005).sum())} down, {int((steps > 0.005).sum())} up of {len(steps)}"


def course(found: pl.DataFrame) -> str:
    """The turns of the lines of 2.6.8."""
    early, late = (found.filter(c)["original"] for c in (pl.col("mean") < 30, pl.col("mean") > 40))
    alone = (found["least_change"] == -1).mean()
    return (
        f"P_o {early.min():.2f} to {early.max():.2f} below 30, at most {late.max():.3f} above 40; "
        f"most P_o − P_a {found['drop'].max():.2f}; least drop from {found['least_drop'].min():.2f} to "
        f"{found['least_drop'].max():.2f}; least change −1 at {alone:.0%} of the means"
    )


def draw_moved(found: pl.DataFrame) -> Any:
    dashes = {5: [1, 0], 10: [6, 3], 20: [2, 2]}
    by_bins = {
        "color": alt.Color("bins:N", title="bins", scale=alt.Scale(domain=BINS, range=[ORIGINAL, RELEASE, PALETTE[2]])),
        "strokeDash": alt.StrokeDash("bins:N", title="bins", scale=alt.Scale(domain=BINS, range=[*dashes.values()])),
    }
    panels = [
        alt.Chart(alt.InlineData(values=found.drop_nulls(column).to_dicts()), width=230, height=150, title=title)
        .mark_line(strokeWidth=1.6)
        .encode(x=alt.X("mean:Q", title="mean of the noise"), y=alt.Y(f"{column}:Q", title=None), **by_bins)
        for column, title in PANELS.items()
    ]
    ten = found.filter(pl.col("bins") == 10)
    first, last = ten.row(0, named=True), ten.row(-1, named=True)
    said = (
        f"CAP while noise moves the target away. With 10 bins P_o is {first['original']:.2f} at first and "
        f"{last['original']:.2f} at a mean of 50, P_a {first['release']:.2f} and {last['release']:.2f}."
    )
    return dressed(alt.concat(*panels, columns=3), "CAP while noise moves the target away", said)


def draw_bins(surfaces: dict[str, pl.DataFrame]) -> Any:
    rows = []
    for name, surface in surfaces.items():
        maps = [sweep_map(surface, value=v, **NAMES, side=200, title=f"{name}: {VALUES[v]}") for v in VALUES_SHOWN]
        lines = sweep_lines(surface, **NAMES, side=200, title=f"{name}: from the side")
        rows.append(alt.hconcat(*maps, lines).resolve_scale(color="independent"))
    said = "CAP by numbers of bins. " + " ".join(
        f"By {name} the mean P_a falls from {by(s, 'target_bins')[0]:.2f} with one bin of the target to "
        f"{by(s, 'target_bins')[-1]:.2f} with ten."
        for name, s in surfaces.items()
    )
    return dressed(alt.vconcat(*rows), "CAP by numbers of bins", said)


def draw_two(first: pl.DataFrame, second: pl.DataFrame, gap: pl.DataFrame) -> Any:
    titles = ("first: spread 3.9, noise 2", "second: spread 2.2, noise 0.2")
    maps = [sweep_map(f, **NAMES, side=200, title=t) for f, t in zip((first, second), titles, strict=True)]
    lines = sweep_lines(
        gap, value="gap", **NAMES, side=200, spread=Spread(-0.1, 0.4, 5), words="P_a", title="second minus first"
    )
    said = f"P_a of two releases by numbers of bins. The second is higher by {gap['gap'].mean():.2f} in the mean."
    both = alt.hconcat(*maps, lines).resolve_scale(color="independent")
    return dressed(both, "P_a of two releases by numbers of bins", said)


def gaps(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    """P_a of the second file less that of the first."""
    both = first.join(second, on=["key_bins", "target_bins"], suffix="_2")
    return both.with_columns(gap=pl.col("release_2") - pl.col("release"))


def compare(name: str, first: pl.DataFrame, second: pl.DataFrame) -> None:
    """Print which release of 2.6.11 is guessed better where there is a choice."""
    choice = (pl.col("key_bins") > 1) & (pl.col("target_bins") > 1)
    lowest = gaps(first, second).filter(choice).sort("gap")
    gap = lowest["gap"]
    print(f"2.6.11, {name}: second higher at {int((gap > 0).sum())} of {len(gap)} pairs, lowest at", lowest.row(0)[:2])
    print("  second minus first, least, mean, most", row([gap.min(), gap.mean(), gap.max()]))
    for which, f in (("first", first.filter(choice)), ("second", second.filter(choice))):
        square = f.filter(pl.col("key_bins") == pl.col("target_bins"))
        print(f"  {which}: mean P_a, P_o, change", row([f[c].mean() for c in ("release", "original", "change")]))
        print("  P_a at b by b bins, b = 2, …, 10", row(square["release"].to_list()))


def row(cells: Sequence[object]) -> str:
    words = ["none" if c is None else f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells]
    return f"| {' | '.join(words)} |"


def main() -> None:
    noise = moved()
    print("2.6.8 |", " | ".join(noise.columns))
    for found in noise.filter(pl.col("mean") % 5 == 0).sort("bins", "mean").iter_rows():
        print(row(found))
    for bins in BINS:
        print(f"2.6.8, {bins} bins:", course(noise.filter(pl.col("bins") == bins)))
    print("2.6.8, 20 draws, 10 bins: mean and ends")
    for found in over_draws().iter_rows():
        print(row(found))
    (PICTURES / "cap-2-6-8.svg").write_text(svg(draw_moved(noise), "cap268"), encoding="utf-8")

    surfaces = {name: swept(dependent(), rule) for name, rule in RULES.items()}
    for name, surface in surfaces.items():
        print(f"2.6.10, {name}: roughness {roughness(surface):.3f}")
        for axis in ("target_bins", "key_bins"):
            print(f"  steps along {axis}: {falls(surface, axis)}")
            for value in VALUES_SHOWN:
                print(f"  {value} by {axis}", row(by(surface, axis, value)))
    print("  ranges of the target, original and release", row([spread(file) for file in dependent()]))
    rough = [[roughness(swept(dependent(seed), rule)) for seed in range(11, 31, 2)] for rule in RULES.values()]
    for name, found in zip(RULES, rough, strict=True):
        print(f"  roughness over ten more draws, {name}", row([min(found), max(found)]))
    (PICTURES / "cap-2-6-10.svg").write_text(svg(draw_bins(surfaces), "cap2610"), encoding="utf-8")

    second = {name: swept(narrower(), rule) for name, rule in RULES.items()}
    for name, surface in surfaces.items():
        compare(name, surface, second[name])
    pair = surfaces["equal frequency"], second["equal frequency"]
    (PICTURES / "cap-2-6-11.svg").write_text(svg(draw_two(*pair, gaps(*pair)), "cap2611"), encoding="utf-8")


if __name__ == "__main__":
    main()
