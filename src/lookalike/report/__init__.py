"""From an evaluation to what people and machines read."""

from lookalike.report.evidence import evidence, to_json, write_evidence
from lookalike.report.guesses import render_guesses
from lookalike.report.terminal import as_text, render

__all__ = ["as_text", "evidence", "render", "render_guesses", "to_json", "write_evidence"]
