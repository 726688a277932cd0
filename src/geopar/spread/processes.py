"""Several processes on this machine, by :mod:`concurrent.futures`.

A pool of that module is broken for good as soon as one of its processes dies, and does not tell
whose task it was. So there is a new pool then, and all that was on its way is done again; a task
that was on its way too often gets its last try alone, where there is no doubt.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic

from geopar.spread.closing import Closing
from geopar.spread.executor import (
    AHEAD,
    MOST_TRIES,
    Done,
    Task,
    Value,
    WorkerDiedError,
    attempt,
    portable,
)

# Compiled code and its threads do not survive a fork.
_spawn = multiprocessing.get_context("spawn")


@dataclass(slots=True)
class _Ticket(Generic[Task]):
    """A task, and how often it was on its way when a worker died."""

    number: int
    task: Task
    deaths: int = 0

    @property
    def goes_alone(self) -> bool:
        return self.deaths == MOST_TRIES - 1


class _Queue(Generic[Task]):
    """Tasks to do: those to be done again first."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._new = enumerate(tasks)
        self._again: deque[_Ticket[Task]] = deque()

    def take(self) -> _Ticket[Task] | None:
        if self._again:
            return self._again.popleft()
        number_and_task = next(self._new, None)
        return None if number_and_task is None else _Ticket(*number_and_task)

    def put_back(self, ticket: _Ticket[Task]) -> None:
        self._again.append(ticket)


class Processes(Closing):
    """Runs tasks in processes, which stay for the next tasks until it is closed.

    Parameters
    ----------
    workers
        How many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: tuple[Connection, Connection] | None = None

    def run(
        self, function: Callable[[Task], Value], tasks: Iterable[Task]
    ) -> Iterator[Done[Value]]:
        """As :meth:`geopar.spread.executor.Executor.run`."""
        queue = _Queue(tasks)
        flying: dict[Future[Done[Value]], _Ticket[Task]] = {}
        try:
            while True:
                self._fill(flying, queue, function)
                if not flying:
                    return
                landed, _ = wait(flying, return_when=FIRST_COMPLETED)
                if any(isinstance(future.exception(), BrokenProcessPool) for future in landed):
                    landed, _ = wait(flying)  # all of them come down at once
                    self.close()
                for future in landed:
                    yield from _land(future, flying.pop(future), queue)
        finally:
            if flying:  # somebody has stopped it
                self.close()

    def _fill(
        self,
        flying: dict[Future[Done[Value]], _Ticket[Task]],
        queue: _Queue[Task],
        function: Callable[[Task], Value],
    ) -> None:
        """Send tasks off until there are enough on their way."""
        while len(flying) < AHEAD * self.workers:
            if any(ticket.goes_alone for ticket in flying.values()):
                return
            ticket = queue.take()
            if ticket is None:
                return
            if ticket.goes_alone and flying:
                queue.put_back(ticket)
                return
            try:
                future = self._open().submit(attempt, function, ticket.number, ticket.task)
            except BrokenProcessPool:  # a worker has died without a task
                queue.put_back(ticket)
                if flying:
                    return  # they come down, and then there is a new pool
                self.close()
            else:
                flying[future] = ticket

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._lifeline = _spawn.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                self.workers, _spawn, initializer=_begin, initargs=(self._lifeline[0],)
            )
        return self._pool

    def close(self) -> None:
        """Let the processes go; what still runs ends at once."""
        if self._pool is not None and self._lifeline is not None:
            for end in self._lifeline:
                end.close()
            self._pool.shutdown(cancel_futures=True)
            self._pool = self._lifeline = None


def _land(
    future: Future[Done[Value]], ticket: _Ticket[Task], queue: _Queue[Task]
) -> Iterator[Done[Value]]:
    """What became of a task: one that is done, or nothing yet."""
    error = future.exception()
    if error is None:
        yield future.result()
    elif not isinstance(error, BrokenProcessPool):  # could not be pickled, for example
        yield Done(ticket.number, error=portable(error) if isinstance(error, Exception) else None)
    elif ticket.goes_alone:
        yield Done(ticket.number, error=WorkerDiedError())
    else:
        ticket.deaths += 1
        queue.put_back(ticket)


def _begin(lifeline: Any) -> None:
    """Set up a worker: it ends with the process that it works for, and leaves Ctrl-C to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)
