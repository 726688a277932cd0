"""Somebody is told when a job has ended; one that never answers costs nobody else anything."""

import asyncio
import contextlib
import gc
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import geopar
from geopar.client import ServiceError
from geopar.errors import Faults
from geopar.files import problem_to_json
from geopar.service import webhooks as module
from geopar.service.jobs import Jobs
from geopar.service.pool import JobQueue
from geopar.service.requests import SolveRequest
from geopar.service.service import Settings
from geopar.service.signatures import is_signed
from geopar.service.sqlite_store import SqliteStore
from geopar.service.store import Row
from geopar.service.webhooks import Allowed, Target, Webhooks, target_of
from instances import square
from service_running import jobs_without_workers, running

HERE = Allowed(("127.0.0.1",))


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://hooks.example/a?b=c#d", Target("https", "hooks.example", 443, "/a?b=c")),
        ("http://Hooks.Example:81", Target("http", "hooks.example", 81, "/")),
        ("http://[::1]:80/x", Target("http", "::1", 80, "/x")),
    ],
)
def test_parts_of_an_address(address: str, target: Target) -> None:
    assert target_of(address) == target


def test_the_place_is_what_a_host_header_has() -> None:
    places = [
        target_of(address).place
        for address in ("https://a:443", "https://a:80", "http://a/", "http://[::1]:9")
    ]
    assert places == ["a", "a:80", "a", "[::1]:9"]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://a/b", "must begin"),
        ("file:///etc/passwd", "must begin"),
        ("https:///path", "must begin"),
        ("hooks.example/a", "must begin"),
        ("http://a:99999/", "no web address"),
        ("http://[::1/", "no web address"),
        ("http://user:secret@a/", "name and a password"),
        ("http://a/\r\nX-Other: 1", "space"),
        ("http://a/\u00e9", "ASCII"),
        ("http://a/" + "x" * 2_000, "longer"),
    ],
)
def test_addresses_that_are_not_called(address: str, reason: str) -> None:
    faults = Faults()
    assert Allowed(("*",)).read(faults, address) is None
    with pytest.raises(geopar.InputError, match=reason) as found:
        faults.raise_if_any()
    assert [fault.code for fault in found.value.faults] == ["bad-address"]


