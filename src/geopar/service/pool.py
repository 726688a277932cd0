"""A pool of workers, and the queue that feeds it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from geopar.service.messages import (
    Command,
    Compiling,
    Done,
    Failed,
    Improvement,
    LostWorkerError,
    ProgressReport,
    Ready,
    Report,
    SolveCommand,
)
from geopar.service.process import WorkerProcess

# A run checks its stop rule many times a second; one that does not end within so many seconds after
# it was stopped hangs, and its worker is replaced.
STOP_GRACE = 10.0
# Seconds beyond its time limit after which a run hangs: importing does not count for the limit, and
# is slow on a busy machine. Compiling takes longer, and the worker says so.
OVERTIME, COMPILING = 180.0, 900.0
# Seconds until a worker that ended during its start is started again; doubled each time.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0

_log = logging.getLogger(__name__)

Watch = Callable[[Compiling | ProgressReport | Improvement], None]


@dataclass(eq=False)
class Run:
    """One command and its future.

    ``done`` holds the result or the worker's error, or is cancelled when the run was removed from
    the queue before a worker took it.
    """

    command: Command
    started: Callable[[], None] = lambda: None
    watch: Watch = lambda report: None
    done: asyncio.Future[Done] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    stopping: bool = False

    def settle(self, outcome: Done | BaseException) -> None:
        """Resolve the future, unless it is done already."""
        if self.done.done():
            return
        if isinstance(outcome, Done):
            self.done.set_result(outcome)
        else:
            self.done.set_exception(outcome)
            self.done.exception()  # retrieved: asyncio does not warn if no one awaits it


class Source(Protocol):
    """A source of runs for a pool."""

    def take(self) -> Run | None:
        """The next run, or None when there is none yet."""


class JobQueue:
    """Runs that wait for a worker, first come, first served."""

    def __init__(self) -> None:
        self._waiting: deque[Run] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, run: Run) -> None:
        """Append a run."""
        self._waiting.append(run)

    def add_first(self, run: Run) -> None:
        """Put a run before all others: it had its turn already."""
        self._waiting.appendleft(run)

    def take(self) -> Run | None:
        """Remove and return the oldest run, or None."""
        return self._waiting.popleft() if self._waiting else None

    def remove(self, run: Run) -> bool:
        """Remove a run; False when it is not in the queue."""
        try:
            self._waiting.remove(run)
        except ValueError:
            return False
        return True

    def position(self, run: Run) -> int | None:
        """The position of a run, from 1, or None when it is not in the queue."""
        return next((at for at, other in enumerate(self._waiting, 1) if other is run), None)


class WorkerHandle(Protocol):
    """The server's side of a worker: a process here, or an actor on a cluster."""

    is_remote: bool
    """Whether it may die of what happens to its machine, and its run be tried again."""

    @property
    def pid(self) -> int | None:
        """The process id, once it runs, if it is a process here."""

    @property
    def ending(self) -> str:
        """How it ended, for messages."""

    def send(self, command: Command) -> None:
        """Send a command."""

    def stop(self) -> None:
        """Stop the present run."""

    def close(self) -> None:
        """End it as soon as it reads the message."""

    def kill(self) -> None:
        """End it at once."""


OnReport = Callable[[WorkerHandle, Report], None]
OnEnd = Callable[[WorkerHandle], None]
MakeWorker = Callable[[OnReport, OnEnd], WorkerHandle]


def local_workers(kinds: tuple[str, ...], one_pass: bool, niceness: int) -> MakeWorker:
    """Workers that are processes here; see :func:`geopar.service.worker.main`."""
    return lambda on_report, on_end: WorkerProcess((kinds, one_pass, niceness), on_report, on_end)


@dataclass(eq=False)
class WorkerSlot:
    """Holds one worker, which may be replaced, and its present run."""

    process: WorkerHandle | None = None
    ready: bool = False
    run: Run | None = None
    deadline: asyncio.TimerHandle | None = None
    pause: float = FIRST_PAUSE
    # When its worker said last that it compiles what it needs to get ready.
    compiling_since: float | None = None


