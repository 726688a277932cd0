import asyncio
import sqlite3
from pathlib import Path

import pytest

from geopar.errors import InputError
from geopar.service import store as module
from geopar.service.store import FullStoreError, Row, Store


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