@pytest.mark.parametrize(
    ("hosts", "address", "code"),
    [
        ((), "https://a/", "webhooks-off"),
        (("b",), "https://a/", "host-not-allowed"),
        (("a:8443",), "https://a/", "host-not-allowed"),
        (("a",), "https://a.b/", "host-not-allowed"),
        (("a",), "https://b#@a/", "host-not-allowed"),
        (("a",), 3, "wrong-type"),
    ],
)
def test_hosts_that_are_not_called(hosts: tuple[str, ...], address: object, code: str) -> None:
    faults = Faults()
    assert Allowed(hosts).read(faults, address) is None
    with pytest.raises(geopar.InputError) as found:
        faults.raise_if_any()
    assert [fault.code for fault in found.value.faults] == [code]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("*", "http://anything:1/"), ("a", "https://A:8443/"), ("A:443", "https://a/"),
        ("[::1]:9", "http://[::1]:9/"),
    ],
)  # fmt: skip
def test_hosts_that_are_called(host: str, address: str) -> None:
    faults = Faults()
    assert Allowed((host,)).read(faults, address) == address
    faults.raise_if_any()


Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def receiver(*answers: bytes | None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Listens, answers each call with the next of these (None: never), and keeps what came."""
    seen: list[bytes] = []
    left = list(answers)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        seen.append(head + await reader.readexactly(length))
        answer = left.pop(0)
        if answer is None:
            await reader.read()  # until the caller has had enough
        else:
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?x=1", seen
    finally:
        server.close()


def told(
    *answers: bytes | None, secret: str | None = None, allowed: Allowed = HERE
) -> tuple[list[bytes], list[dict]]:
    """What a receiver sees that answers so, and what is noted meanwhile."""
    notes: list[dict] = []

    async def note(id: str, text: str) -> None:
        notes.append(json.loads(text))

    async def run() -> list[bytes]:
        async with receiver(*answers) as (address, seen):
            webhooks = Webhooks(allowed, secret, note)
            webhooks.tell("job1", address, '{"event":"job.ended"}')
            assert len(webhooks) == 1
            await asyncio.gather(*webhooks._tasks.values())
            await webhooks.close()
            return seen

    return asyncio.run(run()), notes


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSES", (0.0, 0.0))


def test_the_message_is_signed_and_names_its_job() -> None:
    (message,), notes = told(b"HTTP/1.1 204 No Content\r\n\r\n", secret="s3")
    head, _, body = message.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert first == "POST /hook?x=1 HTTP/1.1"
    assert body == b'{"event":"job.ended"}'
    assert headers["Geopar-Delivery"] == "job1"
    assert headers["Content-Type"] == "application/json"
    assert is_signed("s3", body, headers["Geopar-Signature"])
    assert notes == [{"state": "sent", "tries": 1, "error": None}]


def test_without_a_secret_nothing_is_signed() -> None:
    (message,), _ = told(b"HTTP/1.0 200 OK\r\n\r\n")
    assert b"Signature" not in message


def test_what_fails_is_tried_again() -> None:
    seen, notes = told(
        b"HTTP/1.1 503 Not Now\r\n\r\n", b"SSH-2.0-x\r\n", b"HTTP/1.1 201 Made\r\n\r\n"
    )
    assert len(seen) == 3
    assert [note["state"] for note in notes] == ["waiting", "waiting", "sent"]
    assert [note["error"] for note in notes[:2]] == [
        "It answered 503.", "It cannot be called: the answer is not HTTP.",
    ]  # fmt: skip


def test_a_redirection_is_not_followed_and_after_a_few_tries_it_is_left() -> None:
    elsewhere = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"
    seen, notes = told(elsewhere, elsewhere, b"")
    assert len(seen) == 3
    assert [note["state"] for note in notes] == ["waiting", "waiting", "failed"]
    assert notes[0]["error"] == "It answered 302."
    assert "cannot be called" in notes[-1]["error"]


def test_one_that_never_answers_is_left_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CALL_SECONDS", 0.05)
    seen, notes = told(None, None, None)
    assert len(seen) == 3
    assert notes[-1] == {
        "state": "failed", "tries": 3, "error": "There was no answer within 0.05 seconds.",
    }  # fmt: skip


def test_a_host_that_is_no_longer_allowed_is_not_called() -> None:
    seen, notes = told(allowed=Allowed(("elsewhere",)))
    assert seen == []
    assert notes[0]["state"] == "failed"
    assert "may not call 127.0.0.1" in notes[0]["error"]


def test_too_many_at_once_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 0)
    seen, notes = told()
    assert seen == []
    assert "More than 0" in notes[0]["error"]


def test_silent_hosts_hold_up_neither_others_nor_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many calls to one host that never answers take one slot, not all of them."""
    monkeypatch.setattr(module, "CALL_SECONDS", 3600.0)

    async def run() -> None:
        sent = asyncio.Event()

        async def note(id: str, text: str) -> None:
            if id == "good" and json.loads(text)["state"] == "sent":
                sent.set()

        async with (
            receiver(*[None] * 50) as (silent, heard),
            receiver(b"HTTP/1.1 200 OK\r\n\r\n") as (good, _),
        ):
            webhooks = Webhooks(HERE, None, note)
            for number in range(2 * module.SLOTS):
                webhooks.tell(f"bad{number}", silent, "{}")
            webhooks.tell("good", good, "{}")
            await asyncio.wait_for(sent.wait(), 60)
            assert len(heard) == 1
            webhooks.drop("bad3")
            webhooks.drop("none")
            await webhooks.close()
            assert len(webhooks) == 0
            await asyncio.sleep(0)
            gc.collect()  # tasks that were cancelled hold on to their frames
            assert not webhooks._hosts

    asyncio.run(run())


def test_who_was_not_told_is_told_after_a_restart(tmp_path: Path) -> None:
    class Noted:
        def __init__(self) -> None:
            self.calls: list[tuple[str, str, dict]] = []

        def tell(self, id: str, address: str, body: str) -> None:
            self.calls.append((id, address, json.loads(body)))

        def drop(self, id: str) -> None:
            self.calls.append((id, "dropped", {}))

    async def run() -> None:
        store = SqliteStore(tmp_path)
        await store.open()
        for id, status, called in (
            ("ended", "finished", None),
            ("tried", "stopped", '{"state":"waiting","tries":1,"error":"x"}'),
            ("done", "finished", '{"state":"sent","tries":1,"error":null}'),
            ("left", "finished", '{"state":"failed","tries":5,"error":"x"}'),
            ("ran", "running", None),
            ("silent", "finished", None),
        ):
            row = Row(id, status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")
            row.ended, row.called = "2999-01-01T00:00:00.000Z", called
            row.callback = None if id == "silent" else "http://127.0.0.1:1/"
            await store.add(row, "{}")
        noted: Any = Noted()
        pool: Any = None
        jobs = Jobs(store, JobQueue(), pool, webhooks=noted)
        await jobs.recover()
        assert [id for id, _, _ in noted.calls] == ["ended", "tried", "ran"]
        assert {address for _, address, _ in noted.calls} == {"http://127.0.0.1:1/"}
        body = noted.calls[-1][2]
        assert body["event"] == "job.ended"
        assert (body["job"]["id"], body["job"]["status"]) == ("ran", "interrupted")
        left = json.loads(await jobs.document("left"))["callback"]
        assert left == {"host": "127.0.0.1", "state": "failed", "tries": 5, "error": "x"}
        await jobs.forget("ended")
        assert noted.calls[-1][:2] == ("ended", "dropped")
        await store.close()

    asyncio.run(run())


def test_a_job_that_waits_keeps_its_callback_over_a_restart(tmp_path: Path) -> None:
    async def run() -> dict:
        async with jobs_without_workers(tmp_path) as jobs:
            asked = SolveRequest(square(), "refine", 1.0, 0, callback="http://127.0.0.1:1/x")
            id = (await jobs.create(asked, "refine")).row.id
        async with jobs_without_workers(tmp_path) as jobs:
            await jobs.recover()
            return json.loads(await jobs.document(id))["callback"]

    assert asyncio.run(run()) == {
        "host": "127.0.0.1", "state": "waiting", "tries": 0, "error": None,
    }  # fmt: skip


def test_from_the_request_to_the_receiver() -> None:
    came = threading.Event()
    messages = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            messages.append((body, self.headers["Geopar-Signature"]))
            self.send_response(200)
            self.end_headers()
            came.set()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = Settings(
        network_workers=1, kinds=("hcvrp",), webhooks=Allowed(("127.0.0.1",)), webhook_secret="s3"
    )
    try:
        with running(settings) as served:
            client = geopar.Client(served.url)
            address = f"http://127.0.0.1:{server.server_port}/ended"
            job = client.submit(square(), solver="dispatch", callback=address)
            assert came.wait(120)
            (body, signature), told = messages[0], json.loads(messages[0][0])
            assert is_signed("s3", body, signature)
            assert (told["job"]["id"], told["job"]["status"]) == (job.id, "finished")
            assert told["job"]["result"] is None
            while (called := job.refresh()["callback"])["state"] == "waiting":
                pass
            assert called == {"host": "127.0.0.1", "state": "sent", "tries": 1, "error": None}
            with pytest.raises(ServiceError) as refused:
                client.submit(square(), callback="http://169.254.169.254/latest")
            assert refused.value.code == "host-not-allowed"
            asked = {"problem": problem_to_json(square()), "callback": address}
            waiting = served.client.post("/solve", json=asked)
            assert waiting.json()["error"]["code"] == "unknown-field"
    finally:
        server.shutdown()
        server.server_close()


def test_off_unless_asked_for(client) -> None:
    body = {"problem": problem_to_json(square()), "callback": "https://hooks.example/"}
    answer = client.post("/jobs", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "webhooks-off")
    assert "--webhooks" in answer.json()["error"]["message"]
