"""The service on a port, until Ctrl-C."""

from __future__ import annotations

import gc
import socket
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from geopar.errors import refuse
from geopar.service.app import make_app
from geopar.service.connections import BACKLOG, limited_protocol
from geopar.service.service import Settings

# Seconds that open requests have at shutdown; event streams end at once.
LAST_SECONDS = 5
# Seconds until a connection without a request is closed.
KEEP_ALIVE = 75
# Connections that the system holds until they are accepted. When there are more, it drops the first
# packet of a new one, and its client tries again a second later: so long would an honest request
# wait whenever somebody opens a thousand at once. The system's own limit may be lower.
QUEUE = 4096


class Server(uvicorn.Server):
    """Ends event streams at the first signal, so that shutdown does not wait for them."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self.app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen with a long queue: uvicorn's is as short as what one turn of the loop accepts."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(QUEUE)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal shuts down gracefully, the second one at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
        service = getattr(self.app.state, "service", None)
        if service is not None:
            service.prepare_to_close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises
    ------
    geopar.errors.InputError
        When that is not possible.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not 0 <= port < 2**16:
            raise OSError("ports go up to 65535")
        return socket.create_server((host, port), family=family, backlog=QUEUE)
    except OSError as error:
        refuse(
            "bad-address", "address", f"{host}:{port}", f"cannot be listened on: {error}.",
            "Maybe another --port.",
        )  # fmt: skip


def make_config(app: Starlette, settings: Settings, log_level: str = "warning") -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        app, log_level=log_level, access_log=False, server_header=False, lifespan="on", ws="none",
        http=limited_protocol(settings.limits.connections), backlog=BACKLOG,
        timeout_graceful_shutdown=LAST_SECONDS, timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip


def serve_on(listener: socket.socket, settings: Settings, log_level: str = "warning") -> None:
    """Serve until a signal says otherwise."""
    app = make_app(settings)
    config = make_config(app, settings, log_level)
    gc.collect()
    gc.freeze()  # as in the workers: what is loaded by now stays
    Server(config, app).run(sockets=[listener])
