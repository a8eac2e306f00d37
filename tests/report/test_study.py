"""A study on paper: what was not assessable is shown, never dropped."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from lookalike.evaluate.result import Source
from lookalike.evaluate.simulation import Studied, Study
from lookalike.evaluate.simulation.answers import Answer
from lookalike.evaluate.simulation.summary import points_table
from lookalike.report.study import render_study, write_study
from lookalike.report.study.charts import ranking


def answer(point: int, key: str, value: float | None, reason: str | None = None) -> Answer:
    return Answer(
        point=point,
        variables=("age",),
        fraction=0.2,
        records=20,
        classes=5,
        truth=0.5,
        estimator=key,
        ratio=1.0,
        value=value,
        low=None if value is None else value - 0.2,
        high=None if value is None else value + 0.2,
        seconds=0.1,
        reason=reason,
    )


@pytest.fixture
def studied(tmp_path: Path) -> Studied:
    found = [
        answer(0, "often", 0.6),
        answer(1, "often", 0.8),
        answer(0, "once", 0.5),
        answer(1, "once", None, "no root <found>"),
        answer(0, "never", None, "no unique"),
        answer(1, "never", None, "no unique"),
    ]
    source = Source(name="people.csv", sha256=None, records=100, columns=1)
    return Studied(tmp_path, source, ("age",), Study(points=2), points_table(found))


def test_the_table_counts_what_has_no_answer(studied: Studied) -> None:
    rows = {row["estimator"]: row for row in studied.table.filter(pl.col("band") == "all").iter_rows(named=True)}
    assert {key: (row["points"], row["not_assessable"]) for key, row in rows.items()} == {
        "often": (2, 0),
        "once": (2, 1),
        "never": (2, 2),
    }
    assert rows["often"]["median"] == pytest.approx((0.1 + 0.3) / 2)
    assert (rows["often"]["intervals"], rows["often"]["coverage"]) == (2, 0.5)
    assert (rows["never"]["median"], rows["never"]["coverage"]) == (None, None)
    assert ranking(studied) == ["once", "often", "never"]


def test_the_page_and_the_terminal_say_who_had_no_answer_and_why(studied: Studied) -> None:
    page = write_study(studied).read_text()
    assert "<td>once</td>" not in page
    assert '<td class="text">once</td><td class="text">no root &lt;found&gt;</td><td>1</td>' in page
    assert '<td class="text">never</td><td class="text">no unique</td><td>2</td>' in page
    console = Console(file=StringIO(), width=80)
    console.print(render_study(studied))
    said = console.file.getvalue()  # type: ignore[attr-defined]
    line = next(line for line in said.splitlines() if line.startswith("never"))
    assert line.split() == ["never", "2", "2", "0.100"]


def test_pictures_of_an_older_study_go(studied: Studied) -> None:
    old = studied.folder / "errors_gone.svg"
    old.write_text("")
    write_study(studied)
    assert not old.exists()
    assert {path.name for path in studied.folder.glob("*.svg")} == {"errors.svg", "errors_once.svg", "errors_often.svg"}


def test_a_study_without_any_answer_has_a_page_all_the_same(studied: Studied) -> None:
    nothing = studied.points.filter(pl.col("estimator") == "never")
    page = write_study(Studied(studied.folder, studied.source, ("age",), studied.choices, nothing))
    assert "no unique" in page.read_text()


def test_few_points_have_no_quantiles_and_no_coverage(studied: Studied) -> None:
    """Two points tell a median; of thirteen, the 5 and 95 % and the coverage are shown."""
    many = points_table([answer(point, "often", 0.5004 + point / 1e5) for point in range(13)])
    shown = {}
    for name, points in (("few", studied.points), ("many", many)):
        found = Studied(studied.folder, studied.source, ("age",), studied.choices, points)
        console = Console(file=StringIO(), width=100)
        console.print(render_study(found))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        shown[name] = next(line for line in text.splitlines() if line.startswith("often")).split()
        shown[f"{name} page"] = write_study(found).read_text()
    assert shown["few"] == ["often", "2", "+0.20", "–", "–", "0.20", "–", "0.100"]
    assert shown["many"] == ["often", "13", "+0.00046", "+0.00041", "+0.00051", "0.00046", "100", "%", "0.100"]
    row = '<td class="text">often</td><td>2</td><td>0</td><td>+0.200</td><td>–</td><td>–</td><td>+0.300</td>'
    assert row in shown["few page"]
    assert "<td>–</td>" not in shown["many page"]