class Pool:
    """Workers that take runs from one source.

    Parameters
    ----------
    size
        Number of workers.
    source
        Source of the runs; call :meth:`hand_out` when it has new ones.
    make_worker
        Starts one, and has its reports and its end told.
    """

    def __init__(self, size: int, source: Source, make_worker: MakeWorker) -> None:
        self.source = source
        self.restarts = 0
        self.missing: dict[str, str] = {}
        self.is_ready = asyncio.Event()
        self.last_ending = ""
        self._unready_since: float | None = None
        self._make_worker = make_worker
        self._slots = [WorkerSlot() for _ in range(size)]
        self._wanted = size
        self._closing = False

    def start(self) -> None:
        """Start the first worker, and the others when it is warm; runs wait until then.

        Where nothing is compiled yet, the others find on disk what the first one compiled.
        """
        self._unready_since = asyncio.get_running_loop().time()
        if self._slots:
            self._start_worker(self._slots[0])

    def resize(self, size: int) -> None:
        """Have so many workers from now on; more than that stay only while they are at work."""
        self._wanted = size
        for _ in range(size - self.size):
            self._slots.append(WorkerSlot())
            self._start_worker(self._slots[-1])
        self._retire_surplus()

    def _retire_surplus(self) -> None:
        """Let go of workers that are too many; those that wait for a machine go first."""
        idle = [slot for slot in self._slots if slot.run is None]
        for slot in sorted(idle, key=lambda slot: slot.ready)[: max(0, self.size - self._wanted)]:
            self._slots.remove(slot)
            if slot.process is not None:
                slot.process.kill()
        self._note_readiness()

    @property
    def unready_seconds(self) -> float:
        """For how long no worker at all has been ready; 0 while any is."""
        if self._unready_since is None:
            return 0.0
        return asyncio.get_running_loop().time() - self._unready_since

    @property
    def is_compiling(self) -> bool:
        """Whether a worker is not ready because it compiles, and has not done so for ever."""
        now = asyncio.get_running_loop().time()
        since = [slot.compiling_since for slot in self._slots if not slot.ready]
        return any(one is not None and now - one < COMPILING for one in since)

    @property
    def size(self) -> int:
        """Number of workers."""
        return len(self._slots)

    @property
    def idle(self) -> int:
        """Number of workers without a run."""
        return sum(slot.ready and slot.run is None for slot in self._slots)

    @property
    def busy(self) -> int:
        """Number of workers with a run."""
        return sum(slot.run is not None for slot in self._slots)

    def pids(self) -> list[int]:
        """Process ids of the workers."""
        processes = [slot.process for slot in self._slots if slot.process is not None]
        return [process.pid for process in processes if process.pid is not None]

    def hand_out(self) -> None:
        """Give every idle worker a run from the source."""
        for slot in self._slots:
            if self._closing or not slot.ready or slot.run is not None or slot.process is None:
                continue
            run = self.source.take()
            if run is None:
                return
            slot.run = run
            slot.process.send(run.command)
            self._set_deadline(slot, self._seconds(run))
            run.started()

    @staticmethod
    def _seconds(run: Run) -> float:
        """How long a run may take before it hangs."""
        seconds = run.command.time_limit if isinstance(run.command, SolveCommand) else 0.0
        return 1.05 * seconds + OVERTIME

    def stop(self, run: Run) -> None:
        """Stop a run that a worker has; its best plan so far is its result."""
        slot = self._slot_of(run)
        if slot is None or run.stopping:
            return
        run.stopping = True
        if slot.process is not None:
            slot.process.stop()
            self._set_deadline(slot, STOP_GRACE)

    async def close(self, patience: float) -> None:
        """End all runs, then all workers."""
        self._closing = True
        runs = [slot.run for slot in self._slots if slot.run is not None]
        for run in runs:
            self.stop(run)
        if runs:
            await asyncio.wait([run.done for run in runs], timeout=patience)
        processes = [slot.process for slot in self._slots if slot.process is not None]
        for process in processes:
            process.close()
        waited = 0.0
        while waited < patience and any(slot.process is not None for slot in self._slots):
            await asyncio.sleep(0.02)
            waited += 0.02
        for process in processes:
            process.kill()

    def _slot_of(self, run: Run) -> WorkerSlot | None:
        return next((slot for slot in self._slots if slot.run is run), None)

    def _start_worker(self, slot: WorkerSlot) -> None:
        if not self._closing and slot.process is None and slot in self._slots:
            slot.process = self._make_worker(self._on_report, self._on_end)

    def _slot_at(self, process: WorkerHandle) -> WorkerSlot | None:
        return next((slot for slot in self._slots if slot.process is process), None)

    def _set_deadline(self, slot: WorkerSlot, seconds: float) -> None:
        self._clear_deadline(slot)
        process = slot.process
        if process is not None:
            loop = asyncio.get_running_loop()
            slot.deadline = loop.call_later(seconds, self._replace_hanging, process)

    def _clear_deadline(self, slot: WorkerSlot) -> None:
        if slot.deadline is not None:
            slot.deadline.cancel()
            slot.deadline = None

    def _replace_hanging(self, process: WorkerHandle) -> None:
        _log.error("worker %s does not end its run, so it is replaced", process.pid)
        process.kill()

    def _on_report(self, process: WorkerHandle, report: Report) -> None:
        slot = self._slot_at(process)
        if slot is None:
            return
        if isinstance(report, Ready):
            slot.ready, slot.pause = True, FIRST_PAUSE
            self._unready_since = None
            self.missing = report.missing
            if not self.is_ready.is_set():
                self.is_ready.set()
                for other in self._slots:
                    self._start_worker(other)
            self.hand_out()
            return
        run = slot.run
        if run is None:
            if isinstance(report, Compiling):
                slot.compiling_since = asyncio.get_running_loop().time()
            return
        if isinstance(report, Compiling):
            if not run.stopping:
                self._set_deadline(slot, COMPILING + self._seconds(run))
            run.watch(report)
            return
        if isinstance(report, ProgressReport | Improvement):
            run.watch(report)
            return
        slot.run = None
        self._clear_deadline(slot)
        run.settle(report.to_error() if isinstance(report, Failed) else report)
        self._retire_surplus()
        self.hand_out()

    def _on_end(self, process: WorkerHandle) -> None:
        slot = self._slot_at(process)
        if slot is None:
            return
        run, was_ready = slot.run, slot.ready
        slot.process, slot.ready, slot.run, slot.compiling_since = None, False, None, None
        self._clear_deadline(slot)
        self.last_ending = process.ending
        self._note_readiness()
        if self.size > self._wanted:
            self._slots.remove(slot)
        elif not self._closing:
            self.restarts += 1
            _log.error("%s; starting another", process.ending)
            if was_ready:
                self._start_worker(slot)
            else:
                asyncio.get_running_loop().call_later(slot.pause, self._start_worker, slot)
                slot.pause = min(2 * slot.pause, LONGEST_PAUSE)
        if run is not None:
            run.settle(LostWorkerError(process.ending, process.is_remote))

    def _note_readiness(self) -> None:
        """Note since when nobody is ready."""
        if self._unready_since is None and not any(slot.ready for slot in self._slots):
            self._unready_since = asyncio.get_running_loop().time()
