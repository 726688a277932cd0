"""A small server with the protocol of OSRM: straight lines at 10 m/s, and ways to fail."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np

METRES_PER_DEGREE = 100_000.0


class Behaviour:
    """What the server does, and what it was asked for."""

    def __init__(self) -> None:
        self.fails = 0  # so many requests are answered with 503
        self.answer: bytes | None = None  # instead of a table
        self.status = 200
        self.sleeps = 0.0
        self.island: tuple[float, float] | None = None  # no way there or from there
        self.max_table = 100
        self.paths: list[str] = []

    def reply(self, path: str) -> tuple[int, bytes]:
        self.paths.append(path)
        time.sleep(self.sleeps)
        if self.fails:
            self.fails -= 1
            return 503, b"busy"
        if self.answer is not None:
            return self.status, self.answer
        url = urlsplit(path)
        _, service, _, _, places = url.path.split("/")
        xy = np.array([[float(x) for x in one.split(",")] for one in places.split(";")])
        if service == "route":
            line = {"geometry": {"coordinates": [*xy.tolist(), xy[-1].tolist()]}}
            return 200, json.dumps({"code": "Ok", "routes": [line]}).encode()
        query = parse_qs(url.query)
        first, second = (
            [int(i) for i in query[one][0].split(";")] for one in ("sources", "destinations")
        )
        if len(xy) > self.max_table:
            return 400, json.dumps({"code": "TooBig", "message": "Too many"}).encode()
        step = (xy[first][:, None] - xy[second]) * METRES_PER_DEGREE
        metres = np.hypot(step[..., 0], step[..., 1])
        tables = {"durations": (metres / 10.0).tolist(), "distances": metres.tolist()}
        if self.island is not None:
            for table in tables.values():
                for i, a in enumerate(first):
                    for j, b in enumerate(second):
                        if (tuple(xy[a]) == self.island) != (tuple(xy[b]) == self.island):
                            table[i][j] = None
        return 200, json.dumps({"code": "Ok", **tables}).encode()


@contextmanager
def osrm_server() -> Iterator[tuple[str, Behaviour]]:
    """Its address, and what it does."""
    behaviour = Behaviour()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = behaviour.reply(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", behaviour
    finally:
        server.shutdown()
        server.server_close()
