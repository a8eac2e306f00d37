"""Points computed by several processes, each on one core; answers come back one by one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from lookalike.errors import LookalikeError
from lookalike.evaluate.simulation.answers import Answer, Task, answers
from lookalike.evaluate.simulation.people import People

_THREADS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "POLARS_MAX_THREADS",
)


class WorkerLost(LookalikeError):
    """A process ended in the midst of a point."""


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: Task | None = None
    answered: int = field(default=0)


def compute(tasks: Sequence[Task], folder: Path, names: Sequence[str], seed: int, *, workers: int) -> Generator[Answer]:
    """The answers to all tasks in the order they are ready; one worker works in this very process."""
    if workers == 1 or len(tasks) <= 1:
        people = People.load(folder)
        for task in tasks:
            yield from answers(task, people, names, seed)
        return
    with _team(min(workers, len(tasks)), folder, names, seed) as team:
        yield from _collect(team, iter(tasks))


def _collect(team: Sequence[_Worker], waiting: Iterator[Task]) -> Iterator[Answer]:
    """Give each worker its next task when it has answered the last."""
    at = {worker.pipe: worker for worker in team}
    busy = {worker.pipe for worker in team if _next(worker, waiting)}
    while busy:
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)
            worker = at[pipe]
            yield _received(worker)
            worker.answered += 1
            assert worker.task is not None
            if worker.answered == len(worker.task.pairs) and not _next(worker, waiting):
                busy.remove(pipe)


def _next(worker: _Worker, waiting: Iterator[Task]) -> bool:
    worker.task, worker.answered = next(waiting, None), 0
    if worker.task is None:
        return False
    try:
        worker.pipe.send(worker.task)
    except OSError:
        raise _lost(worker, worker.task) from None
    return True


def _received(worker: _Worker) -> Answer:
    assert worker.task is not None
    try:
        answer: Answer = worker.pipe.recv()
    except (EOFError, OSError):
        raise _lost(worker, worker.task) from None
    return answer


def _lost(worker: _Worker, task: Task) -> WorkerLost:
    worker.process.join(1)
    key, _ = task.pairs[worker.answered]
    return WorkerLost(
        f"A worker ended at point {task.point.index} in the estimator '{key}' (exit code {worker.process.exitcode}). "
        "The answers so far are kept. If memory ran out (-9), take fewer --workers; or leave this estimator out."
    )


@contextmanager
def _team(count: int, folder: Path, names: Sequence[str], seed: int) -> Iterator[list[_Worker]]:
    """Processes that are there while work runs inside, and gone after it, however it ends."""
    context = multiprocessing.get_context("spawn")
    team: list[_Worker] = []
    try:
        with _one_thread(), _deaf():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, folder, tuple(names), seed), daemon=True)
                process.start()
                theirs.close()
                team.append(_Worker(process, ours))
        yield team
    finally:
        for worker in team:
            worker.pipe.close()
            worker.process.terminate()
        for worker in team:
            worker.process.join()


def _work(pipe: Connection, folder: Path, names: tuple[str, ...], seed: int) -> None:
    """The whole life of a worker: it ends when nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    people = People.load(folder)
    try:
        while True:
            for answer in answers(pipe.recv(), people, names, seed):
                pipe.send(answer)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started inside use one thread each, whatever the libraries would take."""
    kept = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes started inside do not hear Ctrl-C: their parent does, and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
