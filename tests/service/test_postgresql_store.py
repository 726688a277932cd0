"""What is special about PostgreSQL: several servers, and a database that cannot be used."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from geopar.errors import Faults, InputError, MissingExtraError
from geopar.service import postgresql_link
from geopar.service.jobs import ALL
from geopar.service.postgresql_link import check_address, masked, way_out
from geopar.service.postgresql_store import MOST_TRIES, PostgresStore
from geopar.service.store import STOP, Claims, Row, UnreachableStoreError
from geopar.testing.postgresql import Postgres

NOW, ERROR = "2999-01-01T00:00:00.000Z", '{"code": "interrupted"}'


def row(id: str, status: str = "queued", **more: Any) -> Row:
    return Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z", **more)


def with_two(
    url: str, use: Callable[[PostgresStore, PostgresStore], Coroutine[None, None, None]]
) -> None:
    async def run() -> None:
        stores = PostgresStore(url), PostgresStore(url)
        await asyncio.gather(*(store.open() for store in stores))
        try:
            await use(*stores)
        finally:
            for store in stores:
                await store.close()

    asyncio.run(run())


async def give_up(other: PostgresStore, one: PostgresStore) -> None:
    assert await other.bury(one.server, (await other.beats())[one.server])
    await other.release(NOW, ERROR)


def test_a_server_that_counts_on_keeps_its_jobs(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("a", "running", result="{}"), "{}")
        before = (await other.beats())[one.server]
        assert await one.beat()
        assert not await other.bury(one.server, before)
        await other.release(NOW, ERROR)
        assert (await other.get("a")).status == "running"
        assert await other.claim([], ALL) == []

    with_two(database, use)


def test_a_server_that_is_given_up_loses_its_jobs_for_good(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        for id, status, result in (
            ("waits", "queued", None), ("ran", "running", "{}"), ("began", "running", None),
            ("unwanted", "queued", None), ("ended", "finished", "{}"),
        ):  # fmt: skip
            await one.add(row(id, status, result=result, events=3), "{}")
        await other.ask_to_stop("unwanted")
        await give_up(other, one)
        statuses = {id: (await one.get(id)).status for id in ("ran", "unwanted", "ended", "began")}
        # What had no plan yet is as good as new.
        assert statuses == {
            "ran": "interrupted", "unwanted": "stopped", "ended": "finished", "began": "queued",
        }  # fmt: skip
        ran = await one.get("ran")
        assert (ran.result, ran.ended, ran.error, ran.events) == ("{}", NOW, ERROR, 4)
        # It writes nothing any more, and hears that it was given up.
        for id in ("waits", "ran", "began"):
            assert not await one.save(row(id, "finished", result="late"))
        assert not await one.beat()
        assert await one.beat()
        assert [r.id for r in await other.claim([], ALL)] == ["waits", "began"]
        assert await one.claim([], ALL) == []
        assert await other.save(row("waits", "finished"))

    with_two(database, use)


def test_a_job_that_never_gets_a_plan_is_not_begun_for_ever(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("a"), "{}")
        for tries in range(MOST_TRIES + 1):
            assert await one.save(row("a", "running"))
            await give_up(other, one)
            await one.beat()
            claimed = await one.claim([], ALL)
            assert len(claimed) == (1 if tries < MOST_TRIES else 0)
        assert (await one.get("a")).status == "interrupted"

    with_two(database, use)


def test_waiting_jobs_are_taken_once_and_within_limits(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        for number in range(20):
            await one.add(row(f"j{number}"), "{}")
        await give_up(other, one)
        await one.beat()
        assert await one.claim([], Claims(9, 3, 9, 9.0)) == []
        assert await one.claim([], Claims(9, 9, 1, 9.0)) == []
        assert await one.claim([], Claims(9, 9, 9, 1.0)) == []
        parts = await asyncio.gather(
            *(store.claim(["j"], Claims(5, 9, 9, 9.0)) for store in (one, other))
        )
        taken = [job.id for part in parts for job in part]
        assert len(taken) == len(set(taken)) == 10

    with_two(database, use)


def test_what_was_written_down_without_an_answer_is_found_again(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("known"), "{}")
        await one.add(row("unheard"), "{}")
        assert [r.id for r in await one.claim(["known"], ALL)] == ["unheard"]

    with_two(database, use)


def test_every_change_is_heard_of_by_all(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        heard: asyncio.Queue[str | None] = asyncio.Queue()
        other.listen(heard.put_nowait)
        assert await asyncio.wait_for(heard.get(), 30) is None
        await one.add(row("a"), "{}")
        await one.save(row("a", "running"))
        await one.save_progress("a", '{"time":1}', 7, 3)
        await other.ask_to_stop("a")
        told = [await asyncio.wait_for(heard.get(), 30) for _ in range(4)]
        assert told == ["a", "a", "a", f"{STOP}a"]
        assert await one.asked_to_stop() == ["a"]
        assert await other.asked_to_stop() == []
        assert await other.progress("a") == '{"time":1}'
        assert ((await other.get("a")).iterations, (await other.get("a")).events) == (7, 3)

    with_two(database, use)


def test_one_that_nobody_has_is_stopped_at_once(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("a"), "{}")
        await give_up(other, one)
        await other.ask_to_stop("a")
        assert (await other.get("a")).status == "stopped"
        assert await other.claim([], ALL) == []

    with_two(database, use)


def test_a_name_that_postgresql_cannot_hold_is_kept_as_far_as_possible(database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("a", name="x\0y"), "{}")
        assert (await other.get("a")).name == "x\ufffdy"

    with_two(database, use)


def test_away_and_back(postgres: Postgres, database: str) -> None:
    async def use(one: PostgresStore, other: PostgresStore) -> None:
        await one.add(row("a"), "{}")
        postgres.stop()
        try:
            for _ in range(2):
                with pytest.raises(UnreachableStoreError):
                    await one.get("a")
            assert one.is_away
        finally:
            postgres.start()
        await asyncio.sleep(postgresql_link.PAUSE)
        assert (await one.get("a")).id == "a"
        assert not one.is_away
        assert await one.beat()  # what the others know of it outlives the database

    with_two(database, use)


def fault_of(url: str) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        PostgresStore(url).try_out()
    (fault,) = caught.value.faults
    assert fault.field == "--store"
    assert fault.hint
    assert "secret" not in str(caught.value)
    return fault.code, str(caught.value)


def test_databases_that_cannot_be_used(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    PostgresStore(database).try_out()
    code, text = fault_of(database.replace("/postgres?", "/none?"))
    assert (code, "createdb" in text) == ("bad-store", True)
    code, text = fault_of(database.replace("geopar@", "nobody:secret@"))
    assert (code, "createuser" in text) == ("bad-store", True)
    code, text = fault_of("postgresql://geopar:secret@127.0.0.1:1/x")
    assert (code, "Is PostgreSQL running" in text) == ("bad-store", True)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE geopar_version SET version = 99")
    code, text = fault_of(database)
    assert (code, "Update geopar" in text) == ("wrong-version", True)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS latin")
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    code, text = fault_of(database.replace("/postgres?", "/latin?"))
    assert (code, "LATIN1" in text) == ("bad-store", True)


@pytest.mark.parametrize(
    "url",
    ["mysql://user:secret@host/x", "jobs.sqlite", "postgresql://host/x?password=secret&nonsense=1"],
)
def test_addresses_that_are_none(url: str) -> None:
    pytest.importorskip("psycopg")
    faults = Faults()
    assert not check_address(faults, url)
    with pytest.raises(InputError, match="bad-address") as caught:
        faults.raise_if_any()
    assert "secret" not in str(caught.value)


def test_passwords_are_not_shown() -> None:
    assert masked("postgresql://u:p@ss@h/d?password=x&a=b") == "postgresql://u:…@h/d?password=…&a=b"
    assert masked("postgresql://u@h/d") == "postgresql://u@h/d"


def test_a_password_that_is_missing_or_wrong_is_told_apart() -> None:
    assert "PGPASSWORD" in way_out("fe_sendauth: no password supplied")
    assert "Check the user" in way_out('password authentication failed for user "x"')


def test_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"geopar\[postgresql\]"):
        PostgresStore("postgresql://h/d").try_out()
