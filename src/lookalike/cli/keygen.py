"""The door of `lookalike keygen`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli import arguments as a


def keygen(
    file: Annotated[Path, typer.Argument(help="Where the private key goes; the public one goes to FILE.pub.")],
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Ask for a passphrase that locks the private key.")
    ] = False,
    quiet: a.Quiet = False,
) -> None:
    """Make a key to sign evidence with."""
    from lookalike.cli.signing import new_passphrase
    from lookalike.report.signature import fingerprint, new_key, public_path

    signer = new_key(file, new_passphrase(ask=passphrase))
    if not quiet:
        typer.echo(
            f"Private key: {file}. Keep it: who has it can sign in your name.\n"
            f"Public key: {public_path(file)}. Give it to those who check, by a way that they trust.\n"
            f"Fingerprint: {fingerprint(signer.public)}"
        )
