"""Where a result came from, as the last part of a page tells it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

from lookalike.evaluate.result import Run, Source

COMMAND, SEED, VERSIONS = "command", "seed", "versions"
RAN = "lookalike {command}, {started} UTC, {seconds} seconds"
TABLE = "{records} records, {columns} columns; SHA-256 {digest}"
IN_MEMORY = "{records} records, {columns} columns; data in memory, no digest"
FILE = "SHA-256 {digest}"
MADE_WITH = "lookalike {lookalike}, Python {python}, engine {engine}"
EVIDENCE = "evidence"
PROVEN = "{name} holds every figure and the digest of this page; not signed"
SIGNED = "{name} holds every figure and the digest of this page, signed with the key {fingerprint}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The evidence that is written after a page: its name, and whose key signs it.

    >>> Proof(name="run.json", fingerprint="SHA256:abc").fact[1]
    'run.json holds every figure and the digest of this page, signed with the key SHA256:abc'
    """

    name: str
    fingerprint: str | None = None

    @property
    def fact(self) -> tuple[str, str]:
        """As the page tells it."""
        said = SIGNED if self.fingerprint else PROVEN
        return EVIDENCE, said.format(name=self.name, fingerprint=self.fingerprint)


def facts_of(run: Run) -> tuple[tuple[str, str], ...]:
    """The command, its files with their digests, the seed and the versions."""
    return tuple(_facts(run))


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    started = f"{run.started:%Y-%m-%d %H:%M}"
    yield COMMAND, RAN.format(command=run.command, started=started, seconds=f"{run.seconds:,.1f}")
    for source in (*run.inputs, *run.outputs):
        yield source.name, _file(source)
    yield SEED, str(run.plan.seed)
    yield (
        VERSIONS,
        MADE_WITH.format(lookalike=version("lookalike"), python=platform.python_version(), engine=run.engine),
    )


def _file(source: Source) -> str:
    if source.records is None:
        return FILE.format(digest=source.sha256)
    template = TABLE if source.sha256 else IN_MEMORY
    return template.format(records=f"{source.records:,}", columns=source.columns, digest=source.sha256)
