"""Pages in other languages: nothing stays English but names, nothing of a name changes, figures are the language's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.data import Kind, Variable
from lookalike.data.missing_codes import codes_notes
from lookalike.data.missing_words import NAMED, words_notes
from lookalike.data.shapes import Shape
from lookalike.errors import BadPlan
from lookalike.evaluate.left_alone import TELLS
from lookalike.report.html import Figure, Grid, Page, Section, render, write
from lookalike.report.language import LANGUAGES, catalogue, translated
from lookalike.report.language.catalogue import parts_of
from lookalike.report.language.figures import Figures
from lookalike.report.language.templates import gap_names
from lookalike.report.pages import page_of
from lookalike.report.protection.words import RISK_SAYS

from .html_pages import assert_sound
from .language_pages import RUNS, page
from .pages import HOSTILE

OTHERS = tuple(language for language in LANGUAGES if language != "en")
SAME = {
    "'{name}' ± {reach}",
    "AUC {value}",
    "R² {value}",
    "SHA-256 {digest}",
    "{names} …",
    "{variable} = {value}",
}
"""What is the same in every language, on purpose."""
ALIKE = {
    "de": {"linear", "{names}: {caveat}"},
    "fr": {
        *("attribution", "boosting", "classes", "coefficient", "conclusion", "copies", "distance", "distances"),
        *("exact", "original", "variable", "versions", "bits, original", "t KL", "t TV", "Copies", "RELEASE"),
        *("Poisson", "Weibull", "beta", "gamma"),
    },
}
"""What a language happens to write as English does."""
WORDS = (
    "words",
    "assessment.meanings",
    "assessment.phrases",
    "comparison.chart_tables",
    "comparison.meanings",
    "html.facts",
    "journey",
    "protection.words",
    "repaired.page",
    "synthesis.words",
)
"""Modules whose texts stand on pages as they are."""
PARTS_OF_TEXTS = {
    "{what} {share}",
    "{what}: {reason}",
    "{what}: {reason}.",
    "The mean risk is highest, {mean}, among records with {group} of {variable}.",
}
"""Templates that the catalogue has in the forms they take."""


# --- the files ------------------------------------------------------------------------------------------


def test_all_languages_have_the_same_texts() -> None:
    german, *others = (set(catalogue(language).texts) for language in OTHERS)
    assert all(other ^ german == set() for other in others)


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_stands_once_in_a_file(language: str) -> None:
    counted = Counter(english for part in parts_of(language).values() for english in part)
    assert [english for english, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_gap_of_a_text_is_in_its_translation_and_no_other(language: str) -> None:
    texts = catalogue(language).texts
    assert [k for k, v in texts.items() if sorted(gap_names(k)) != sorted(gap_names(v))] == []
    assert [k for k, v in texts.items() if not v.strip() or v.format(**dict.fromkeys(gap_names(v), "")) is None] == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_is_another_text_unless_it_is_meant_to_be_the_same(language: str) -> None:
    texts = catalogue(language).texts
    assert {k for k, v in texts.items() if k == v} <= SAME | ALIKE[language]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("module", WORDS)
def test_every_text_of_the_modules_of_words_is_known(module: str, language: str) -> None:
    known = {_without_names(text) for text in catalogue(language).texts}
    found = import_module(f"lookalike.report.{module}")
    ours = {name: value for name, value in vars(found).items() if name.isupper() and name != "MOODS"}
    texts = {_without_names(text) for text in _texts(ours)} - {_without_names(text) for text in PARTS_OF_TEXTS}
    assert sorted(texts - known) == []


def _without_names(text: str) -> str:
    """A template whatever its gaps are called."""
    return re.sub(r"\{[^{}]*\}", "{}", text)


def _texts(value: Any) -> Iterator[str]:
    """Texts of constants that people read: not by the keys of the code, nor names of options."""
    if isinstance(value, str) and re.search(r"[A-Za-z]{2} |^[a-z]+$|\{", value):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _texts(inner)


# --- pages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("run", RUNS)
def test_nothing_on_a_page_stays_english(run: str, language: str) -> None:
    missing: set[str] = set()
    said = translated(page(run), language, missing=missing)
    assert missing == set()
    assert said.frame.language == language
    assert said.title != page(run).title


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "run", ["assess with a population file", "compare a changed file", "protect by generalization"]
)
def test_a_page_in_another_language_is_sound(run: str, language: str) -> None:
    seen = assert_sound(render(translated(page(run), language)))
    assert seen.language == language


def test_columns_called_like_words_of_ours_keep_their_names() -> None:
    said = translated(page("assess with a population file"), "de")
    cells = {cell for section in said.sections for f in section.figures for row in f.table.rows for cell in row}
    assert {"Notes", "records", "age"} <= cells
    assert "Anmerkungen" not in cells
    assert said.frame.notes == "Anmerkungen"
    assert "Datensätze" in {head for s in said.sections for f in s.figures for head in f.table.heads}
    assert any(">Notes<" in f.svg for s in said.sections for f in s.figures)


def test_values_called_like_words_of_ours_stay() -> None:
    said = translated(page("compare a synthetic file"), "de")
    shares = next(s for s in said.sections if s.title == "Anteile von Werten").figures[0]
    assert {("Notes", "none"), ("Notes", "yes")} <= {row[:2] for row in shares.table.rows}


def test_hostile_names_stay_as_they_are_and_escaped() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({HOSTILE: rng.choice(["<b>a</b>", "{{b}}"], 100), "{count}": rng.integers(0, 9, 100)})
    found = la.assess(table, quasi_identifiers=[HOSTILE, "{count}"], population=2000, estimators=["entropy"])
    missing: set[str] = set()
    text = render(translated(page_of(found), "de", missing=missing))
    assert missing == set()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "{count}" in text
    assert "Was das Risiko treibt" in text


def test_words_of_charts_are_said_line_by_line_and_legends_make_room() -> None:
    entry = (
        '<g transform="translate({x},0)"><path class="background" d=""/><g><g class="mark-symbol role-legend-symbol">'
        '<path d=""/></g><g class="mark-text role-legend-label"><text>{words}</text></g></g></g>'
    )
    legend = entry.format(x=0, words="used") + entry.format(x=40, words="kept")
    lines = "<text><tspan>mean risk 1/f</tspan><tspan>in the file</tspan></text><text>in between: admission_da…</text>"
    table = Grid(title="Caveats", heads=(), rows=())
    shown = Section(
        title="Caveats", means="", figures=(Figure(svg=f"<svg>{legend}{lines}</svg>", says="", table=table),)
    )
    said = translated(
        Page(title="Caveats", says="Caveats", sections=(shown,), names=frozenset({"admission_date"})), "de"
    )
    svg = said.sections[0].figures[0].svg
    assert "<tspan>mittleres 1/f</tspan><tspan>in der Datei</tspan>" in svg
    assert "<text>mittel: admission_da…</text>" in svg
    assert 'translate(56.5,0)"><path' in svg  # three letters more than "used"
    assert re.findall(r"<text>(\w+)</text>", svg)[:2] == ["benutzt", "erhalten"]


def test_what_is_not_known_stays_english_and_is_told() -> None:
    missing: set[str] = set()
    odd = replace(page("assess without the number of people"), next="Sing a song to {name}.")
    said = translated(odd, "de", missing=missing)
    assert said.next == "Sing a song to {name}."
    assert missing == {"Sing a song to {name}."}


def test_a_template_with_something_unknown_in_its_gap_is_said_around_it() -> None:
    missing: set[str] = set()
    said = translated(Page(title="Notes", says="How missing values are read: by moonlight."), "de", missing=missing)
    assert said.says == "So werden fehlende Werte gelesen: by moonlight."
    assert missing == {"by moonlight"}


def test_values_with_intervals_stay_whole_in_a_sentence() -> None:
    figures = {"before": "1 (0.99 to 1)", "after": "0.0827 (0.0793 to 0.0862)"}
    english = RISK_SAYS.format(fell=3, of=4, name="k-anonymity", **figures)
    said = translated(Page(title="Notes", says=english), "de", missing=set())
    assert said.says.endswith("von 1 (0,99 bis 1) auf 0,0827 (0,0793 bis 0,0862).")


# --- figures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("english", "german", "french"),
    [
        ("1,234.5", "1.234,5", "1\u202f234,5"),
        ("1,234,567", "1.234.567", "1\u202f234\u202f567"),
        ("0.09", "0,09", "0,09"),
        ("24.7 % (50 of 200)", "24,7 % (50 of 200)", "24,7 % (50 of 200)"),
        ("30%", "30\u202f%", "30\u202f%"),
        ("9.06·10⁻⁵", "9,06·10⁻⁵", "9,06·10⁻⁵"),
        ("3.5e+03", "3,5e+03", "3,5e+03"),
        ("version 1.2.3", "version 1.2.3", "version 1.2.3"),
        ("part-1.234.csv", "part-1.234.csv", "part-1.234.csv"),
        ("2024-05-01", "2024-05-01", "2024-05-01"),
    ],
)
def test_figures_are_written_as_the_language_does(english: str, german: str, french: str) -> None:
    assert Figures("en").written(english) == english
    assert Figures("de").written(english) == german
    assert Figures("fr").written(english) == french


# --- asking for one -------------------------------------------------------------------------------------


def test_english_is_left_alone() -> None:
    assert translated(page("repair"), "en") is page("repair")


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPlan, match=r"^Language 'xx' is not known\. Languages: en, de, fr\.$"):
        write(page("repair"), tmp_path / "a.html", language="xx")
    assert not (tmp_path / "a.html").exists()


def test_a_page_is_written_in_its_language(tmp_path: Path) -> None:
    made = write(page("assess without the number of people"), tmp_path / "a.html", language="de")
    text = made.read_text(encoding="utf-8")
    assert '<html lang="de">' in text
    assert "Was als Nächstes zu tun ist" in text


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("columns", [1, NAMED, NAMED + 3])
def test_notes_on_columns_are_translated(columns: int, language: str) -> None:
    names = [f"q{i}" for i in range(columns)]
    shapes = [Shape(name, ",", plain=True) for name in names]
    for shape in shapes:
        shape.words["NA"] = 7
    coded = [Variable(name=name, kind=Kind.NUMERIC, missing=("-8", "-9")) for name in names]
    beside = TELLS.format(names=", ".join(f"'{name}' (age)" for name in names))
    notes = (*codes_notes(coded, {}), *words_notes(shapes), beside)
    told = translated(Page(title="", says="", notes=notes, names=frozenset(names)), language).notes
    assert len(told) == len(notes)
    english = ("missing,", "below", "cells", "more", "name", "left")
    assert [word for note in told for word in english if f" {word}" in note] == []
