"""How every command ends: an exit code, and for people a message instead of a traceback.

0 fine, 1 the plan violates something, 2 bad input, 3 internal, 130 stopped by Ctrl-C or SIGTERM
before there was a result, 141 nobody read the output to its end.
"""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import typer

from geopar.errors import GeoparError

FINE, VIOLATED, BAD_INPUT, INTERNAL, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141

TRACEBACK_VARIABLE = "GEOPAR_TRACEBACK"

Command = Callable[..., int | None]


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM does what Ctrl-C does: process managers and ``timeout`` send it.

    Unlike Ctrl-C it also reaches what a script runs in the background. Whoever handles it already
    keeps doing so.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def guarded(command: Command, *, keeps_best: bool = False) -> Callable[..., None]:
    """The command with its errors turned into messages and exit codes.

    A command returns its exit code, or nothing when all is fine.

    Parameters
    ----------
    keeps_best
        Whether Ctrl-C ends it with the best that it has found: SIGTERM then does so as well.
    """

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        if sys.stdout is None:
            # Whoever closed it wants to hear nothing; files are written all the same.
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        stopping = terminated_as_interrupted() if keeps_best else nullcontext()
        try:
            with stopping:
                code = command(*args, **options) or FINE
                sys.stdout.flush()
        except typer.Exit:
            raise
        except BrokenPipeError:
            _drop_output()
            code = BROKEN_PIPE
        except KeyboardInterrupt:
            typer.echo("Stopped before there was a result.", err=True)
            code = INTERRUPTED
        except (Exception, RecursionError, MemoryError) as error:
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            message, code = explain(error)
            typer.echo(message, err=True)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                _drop_output()
        if code:
            raise typer.Exit(code)

    return run


def _drop_output() -> None:
    """What is still buffered goes nowhere: else writing it would fail again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # an output that is no file has nothing buffered
    finally:
        os.close(nowhere)


def explain(error: BaseException) -> tuple[str, int]:
    """What to tell the user, and the exit code."""
    if isinstance(error, GeoparError):
        return f"Error: {error}", error.exit_code
    if isinstance(error, OSError) and error.filename is not None:
        # The readers name what they cannot read: this is a file that cannot be written.
        return f"Error: {error.filename}: {error.strerror}. Maybe another place.", BAD_INPUT
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"Error: the output: {error.strerror}. Maybe another place.", BAD_INPUT
    if isinstance(error, MemoryError):
        return "Error: out of memory. Maybe a smaller problem or --count.", INTERNAL
    return (
        f"Internal error: {type(error).__name__}: {error}\n"
        "This is a fault in geopar, not in your input. Please report it with the command, its "
        f"input and what `geopar info` prints; {TRACEBACK_VARIABLE}=1 shows where it happened."
    ), INTERNAL
