"""An answer that goes on: events for one client, which may be slow, silent or gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from geopar.service.metrics import Metrics

# A client that takes nothing for so long is gone, or as good as.
PATIENCE = 60.0


class EventStream(StreamingResponse):
    """Server-sent events, counted while they last; a client that stops reading is dropped.

    Parameters
    ----------
    parts
        What to send.
    metrics
        Where it is counted.
    patience
        Seconds that one part may wait to be taken.
    """

    def __init__(
        self, parts: AsyncIterator[bytes], metrics: Metrics, patience: float = PATIENCE
    ) -> None:
        super().__init__(parts, media_type="text/event-stream")
        # A proxy that gathers answers would hold events back.
        self.headers["X-Accel-Buffering"] = "no"
        self.metrics, self.patience = metrics, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until there is no more, or nobody who reads."""
        self.metrics.streams += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.metrics.streams -= 1

    async def stream_response(self, send: Send) -> None:
        """As any stream, but each part has to be taken within the patience."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        async for part in self.body_iterator:
            try:
                async with asyncio.timeout(self.patience):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            except TimeoutError:
                return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
