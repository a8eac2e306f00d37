"""Kernels compiled by a second process."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from lookalike.cli import ahead


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that are started; each would wait for a minute."""
    found: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(_command: Any, **options: Any) -> subprocess.Popen[bytes]:
        found.append(real([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return found


def test_the_second_process_ends_with_the_first_steps(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    running = []
    with suppress(KeyboardInterrupt), ahead.compiling():
        running.append(started[0].poll() is None)
        raise KeyboardInterrupt
    assert running == [True]
    assert started[0].poll() is not None


def test_one_core_compiles_nothing_ahead(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with ahead.compiling():
        assert not started


def test_what_is_compiled_ahead_is_seen_as_compiled() -> None:
    ahead.draw_and_compare()
    assert ahead.compiled()
