"""The cluster on this machine: on the loopback address alone, and gone when it should be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lookalike.engine import engine_for
from lookalike.errors import BadPlan, LookalikeError

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes as Linux shows them"),
]


def java_processes(environment: str) -> list[int]:
    """The Java processes that have this text in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, inside = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        if b"java" in command.split(b"\0")[0] and environment.encode() in inside:
            found.append(int(process.name))
    return found


def listening(process: int) -> set[str]:
    """The addresses on which a process listens, as Linux writes them."""
    links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    sockets = {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:")}
    found = set()
    for family in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{family}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                found.add(fields[1].split(":")[0])
    return found


def eventually(true: Callable[[], bool]) -> bool:
    """Does it come true within half a minute?"""
    until = time.monotonic() + 30
    while not true() and time.monotonic() < until:
        time.sleep(0.2)
    return true()


def test_work_is_spread_over_two_workers(spark_master: str) -> None:
    from pyspark.sql import functions as f

    session = engine_for("spark", spark_master=spark_master).session  # type: ignore[attr-defined]
    assert session.sparkContext.master == spark_master
    assert session.range(0, 1000, 1, 4).select(f.sum("id")).collect()[0][0] == 499_500
    status = session.sparkContext._jsc.sc()
    assert eventually(lambda: status.getExecutorMemoryStatus().size() - 1 == 2)  # without the driver


def test_it_listens_on_the_loopback_address_alone(spark_master: str) -> None:
    engine_for("spark", spark_master=spark_master)
    ours = java_processes(os.environ["_SPARK_AUTH_SECRET"])
    assert len(ours) >= 1 + 2 + 2 + 1  # master, workers, executors, driver
    addresses = set().union(*(listening(process) for process in ours))
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert addresses
    assert addresses <= loopback


def test_nobody_can_read_the_secret_from_the_list_of_processes(spark_master: str) -> None:
    engine_for("spark", spark_master=spark_master)
    secret = os.environ["_SPARK_AUTH_SECRET"].encode()
    for process in java_processes(secret.decode()):
        assert secret not in Path(f"/proc/{process}/cmdline").read_bytes()


def test_a_second_master_in_one_process_is_refused(spark_master: str) -> None:
    engine_for("spark", spark_master=spark_master)
    with pytest.raises(BadPlan, match=r"Spark already runs on spark://127\.0\.0\.1:\d+ in this process, so it cannot"):
        engine_for("spark", spark_master="local[2]")
    assert engine_for("spark").session.sparkContext.master == spark_master  # type: ignore[attr-defined]


RUN = """
import sys, time
import polars as pl
import lookalike as la
from lookalike.engine.cluster import local_cluster

with local_cluster(workers=1, memory="512m") as master:
    if sys.argv[1] == "killed":
        print("up", flush=True)
        time.sleep(300)
    data = la.read(pl.DataFrame({"a": [1, 1, 2]}), engine="spark", spark_master=master)
    print(la.EquivalenceClasses.of(data, ["a"]).size_per_record())
    raise KeyError("as planned")
"""


@pytest.fixture
def started(java: None, tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    marks = {"LOOKALIKE_SCRATCH": str(scratch), "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
    environment = {k: v for k, v in os.environ.items() if k != "_SPARK_AUTH_SECRET"} | marks
    return [sys.executable, "-c", RUN], environment


def test_a_killed_process_leaves_no_java_behind(started: tuple[list[str], dict[str, str]]) -> None:
    command, environment = started
    with subprocess.Popen([*command, "killed"], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert len(java_processes(environment["LOOKALIKE_SCRATCH"])) == 2
        process.send_signal(signal.SIGKILL)
    assert eventually(lambda: java_processes(environment["LOOKALIKE_SCRATCH"]) == [])


def test_a_run_that_fails_is_quiet_and_leaves_no_process_and_no_file(
    started: tuple[list[str], dict[str, str]], tmp_path: Path
) -> None:
    command, environment = started
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment["TMPDIR"] = str(temporary)
    done = subprocess.run([*command, "fails"], env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "[2 2 1]\n"
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):",
        '  File "<string>", line 13, in <module>',
        "KeyError: 'as planned'",
    ]
    assert java_processes(environment["LOOKALIKE_SCRATCH"]) == []
    assert list(Path(environment["LOOKALIKE_SCRATCH"]).iterdir()) == []
    assert list(temporary.iterdir()) == []


def test_a_cluster_that_cannot_start_says_so_and_leaves_nothing(
    java: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lookalike.engine.cluster import local_cluster

    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setenv("LOOKALIKE_SCRATCH", str(tmp_path))
    before = os.environ.get("_SPARK_AUTH_SECRET")
    with pytest.raises(LookalikeError, match=r"^Spark's master did not start\. .*/nowhere/bin/java"), local_cluster():
        pass
    assert list(tmp_path.iterdir()) == []
    assert os.environ.get("_SPARK_AUTH_SECRET") == before


def test_a_session_that_cannot_start_says_so_and_leaves_nothing(started: tuple[list[str], dict[str, str]]) -> None:
    _, environment = started
    code = "from lookalike.engine import engine_for; engine_for('spark')"
    environment["JAVA_HOME"] = "/nowhere"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr.endswith("LookalikeError: Spark did not start: is Java 17 or newer installed?\n")
    assert list(Path(environment["LOOKALIKE_SCRATCH"]).iterdir()) == []
