import asyncio
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.service import sqlite_store as module
from geopar.service.sqlite_store import SqliteStore
from geopar.service.store import (
    DamagedRowError,
    FullStoreError,
    Listing,
    Row,
)


def row(id: str, status: str = "queued") -> Row:
    return Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")


async def listed(store: SqliteStore, *wanted: Any) -> list[str]:
    return [found.id for _, found in await store.page(Listing(*wanted))]


def test_files_from_before_jobs_kept_their_start_and_their_name(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "jobs.sqlite")
    old.executescript(re.sub(r",\n    start TEXT.*?\n\)", "\n)", module._TABLE, flags=re.DOTALL))
    old.execute(f"PRAGMA user_version = {module.VERSION}")
    known = module.COLUMNS[: module.COLUMNS.index("name")]
    for id, problem in (("old", '{"name": "Monday"}'), ("bare", "{}"), ("odd", "[")):
        values = (*(getattr(row(id), name) for name in known), problem)
        columns = ", ".join((*known, "problem"))
        old.execute(f"INSERT INTO jobs ({columns}) VALUES ({', '.join('?' * len(values))})", values)
    old.commit()
    old.close()

    async def run() -> None:
        store = SqliteStore(tmp_path)
        await store.open()
        await store.add(row("new"), "{}", '{"routes": []}')
        rows = await store.with_status("queued")
        assert [r.id for r in rows] == ["old", "bare", "odd", "new"]
        assert [r.name for r in rows] == ["Monday", None, None, None]
        assert [r.options for r in rows] == [None] * 4
        assert await store.start("old") is None
        assert await store.start("new") == '{"routes": []}'
        await store.close()

    asyncio.run(run())


def test_memory_forgets_the_oldest_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_IN_MEMORY", 2)

    async def run() -> None:
        store = SqliteStore()
        await store.open()
        await store.add(row("waits"), "{}")
        for id in "abc":
            await store.add(row(id, "finished"), "{}")
        assert await listed(store, 9) == ["c", "b", "waits"]
        await store.close()

    asyncio.run(run())


def test_no_room(tmp_path: Path) -> None:
    async def run() -> None:
        store = SqliteStore(tmp_path)
        await store.open()
        await store.add(row("a"), "{}")
        store._thread.submit(
            lambda: store._connection.execute("PRAGMA max_page_count = 1")
        ).result()
        with pytest.raises(FullStoreError, match="full"):
            await store.add(row("b"), "x" * 100_000)
        assert await store.get("b") is None
        assert await store.get("a") is not None
        await store.close()

    asyncio.run(run())


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / module.FILE).write_text("something else, and not a little of it" * 100)
    with pytest.raises(InputError, match="bad-store"):
        SqliteStore(tmp_path).try_out()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="bad-store"):
        SqliteStore(tmp_path / "file").try_out()


def test_two_services_on_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.01)

    async def run() -> None:
        store = SqliteStore(tmp_path)
        await store.open()
        await store.add(row("a"), "{}")
        with pytest.raises(InputError, match="locked"):
            SqliteStore(tmp_path).try_out()
        await store.close()

    asyncio.run(run())
    SqliteStore(tmp_path).try_out()


def test_a_store_of_another_version(tmp_path: Path) -> None:
    SqliteStore(tmp_path).try_out()
    connection = sqlite3.connect(tmp_path / module.FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="wrong-version"):
        SqliteStore(tmp_path).try_out()


def with_store(
    use: Callable[[SqliteStore], Coroutine[None, None, None]], store: SqliteStore
) -> None:
    async def run() -> None:
        await store.open()
        try:
            await use(store)
        finally:
            await store.close()

    asyncio.run(run())


def ended(id: str, when: str) -> Row:
    made = row(id, "finished")
    made.ended = when
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="has no modes of files")
def test_only_its_owner_may_read_the_file(tmp_path: Path) -> None:
    async def use(store: SqliteStore) -> None:
        await store.add(row("a"), "{}")
        for path in tmp_path.iterdir():
            assert path.stat().st_mode & 0o777 == 0o600

    before = os.umask(0o022)
    try:
        (tmp_path / module.FILE).touch(0o644)  # as earlier versions made it
        with_store(use, SqliteStore(tmp_path))
    finally:
        os.umask(before)


def damage(path: Path, letter: str) -> None:
    """Overwrite all pages of a file that are full of that letter."""
    size, whole = 4096, path.read_bytes()
    pages = [whole[at : at + size] for at in range(0, len(whole), size)]
    hit = [page.count(letter.encode()) > size // 2 for page in pages]
    assert any(hit)
    path.write_bytes(b"".join(b"\xff" * size if h else p for h, p in zip(hit, pages, strict=True)))


def test_a_damaged_job_does_not_hide_the_others(tmp_path: Path) -> None:
    async def write(store: SqliteStore) -> None:
        for id in "QXZ":
            made = row(id)
            made.result, made.events = f'"{id * 50_000}"', 7
            await store.add(made, "{}")

    async def read(store: SqliteStore) -> None:
        assert await listed(store, 9) == ["Z", "Q"]
        assert [r.id for r in await store.with_status("queued")] == ["Q", "Z"]
        with pytest.raises(DamagedRowError, match="malformed"):
            await store.get("X")

    with_store(write, SqliteStore(tmp_path))
    damage(tmp_path / module.FILE, "X")
    with_store(read, SqliteStore(tmp_path))


def test_damaged_pages_of_the_table_do_not_hide_what_is_before_and_behind(tmp_path: Path) -> None:
    async def write(store: SqliteStore) -> None:
        for id in (*"abcdefg", *"XXXXXXXX", *"hijklmn"):
            name = id if id != "X" else os.urandom(4).hex()
            await store.add(row(name), id * 3000)

    async def read(store: SqliteStore) -> None:
        found = set(await listed(store, 99))
        assert {*"abc", *"lmn"} <= found

    with_store(write, SqliteStore(tmp_path))
    damage(tmp_path / module.FILE, "X")
    with_store(read, SqliteStore(tmp_path))


def test_searching_names_and_keys_reads_no_problems() -> None:
    """Problems stand before them in a row: an index keeps them out."""

    async def run() -> list[str]:
        store = SqliteStore()
        await store.open()
        named = "SELECT number FROM jobs WHERE instr(folded(name), folded('x'))"
        keyed = module._ID_BY_KEY.replace("?", "'x'")

        def explain(sql: str) -> list[Any]:
            return store._read(f"EXPLAIN QUERY PLAN {sql}")

        plans = [store._thread.submit(explain, sql).result() for sql in (named, keyed)]
        await store.close()
        return [plan[0][3] for plan in plans]

    one, other = asyncio.run(run())
    assert "COVERING INDEX by_name" in one
    assert "by_key" in other
