import asyncio
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from geopar.errors import InputError
from geopar.service import store as module
from geopar.service.store import (
    DamagedRowError,
    FullStoreError,
    Listing,
    Row,
    Store,
    TakenKeyError,
    moment,
)


def row(id: str, status: str = "queued") -> Row:
    return Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")


async def listed(store: Store, *wanted: Any) -> list[str]:
    return [found.id for _, found in await store.page(Listing(*wanted))]


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
        brief = [(r.id, r.result) for _, r in await store.page(Listing(5))]
        assert brief == [("b", None), ("a", None)]
        assert [r.id for r in await store.with_status("queued")] == ["b"]
        assert await store.counts() == {"finished": 1, "queued": 1}
        await store.close()

    asyncio.run(write())
    asyncio.run(read())


def test_files_from_before_jobs_kept_their_start_and_their_name(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "jobs.sqlite")
    old.executescript(re.sub(r",\n    start TEXT.*?\n\)", "\n)", module._TABLE, flags=re.DOTALL))
    old.execute(f"PRAGMA user_version = {module.VERSION}")
    known = module._COLUMNS[: module._COLUMNS.index("name")]
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
        assert await listed(store, 9) == ["c", "b", "waits"]
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
        assert await listed(store, 9) == ["c", "b", "waits"]

    with_store(use, Store(tmp_path, keep_jobs=2))


def test_ended_jobs_are_kept_only_so_long(tmp_path: Path) -> None:
    async def use(store: Store) -> None:
        hour_ago = moment(datetime.now(UTC) - timedelta(hours=1))
        day_ago = moment(datetime.now(UTC) - timedelta(days=1))
        await store.add(row("waits"), "{}")
        await store.add(ended("old", day_ago), "{}")
        await store.add(ended("new", hour_ago), "{}")
        await store.prune()
        assert await listed(store, 9) == ["new", "waits"]

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
        assert await listed(store, 9) == ["Z", "Q"]
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
        found = set(await listed(store, 99))
        assert {*"abc", *"lmn"} <= found

    with_store(write, Store(tmp_path))
    damage(tmp_path / module.FILE, "X")
    with_store(read, Store(tmp_path))


def test_pages_of_jobs_by_status_and_name() -> None:
    async def run() -> None:
        store = Store()
        await store.open()
        for number, name in enumerate(("Monday", "Übung", None, "monday north", "Tuesday")):
            made = row(f"j{number}", "finished" if number % 2 else "queued")
            made.name = name
            await store.add(made, "{}" * 5_000)
        assert await listed(store, 2) == ["j4", "j3"]
        (number, _), *_ = (await store.page(Listing(2)))[1:]
        await store.remove("j3")  # also without the job that the page ended with
        await store.add(row("new"), "{}")
        assert await listed(store, 2, number) == ["j2", "j1"]
        assert await listed(store, 9, None, ("finished",)) == ["j1"]
        also = [r.id for _, r in await store.page(Listing(9, None, ("finished",)), ["j0"])]
        assert also == ["j1", "j0"]
        assert await listed(store, 9, None, (), "MON") == ["j0"]
        assert await listed(store, 9, None, (), "übung") == ["j1"]
        assert await listed(store, 9, None, ("queued",), "day") == ["j4", "j0"]
        assert await listed(store, 9, None, (), "%") == []
        await store.close()

    asyncio.run(run())


def test_only_what_has_ended_is_removed_unless_asked() -> None:
    async def run() -> None:
        store = Store()
        await store.open()
        for id, status in (("waits", "queued"), ("runs", "running"), ("ended", "finished")):
            await store.add(row(id, status), "{}")
        assert [await store.remove(id) for id in ("waits", "runs", "ended", "none")] == [
            False, False, True, False,
        ]  # fmt: skip
        assert await store.remove("runs", ended_only=False)
        assert await listed(store, 9) == ["waits"]
        await store.close()

    asyncio.run(run())


def test_a_key_names_one_job_as_long_as_that_is_there(tmp_path: Path) -> None:
    def keyed(id: str) -> Row:
        made = row(id, "finished")
        made.key, made.digest = "order 7", "d"
        return made

    async def write() -> None:
        store = Store(tmp_path)
        await store.open()
        await store.add(keyed("a"), "{}")
        with pytest.raises(TakenKeyError):
            await store.add(keyed("b"), "{}")
        assert await listed(store, 9) == ["a"]
        await store.close()

    async def read() -> None:
        store = Store(tmp_path)
        await store.open()
        found = await store.with_key("order 7")
        assert found is not None
        assert (found.id, found.digest) == ("a", "d")
        assert await store.with_key("order 8") is None
        await store.remove("a")
        assert await store.with_key("order 7") is None
        await store.add(keyed("b"), "{}")
        await store.close()

    asyncio.run(write())
    asyncio.run(read())


def test_searching_names_and_keys_reads_no_problems() -> None:
    """Problems stand before them in a row: an index keeps them out."""

    async def run() -> list[str]:
        store = Store()
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
