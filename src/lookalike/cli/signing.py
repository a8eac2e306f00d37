"""Who signs the evidence: a private key, and where its passphrase comes from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lookalike.errors import BadPlan, LookalikeError

if TYPE_CHECKING:
    from lookalike.report.signature import Signer

PASSPHRASE = "LOOKALIKE_KEY_PASSPHRASE"
"""The environment variable that holds the passphrase of a key."""


def signer_of(sign: Path | None, json: str | None, faults: list[str]) -> Signer | None:
    """Who signs, told before the work begins; what is wrong joins the faults."""
    if sign is None:
        return None
    if json is None:
        faults.append("--sign signs the evidence: say where it goes (--json).")
    from lookalike.report.signature import signer_from

    try:
        return signer_from(sign, passphrase)
    except BadPlan as error:
        faults += error.faults
    except LookalikeError as error:
        faults.append(str(error))
    return None


def passphrase() -> bytes | None:
    """From the environment, else from a prompt if somebody sits there."""
    told = os.environ.get(PASSPHRASE)
    if told:
        return told.encode()
    return _asked("Passphrase of the key") if sys.stdin.isatty() else None


def new_passphrase(*, ask: bool) -> bytes | None:
    """One for a new key: from the environment, else from a prompt if one is asked for; None: the key has none."""
    told = os.environ.get(PASSPHRASE)
    if told:
        return told.encode()
    if not ask:
        return None
    if not sys.stdin.isatty():
        raise BadPlan(f"Nobody is there to type a passphrase. Set {PASSPHRASE}, or leave out --passphrase.")
    return _asked("Passphrase of the new key", again=True)


def _asked(question: str, *, again: bool = False) -> bytes | None:
    said = typer.prompt(question, hide_input=True, confirmation_prompt=again, default="", show_default=False, err=True)
    return str(said).encode() or None
