"""What tests share: the real data beside the project, and which engines can run here."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from evidence_watch import watch

SHARED = Path(__file__).resolve().parents[2] / "shared"
ENGINES = "tests/engines/"


def pytest_configure(config: pytest.Config) -> None:
    """From here on every evidence file that a test makes is verified."""
    watch(config)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Which tests a process runs one after the other (-n)."""
    return Together(config, log)


class Together(LoadScopeScheduling):
    """Tests of one file stay together, for what they share; those of all engines too, for their one cluster."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return ENGINES if file.startswith(ENGINES) else file


def skip_or_fail(reason: str) -> None:
    """A bare machine skips with the reason; CI must have everything."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and reference figures."""
    if not (SHARED / "data").is_dir():
        skip_or_fail("the real data (../shared) is not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def java() -> None:
    """Java, which Spark needs."""
    if shutil.which("java") is None:
        skip_or_fail("Spark needs Java (openjdk-17-jre-headless)")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium, which tests of pages look through."""
    found = [path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))]
    if not found:
        skip_or_fail("tests of pages need Chromium (Debian: apt-get install chromium)")
    return found[0]
