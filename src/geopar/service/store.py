"""What keeps jobs: the rows, and what a store must be able to do.

There are two: SQLite for one server (:mod:`geopar.service.sqlite_store`) and PostgreSQL for several
that share their jobs (:mod:`geopar.service.postgresql_store`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import NamedTuple, Protocol

from geopar.errors import GeoparError

# Before the id of a job, in messages between servers: it is to be stopped, another server has it.
STOP, TAKEN, RENAMED = "stop ", "taken ", "renamed "
ENDED = ("finished", "stopped", "failed", "interrupted")


class FullStoreError(Exception):
    """The database cannot be written, mostly because the disk is full."""


class DamagedRowError(Exception):
    """A job cannot be read, because its part of the file is damaged."""


class UnreachableStoreError(GeoparError):
    """The database does not answer for now; it is tried again."""


class TakenKeyError(Exception):
    """A job with the same idempotency key is there already."""


@dataclass(slots=True)
class Row:
    """One job as a row of the table; ``result``, ``error``, ``options`` and ``called`` are JSON.

    ``key`` is what its client gave it, ``digest`` that of the request's body; ``callback`` is the
    address that is told of its end, and ``called`` what came of that.
    """

    id: str
    status: str
    solver: str
    time_limit: float
    seed: int
    kind: str
    tasks: int
    vehicles: int
    created: str
    started: str | None = None
    ended: str | None = None
    iterations: int | None = None
    objective: float | None = None
    result: str | None = None
    error: str | None = None
    events: int = 0
    name: str | None = None
    options: str | None = None
    key: str | None = None
    digest: str | None = None
    callback: str | None = None
    called: str | None = None

    @property
    def has_ended(self) -> bool:
        """Whether the status is final."""
        return self.status in ENDED


class Listing(NamedTuple):
    """Which jobs are listed, newest first.

    Parameters
    ----------
    most
        At most so many.
    before
        Only jobs made before the one of this number; from the newest on when left out. Numbers
        only grow, so that pages hold while jobs come and go.
    statuses
        Only of these; of any when empty.
    name
        Only those whose name has this in it, in capitals or not.
    """

    most: int
    before: int | None = None
    statuses: tuple[str, ...] = ()
    name: str | None = None


COLUMNS = tuple(field.name for field in fields(Row))
# What a run makes of a job. Its name is whoever's who renames it, at any time and from anywhere.
SAVED = tuple(name for name in COLUMNS if name != "name")


def moment(time: datetime) -> str:
    """A moment as it is stored, ISO 8601 in UTC: the order of texts is that of moments."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Claims(NamedTuple):
    """Which waiting jobs a server takes over.

    Parameters
    ----------
    most
        At most so many.
    tasks, vehicles, time_limit
        Only within its own limits; others may have larger ones.
    without
        Not for these solvers, which it does not have.
    tells
        Whether also jobs whose end somebody is to be told of.
    waiting
        Ids of jobs in the queues of other servers that it takes as well, if they still wait there.
    """

    most: int
    tasks: int
    vehicles: int
    time_limit: float
    without: tuple[str, ...] = ()
    tells: bool = True
    waiting: tuple[str, ...] = ()


