"""Worker processes and the orders that they are given."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from geopar.service.orders import (
    Done,
    Failed,
    Improvement,
    LostWorkerError,
    Order,
    Pace,
    Ready,
    Report,
    SolveOrder,
)
from geopar.service.process import WorkerProcess

# A run that was told to stop looks at the clock many times a second; one that does not end within
# so many seconds hangs, and its worker is replaced.
STOP_GRACE = 10.0
# Over its time limit a run may take so long: importing and compiling do not count, and are slow on
# a busy machine.
OVERTIME = 180.0
# A worker that dies while it starts is started again after so many seconds, then twice as many.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0

_log = logging.getLogger(__name__)

Watch = Callable[[Pace | Improvement], None]


@dataclass(eq=False)
class Run:
    """One order on its way.

    ``done`` ends with what came of it, with the worker's error, or is cancelled when the run was
    given up before a worker took it.
    """

    order: Order
    started: Callable[[], None] = lambda: None
    watch: Watch = lambda report: None
    done: asyncio.Future[Done] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    stopping: bool = False

    def settle(self, outcome: Done | BaseException) -> None:
        """Tell whoever waits, if anybody still does."""
        if self.done.done():
            return
        if isinstance(outcome, Done):
            self.done.set_result(outcome)
        else:
            self.done.set_exception(outcome)
            self.done.exception()  # looked at: no complaint when nobody waits for it any more


class Source(Protocol):
    """Where a pool takes its runs from."""

    def take(self) -> Run | None:
        """The next run, or None when there is none yet."""


@dataclass(eq=False)
class _Seat:
    """A worker's place: the process may be replaced, the place stays."""

    process: WorkerProcess | None = None
    ready: bool = False
    run: Run | None = None
    deadline: asyncio.TimerHandle | None = None
    pause: float = FIRST_PAUSE


class Pool:
    """So many workers that take runs from one source.

    Parameters
    ----------
    size
        How many workers.
    source
        Where the runs come from; call :meth:`pump` when it has new ones.
    kinds, one_pass, niceness
        As for :func:`geopar.service.work.main`.
    """

    def __init__(
        self, size: int, source: Source, kinds: tuple[str, ...], one_pass: bool, niceness: int
    ) -> None:
        self.source = source
        self.restarts = 0
        self.missing: dict[str, str] = {}
        self.is_ready = asyncio.Event()
        self.last_ending = ""
        self._unready_since: float | None = None
        self._settings = (kinds, one_pass, niceness)
        self._seats = [_Seat() for _ in range(size)]
        self._closing = False

    def start(self) -> None:
        """Start the first worker, and the others when it is warm; runs wait until then.

        Where nothing is compiled yet, the others find on disk what the first one compiled.
        """
        self._unready_since = asyncio.get_running_loop().time()
        self._hire(self._seats[0])

    @property
    def unready_seconds(self) -> float:
        """For how long no worker at all has been ready; 0 while any is."""
        if self._unready_since is None:
            return 0.0
        return asyncio.get_running_loop().time() - self._unready_since

    @property
    def size(self) -> int:
        """How many workers."""
        return len(self._seats)

    @property
    def idle(self) -> int:
        """How many workers wait for something to do."""
        return sum(seat.ready and seat.run is None for seat in self._seats)

    @property
    def busy(self) -> int:
        """How many workers work."""
        return sum(seat.run is not None for seat in self._seats)

    def pids(self) -> list[int]:
        """The worker processes."""
        processes = [seat.process for seat in self._seats if seat.process is not None]
        return [process.pid for process in processes if process.pid is not None]

    def pump(self) -> None:
        """Give every idle worker something to do."""
        for seat in self._seats:
            if self._closing or not seat.ready or seat.run is not None or seat.process is None:
                continue
            run = self.source.take()
            if run is None:
                return
            seat.run = run
            seat.process.send(run.order)
            seconds = run.order.time_limit if isinstance(run.order, SolveOrder) else 0.0
            self._set_deadline(seat, 1.05 * seconds + OVERTIME)
            run.started()

    def stop(self, run: Run) -> None:
        """End a run that a worker has; what it found so far is its result."""
        seat = self._seat_of(run)
        if seat is None or run.stopping:
            return
        run.stopping = True
        if seat.process is not None:
            seat.process.stop()
            self._set_deadline(seat, STOP_GRACE)

    async def close(self, patience: float) -> None:
        """End all runs, then all workers."""
        self._closing = True
        runs = [seat.run for seat in self._seats if seat.run is not None]
        for run in runs:
            self.stop(run)
        if runs:
            await asyncio.wait([run.done for run in runs], timeout=patience)
        processes = [seat.process for seat in self._seats if seat.process is not None]
        for process in processes:
            process.close()
        waited = 0.0
        while waited < patience and any(seat.process is not None for seat in self._seats):
            await asyncio.sleep(0.02)
            waited += 0.02
        for process in processes:
            process.kill()

    def _seat_of(self, run: Run) -> _Seat | None:
        return next((seat for seat in self._seats if seat.run is run), None)

    def _hire(self, seat: _Seat) -> None:
        if not self._closing:
            seat.process = WorkerProcess(*self._settings, self._on_report, self._on_end)

    def _seat_at(self, process: WorkerProcess) -> _Seat | None:
        return next((seat for seat in self._seats if seat.process is process), None)

    def _set_deadline(self, seat: _Seat, seconds: float) -> None:
        self._clear_deadline(seat)
        process = seat.process
        if process is not None:
            loop = asyncio.get_running_loop()
            seat.deadline = loop.call_later(seconds, self._out_of_patience, process)

    def _clear_deadline(self, seat: _Seat) -> None:
        if seat.deadline is not None:
            seat.deadline.cancel()
            seat.deadline = None

    def _out_of_patience(self, process: WorkerProcess) -> None:
        _log.error("worker %s does not end its run, so it is replaced", process.pid)
        process.kill()

    def _on_report(self, process: WorkerProcess, report: Report) -> None:
        seat = self._seat_at(process)
        if seat is None:
            return
        if isinstance(report, Ready):
            seat.ready, seat.pause = True, FIRST_PAUSE
            self._unready_since = None
            self.missing = report.missing
            if not self.is_ready.is_set():
                self.is_ready.set()
                for other in self._seats[1:]:
                    self._hire(other)
            self.pump()
            return
        run = seat.run
        if run is None:
            return
        if isinstance(report, Pace | Improvement):
            run.watch(report)
            return
        seat.run = None
        self._clear_deadline(seat)
        run.settle(report.to_error() if isinstance(report, Failed) else report)
        self.pump()

    def _on_end(self, process: WorkerProcess) -> None:
        seat = self._seat_at(process)
        if seat is None:
            return
        run, was_ready = seat.run, seat.ready
        seat.process, seat.ready, seat.run = None, False, None
        self._clear_deadline(seat)
        self.last_ending = process.ending
        if self._unready_since is None and not any(other.ready for other in self._seats):
            self._unready_since = asyncio.get_running_loop().time()
        if not self._closing:
            self.restarts += 1
            _log.error("%s; starting another", process.ending)
            if was_ready:
                self._hire(seat)
            else:
                asyncio.get_running_loop().call_later(seat.pause, self._hire, seat)
                seat.pause = min(2 * seat.pause, LONGEST_PAUSE)
        if run is not None:
            run.settle(LostWorkerError(process.ending))
