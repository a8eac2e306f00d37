"""The next command as it can be pasted: with the paths that were typed, which no page or evidence tells."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lookalike.cli.command import COMMAND
from lookalike.console import TerminalConsole
from lookalike.data.write import FORMATS
from lookalike.evaluate import Evaluation
from lookalike.evaluate.protection import ProtectedRun
from lookalike.evaluate.repair import Repaired
from lookalike.evaluate.result import Outcome
from lookalike.evaluate.synthesis import Synthesized

NO_QUESTION = frozenset({"file", "plan", "json", "sign", "html", "language", "records", "force", "quiet"})
"""Options of `assess` that do not change what is asked."""


def after_release(
    result: Synthesized | ProtectedRun | Repaired, *, file: Path | str | None, release: Path, evidence: Path | None
) -> str | None:
    """The comparison of a release that holds, or was drawn; None where something else is to be done first."""
    if file is None or evidence is None or isinstance(result, Repaired):
        return None
    if isinstance(result, ProtectedRun) and (result.outcome is not Outcome.HOLDS):
        return None
    return _line("compare", file, release, "--made", evidence)


def after_assessment(evaluation: Evaluation, options: Mapping[str, Any]) -> str | None:
    """The protection of a file that fails, by the plan that was given; None if options beside it were asked too.

    >>> from types import SimpleNamespace
    >>> fails = SimpleNamespace(outcome=Outcome.FAILS)
    >>> after_assessment(fails, {"file": "my data/a.csv", "plan": "p.toml", "k": None, "quiet": False})
    "To paste: ...lookalike protect 'my data/a.csv' --plan p.toml -o release.csv"
    >>> after_assessment(fails, {"file": "a.csv", "plan": "p.toml", "k": 5}) is None
    True
    """
    asked = [name for name, value in options.items() if name not in NO_QUESTION and value not in (None, [])]
    if evaluation.outcome is not Outcome.FAILS or options["plan"] is None or asked:
        return None
    ending = Path(str(options["file"])).suffix.lower()
    release = f"release{ending if ending in FORMATS else '.parquet'}"
    return _line("protect", options["file"], "--plan", options["plan"], "-o", release)


def tell(line: str | None) -> None:
    """Print it as one line that can be copied, if there is one."""
    if line is not None:
        TerminalConsole(soft_wrap=True).print(line, markup=False, highlight=False)


def _line(*words: Path | str) -> str:
    return f"To paste: {COMMAND} {shlex.join(map(str, words))}"
