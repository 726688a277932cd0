"""Worker processes that fail in ways in which real ones should not; each takes the place of
``geopar.service.worker.main``."""

import sys
import time
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from geopar.service.messages import EXIT, Compiling, Done, Ready


def explode() -> NoReturn:
    """Called when an :class:`Unreadable` is unpickled."""
    raise TypeError("this cannot be read")


class Unreadable:
    """Can be pickled, and raises when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return explode, ()


def sends_unreadable_report(conn: Connection, *arguments: object) -> None:
    """Answers every command with an unreadable report, and stays alive."""
    conn.send(Ready({}))
    while conn.recv() != EXIT:
        conn.send(Unreadable())


def answers_at_once(conn: Connection, *arguments: object) -> None:
    """Answers every command at once."""
    conn.send(Ready({}))
    while conn.recv() != EXIT:
        conn.send(Done(("{}",)))


def exits_before_ready(conn: Connection, *arguments: object) -> None:
    """Ends before it is ready."""
    sys.exit(3)


def compiles_for_ever(conn: Connection, *arguments: object) -> None:
    """A worker that waits for what is compiled before it is ready."""
    conn.send(Compiling())
    time.sleep(600)


def never_ready(conn: Connection, *arguments: object) -> None:
    """Never finishes its start."""
    time.sleep(3600)


def compiles_then_answers(conn: Connection, *arguments: object) -> None:
    """Says of every command that code for it is compiled, and answers."""
    conn.send(Ready({}))
    while conn.recv() != EXIT:
        conn.send(Compiling())
        conn.send(Done(("{}",)))
