"""A connection to PostgreSQL that comes back by itself, and its errors as those of a store."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from geopar.errors import Faults, MissingExtraError
from geopar.service.store import FullStoreError, UnreachableStoreError

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql://", "postgres://")
# Seconds until a host that does not answer counts as away, when connecting and in between.
CONNECT_SECONDS, SILENT_SECONDS = 5, 10
# Of one statement; none of ours takes that long.
STATEMENT_SECONDS = 30
# Seconds after a failed attempt in which nobody tries again: others need not wait for it as well.
PAUSE = 0.5

_log = logging.getLogger(__name__)

T = TypeVar("T")


def driver() -> Any:
    """The package ``psycopg``, which is loaded only here.

    Raises
    ------
    geopar.errors.MissingExtraError
        When it is not installed, or without the library that it needs.
    """
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError("geopar serve --store", "postgresql") from error
    return psycopg


def masked(url: str) -> str:
    """The address without its password, which no message and no log may hold."""
    url = re.sub(r"(//[^:/@]*):.*@", r"\1:…@", url)
    return re.sub(r"(?i)(password=)[^&]*", r"\1…", url)


class Link:
    """One connection, used from one thread; lost, it is made again by whoever needs it next.

    Parameters
    ----------
    url
        ``postgresql://user:password@host:port/database``, as libpq understands it.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_away = False
        self._connection: psycopg.Connection[Any] | None = None
        self._next_attempt = 0.0
        self._last_error = ""

    def run(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Do something with the connection; it may be done twice, the first time in vain.

        Raises
        ------
        UnreachableStoreError
            When the database does not answer.
        FullStoreError
            When it has no room.
        """
        was_open = self._connection is not None
        try:
            return self._try(work)
        except UnreachableStoreError:
            # One that the database closed long ago is found out only when it is used.
            if not was_open or self._connection is not None:
                raise
        return self._try(work)

    def connect(self) -> psycopg.Connection[Any]:
        """The connection, made if need be; errors are those of the driver."""
        if self._connection is None:
            self._connection = open_connection(self.url)
            if self.is_away:
                self.is_away = False
                _log.warning("the database of jobs is back")
        return self._connection

    def close(self) -> None:
        """Give it back; closed or lost, nothing happens."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _try(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        psycopg = driver()
        if self._connection is None and time.monotonic() < self._next_attempt:
            raise UnreachableStoreError(self._last_error)
        try:
            return work(self.connect())
        except psycopg.errors.InsufficientResources as error:
            raise FullStoreError(one_line(error)) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            self._note_lost(one_line(error))
            raise UnreachableStoreError(self._last_error) from error
        except psycopg.Error as error:
            # A replica that is not the main one yet, tables that are gone, rights that were taken:
            # all of it can be mended while runs go on, and a new connection may find it mended.
            self.close()
            self._note_lost(one_line(error))
            raise UnreachableStoreError(self._last_error) from error

    def _note_lost(self, reason: str) -> None:
        if self._connection is not None and not self._connection.closed:
            self._last_error = reason  # one statement took too long: the connection is well
            return
        self.close()
        self._next_attempt = time.monotonic() + PAUSE
        self._last_error = reason
        if not self.is_away:
            self.is_away = True
            _log.error("the database of jobs is away, runs go on: %s", reason)


def open_connection(url: str) -> psycopg.Connection[Any]:
    """A new connection that commits every statement by itself; errors are those of the driver."""
    loaded = driver()
    given = loaded.conninfo.conninfo_to_dict(url)
    usual = {
        "connect_timeout": CONNECT_SECONDS, "application_name": "geopar", "keepalives_idle": 5,
        "keepalives_interval": 2, "keepalives_count": 3,
        "tcp_user_timeout": 1000 * SILENT_SECONDS,
    }  # fmt: skip
    connection: psycopg.Connection[Any] = loaded.connect(
        **{**usual, **given}, client_encoding="utf8", autocommit=True
    )
    connection.execute(f"SET statement_timeout = '{STATEMENT_SECONDS}s'".encode())
    return connection


def one_line(error: BaseException) -> str:
    """What the database said, without its line ends and without a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines).rstrip(".") or type(error).__name__


def check_address(faults: Faults, url: str) -> bool:
    """Whether an address can be one of PostgreSQL; what is wrong with it is noted."""
    hint = "Maybe postgresql://user@host/database."
    if not url.startswith(SCHEMES):
        message = "is no address of PostgreSQL; for SQLite name a folder with --data."
        faults.add("bad-address", "--store", masked(url), message, hint)
        return False
    psycopg = driver()
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error as error:
        reason = masked(one_line(error))
        faults.add("bad-address", "--store", masked(url), f"cannot be understood: {reason}.", hint)
        return False
    return True


# What libpq says, and what helps; the first that fits.
HINTS = (
    ("no password supplied", "Set PGPASSWORD, or keep it in ~/.pgpass."),
    ("password authentication failed", "Check the user and the password (PGPASSWORD, ~/.pgpass)."),
    ("authentication failed", "Check the user, and the server's pg_hba.conf."),
    ("permission denied", "Let the user create tables: GRANT CREATE ON SCHEMA public TO …"),
    ('database "', "Make it with createdb."),
    ('role "', "Make the user with createuser, or name another one."),
)


def way_out(reason: str) -> str:
    """What to do about a database that cannot be used."""
    found = (hint for sign, hint in HINTS if sign in reason)
    return next(found, "Is PostgreSQL running there, and can it be reached from here?")
