"""Jobs in PostgreSQL, where several servers share them.

Every job that has not ended belongs to the server that has it in memory, and only that one writes
it. A server that lives counts on in its own row; one that does not is given up by the others, which
let go of its jobs: what ran is interrupted with the plan that was stored last, and what waited, or
had no plan yet, waits for whoever takes it. Every change is told to all servers by NOTIFY.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from geopar.errors import Faults
from geopar.service.postgresql_link import (
    Link,
    check_address,
    driver,
    masked,
    one_line,
    open_connection,
    way_out,
)
from geopar.service.store import (
    COLUMNS,
    ENDED,
    RENAMED,
    SAVED,
    STOP,
    TAKEN,
    Claims,
    DamagedRowError,
    FullStoreError,
    Listing,
    Row,
    TakenKeyError,
    UnreachableStoreError,
    moment,
)

if TYPE_CHECKING:
    import psycopg

# Raised whenever older tables no longer mean the same.
VERSION = 1
# All that make the tables at the same time wait for each other: any number that is ours alone.
LOCK = 0x67656F706172
CHANNEL = "geopar_jobs"
# Seconds after which nobody waits for the database any more; what was asked may still be done.
ANSWER_SECONDS = 15.0
# Seconds between two looks of the listening thread at whether it should end.
LISTEN_SECONDS = 1.0
# How often a job that had no plan yet is begun anew by another server.
MOST_TRIES = 3
MOST_TOLD = 100
# More than a job can have had places in a queue, whose changes are events of their own.
PLACES_IN_QUEUE = 100_000

_log = logging.getLogger(__name__)

T = TypeVar("T")

_ENDED = ", ".join(f"'{status}'" for status in ENDED)
_NAMES = ", ".join(COLUMNS)
_BRIEF = ", ".join("NULL" if name == "result" else name for name in COLUMNS)
_OF_JOBS = ", ".join(f"geopar_jobs.{name}" for name in COLUMNS)
_UNTOLD = (
    f"status IN ({_ENDED}) AND callback IS NOT NULL "
    "AND (called IS NULL OR strpos(called, '\"waiting\"') > 0)"
)
_GONE = "(server IS NULL OR server NOT IN (SELECT id FROM geopar_servers))"
_TABLES = f"""
CREATE TABLE IF NOT EXISTS geopar_version (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS geopar_servers (
    id TEXT PRIMARY KEY,
    beat BIGINT NOT NULL,
    since TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS geopar_jobs (
    number BIGSERIAL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    solver TEXT NOT NULL,
    time_limit DOUBLE PRECISION NOT NULL,
    seed BIGINT NOT NULL,
    kind TEXT NOT NULL,
    tasks BIGINT NOT NULL,
    vehicles BIGINT NOT NULL,
    created TEXT NOT NULL,
    started TEXT,
    ended TEXT,
    iterations BIGINT,
    objective DOUBLE PRECISION,
    result TEXT,
    error TEXT,
    events BIGINT NOT NULL,
    problem TEXT NOT NULL,
    start TEXT,
    name TEXT,
    folded TEXT,
    options TEXT,
    key TEXT UNIQUE,
    digest TEXT,
    callback TEXT,
    called TEXT,
    progress TEXT,
    server TEXT,
    stop BOOLEAN NOT NULL DEFAULT FALSE,
    tries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS geopar_jobs_at_work ON geopar_jobs (server)
    WHERE status IN ('queued', 'running');
CREATE INDEX IF NOT EXISTS geopar_jobs_untold ON geopar_jobs (server) WHERE {_UNTOLD};
CREATE INDEX IF NOT EXISTS geopar_jobs_ended ON geopar_jobs (number) WHERE status IN ({_ENDED});
"""


def _telling(change: str, before: str = "") -> str:
    """A statement that changes jobs, and tells all servers which."""
    told = f"pg_notify('{CHANNEL}', '{before}' || id)"
    return f"WITH changed AS ({change} RETURNING id) SELECT {told} FROM changed"


class PostgresStore:
    """The table of all jobs of several servers; see :class:`geopar.service.store.SharedStore`.

    Parameters
    ----------
    url
        Of the database.
    keep_jobs
        How many ended jobs are kept.
    keep_days
        For how long an ended job is kept.
    """

    def __init__(self, url: str, keep_jobs: int = 1_000, keep_days: float = 30.0) -> None:
        self.url, self.keep_jobs, self.keep_days = url, keep_jobs, keep_days
        # A name that people recognise, and that no other server has, on whatever machine.
        self.server = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._link = Link(url)
        self._thread = ThreadPoolExecutor(1, "store")
        self._closing = threading.Event()
        self._listener: threading.Thread | None = None

    @property
    def is_away(self) -> bool:
        """Whether the database did not answer when it was last asked."""
        return self._link.is_away

    async def open(self) -> None:
        """Connect, make the tables if need be, and join the other servers."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._open)
        await self.beat()

    def try_out(self) -> None:
        """Find out before anything is started whether the database can be used."""
        try:
            self._open()
        finally:
            self._link.close()

    async def close(self) -> None:
        """Leave: what this server still has is let go, for others to take."""
        self._closing.set()
        try:
            await self._do(self._leave)
        except (UnreachableStoreError, FullStoreError) as error:
            _log.error("the others will notice by themselves that this server ended: %s", error)
        self._thread.submit(self._link.close)
        self._thread.shutdown(wait=False)
        if self._listener is not None:
            await asyncio.to_thread(self._listener.join, 2 * LISTEN_SECONDS)

    async def add(self, row: Row, problem: str, start: str | None = None) -> None:
        """Keep a new job of this server."""
        names = f"{_NAMES}, problem, start, folded, server"
        marks = ", ".join(["%s"] * (len(COLUMNS) + 4))
        # Done twice after a connection was lost in between, it is there once.
        sql = f"INSERT INTO geopar_jobs ({names}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING"
        values = (*_values(row), problem, start, _folded(row.name), self.server)

        def write(connection: psycopg.Connection[Any]) -> None:
            try:
                connection.execute(_telling(sql).encode(), values)
            except driver().errors.UniqueViolation as error:
                raise TakenKeyError(row.key) from error

        await self._do(write)
        await self.prune()

    async def save(self, row: Row) -> bool:
        """Keep what a job of this server has become; False when it is not this server's."""
        sets = ", ".join(f"{name} = %s" for name in SAVED)
        # An end is final: who was told of it by another server can rely on it.
        sql = f"UPDATE geopar_jobs SET {sets} WHERE id = %s AND server = %s"
        known = dict(zip(COLUMNS, _values(row), strict=True))
        values = (*(known[name] for name in SAVED), row.id, self.server)
        saved = await self._write(_telling(sql), values) > 0
        if row.has_ended:
            await self.prune()
        return saved

    async def rename(self, id: str, name: str | None) -> bool:
        """Give a job of any server another name, or none; False when there is none of that id."""
        sql = _telling("UPDATE geopar_jobs SET name = %s, folded = %s WHERE id = %s", RENAMED)
        return await self._write(sql, (name, _folded(name), id)) > 0

    async def remove(self, id: str, ended_only: bool = True) -> bool:
        """Remove a job; False when there is none of that id, or when it has not ended."""
        condition = f" AND status IN ({_ENDED})" if ended_only else ""
        sql = _telling(f"DELETE FROM geopar_jobs WHERE id = %s{condition}")
        return await self._write(sql, (id,)) > 0

    async def prune(self) -> None:
        """Remove ended jobs that are too many or too old, of all servers."""
        oldest = moment(datetime.now(UTC) - timedelta(days=self.keep_days))
        too_many = (
            f"SELECT number FROM geopar_jobs WHERE status IN ({_ENDED}) "
            "ORDER BY ended DESC NULLS LAST, number DESC OFFSET %s"
        )
        sql = (
            f"DELETE FROM geopar_jobs WHERE status IN ({_ENDED}) "
            f"AND (ended < %s OR number IN ({too_many}))"
        )
        with contextlib.suppress(FullStoreError, UnreachableStoreError):  # it is tried again
            await self._write(sql, (oldest, self.keep_jobs))

    async def get(self, id: str) -> Row | None:
        """A job, or None when there is none of that id."""
        found = await self._read(f"SELECT {_NAMES} FROM geopar_jobs WHERE id = %s", (id,))
        return Row(*found[0]) if found else None

    async def problem(self, id: str) -> str | None:
        """The problem of a job, or None."""
        return await self._text("problem", id)

    async def start(self, id: str) -> str | None:
        """The plan that a job begins with, or None."""
        return await self._text("start", id)

    async def with_key(self, key: str) -> Row | None:
        """The job of an idempotency key, or None."""
        found = await self._read(f"SELECT {_NAMES} FROM geopar_jobs WHERE key = %s", (key,))
        return Row(*found[0]) if found else None

    async def page(self, wanted: Listing, also: Sequence[str] = ()) -> list[tuple[int, Row]]:
        """Numbers and jobs without their results, newest first."""
        conditions, values = ["TRUE"], list[Any]()
        if wanted.before is not None:
            conditions.append("number < %s")
            values.append(wanted.before)
        if wanted.statuses:
            conditions.append("(status = ANY(%s) OR id = ANY(%s))")
            values += [list(wanted.statuses), list(also)]
        if wanted.name is not None:
            conditions.append("strpos(folded, %s) > 0")
            values.append(_folded(wanted.name))
        sql = (
            f"SELECT number, {_BRIEF} FROM geopar_jobs WHERE {' AND '.join(conditions)} "
            "ORDER BY number DESC LIMIT %s"
        )
        found = await self._read(sql, (*values, wanted.most))
        return [(number, Row(*fields)) for number, *fields in found]

    async def release(self, ended: str, error: str) -> None:
        """Let go of the jobs of servers that are no more.

        What ran is interrupted with its best plan; what had none yet waits again, but not for ever.
        """
        await self._do(lambda connection: _release(connection, ended, error))

    async def claim(self, known: Collection[str], claims: Claims) -> list[Row]:
        """Take jobs that wait and that no server has, or that are asked for, oldest first.

        Also those that are this server's without its knowing: written down after all, though the
        database had not said so.
        """
        free = (
            "SELECT number, server IS NULL AS was_free FROM geopar_jobs WHERE status = 'queued' "
            "AND (server IS NULL OR (server = %s AND id <> ALL(%s)) "
            "OR (server <> %s AND id = ANY(%s))) AND NOT stop "
            "AND tasks <= %s AND vehicles <= %s AND time_limit <= %s "
            "AND solver <> ALL(%s) AND (%s OR callback IS NULL) "
            "ORDER BY number LIMIT %s FOR UPDATE SKIP LOCKED"
        )
        # Whoever had it in a queue has numbered its places there, and did not write that down.
        taken = (
            "UPDATE geopar_jobs SET server = %s, tries = tries + CASE WHEN was_free THEN 1 ELSE 0 "
            f"END, events = events + CASE WHEN was_free THEN 0 ELSE {PLACES_IN_QUEUE} END "
            f"FROM ({free}) AS free WHERE geopar_jobs.number = free.number "
            f"RETURNING geopar_jobs.number, {_OF_JOBS}"
        )
        sql = (
            f"WITH taken AS ({taken}) "
            f"SELECT taken.*, pg_notify('{CHANNEL}', '{TAKEN}' || id || ' ' || %s) FROM taken"
        )
        here, waiting = self.server, list(claims.waiting)
        found = await self._read(
            sql,
            (
                here, here, list(known), here, waiting, claims.tasks, claims.vehicles,
                claims.time_limit, list(claims.without), claims.tells, claims.most, here,
            ),
        )  # fmt: skip
        return [Row(*fields) for _, *fields, _ in sorted(found, key=lambda row: row[0])]

    async def waiting_elsewhere(self, most: int) -> list[str]:
        """Ids of jobs that wait in the queues of other servers, oldest first."""
        sql = (
            "SELECT id FROM geopar_jobs WHERE status = 'queued' AND server <> %s AND NOT stop "
            "ORDER BY number LIMIT %s"
        )
        return [id for (id,) in await self._read(sql, (self.server, most))]

    async def claim_untold(self) -> list[Row]:
        """Take ended jobs whose address is still to be told, and nobody does, oldest first."""
        free = (
            f"SELECT number FROM geopar_jobs WHERE {_UNTOLD} AND server IS NULL "
            f"ORDER BY number LIMIT {MOST_TOLD} FOR UPDATE SKIP LOCKED"
        )
        sql = (
            f"UPDATE geopar_jobs SET server = %s FROM ({free}) AS free "
            f"WHERE geopar_jobs.number = free.number RETURNING geopar_jobs.number, {_OF_JOBS}"
        )
        found = await self._read(sql, (self.server,))
        return [Row(*fields) for _, *fields in sorted(found, key=lambda row: row[0])]

    async def note_called(self, id: str, called: str) -> None:
        """Keep what came of telling an address; where that is not possible it is told again."""
        sql = "UPDATE geopar_jobs SET called = %s WHERE id = %s"
        try:
            await self._write(sql, (called, id))
        except (FullStoreError, UnreachableStoreError) as error:
            _log.error("what was told of job %s cannot be written down: %s", id, error)

    async def save_progress(self, id: str, progress: str, iterations: int, events: int) -> None:
        """Keep how far a run of this server has come."""
        sql = (
            "UPDATE geopar_jobs SET progress = %s, iterations = %s, events = greatest(events, %s) "
            "WHERE id = %s AND server = %s AND status = 'running'"
        )
        await self._write(_telling(sql), (progress, iterations, events, id, self.server))

    async def progress(self, id: str) -> str | None:
        """What was kept of it last, or None."""
        return await self._text("progress", id)

    async def beat(self) -> bool:
        """Show that this server is alive; False when it was given up, and begins anew."""
        on = "UPDATE geopar_servers SET beat = beat + 1 WHERE id = %s"
        if await self._write(on, (self.server,)):
            return True
        new = (
            "INSERT INTO geopar_servers (id, beat, since) VALUES (%s, %s, %s) "
            "ON CONFLICT (id) DO NOTHING"
        )
        # Not the number that it was given up with: that one is no longer to be believed.
        first = time.time_ns() // 1_000_000
        await self._write(new, (self.server, first, moment(datetime.now(UTC))))
        return False

    async def beats(self) -> dict[str, int]:
        """The last beat of each other server."""
        sql = "SELECT id, beat FROM geopar_servers WHERE id <> %s"
        return dict(await self._read(sql, (self.server,)))

    async def bury(self, id: str, beat: int) -> bool:
        """Give up a server that has not gone on since that beat; False if it has."""
        sql = "DELETE FROM geopar_servers WHERE id = %s AND beat = %s"
        return await self._write(sql, (id, beat)) > 0

    async def ask_to_stop(self, id: str) -> None:
        """Ask whoever has a job to stop it; one that nobody has is stopped here and now."""
        free = "status = 'queued' AND server IS NULL"
        sql = (
            "UPDATE geopar_jobs SET stop = TRUE, "
            f"status = CASE WHEN {free} THEN 'stopped' ELSE status END, "
            f"ended = CASE WHEN {free} THEN %s ELSE ended END, "
            f"events = events + CASE WHEN {free} THEN 1 ELSE 0 END "
            "WHERE id = %s AND status IN ('queued', 'running')"
        )
        now = moment(datetime.now(UTC))
        await self._write(_telling(sql, STOP), (now, id))

    async def asked_to_stop(self) -> list[str]:
        """Ids of the jobs of this server that others want to be stopped."""
        sql = (
            "SELECT id FROM geopar_jobs "
            "WHERE server = %s AND stop AND status IN ('queued', 'running')"
        )
        return [id for (id,) in await self._read(sql, (self.server,))]

    def listen(self, hear: Callable[[str | None], None]) -> None:
        """Hear of every job that changes, by its id; None says that any may have."""
        loop = asyncio.get_running_loop()
        self._listener = threading.Thread(
            target=self._listen, args=(loop, hear), name="store-listener", daemon=True
        )
        self._listener.start()

    def _listen(self, loop: asyncio.AbstractEventLoop, hear: Callable[[str | None], None]) -> None:
        def tell(id: str | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(hear, id)

        while not self._closing.is_set():
            try:
                with open_connection(self.url) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    tell(None)
                    while not self._closing.is_set():
                        for notice in connection.notifies(timeout=LISTEN_SECONDS):
                            tell(notice.payload)
            except driver().Error:  # that it is away is logged by whoever writes
                self._closing.wait(LISTEN_SECONDS)

    async def _text(self, column: str, id: str) -> str | None:
        found = await self._read(f"SELECT {column} FROM geopar_jobs WHERE id = %s", (id,))
        return found[0][0] if found else None

    async def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        def read(connection: psycopg.Connection[Any]) -> list[Any]:
            try:
                return list(connection.execute(sql.encode(), values).fetchall())
            except (driver().DataError, driver().InternalError) as error:
                raise DamagedRowError(one_line(error)) from error

        return await self._do(read)

    async def _write(self, sql: str, values: tuple[Any, ...] = ()) -> int:
        """How many rows were written."""
        return await self._do(lambda connection: connection.execute(sql.encode(), values).rowcount)

    async def _do(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        # Handed over before anything is awaited: what is asked first is done first.
        future = asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self._link.run(work)
        )
        try:
            return await asyncio.wait_for(future, ANSWER_SECONDS)
        except TimeoutError:
            message = f"there was no answer within {ANSWER_SECONDS:g} seconds"
            raise UnreachableStoreError(message) from None

    def _leave(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(b"DELETE FROM geopar_servers WHERE id = %s", (self.server,))
        # Whoever is left looks after it: what is still running here could not be written down.
        free = "UPDATE geopar_jobs SET server = NULL WHERE server = %s AND status <> 'running'"
        connection.execute(f"{free} AND (status = 'queued' OR {_UNTOLD})".encode(), (self.server,))

    def _open(self) -> None:
        faults = Faults()
        if check_address(faults, self.url):
            psycopg = driver()
            try:
                self._link.run(lambda connection: self._make_tables(connection, faults))
            except (UnreachableStoreError, FullStoreError, psycopg.Error) as error:
                reason = one_line(error)
                faults.add(
                    "bad-store", "--store", masked(self.url),
                    f"cannot be used for jobs: {reason}.", way_out(reason),
                )  # fmt: skip
        faults.raise_if_any()

    def _make_tables(self, connection: psycopg.Connection[Any], faults: Faults) -> None:
        (encoding,) = connection.execute(b"SHOW server_encoding").fetchone() or ("",)
        if encoding not in ("UTF8", "SQL_ASCII"):
            faults.add(
                "bad-store", "--store", masked(self.url),
                f"is a database in {encoding}, which cannot hold every name.",
                "Make one in UTF8: createdb -E UTF8 -T template0.",
            )  # fmt: skip
            return
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({LOCK})".encode())
            # Looked for first: whoever may not create tables may use those that are there.
            (there,) = connection.execute(b"SELECT to_regclass('geopar_version')").fetchone() or (
                "",
            )
            if there is None:
                connection.execute(_TABLES.encode())
                connection.execute(f"INSERT INTO geopar_version VALUES ({VERSION})".encode())
            row = connection.execute(b"SELECT version FROM geopar_version").fetchone()
        version = None if row is None else row[0]
        if version != VERSION:
            is_newer = version is not None and version > VERSION
            faults.add(
                "wrong-version", "--store", masked(self.url),
                f"has tables of version {version}, and this geopar reads {VERSION}.",
                "Update geopar on this machine." if is_newer else "Take another database.",
            )  # fmt: skip


def _release(connection: psycopg.Connection[Any], ended: str, error: str) -> None:
    """What ran, what was to be stopped, what waits, who is to be told."""
    running = f"status = 'running' AND {_GONE}"
    begin_anew = f"result IS NULL AND NOT stop AND tries < {MOST_TRIES}"
    interrupted = (
        "UPDATE geopar_jobs SET status = 'interrupted', ended = %s, error = %s, server = NULL, "
        f"events = events + 1 WHERE {running} AND NOT ({begin_anew})"
    )
    again = (
        "UPDATE geopar_jobs SET status = 'queued', started = NULL, server = NULL, "
        f"events = events + 1 WHERE {running} AND {begin_anew}"
    )
    stopped = (
        "UPDATE geopar_jobs SET status = 'stopped', ended = %s, server = NULL, "
        f"events = events + 1 WHERE status = 'queued' AND stop AND {_GONE}"
    )
    free = f"UPDATE geopar_jobs SET server = NULL WHERE server IS NOT NULL AND {_GONE}"
    with connection.transaction():
        connection.execute(_telling(interrupted).encode(), (ended, error))
        connection.execute(_telling(again).encode())
        connection.execute(_telling(stopped).encode(), (ended,))
        connection.execute(f"{free} AND status = 'queued'".encode())
        connection.execute(f"{free} AND {_UNTOLD}".encode())


def _values(row: Row) -> tuple[Any, ...]:
    """As they are stored; a text of PostgreSQL cannot hold the character of number 0."""
    values = astuple(row)
    return tuple(v.replace("\0", "\ufffd") if isinstance(v, str) else v for v in values)


def _folded(text: str | None) -> str | None:
    """For comparing without regard to capitals, as SQLite's store does it."""
    return None if text is None else text.casefold().replace("\0", "\ufffd")
