import asyncio
import os
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.service import store as module
from geopar.service.store import DamagedRowError, FullStoreError, Row, Store, moment


def row(id: str, status: str = "queued") -> Row:
    return Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")


def test_what_is_written_is_read_again_also_after_reopening(tmp_path: Path) -> None:
    async def write() -> None:
        store = Store(tmp_path / "new" / "folder")
        await store.open()
        await store.add(row("a"), '{"problem": 1}')
        await store.add(row("b"), "{}")
        changed = row("a", "finished")
        changed.result, changed.objective, changed.seed = '{"plan": 1}', 2.5, 2**63 - 1
        await store.save(changed)
        await store.close()

    async def read() -> None:
        store = Store(tmp_path / "new" / "folder")
        await store.open()
        found = await store.get("a")
        assert found is not None
        assert (found.status, found.result, found.seed) == ("finished", '{"plan": 1}', 2**63 - 1)
        assert found.has_ended
        assert await store.problem("a") == '{"problem": 1}'
        assert await store.get("c") is None
        assert await store.problem("c") is None
        assert [r.id for r in await store.newest(5)] == ["b", "a"]
        assert [r.result for r in await store.newest(5)] == [None, None]
        assert [r.id for r in await store.with_status("queued")] == ["b"]
        assert await store.counts() == {"finished": 1, "queued": 1}
        await store.close()

    asyncio.run(write())
    asyncio.run(read())


def test_files_from_before_jobs_kept_their_start_and_their_name(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "jobs.sqlite")
    old.executescript(
        module._TABLE.replace(",\n    start TEXT,\n    name TEXT,\n    options TEXT", "")
    )
    old.execute(f"PRAGMA user_version = {module.VERSION}")
    known = [name for name in module._COLUMNS if name not in ("name", "options")]
    for id, problem in (("old", '{"name": "Monday"}'), ("bare", "{}"), ("odd", "[")):
        values = (*(getattr(row(id), name) for name in known), problem)
        columns = ", ".join((*known, "problem"))
        old.execute(f"INSERT INTO jobs ({columns}) VALUES ({', '.join('?' * len(values))})", values)
    old.commit()
    old.close()

    async def run() -> None:
        store = Store(tmp_path)
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
        store = Store()
        await store.open()
        await store.add(row("waits"), "{}")
        for id in "abc":
            await store.add(row(id, "finished"), "{}")
        assert [r.id for r in await store.newest(9)] == ["c", "b", "waits"]
        await store.close()

    asyncio.run(run())


def test_no_room(tmp_path: Path) -> None:
    async def run() -> None:
        store = Store(tmp_path)
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
        Store(tmp_path).try_out()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="bad-store"):
        Store(tmp_path / "file").try_out()


def test_two_services_on_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.01)

    async def run() -> None:
        store = Store(tmp_path)
        await store.open()
        await store.add(row("a"), "{}")
        with pytest.raises(InputError, match="locked"):
            Store(tmp_path).try_out()
        await store.close()

    asyncio.run(run())
    Store(tmp_path).try_out()


def test_a_store_of_another_version(tmp_path: Path) -> None:
    Store(tmp_path).try_out()
    connection = sqlite3.connect(tmp_path / module.FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="wrong-version"):
        Store(tmp_path).try_out()


def with_store(use: Callable[[Store], Coroutine[None, None, None]], store: Store) -> None:
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


def test_only_so_many_ended_jobs_are_kept(tmp_path: Path) -> None:
    async def use(store: Store) -> None:
        await store.add(row("waits"), "{}")
        for id in "abc":
            await store.add(ended(id, "2999-01-01T00:00:00.000Z"), "{}")
        assert [r.id for r in await store.newest(9)] == ["c", "b", "waits"]

    with_store(use, Store(tmp_path, keep_jobs=2))


def test_ended_jobs_are_kept_only_so_long(tmp_path: Path) -> None:
    async def use(store: Store) -> None:
        hour_ago = moment(datetime.now(UTC) - timedelta(hours=1))
        day_ago = moment(datetime.now(UTC) - timedelta(days=1))
        await store.add(row("waits"), "{}")
        await store.add(ended("old", day_ago), "{}")
        await store.add(ended("new", hour_ago), "{}")
        await store.prune()
        assert [r.id for r in await store.newest(9)] == ["new", "waits"]

    with_store(use, Store(tmp_path, keep_days=0.5))


@pytest.mark.skipif(sys.platform == "win32", reason="has no modes of files")
def test_only_its_owner_may_read_the_file(tmp_path: Path) -> None:
    async def use(store: Store) -> None:
        await store.add(row("a"), "{}")
        for path in tmp_path.iterdir():
            assert path.stat().st_mode & 0o777 == 0o600

    before = os.umask(0o022)
    try:
        (tmp_path / module.FILE).touch(0o644)  # as earlier versions made it
        with_store(use, Store(tmp_path))
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
    async def write(store: Store) -> None:
        for id in "QXZ":
            made = row(id)
            made.result, made.events = f'"{id * 50_000}"', 7
            await store.add(made, "{}")

    async def read(store: Store) -> None:
        assert [r.id for r in await store.newest(9)] == ["Z", "Q"]
        assert [r.id for r in await store.with_status("queued")] == ["Q", "Z"]
        with pytest.raises(DamagedRowError, match="malformed"):
            await store.get("X")

    with_store(write, Store(tmp_path))
    damage(tmp_path / module.FILE, "X")
    with_store(read, Store(tmp_path))


def test_damaged_pages_of_the_table_do_not_hide_what_is_before_and_behind(tmp_path: Path) -> None:
    async def write(store: Store) -> None:
        for id in (*"abcdefg", *"XXXXXXXX", *"hijklmn"):
            name = id if id != "X" else os.urandom(4).hex()
            await store.add(row(name), id * 3000)

    async def read(store: Store) -> None:
        found = {r.id for r in await store.newest(99)}
        assert {*"abc", *"lmn"} <= found

    with_store(write, Store(tmp_path))
    damage(tmp_path / module.FILE, "X")
    with_store(read, Store(tmp_path))
