"""A protected file as evidence, in a terminal and as an HTML page (`page`, which is imported late)."""

from lookalike.report.protection.document import protected_document
from lookalike.report.protection.terminal import render_protected

__all__ = ["protected_document", "render_protected"]
