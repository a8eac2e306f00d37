"""Every public name has a docstring with an example that runs, and a page that explains it."""

import enum
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import lookalike
import lookalike.anonymize
import lookalike.attacks
import lookalike.classes
import lookalike.models
import lookalike.population
import lookalike.risk
import lookalike.synthesis
import lookalike.utility

API = Path(__file__).resolve().parents[2] / "docs" / "reference" / "api"
ROOMS = (
    lookalike,
    lookalike.anonymize,
    lookalike.attacks,
    lookalike.classes,
    lookalike.models,
    lookalike.population,
    lookalike.risk,
    lookalike.synthesis,
    lookalike.utility,
)
ROW = re.compile(r"^\| (.+?) \| \[[^\]]+\]\(([^)]+\.md)(?:#[^)]*)?\) \|$", re.MULTILINE)
NO_EXAMPLE: dict[str, str] = {}
"""Names without an example, each with its reason."""

room = pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)


def described(room: ModuleType) -> list[str]:
    """The public names of a room that can have a docstring: no version, no constant, no alias of a type."""
    values = {name: getattr(room, name) for name in room.__all__}
    return [name for name, value in values.items() if inspect.isclass(value) or inspect.isroutine(value)]


def own_docstring(value: type) -> str:
    """What stands in the source: dataclasses and enums without one get a text that nobody wrote."""
    text = inspect.getdoc(value) or ""
    written_by_machine = text.startswith(f"{value.__name__}(") or text == inspect.getdoc(enum.Enum)
    return "" if written_by_machine else text


def page_of(room: ModuleType) -> str:
    return (API / f"{room.__name__.rpartition('.')[2]}.md").read_text(encoding="utf-8")


@room
def test_every_name_has_a_docstring(room: ModuleType) -> None:
    assert [name for name in described(room) if not own_docstring(getattr(room, name))] == []


@room
def test_every_name_has_an_example(room: ModuleType) -> None:
    without = [name for name in described(room) if ">>>" not in own_docstring(getattr(room, name))]
    assert [name for name in without if name not in NO_EXAMPLE] == []


def test_no_name_is_excused_that_has_an_example() -> None:
    known = {name: getattr(room, name) for room in ROOMS for name in described(room)}
    assert [name for name in NO_EXAMPLE if ">>>" in own_docstring(known[name])] == []


@room
def test_every_name_leads_to_a_page_that_explains_it(room: ModuleType) -> None:
    text = page_of(room)
    rows = [names for names, page in ROW.findall(text) if (API / page).is_file()]
    explained = {name for names in rows for name in re.findall(r"\w+", names)}
    shared = set(re.findall(r"`(\w+)`", text.partition("Also here")[2]))
    missing = [n for n in room.__all__ if not n.startswith("__") and n not in explained | shared]
    assert missing == []


@room
def test_no_page_names_what_is_not_there(room: ModuleType) -> None:
    named = {name for names, _ in ROW.findall(page_of(room)) for name in re.findall(r"\w+", names)}
    assert sorted(named - set(room.__all__)) == []
