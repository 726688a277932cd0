"""A real server in a thread, for tests."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette

from geopar.service.app import make_app
from geopar.service.jobs import Jobs
from geopar.service.pool import JobQueue
from geopar.service.server import make_config
from geopar.service.service import Service, Settings
from geopar.service.sqlite_store import SqliteStore


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


@contextlib.asynccontextmanager
async def jobs_without_workers(folder: Path) -> AsyncIterator[Jobs]:
    """Jobs that wait for ever, without a server."""
    store = SqliteStore(folder)
    await store.open()
    pool: Any = SimpleNamespace(hand_out=lambda: None, stop=lambda run: None)
    jobs = Jobs(store, JobQueue(), pool)
    try:
        yield jobs
    finally:
        await jobs.close()
        await store.close()


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