class Store(Protocol):
    """Keeps jobs. Everything but :meth:`try_out` is awaited from the event loop.

    Each of them may raise :class:`UnreachableStoreError`, if there is a database that can go away.
    """

    @property
    def is_away(self) -> bool:
        """Whether the database did not answer when it was last asked."""

    async def open(self) -> None:
        """Begin to use it, made anew if it is not there.

        Raises
        ------
        geopar.errors.InputError
            When it cannot be used.
        """

    def try_out(self) -> None:
        """Find out before anything is started whether it can be used; see :meth:`open`."""

    async def close(self) -> None:
        """End using it."""

    async def add(self, row: Row, problem: str, start: str | None = None) -> None:
        """Keep a new job, with the plan that it begins with if there is one.

        Raises
        ------
        FullStoreError
            When there is no room; then nothing has changed.
        TakenKeyError
            When another job has the same key; then nothing has changed either.
        """

    async def save(self, row: Row) -> bool:
        """Keep what a job has become; False when it is gone, or no longer this server's.

        Raises
        ------
        FullStoreError
            When there is no room; then the job is as it was before.
        """

    async def rename(self, id: str, name: str | None) -> bool:
        """Give a job another name, or none; False when there is none of that id.

        Raises
        ------
        FullStoreError
            When there is no room; then it is called as before.
        """

    async def remove(self, id: str, ended_only: bool = True) -> bool:
        """Remove a job; False when there is none of that id, or when it has not ended.

        Raises
        ------
        FullStoreError
            When the disk is too full even for that.
        """

    async def prune(self) -> None:
        """Remove ended jobs that are too many or too old."""

    async def get(self, id: str) -> Row | None:
        """A job, or None when there is none of that id.

        Raises
        ------
        DamagedRowError
            When it cannot be read.
        """

    async def problem(self, id: str) -> str | None:
        """The problem of a job, or None; see :meth:`get`."""

    async def start(self, id: str) -> str | None:
        """The plan that a job begins with, or None; see :meth:`get`."""

    async def with_key(self, key: str) -> Row | None:
        """The job of an idempotency key, or None; see :meth:`get`."""

    async def page(self, wanted: Listing, also: Sequence[str] = ()) -> list[tuple[int, Row]]:
        """Numbers and jobs without their results, newest first; damaged ones are left out.

        Parameters
        ----------
        wanted
            Which ones.
        also
            Ids of jobs that are listed whatever their status in the store is, since it may be
            older than the one in memory.
        """

    async def release(self, ended: str, error: str) -> None:
        """Let go of the jobs of servers that are no more: what ran is interrupted.

        Parameters
        ----------
        ended
            The present moment.
        error
            What such a job tells, as JSON.
        """

    async def claim(self, known: Collection[str], claims: Claims) -> list[Row]:
        """Take jobs that wait and that no server has, oldest first.

        Parameters
        ----------
        known
            Ids of those that this server has already.
        claims
            Which ones, and how many.
        """

    async def claim_untold(self) -> list[Row]:
        """Take ended jobs whose address is still to be told, and nobody does, oldest first."""

    async def note_called(self, id: str, called: str) -> None:
        """Keep what came of telling an address; where that is not possible it is told again."""


class SharedStore(Store, Protocol):
    """A store that several servers use at the same time; this one is one of them."""

    server: str
    """What this one is called."""

    async def save_progress(self, id: str, progress: str, iterations: int, events: int) -> None:
        """Keep how far a run of this server has come, for those who follow it elsewhere."""

    async def progress(self, id: str) -> str | None:
        """What was kept of it last, or None."""

    async def beat(self) -> bool:
        """Show that this server is alive; False when others had given it up, and it began anew."""

    async def beats(self) -> dict[str, int]:
        """The last beat of each other server: one that lives counts on."""

    async def bury(self, id: str, beat: int) -> bool:
        """Give up a server that has not gone on since that beat; False if it has."""

    async def ask_to_stop(self, id: str) -> None:
        """Ask whoever has a job to stop it; one that nobody has is stopped here and now."""

    async def asked_to_stop(self) -> list[str]:
        """Ids of the jobs of this server that others want to be stopped."""

    async def waiting_elsewhere(self, most: int) -> list[str]:
        """Ids of jobs that wait in the queues of other servers, oldest first."""

    def listen(self, hear: Callable[[str | None], None]) -> None:
        """Hear of every job that changes, by its id, in the event loop.

        An id with ``STOP`` before it is that of a job that somebody wants to be stopped, one with
        ``RENAMED`` that of a job with another name, one with ``TAKEN`` that of a job that a server
        has taken, whose name follows. None says that anything may have changed, since the
        connection was away.
        """
