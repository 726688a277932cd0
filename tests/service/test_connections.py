"""Clients that hold connections open; the workers of the server do nothing."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import httpx
import pytest

import fake_workers
from geopar.service import connections, process
from geopar.service.limits import Limits
from geopar.service.service import Settings
from service_running import Running, running

MOST = 20
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half"
REQUEST = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(process, "worker", SimpleNamespace(main=fake_workers.answers_at_once))
    limits = Limits(concurrent=1, connections=MOST)
    with running(Settings(limits=limits, network_workers=1, token="secret")) as made:
        yield made


def connect(server: Running, data: bytes) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    made = socket.create_connection((host, int(port)), timeout=60)
    made.sendall(data)
    return made


def received(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection; not closed, it raises."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def open_connections(server: Running) -> int:
    return len(server.server.server_state.connections)


def until_closed(server: Running, most: int) -> None:
    for _ in range(3000):
        if open_connections(server) <= most:
            break
        time.sleep(0.02)
    assert open_connections(server) <= most


@pytest.mark.parametrize(
    "data", [b"", HALF, b"POST /solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"]
)
def test_held_connections_do_not_lock_others_out(
    server: Running, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By their number alone, long before anybody's time is up.
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1000.0)
    monkeypatch.setattr(connections, "BODY_SECONDS", 1000.0)
    with ExitStack() as stack:
        for _ in range(10 * MOST):
            with suppress(ConnectionError):  # closed already, in favour of a newer one
                stack.enter_context(connect(server, data))
        until_closed(server, MOST)
        for _ in range(3):
            assert httpx.get(f"{server.url}/").status_code == 200


def test_a_header_has_to_come_in_time(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.05)
    for data in (b"", HALF):
        with connect(server, data) as slow:
            assert received(slow) == b""
    # Also the second one, and an empty line in its place.
    for data in (HALF, b"\r\n"):
        with connect(server, REQUEST) as slow:
            assert slow.recv(12) == b"HTTP/1.1 401"
            slow.sendall(data)
            received(slow)


def test_a_body_that_is_not_read_has_to_come_in_time(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    head = b"POST /solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
    with connect(server, head + b"{") as slow:
        assert received(slow).startswith(b"HTTP/1.1 401")


def test_a_header_may_not_be_endless(server: Running) -> None:
    with connect(server, HALF) as talkative:
        with pytest.raises(ConnectionError):
            talkative.sendall(b"x" * 100_000_000)
        until_closed(server, 0)


def test_a_response_has_to_be_taken_in_time(
    server: Running, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.05)
    request = REQUEST.replace(b"\r\n\r\n", b"\r\nAuthorization: Bearer secret\r\n\r\n")
    with connect(server, b"") as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with suppress(ConnectionError):  # closed while it was still asking
            silent.sendall(2000 * request)
        until_closed(server, 0)
    for _ in range(3000):
        if not server.server.server_state.tasks:
            break
        time.sleep(0.02)
    # Nothing was written to the closed connection.
    assert "Exception in ASGI application" not in capfd.readouterr().err


def test_who_keeps_to_the_limits_keeps_the_connection(server: Running) -> None:
    with httpx.Client(base_url=server.url, headers={"Authorization": "Bearer secret"}) as client:
        for _ in range(5):
            assert client.get("/openapi.json").status_code == 200
            assert client.post("/validate", json={}).status_code == 422
            assert open_connections(server) == 1


def test_shutdown_does_not_wait_for_the_rest_of_a_body(server: Running) -> None:
    server.server.config.timeout_graceful_shutdown = 3600
    head = b"POST /solve HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
    head += b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    with connect(server, head) as slow:
        while not server.server.server_state.tasks:
            time.sleep(0.01)
        server.server.should_exit = True
        assert received(slow) == b""
