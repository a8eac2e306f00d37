"""The part on sensitive variables: what classes give away without a match."""

from __future__ import annotations

from collections.abc import Iterator

from lookalike.estimate import Rate
from lookalike.evaluate.result import Risk, SensitiveRisk
from lookalike.report.assessment import phrases as p
from lookalike.report.assessment.meanings import MEANS, MORE, TITLES
from lookalike.report.few import FEWEST, shown
from lookalike.report.html import Figure, Grid, Section
from lookalike.report.simple_charts import Bar, bars, figure


def sensitive_section(risk: Risk) -> Section:
    """Attribute disclosure by variable and by target of the plan; then diversity and closeness."""
    spread = Grid(
        title=p.SPREAD,
        heads=(p.VARIABLE, p.DISTINCT, p.ENTROPY, p.RECURSIVE, p.KL, p.TV, p.EMD),
        rows=tuple((name, *_figures(found)) for name, found in risk.sensitive.items()),
    )
    table = Grid(
        title=p.DISCLOSED,
        heads=(p.VARIABLE, p.ONE_VALUE),
        rows=tuple((name, _share(rate)) for name, rate in _rates(risk)),
    )
    figures = tuple(_chart(risk, table))
    return Section(
        title=TITLES["sensitive"],
        means=MEANS["sensitive"],
        figures=figures,
        grids=(*(() if figures else (table,)), *((spread,) if risk.sensitive else ())),
        more=MORE["sensitive"],
    )


def _chart(risk: Risk, table: Grid) -> Iterator[Figure]:
    drawn = []
    for name, rate in _rates(risk):
        if rate is not None and rate.of >= FEWEST:
            told = shown(rate.count, rate.of)
            drawn.append(Bar(label=name, value=told.drawn, words=told.share))
    if drawn:
        most = max(drawn, key=lambda bar: bar.value)
        said = p.DISCLOSED_SAYS.format(share=most.words, variable=most.label)
        yield figure(bars(drawn, axis=p.SHARE), says=said, table=table)


def _rates(risk: Risk) -> Iterator[tuple[str, Rate | None]]:
    for name, found in risk.sensitive.items():
        yield name, None if found is None else found.one_value
    yield from risk.targets.items()


def _figures(found: SensitiveRisk | None) -> tuple[str, ...]:
    if found is None:
        return (p.NOT_ASSESSABLE, *[p.NONE] * 5)
    return (
        f"{found.distinct}",
        f"{found.entropy:.2f}",
        f"{found.recursive}",
        f"{found.kl:.3f}",
        f"{found.total_variation:.3f}",
        p.NONE if found.earth_mover is None else f"{found.earth_mover:.3f}",
    )


def _share(rate: Rate | None) -> str:
    if rate is None:
        return p.NOT_ASSESSABLE
    of = shown(rate.of, max(rate.of, 10**12)).count
    return p.OF.format(share=shown(rate.count, rate.of).share if rate.of >= FEWEST else p.NONE, records=of)
