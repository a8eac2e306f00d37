"""The page of any result: which room writes it, in which language, as a file or inside a notebook."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.report.charts import unchecked
from lookalike.report.html import Page, render, write
from lookalike.report.html.facts import Proof

if TYPE_CHECKING:
    from lookalike.evaluate.result import Run

_ROOMS = {
    "assess": "assessment.page",
    "protect": "protection.page",
    "synthesize": "synthesis.page",
    "compare": "comparison.page",
    "repair": "repaired.page",
}
"""By command."""
HEIGHT = 640
"""Pixels of a page inside a notebook; it scrolls."""


@unchecked()
def page_of(result: Run) -> Page:
    """What stands on the page of a result."""
    found: Page = import_module(f"lookalike.report.{_ROOMS[result.command]}").page_of(result)
    return found


def write_page(
    result: Run, path: Path, *, force: bool = False, language: str = "en", proof: Proof | None = None
) -> Path:
    """The page of a result as one file; it names the evidence that will hold its digest, if there is one."""
    page = page_of(result)
    if proof is not None:
        page = replace(page, facts=(*page.facts, proof.fact), names=page.names | {proof.name})
    return write(page, path, force=force, language=language)


def in_notebook(result: Run) -> str:
    """The page inside a frame of its own, so that neither its looks nor those of the notebook change the other."""
    text = escape(render(page_of(result)), quote=True)
    return f'<iframe title="Report" srcdoc="{text}" style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
