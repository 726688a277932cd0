"""What every store must be able to do: each of these runs on SQLite and on PostgreSQL."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from geopar.service.jobs import ALL
from geopar.service.store import Listing, Row, Store, TakenKeyError, moment
from geopar.service.stores import make_store

Where = tuple[Path | None, str | None]


def row(id: str, status: str = "queued", **more: Any) -> Row:
    return Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z", **more)


def with_store(
    where: Where, use: Callable[[Store], Coroutine[None, None, None]], *keep: Any
) -> None:
    async def run() -> None:
        store = make_store(*where, *keep)[0]
        await store.open()
        try:
            await use(store)
        finally:
            await store.close()

    asyncio.run(run())


async def listed(store: Store, *wanted: Any) -> list[str]:
    return [found.id for _, found in await store.page(Listing(*wanted))]


def test_what_is_written_is_read_again_also_after_reopening(where: Where) -> None:
    full = row("a", "finished", started="s", ended="2999-01-01T00:00:00.000Z", iterations=2**40,
               objective=2.5, result='{"plan": "ü"}', error="e", events=7, name="Mon\u0301day",
               options="{}", key="k", digest="d", callback="c", called="x")  # fmt: skip
    full.seed = 2**63 - 1

    async def write(store: Store) -> None:
        await store.add(row("a"), '{"problem": 1}', '{"routes": []}')
        assert await store.save(full)
        assert await store.rename("a", full.name)
        assert not await store.save(row("none"))

    async def read(store: Store) -> None:
        assert await store.get("a") == full
        assert await store.problem("a") == '{"problem": 1}'
        assert await store.start("a") == '{"routes": []}'
        assert await store.get("c") is None
        assert await store.problem("c") is None
        ((_, brief),) = await store.page(Listing(5))
        assert (brief.id, brief.result) == ("a", None)

    with_store(where, write)
    with_store(where, read)


def test_a_name_stays_whatever_becomes_of_the_job(where: Where) -> None:
    async def use(store: Store) -> None:
        await store.add(row("a", name="Monday"), "{}")
        assert await store.rename("a", "Tuesday, nörth")
        assert await store.save(row("a", "running", name="Monday"))  # who runs it may not know yet
        assert await listed(store, 5, None, (), "NÖRTH") == ["a"]
        assert await listed(store, 5, None, (), "monday") == []
        assert await store.rename("a", None)
        found = await store.get("a")
        assert found is not None
        assert (found.status, found.name) == ("running", None)
        assert not await store.rename("none", "x")

    with_store(where, use)


def test_pages_by_number_status_and_name(where: Where) -> None:
    async def use(store: Store) -> None:
        for number, name in enumerate(("Monday", "Übung", None, "monday north", "100 % \\_")):
            made = row(f"j{number}", "finished" if number % 2 else "queued", name=name)
            await store.add(made, "{}")
        (number, _), *_ = (await store.page(Listing(2)))[1:]
        await store.remove("j3")
        await store.add(row("new"), "{}")
        assert await listed(store, 2, number) == ["j2", "j1"]
        assert await listed(store, 9, None, ("finished",)) == ["j1"]
        also = [r.id for _, r in await store.page(Listing(9, None, ("finished",)), ["j0"])]
        assert also == ["j1", "j0"]
        assert await listed(store, 9, None, (), "MON") == ["j0"]
        assert await listed(store, 9, None, (), "übung") == ["j1"]
        assert await listed(store, 9, None, ("queued",), "%") == ["j4"]
        assert await listed(store, 9, None, (), "_") == ["j4"]

    with_store(where, use)


def test_ended_jobs_go_when_they_are_too_many_or_too_old(where: Where) -> None:
    async def use(store: Store) -> None:
        await store.add(row("waits"), "{}")
        old = moment(datetime.now(UTC) - timedelta(days=2))
        for id, ended in (("old", old), *((id, "2999-01-01T00:00:00.000Z") for id in "abc")):
            await store.add(row(id, "finished", ended=ended), "{}")
        assert await listed(store, 9) == ["c", "b", "waits"]

    with_store(where, use, 2, 1.0)


def test_no_more_are_kept_when_one_ends_and_the_last_to_end_stays(where: Where) -> None:
    async def use(store: Store) -> None:
        for id in "abcd":
            await store.add(row(id, "running"), "{}")
        for second, id in enumerate("bcda"):
            assert await store.save(row(id, "finished", ended=f"2999-01-01T00:00:0{second}.000Z"))
        assert await listed(store, 9) == ["d", "a"]

    with_store(where, use, 2, 1.0)


def test_only_what_has_ended_is_removed_unless_asked(where: Where) -> None:
    async def use(store: Store) -> None:
        for id, status in (("waits", "queued"), ("runs", "running"), ("ended", "finished")):
            await store.add(row(id, status), "{}")
        removed = [await store.remove(id) for id in ("waits", "runs", "ended", "none")]
        assert removed == [False, False, True, False]
        assert await store.remove("runs", ended_only=False)
        assert await listed(store, 9) == ["waits"]

    with_store(where, use)


def test_a_key_names_one_job_as_long_as_that_is_there(where: Where) -> None:
    async def use(store: Store) -> None:
        await store.add(row("a", "finished", key="order 7", digest="d"), "{}")
        with pytest.raises(TakenKeyError):
            await store.add(row("b", "finished", key="order 7"), "{}")
        assert await listed(store, 9) == ["a"]
        found = await store.with_key("order 7")
        assert (found.id, found.digest) == ("a", "d")
        assert await store.with_key("order 8") is None
        await store.remove("a")
        await store.add(row("b", key="order 7"), "{}")

    with_store(where, use)


def test_after_a_server_ended_its_jobs_are_looked_after(where: Where) -> None:
    async def first(store: Store) -> None:
        for id, status, more in (
            ("waits", "queued", {}), ("ran", "running", {"result": "{}", "callback": "http://a/"}),
            ("done", "finished", {"callback": "http://a/", "called": '{"state":"sent"}'}),
            ("tried", "finished", {"callback": "http://a/", "called": '{"state":"waiting"}'}),
            ("silent", "finished", {}), ("later", "queued", {}),
        ):  # fmt: skip
            await store.add(row(id, status, **more), "{}")

    async def second(store: Store) -> None:
        await store.release("2999-01-01T00:00:00.000Z", '{"code": "interrupted"}')
        ran = await store.get("ran")
        assert (ran.status, ran.result) == ("interrupted", "{}")
        assert (ran.ended, ran.error) == ("2999-01-01T00:00:00.000Z", '{"code": "interrupted"}')
        assert [r.id for r in await store.claim([], ALL)] == ["waits", "later"]
        assert [r.id for r in await store.claim(["waits", "later"], ALL)] == []
        assert [r.id for r in await store.claim_untold()] == ["ran", "tried"]
        await store.note_called("tried", '{"state":"sent"}')
        assert (await store.get("tried")).called == '{"state":"sent"}'

    with_store(where, first)
    with_store(where, second)
