"""One real server for all tests of the service, in a thread, with one worker of each sort."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from geopar.service.app import make_app
from geopar.service.limits import Limits
from geopar.service.server import make_config
from geopar.service.service import Service, Settings

LIMITS = Limits(
    tasks=200, vehicles=20, body_bytes=60_000, time_limit=30.0, queue=3, concurrent=1,
    one_pass_queue=50, streams=3,
)  # fmt: skip


@dataclass
class Running:
    """A server and a client of it."""

    app: Starlette
    server: uvicorn.Server
    loop: asyncio.AbstractEventLoop
    url: str
    client: httpx.Client

    @property
    def service(self) -> Service:
        return self.app.state.service

    def wait(self, id: str, *statuses: str, seconds: float = 60.0) -> dict:
        """The job once it has one of these statuses."""
        for _ in range(int(seconds / 0.02)):
            job = self.client.get(f"/jobs/{id}").json()
            if job["status"] in statuses:
                return job
            time.sleep(0.02)
        raise TimeoutError(job["status"])


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[Running]:
    app, ready = make_app(settings), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(make_config(app, settings, log_level="error"))
    loops = []

    async def live() -> None:
        loops.append(asyncio.get_running_loop())
        ready.set()
        await server.serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(live()))
    thread.start()
    ready.wait()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, timeout=120) as client:
            while not server.started:
                time.sleep(0.01)
            yield Running(app, server, loops[0], url, client)
    finally:
        with contextlib.suppress(RuntimeError):
            loops[0].call_soon_threadsafe(app.state.service.prepare_to_close)
        server.should_exit = True
        thread.join(30)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("service")
    settings = Settings(limits=LIMITS, network_workers=1, data=folder, kinds=("hcvrp",))
    with running(settings) as made:
        # Not well until its workers are warm, which takes long where nothing is compiled yet.
        for _ in range(600):
            if (answer := made.client.get("/health")).status_code == 200:
                break
            time.sleep(0.5)
        assert answer.status_code == 200, answer.text
        yield made


@pytest.fixture
def client(served: Running) -> httpx.Client:
    return served.client
