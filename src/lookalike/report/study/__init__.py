"""What a study has found, as files, pictures, a page and a short table."""

from lookalike.report.study.files import write_study
from lookalike.report.study.terminal import render_study

__all__ = ["render_study", "write_study"]
