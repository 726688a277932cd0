"""Server-sent events: a log that keeps the newest event of each name, and its response.

Only the newest event of each name is kept, so a reader that is slow, late or back again misses
improvements in between and never the latest, and what is kept does not grow with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from geopar.service.metrics import Metrics

HEARTBEAT = 10.0
# Seconds after which a client that takes no data is disconnected.
SEND_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Event:
    """One event: ``data`` is JSON text, on one line."""

    number: int
    name: str
    data: str

    def encode(self) -> bytes:
        """The bytes on the wire."""
        return f"id: {self.number}\nevent: {self.name}\ndata: {self.data}\n\n".encode()


COMMENT = b": still here\n\n"


@dataclass
class EventLog:
    """The newest event of each name; ``count`` numbers them."""

    count: int = 0
    closed: bool = False
    _newest: dict[str, Event] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def publish(self, name: str, data: str) -> None:
        """Add an event and wake all readers."""
        self.count += 1
        self._newest[name] = Event(self.count, name, data)
        self._wake()

    def close(self) -> None:
        """Mark the log as complete and wake all readers."""
        self.closed = True
        self._wake()

    def since(self, number: int) -> list[Event]:
        """Events after that number, in order."""
        newer = [event for event in self._newest.values() if event.number > number]
        return sorted(newer, key=lambda event: event.number)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, after: int, heartbeat: float = HEARTBEAT) -> AsyncIterator[bytes]:
        """Encoded events after that number until the log is closed; comments as heartbeats."""
        while True:
            changed = self._changed
            # One at a time: by the time a slow reader took one, the next may have been replaced.
            event = next(iter(self.since(after)), None)
            if event is not None:
                after = event.number
                yield event.encode()
            elif self.closed:
                return
            else:
                try:
                    await asyncio.wait_for(changed.wait(), heartbeat)
                except TimeoutError:
                    yield COMMENT


class EventStream(StreamingResponse):
    """Response of server-sent events; a client that stops reading is disconnected.

    Parameters
    ----------
    parts
        Encoded events.
    metrics
        Counts the open streams.
    send_timeout
        Seconds that the client may take to accept one part.
    """

    def __init__(
        self, parts: AsyncIterator[bytes], metrics: Metrics, send_timeout: float = SEND_TIMEOUT
    ) -> None:
        super().__init__(parts, media_type="text/event-stream")
        # A proxy that gathers answers would hold events back.
        self.headers["X-Accel-Buffering"] = "no"
        self.metrics, self.send_timeout = metrics, send_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the log ends or the client disconnects."""
        self.metrics.streams += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.metrics.streams -= 1

    async def stream_response(self, send: Send) -> None:
        """Stream the parts, each within the timeout."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        async for part in self.body_iterator:
            try:
                async with asyncio.timeout(self.send_timeout):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            except TimeoutError:
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
