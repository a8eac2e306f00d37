"""Command lines in pages name options that exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.exceptions import TyperException

from lookalike.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "quickstart.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```|((?:^    .*\n)+)", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^\s*(?:\$ )?(?:\./run )?lookalike (.*)$", re.MULTILINE)


def calls(text: str) -> list[str]:
    """The lines of a page that call the command; a line that ends with a backslash goes on."""
    blocks = [match[1] or match[2] for match in BLOCK.finditer(text)]
    joined = [re.sub(r"\\\n\s*", " ", block) for block in blocks]
    return [re.split(r"\s*(?:;|&&|\||>)\s", call)[0] for block in joined for call in CALL.findall(block)]


def fault(call: str) -> str | None:
    """What the command would say against these arguments, before it looks at any file."""
    name, *rest = shlex.split(call, comments=True)
    commands = typer.main.get_command(app).commands
    if name not in commands:
        return f"lookalike {name}: there is no such command"
    try:
        commands[name].make_context(name, rest)
    except TyperException as error:
        return f"lookalike {call}: {error.message}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_is_understood(page: Path) -> None:
    assert [found for call in calls(page.read_text(encoding="utf-8")) if (found := fault(call))] == []


def test_the_jobs_show_command_lines() -> None:
    jobs = ("share-a-survey", "answer-a-request", "publish-a-teaching-file", "reuse-a-plan", "check-a-file")
    texts = [(ROOT / "docs" / "how-to" / f"{job}.md").read_text(encoding="utf-8") for job in jobs]
    assert all(calls(text) for text in texts)


def test_a_wrong_command_and_a_wrong_option_are_found() -> None:
    lines = ["$ lookalike asses a.csv", "$ lookalike assess a.csv \\", "    --kk 5", "$ lookalike assess a.csv --k 5"]
    found = [fault(call) for call in calls("\n".join(["```console", *lines, "```", ""]))]
    assert found[0] == "lookalike asses: there is no such command"
    assert "--kk" in str(found[1])
    assert found[2] is None
