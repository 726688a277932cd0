"""The server's handle of one worker process, or of another process of its own.

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

from geopar.service import worker
from geopar.service.messages import EXIT, STOP

# A fresh interpreter: a fork of a process with threads and a running loop is a trap.
_spawn = multiprocessing.get_context("spawn")

_log = logging.getLogger(__name__)


class WorkerProcess:
    """A worker process and its pipe.

    Parameters
    ----------
    arguments
        Of its main function, after the pipe.
    on_report
        Called in the event loop with each report.
    on_end
        Called in the event loop when the process has ended, for whatever reason.
    main
        What it runs; :func:`geopar.service.worker.main` when left out.
    """

    # Whatever it dies of, most likely its run made it die: that is not tried again.
    is_remote = False

    def __init__(
        self,
        arguments: tuple[Any, ...],
        on_report: Callable[[Any, Any], None],
        on_end: Callable[[Any], None],
        main: Callable[..., None] | None = None,
    ) -> None:
        self._arguments, self._main = arguments, main
        self._on_report, self._on_end = on_report, on_end
        self._outbox: SimpleQueue[Any] = SimpleQueue()
        self._process: Any = None
        self._trouble = ""
        self._loop = asyncio.get_running_loop()
        Thread(target=self._run, daemon=True).start()

    @property
    def ending(self) -> str:
        """How the process ended, for messages."""
        if self._trouble:
            return self._trouble
        code: int | None = None if self._process is None else self._process.exitcode
        if code is not None and code < 0:
            return f"the worker process was ended by signal {-code}"
        return f"the worker process ended with exit code {code}"

    @property
    def pid(self) -> int | None:
        """The process id, once it runs."""
        number: int | None = None if self._process is None else self._process.pid
        return number

    def send(self, command: Any) -> None:
        """Send a command."""
        self._outbox.put(command)

    def stop(self) -> None:
        """Stop the present run."""
        self._outbox.put(STOP)

    def close(self) -> None:
        """End the process as soon as it reads the message."""
        self._outbox.put(EXIT)

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    def _run(self) -> None:
        """Start the process, read its reports until it ends, and always call ``on_end``."""
        try:
            ours, theirs = _spawn.Pipe()
            with ours:
                process = _spawn.Process(
                    target=self._main or worker.main,
                    args=(theirs, *self._arguments),
                    daemon=True,
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
            # Its further reports could not be read either, so it is ended.
            self._note("a report of the worker process could not be read", error)
            self.kill()

    def _write(self, conn: Connection) -> None:
        try:
            while (message := self._outbox.get()) is not None:
                conn.send(message)
        except OSError:
            pass  # it has ended
        except Exception as error:
            self._note("a command could not be sent to the worker process", error)
            self.kill()

    def _note(self, trouble: str, error: Exception) -> None:
        self._trouble = f"{trouble} ({type(error).__name__})"
        _log.error("%s", trouble, exc_info=error)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)
