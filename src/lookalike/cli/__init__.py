"""The `lookalike` command."""

from lookalike.cli.main import main

__all__ = ["main"]
