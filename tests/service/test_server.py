"""How the server listens; the application behind it does nothing."""

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.applications import Starlette

from geopar.service.connections import BACKLOG
from geopar.service.limits import Limits
from geopar.service.server import Server, listen, make_config
from geopar.service.service import Settings

SYSTEM = Path("/proc/sys/net/core/somaxconn")
MANY = 3 * BACKLOG


@pytest.mark.skipif(not SYSTEM.exists(), reason="nobody says how long this system's queue may be")
def test_many_connect_while_the_server_is_busy() -> None:
    if int(SYSTEM.read_text()) <= MANY:
        pytest.skip("this system's queue is short")
    app = Starlette()
    listener = listen("127.0.0.1", 0)
    server = Server(make_config(app, Settings(limits=Limits(connections=2 * MANY))), app)

    async def connect() -> int:
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[listener])
        # The loop does not turn until all have connected, so that none of them is accepted.
        with ExitStack() as opened:
            for _ in range(MANY):
                # Who does not fit into the queue would be tried again after a second.
                made = socket.create_connection(listener.getsockname(), timeout=0.9)
                opened.enter_context(made)
        await server.shutdown(sockets=[listener])
        return MANY

    assert asyncio.run(connect()) == MANY
