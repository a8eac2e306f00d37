"""The Spark session of this process: the user's, which is left alone, or ours, which is stopped at exit."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from lookalike.engine.scratch import Scratch
from lookalike.errors import BadPlan, LookalikeError, MissingExtra

LOOPBACK = "127.0.0.1"
SECRET = "_SPARK_AUTH_SECRET"
"""The environment variable in which Spark's processes find the secret they share."""

_ours = ExitStack()
"""What ends our session."""


def session_on(master: str | None = None, *, memory_bytes: int | None = None) -> Any:
    """The running session if it is on this master, else a new one; without a master the running one, or this machine.

    A process has one Spark context, so a second master is refused.
    """
    spark_home()
    with warnings.catch_warnings():
        # We use no pandas through Spark.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        from pyspark.sql import SparkSession

        running = SparkSession.getActiveSession()
        if running is None:
            return _start(master or "local[*]", memory_bytes)
    if master is not None and running.sparkContext.master != master:
        raise BadPlan(
            f"Spark already runs on {running.sparkContext.master} in this process, so it cannot use {master}. "
            "Stop the running session first."
        )
    return running


def stop() -> None:
    """End our session, if there is one, with its Java process and its files; the user's is left alone."""
    _ours.close()


def spark_home() -> Path:
    """The folder of the installed Spark; raises if it or Java is missing."""
    try:
        import pyspark
    except ImportError as error:
        raise MissingExtra("spark", "the Spark engine") from error
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise LookalikeError("The Spark engine needs Java 17 or newer. Install it (Debian: openjdk-17-jre-headless).")
    return Path(pyspark.__file__).parent


def private_java(folder: Path) -> tuple[str, ...]:
    """Java options that keep a Java machine's own files in a folder."""
    return f'"-Djava.io.tmpdir={folder}"', "-XX:-UsePerfData"


def _start(master: str, memory_bytes: int | None) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        scratch = Scratch()
        stack.callback(scratch.close)
        settings = _settings(master, scratch, memory_bytes)
        conf = SparkConf().setMaster(master).setAppName("lookalike").setAll(settings)
        # Started by ourselves, to keep Java's messages out of the user's terminal and to end it for certain.
        with scratch.file("spark.log").open("wb") as log:
            try:
                gateway = launch_gateway(conf, {"stdout": log, "stderr": log})
            except PySparkRuntimeError:
                raise LookalikeError("Spark did not start: is Java 17 or newer installed?") from None
        stack.callback(_end_java, gateway)
        if SECRET in os.environ:
            # Only now: what Java is started with, everyone on the machine can read.
            conf = SparkConf().setAll([*conf.getAll(), ("spark.authenticate.secret", os.environ[SECRET])])
        context = SparkContext(conf=conf, gateway=gateway)
        stack.callback(context.stop)
        session = SparkSession.builder.getOrCreate()
        _ours.enter_context(stack.pop_all())
        atexit.register(stop)
    return session


def _settings(master: str, scratch: Scratch, memory_bytes: int | None) -> list[tuple[str, str]]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": str(scratch.path),
        "spark.driver.extraJavaOptions": " ".join(private_java(scratch.path)),
        "spark.driver.maxResultSize": "0",
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.legacy.parquet.nanosAsLong": "true",  # Spark has no nanoseconds: as numbers they stay exact
        "spark.sql.timeType.enabled": "true",
    }
    if memory_bytes is not None:
        settings["spark.driver.memory"] = f"{max(1024, memory_bytes >> 20)}m"
    if master.startswith("local") or f"//{LOOPBACK}:" in master:
        settings |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    if SECRET in os.environ:
        settings["spark.authenticate"] = "true"
    return list(settings.items())


def _end_java(gateway: Any) -> None:
    from pyspark import SparkContext

    gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(30)
    finally:
        gateway.proc.kill()
        SparkContext._gateway = SparkContext._jvm = None  # so that the next session starts Java anew
