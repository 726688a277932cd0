"""Worker processes that fail in ways in which real ones should not; each takes the place of
``geopar.service.work.main``."""

import sys
import time
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from geopar.service.orders import EXIT, Done, Ready


def explode() -> NoReturn:
    """What reading an :class:`Unreadable` comes down to."""
    raise TypeError("this cannot be read")


class Unreadable:
    """Travels well, and breaks whoever reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return explode, ()


def says_what_nobody_can_read(conn: Connection, *arguments: object) -> None:
    """Answers every order with that, and goes on as if nothing had happened."""
    conn.send(Ready({}))
    while conn.recv() != EXIT:
        conn.send(Unreadable())


def does_as_told(conn: Connection, *arguments: object) -> None:
    """Answers every order at once."""
    conn.send(Ready({}))
    while conn.recv() != EXIT:
        conn.send(Done(("{}",)))


def stillborn(conn: Connection, *arguments: object) -> None:
    """Ends before it is ready."""
    sys.exit(3)


def never_ready(conn: Connection, *arguments: object) -> None:
    """Warms up for ever."""
    time.sleep(3600)
