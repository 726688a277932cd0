"""Jobs in SQLite: a file that survives the server, or memory that does not.

One thread owns the connection; everything here is awaited from the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from geopar.errors import Faults
from geopar.files.storage import label
from geopar.service.store import (
    COLUMNS,
    ENDED,
    SAVED,
    Claims,
    DamagedRowError,
    FullStoreError,
    Listing,
    Row,
    TakenKeyError,
    moment,
)

FILE = "jobs.sqlite"
# Raised whenever older files no longer mean the same.
VERSION = 1
KEPT_IN_MEMORY = 200
LOCK_SECONDS = 2.0

_log = logging.getLogger(__name__)

T = TypeVar("T")


_ENDED = ", ".join(f"'{status}'" for status in ENDED)
_ID_BY_KEY = "SELECT id FROM jobs WHERE key = ?"
_BRIEF = tuple("NULL" if name == "result" else name for name in COLUMNS)
_TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    solver TEXT NOT NULL,
    time_limit REAL NOT NULL,
    seed INTEGER NOT NULL,
    kind TEXT NOT NULL,
    tasks INTEGER NOT NULL,
    vehicles INTEGER NOT NULL,
    created TEXT NOT NULL,
    started TEXT,
    ended TEXT,
    iterations INTEGER,
    objective REAL,
    result TEXT,
    error TEXT,
    events INTEGER NOT NULL,
    problem TEXT NOT NULL,
    start TEXT,
    name TEXT,
    options TEXT,
    key TEXT,
    digest TEXT,
    callback TEXT,
    called TEXT
);
CREATE INDEX IF NOT EXISTS by_status ON jobs (status);
"""
# Columns that stand behind the problem in a row, which may be long: without these every search
# would read through all problems.
_LATER_INDEXES = (
    "CREATE INDEX IF NOT EXISTS by_name ON jobs (name)",
    "CREATE INDEX IF NOT EXISTS by_key ON jobs (key)",
    "CREATE INDEX IF NOT EXISTS by_callback ON jobs (callback)",
)
_CALLING = "SELECT number FROM jobs WHERE callback IS NOT NULL"


