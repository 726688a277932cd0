"""Which store a service keeps its jobs in."""

from __future__ import annotations

from pathlib import Path

from geopar.service.sqlite_store import SqliteStore
from geopar.service.store import SharedStore, Store


def make_store(
    folder: Path | None, url: str | None, keep_jobs: int = 1_000, keep_days: float = 30.0
) -> tuple[Store, SharedStore | None]:
    """The store, not opened yet, and once more if several servers share it.

    Parameters
    ----------
    folder
        Of a file of SQLite; memory when left out.
    url
        Of a database of PostgreSQL, instead.
    keep_jobs, keep_days
        Ended jobs are removed when there are more, or when they are older.
    """
    if url is None:
        return SqliteStore(folder, keep_jobs, keep_days), None
    from geopar.service.postgresql_store import PostgresStore

    store = PostgresStore(url, keep_jobs, keep_days)
    return store, store
