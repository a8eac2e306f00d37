"""The documentation hangs together: links resolve, every page can be reached, every public name is there."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
import typer

import lookalike
import lookalike.attacks
import lookalike.classes
import lookalike.risk
import lookalike.utility
from lookalike.cli.main import app
from lookalike.evaluate.synthesis import run_synthesis
from lookalike.plan.keys import TABLES, TOP
from lookalike.report import evidence

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?)[ \t]*$", re.MULTILINE)
MODULES = (lookalike, lookalike.risk, lookalike.classes, lookalike.utility, lookalike.attacks)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def slug(heading: str) -> str:
    """The anchor GitHub gives a heading: its words in lower case, spaces as hyphens."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of a page; a heading that comes again is numbered."""
    slugs = [slug(heading) for heading in HEADING.findall(FENCE.sub("", text))]
    return {f"{s}-{slugs[:i].count(s)}" if s in slugs[:i] else s for i, s in enumerate(slugs)}


def links(page: Path) -> list[str]:
    """The relative links of a page, those in code left out."""
    text = SPAN.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    return [link for link in LINK.findall(text) if not re.match(r"[a-z][a-z+.-]*:", link)]


def faults(page: Path) -> Iterator[str]:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{link}: there is no such file"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: there is no such heading"


def reachable(start: Path) -> set[Path]:
    seen, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        for link in links(page):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.is_file() and target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def code(text: str) -> str:
    """What stands in code: blocks and spans."""
    return "\n".join([*(match[0] for match in FENCE.finditer(text)), *SPAN.findall(FENCE.sub("", text))])


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name_of)
def test_every_link_resolves(page: Path) -> None:
    assert list(faults(page)) == []


def swallowed(text: str) -> list[str]:
    """Lines that a table above takes for a row, because no empty line is between them."""
    lines = FENCE.sub("", text).split("\n")
    pairs = pairwise(lines)
    return [line for above, line in pairs if re.fullmatch(r"\|.*\|", above) and line and not line.startswith("|")]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name_of)
def test_no_table_swallows_what_follows(page: Path) -> None:
    assert swallowed(page.read_text(encoding="utf-8")) == []


def test_every_page_is_reachable_from_the_index() -> None:
    assert [name_of(page) for page in set(PAGES) - reachable(DOCS / "index.md")] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_documented(module) -> None:
    written = "\n".join(code(page.read_text(encoding="utf-8")) for page in PAGES)
    names = [name for name in module.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf"\b{name}\b", written)] == []


def words_of(page: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+|\w+", code((DOCS / "reference" / page).read_text(encoding="utf-8"))))


def keys_of(document: object) -> Iterator[str]:
    """All keys of nested data, those left out that are names or numbers of the file."""
    if isinstance(document, dict):
        for key, value in document.items():
            if not key.replace(".", "").isdigit():
                yield key
            if key not in ("plan", "versions", "attribute_disclosure", "not_assessed", "measures", "copies"):
                yield from keys_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value)


def test_every_key_of_the_plan_is_documented() -> None:
    keys = {*TOP, *(key for table in TABLES.values() for key in table)}
    assert keys - words_of("plan.md") == set()


def test_every_key_of_the_evidence_is_documented() -> None:
    table = pl.DataFrame({"age": [30, 30, 31] * 40, "house": [1, 1, 2] * 40, "pay": [1, 2, 3] * 40})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["pay"], "household": "house"}
    runs = [lookalike.assess(table, population=people, **roles) for people in (1000, table)]
    drawn = run_synthesis(table, lookalike.Plan(synthesis=lookalike.Synthesis(columns=("pay",), model="independent")))
    asked = {"models": ["logistic"], "formulas": ["pay ~ age"], "quasi_identifiers": ["age"], "sensitive": ["pay"]}
    compared = lookalike.compare(table, table, how="changed", linked=True, **asked).to_dict()
    named = compared["utility"]["tables"]["1"]["worst"][0]["values"]
    documents = (*map(lookalike.Evaluation.to_dict, runs), evidence(drawn), compared)
    keys = {key for run in documents for key in keys_of(run)} - set(table.columns) - set(named)
    assert keys - words_of("evidence.md") == set()


def test_every_option_of_the_command_is_documented() -> None:
    commands = typer.main.get_command(app).commands
    options = {o for c in commands.values() for p in c.params for o in p.opts if o.startswith("--")}
    assert {*options, *commands} - words_of("command.md") == set()


def test_the_check_finds_a_missing_file_and_a_missing_heading(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One page\n[a](no.md) [b](#two) [c](page.md#one-page) [d](https://x.org) `[e](no.md)`\n")
    assert list(faults(page)) == ["no.md: there is no such file", "#two: there is no such heading"]