class SqliteStore:
    """The table of all jobs, for one server alone; see :class:`geopar.service.store.Store`.

    Parameters
    ----------
    folder
        Where the file is; memory when left out.
    keep_jobs
        How many ended jobs are kept.
    keep_days
        For how long an ended job is kept.
    """

    def __init__(
        self, folder: Path | None = None, keep_jobs: int = 1_000, keep_days: float = 30.0
    ) -> None:
        self.keep_jobs = keep_jobs if folder is not None else min(keep_jobs, KEPT_IN_MEMORY)
        self.keep_days = keep_days
        self.path = None if folder is None else folder / FILE
        self._thread = ThreadPoolExecutor(1, "store")
        self._connection: sqlite3.Connection | None = None

    @property
    def is_away(self) -> bool:
        """Never: a file is there."""
        return False

    async def open(self) -> None:
        """Open or make the file."""
        await self._do(self._open)

    def try_out(self) -> None:
        """Find out before anything is started whether the file can be used; see :meth:`open`."""
        try:
            self._open()
        finally:
            self._close()

    async def close(self) -> None:
        """Close the file."""
        await self._do(self._close)
        self._thread.shutdown(wait=False)

    async def add(self, row: Row, problem: str, start: str | None = None) -> None:
        """Keep a new job, with the plan that it begins with if there is one."""
        marks = ", ".join("?" * (len(COLUMNS) + 2))
        sql = f"INSERT INTO jobs ({', '.join(COLUMNS)}, problem, start) VALUES ({marks})"

        def write() -> None:
            # All that is written passes through one thread: nobody comes in between.
            if row.key is not None and self._read(_ID_BY_KEY, (row.key,)):
                raise TakenKeyError(row.key)
            self._write(sql, (*astuple(row), problem, start))

        await self._do(write)
        await self.prune()

    async def save(self, row: Row) -> bool:
        """Keep what a job has become; False when there is no such job any more."""
        values = [getattr(row, name) for name in SAVED]
        sql = f"UPDATE jobs SET {', '.join(f'{name} = ?' for name in SAVED)} WHERE id = ?"
        saved = await self._do(lambda: self._write(sql, (*values, row.id)) > 0)
        if row.has_ended:
            await self.prune()
        return saved

    async def rename(self, id: str, name: str | None) -> bool:
        """Give a job another name, or none; False when there is none of that id."""
        sql = "UPDATE jobs SET name = ? WHERE id = ?"
        return await self._do(lambda: self._write(sql, (name, id)) > 0)

    async def remove(self, id: str, ended_only: bool = True) -> bool:
        """Remove a job; False when there is none of that id, or when it has not ended."""
        condition = f" AND status IN ({_ENDED})" if ended_only else ""
        sql = f"DELETE FROM jobs WHERE id = ?{condition}"
        return await self._do(lambda: self._write(sql, (id,)) > 0)

    async def prune(self) -> None:
        """Remove ended jobs that are too many or too old."""
        await self._do(self._prune)

    async def get(self, id: str) -> Row | None:
        """A job, or None when there is none of that id."""
        sql = f"SELECT {', '.join(COLUMNS)} FROM jobs WHERE id = ?"
        found = await self._do(lambda: self._read(sql, (id,)))
        return Row(*found[0]) if found else None

    async def problem(self, id: str) -> str | None:
        """The problem of a job, or None; see :meth:`get`."""
        found = await self._do(lambda: self._read("SELECT problem FROM jobs WHERE id = ?", (id,)))
        return found[0][0] if found else None

    async def start(self, id: str) -> str | None:
        """The plan that a job begins with, or None; see :meth:`get`."""
        found = await self._do(lambda: self._read("SELECT start FROM jobs WHERE id = ?", (id,)))
        return found[0][0] if found else None

    async def with_key(self, key: str) -> Row | None:
        """The job of an idempotency key, or None; see :meth:`get`."""
        found = await self._do(lambda: self._read(_ID_BY_KEY, (key,)))
        return await self.get(found[0][0]) if found else None

    async def page(self, wanted: Listing, also: Sequence[str] = ()) -> list[tuple[int, Row]]:
        """Numbers and jobs without their results, newest first; damaged ones are left out."""
        conditions, values = ["1"], list[Any]()
        if wanted.before is not None:
            conditions.append("number < ?")
            values.append(wanted.before)
        if wanted.statuses:
            lists = [", ".join("?" * len(part)) for part in (wanted.statuses, also)]
            conditions.append(f"(status IN ({lists[0]}) OR id IN ({lists[1]}))")
            values += [*wanted.statuses, *also]
        if wanted.name is not None:
            named = "SELECT number FROM jobs WHERE instr(folded(name), folded(?))"
            conditions.append(f"number IN ({named})")
            values.append(wanted.name)

        def read() -> list[tuple[int, Row]]:
            found: list[tuple[int, Row]] = []
            numbers = self._numbers(" AND ".join(conditions), tuple(values))
            for number in sorted(numbers, reverse=True):
                found += [(number, row) for row in self._rows([number], _BRIEF)]
                if len(found) == wanted.most:
                    break
            return found

        return await self._do(read)

    async def release(self, ended: str, error: str) -> None:
        """Mark what ran when the last service ended as interrupted."""
        for row in await self.with_status("running"):
            row.status, row.ended, row.error = "interrupted", ended, error
            with contextlib.suppress(FullStoreError):
                await self.save(row)

    async def claim(self, known: Collection[str], claims: Claims) -> list[Row]:
        """All jobs that wait and are not known yet, oldest first: there is no other server."""
        return [row for row in await self.with_status("queued") if row.id not in known]

    async def claim_untold(self) -> list[Row]:
        """As :meth:`untold`: there is no other server."""
        return await self.untold()

    async def with_status(self, status: str) -> list[Row]:
        """All jobs of one status, oldest first; damaged ones are left out."""

        def read() -> list[Row]:
            return self._rows(sorted(self._numbers("status = ?", (status,))), COLUMNS)

        return await self._do(read)

    async def untold(self) -> list[Row]:
        """Ended jobs whose address is still to be told, oldest first; damaged ones are left out."""
        condition = f"status IN ({_ENDED}) AND number IN ({_CALLING})"

        def read() -> list[Row]:
            rows = self._rows(sorted(self._numbers(condition, ())), _BRIEF)
            return [row for row in rows if row.called is None or '"waiting"' in row.called]

        return await self._do(read)

    async def note_called(self, id: str, called: str) -> None:
        """Keep what came of telling an address; where there is no room it is told once more."""
        sql = "UPDATE jobs SET called = ? WHERE id = ?"
        try:
            await self._do(lambda: self._write(sql, (called, id)))
        except FullStoreError as error:
            _log.error("what was told of job %s cannot be written down: %s", id, error)

    async def counts(self) -> dict[str, int]:
        """How many jobs there are of each status."""
        sql = "SELECT status, count(*) FROM jobs GROUP BY status"
        return dict(await self._do(lambda: self._read(sql)))

    async def _do(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def _open(self) -> None:
        faults = Faults()
        name = ":memory:" if self.path is None else label(self.path)
        try:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _make_private(self.path)
            connection = sqlite3.connect(
                self.path or ":memory:", timeout=LOCK_SECONDS, isolation_level=None
            )
            self._connection = connection
            connection.create_function("folded", 1, _folded, deterministic=True)
            # Two services on one file would take each other's jobs for interrupted.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            # Survives the end of the process at any moment; only a power cut may lose the last.
            connection.execute("PRAGMA synchronous = NORMAL")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version not in (0, VERSION):
                faults.add(
                    "wrong-version", name, version,
                    f"is not {VERSION}, which this geopar reads.", "Take another folder.",
                )  # fmt: skip
            else:
                connection.executescript(_TABLE)
                _add_columns(connection)
                _add_indexes(connection)
                connection.execute(f"PRAGMA user_version = {VERSION}")
        except (sqlite3.Error, OSError) as error:
            hint = "Maybe another service uses it; check the folder, or take another one."
            faults.add("bad-store", name, ..., f"cannot be used for jobs: {error}.", hint)
        faults.raise_if_any()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        assert self._connection is not None
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise DamagedRowError(str(error)) from error

    def _numbers(self, condition: str, values: tuple[Any, ...]) -> set[int]:
        """Row numbers from the table itself, as far as it can be read from either end."""
        assert self._connection is not None
        numbers: set[int] = set()
        for direction in ("DESC", "ASC"):
            sql = f"SELECT number FROM jobs NOT INDEXED WHERE {condition} ORDER BY number"
            try:
                for (number,) in self._connection.execute(f"{sql} {direction}", values):
                    numbers.add(number)
            except sqlite3.DatabaseError as error:
                _log.error("the store of jobs is damaged: %s", error)
            else:
                break
        return numbers

    def _rows(self, numbers: Iterable[int], columns: tuple[str, ...]) -> list[Row]:
        """Each row by itself, so that a damaged one does not hide the others."""
        sql = f"SELECT {', '.join(columns)} FROM jobs WHERE number = ?"
        rows: list[Row] = []
        for number in numbers:
            try:
                rows += [Row(*values) for values in self._read(sql, (number,))]
            except DamagedRowError as error:
                _log.error("job number %d cannot be read: %s", number, error)
        return rows

    def _write(self, sql: str, values: tuple[Any, ...] = ()) -> int:
        """How many rows were written."""
        assert self._connection is not None
        try:
            return self._connection.execute(sql, values).rowcount
        except sqlite3.DatabaseError as error:
            raise FullStoreError(str(error)) from error

    def _prune(self) -> None:
        oldest = moment(datetime.now(UTC) - timedelta(days=self.keep_days))
        with contextlib.suppress(FullStoreError):  # it is tried again
            self._write(
                f"DELETE FROM jobs WHERE status IN ({_ENDED}) AND (ended < ? OR number NOT IN "
                f"(SELECT number FROM jobs WHERE status IN ({_ENDED}) "
                "ORDER BY ended DESC, number DESC LIMIT ?))",
                (oldest, self.keep_jobs),
            )


def _add_columns(connection: sqlite3.Connection) -> None:
    """Give a file of an earlier version the columns that came later; old readers skip them."""
    columns = {column[1] for column in connection.execute("PRAGMA table_info(jobs)")}
    for name in ("start", "options", "key", "digest", "callback", "called"):
        if name not in columns:
            connection.execute(f"ALTER TABLE jobs ADD COLUMN {name} TEXT")
    if "name" not in columns:
        connection.execute("ALTER TABLE jobs ADD COLUMN name TEXT")
        _name_jobs(connection)


def _add_indexes(connection: sqlite3.Connection) -> None:
    """As far as possible: a damaged file is read without them, only slower."""
    for sql in _LATER_INDEXES:
        try:
            connection.execute(sql)
        except sqlite3.DatabaseError as error:
            _log.error("an index of the store of jobs cannot be made: %s", error)


def _folded(text: Any) -> str | None:
    """For comparing without regard to capitals, also beyond ASCII, where SQLite has no idea."""
    return text.casefold() if isinstance(text, str) else None


def _name_jobs(connection: sqlite3.Connection) -> None:
    """Take the names of jobs from their problems, one by one: some may be damaged."""
    numbers = [row[0] for row in connection.execute("SELECT number FROM jobs")]
    for number in numbers:
        sql = "SELECT problem FROM jobs WHERE number = ?"
        with contextlib.suppress(ValueError, AttributeError, sqlite3.DatabaseError):
            name = json.loads(connection.execute(sql, (number,)).fetchone()[0]).get("name")
            values = (str(name) if name else None, number)
            connection.execute("UPDATE jobs SET name = ? WHERE number = ?", values)


def _make_private(path: Path) -> None:
    """Make the file readable by its owner alone, whatever the umask: jobs hold addresses."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
