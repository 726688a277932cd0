"""One worker process as the server sees it.

Two threads stand between its pipe and the event loop, so that neither a slow reader nor a large
message ever blocks the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
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

_log = logging.getLogger(__name__)


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
        self._trouble = ""
        self._loop = asyncio.get_running_loop()
        Thread(target=self._live, daemon=True).start()

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self._trouble:
            return self._trouble
        code: int | None = None if self._process is None else self._process.exitcode
        if code is not None and code < 0:
            return f"the worker process was ended by signal {-code}"
        return f"the worker process ended with exit code {code}"

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
        """Start the process, listen until it ends; however that goes, say so at the end."""
        try:
            ours, theirs = _spawn.Pipe()
            with ours:
                process = _spawn.Process(
                    target=work.main, args=(theirs, *self._arguments), daemon=True
                )
                process.start()
                self._process = process
                theirs.close()
                Thread(target=self._write, args=(ours,), daemon=True).start()
                self._read(ours)
                self._outbox.put(None)
                process.join()
        except Exception as error:
            self._note("no worker process could be started", error)
        finally:
            self._call(self._on_end, self)

    def _read(self, conn: Connection) -> None:
        try:
            while True:
                self._call(self._on_report, self, conn.recv())
        except (EOFError, OSError):
            pass  # it has ended
        except Exception as error:
            # Nobody would hear any more of what it does, so it does nothing more.
            self._note("what the worker process said could not be read", error)
            self.kill()

    def _write(self, conn: Connection) -> None:
        try:
            while (message := self._outbox.get()) is not None:
                conn.send(message)
        except OSError:
            pass  # it has ended
        except Exception as error:
            self._note("the worker process could not be told what to do", error)
            self.kill()

    def _note(self, trouble: str, error: Exception) -> None:
        self._trouble = f"{trouble} ({type(error).__name__})"
        _log.error("%s", trouble, exc_info=error)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)
