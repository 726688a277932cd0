"""One worker process as the server sees it.

Two threads stand between its pipe and the event loop, so that neither a slow reader nor a large
message ever blocks the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from geopar.service import work
from geopar.service.orders import EXIT, STOP, Order, Report

# A fresh interpreter: a fork of a process with threads and a running loop is a trap.
_spawn = multiprocessing.get_context("spawn")


class WorkerProcess:
    """A process and the way to it.

    Parameters
    ----------
    kinds, one_pass, niceness
        As for :func:`geopar.service.work.main`.
    on_report
        Called in the event loop with whatever the worker tells.
    on_end
        Called in the event loop when the process has ended, wanted or not.
    """

    def __init__(
        self,
        kinds: tuple[str, ...],
        one_pass: bool,
        niceness: int,
        on_report: Callable[[WorkerProcess, Report], None],
        on_end: Callable[[WorkerProcess], None],
    ) -> None:
        self._arguments = (kinds, one_pass, niceness)
        self._on_report, self._on_end = on_report, on_end
        self._outbox: SimpleQueue[Any] = SimpleQueue()
        self._process: Any = None
        self._loop = asyncio.get_running_loop()
        Thread(target=self._live, daemon=True).start()

    @property
    def exit_code(self) -> int | None:
        """How it ended: minus the signal's number when a signal did it."""
        code: int | None = None if self._process is None else self._process.exitcode
        return code

    @property
    def pid(self) -> int | None:
        """The process, once it runs."""
        number: int | None = None if self._process is None else self._process.pid
        return number

    def send(self, order: Order) -> None:
        """Hand over an order."""
        self._outbox.put(order)

    def stop(self) -> None:
        """Ask it to end the present run."""
        self._outbox.put(STOP)

    def close(self) -> None:
        """Let it end as soon as it hears of it, whatever it is doing."""
        self._outbox.put(EXIT)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()

    def _live(self) -> None:
        """Start the process, listen until it ends."""
        try:
            ours, theirs = _spawn.Pipe()
            self._process = _spawn.Process(
                target=work.main, args=(theirs, *self._arguments), daemon=True
            )
            self._process.start()
            theirs.close()
            Thread(target=self._write, args=(ours,), daemon=True).start()
            self._read(ours)
            self._outbox.put(None)
            self._process.join()
            ours.close()
        except OSError:
            pass  # no process could be started: the same as one that ended
        self._call(self._on_end, self)

    def _read(self, conn: Connection) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._call(self._on_report, self, conn.recv())

    def _write(self, conn: Connection) -> None:
        with contextlib.suppress(OSError):
            while (message := self._outbox.get()) is not None:
                conn.send(message)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)
