"""A Spark cluster on this machine alone: a master and workers as processes of their own, on the loopback address.

For trying what a cluster does with your file, for tests and for benchmarks. One machine counts faster with Polars.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from lookalike.engine.scratch import Scratch
from lookalike.engine.spark_session import LOOPBACK, SECRET, private_java, spark_home, stop
from lookalike.errors import LookalikeError

PATIENCE = 120.0
"""Seconds in which a process must be up; a Java machine on a busy computer needs a few."""

# The watcher ends the whole process group when its input closes: at the end, or when Python was killed.
_WATCHED = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -TERM 0) & exec "$@"'


@contextmanager
def local_cluster(workers: int = 2, *, cores: int = 1, memory: str = "1g") -> Iterator[str]:
    """A Spark standalone cluster while the block runs; yields the master's URL.

    Each worker offers `cores` and `memory`. Needs the extra `spark` and Java 17. All ports are free ones on
    127.0.0.1, and only this process and its children know the secret that lets them in. (Spark has no switch for
    the status pages of master and workers: they answer on 127.0.0.1 alone.) What the workers put on disk lies in
    a private directory. At the end, and if anything fails, lookalike's Spark session is stopped, all processes
    are ended and the directory is removed.

        with local_cluster() as master:
            data = la.read("people.parquet", engine="spark", spark_master=master)
    """
    home = spark_home()
    scratch = Scratch()
    with ExitStack() as stack:
        stack.callback(scratch.close)
        # An executor must fit into a worker: Spark waits for ever for one that does not.
        stack.enter_context(_inherited({SECRET: secrets.token_hex(32), "SPARK_EXECUTOR_MEMORY": memory}))
        environment = _environment(home, scratch)

        def start(name: str, java_class: str, *options: str) -> tuple[subprocess.Popen[bytes], Path]:
            command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{java_class}"]
            log = scratch.file(f"{name}.log")
            process = _start([*command, "--host", LOOPBACK, "--webui-port", "0", *options], environment, log)
            stack.callback(_end, process)
            return process, log

        port = _free_port()
        master = f"spark://{LOOPBACK}:{port}"
        _wait(*start("master", "master.Master", "--port", str(port)), "I have been elected leader")
        offer = ("--cores", str(cores), "--memory", memory)
        started = [
            start(f"worker{i}", "worker.Worker", *offer, "--work-dir", str(scratch.file(f"work{i}")), master)
            for i in range(workers)
        ]
        for process, log in started:
            _wait(process, log, "Successfully registered with master")
        stack.callback(stop)
        yield master


def _start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            ["/bin/sh", "-c", _WATCHED, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )


def _wait(process: subprocess.Popen[bytes], log: Path, sign: str) -> None:
    """Wait until the log has the sign that the process is up."""
    until = time.monotonic() + PATIENCE
    while sign not in (text := log.read_text(errors="replace")):
        if process.poll() is not None or time.monotonic() > until:
            last = text.strip().splitlines()[-3:]
            raise LookalikeError(f"Spark's {log.stem} did not start. {' '.join(last)}")
        time.sleep(0.1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all it started, at once: nothing that they hold is kept."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def _environment(home: Path, scratch: Scratch) -> dict[str, str]:
    local, conf = scratch.file("local"), scratch.file("conf")
    local.mkdir()
    conf.mkdir()
    java = (
        "-Dspark.authenticate=true",
        "-Dspark.master.rest.enabled=false",  # it would take work from anyone, without the secret
        "-Dspark.ui.killEnabled=false",
        "-Dspark.port.maxRetries=0",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        *private_java(local),
    )
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_LOCAL_DIRS": str(local),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": " ".join(java),
    }


@contextmanager
def _inherited(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables in this process's environment, where the Spark processes that it starts look for them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
