"""Limits of connections, which hold before anything of a request is read.

uvicorn waits for a client as long as that likes. Here there are time limits for the header and the
body of a request and for taking the response, and a limit of the header's size. There are only so
many connections: over that limit the one whose client the server has been waiting for longest is
closed. A client that sends its request at once is therefore served, however many others hold
connections open.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

# Seconds for the header of a request, from its first byte; also from connecting to that byte.
HEADER_SECONDS = 10.0
# Seconds for a body. The application answers a slow one with an error; this ends also those that
# it does not read, such as the body of a request without the right token.
BODY_SECONDS = 65.0
# Seconds in which a client has to take some of a response that is larger than the buffers.
SEND_SECONDS = 60.0
MOST_HEADER_BYTES = 64 * 1024
# New connections that are accepted in one turn of the event loop.
BACKLOG = 256
# Files that the server needs besides connections to clients, and connections that are closing.
SPARE_FILES = 256


class LimitedProtocol(HttpToolsProtocol):
    """HTTP on one connection, within the limits; :func:`limited_protocol` makes its classes.

    ``most`` is the number of connections, ``waiting`` those that wait for their client, by how
    long they have.
    """

    most: ClassVar[int]
    waiting: ClassVar[dict[LimitedProtocol, None]]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._in_header = False
        self._header_bytes = 0
        self._unanswered: deque[RequestResponseCycle] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the connection, and make room for it."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            oldest = next(iter(self.waiting), self)  # all others are being answered: not this one
            oldest._drop()
            if oldest is self:
                return
        self._wait(HEADER_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self._forget_requests()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, unless the header grows too long."""
        super().data_received(data)
        if self._in_header:
            self._header_bytes += len(data)
            if self._header_bytes > MOST_HEADER_BYTES:
                self._drop()
        elif self._deadline is None and self in self.waiting:
            self._wait(HEADER_SECONDS)  # an empty line between requests, which ends uvicorn's limit

    def on_message_begin(self) -> None:
        """The first byte of a header."""
        super().on_message_begin()
        self._in_header, self._header_bytes = True, 0
        self._wait(HEADER_SECONDS)

    def on_headers_complete(self) -> None:
        """The header is complete; a body may follow."""
        self._in_header = False
        self._wait(BODY_SECONDS)
        super().on_headers_complete()
        self._unanswered.append(self.cycle)

    def on_message_complete(self) -> None:
        """The request is complete: now the client waits for the server."""
        self._stop_waiting()
        super().on_message_complete()
        if self.cycle.response_complete:  # it was answered before its body was complete
            self._wait(HEADER_SECONDS)

    def on_response_complete(self) -> None:
        """The response is complete: the next request is waited for, or the rest of the body."""
        self._unanswered.popleft()
        super().on_response_complete()
        if self._deadline is None and not self.transport.is_closing() and not self.pipeline:
            self.waiting[self] = None  # how long it may be idle, uvicorn decides

    def pause_writing(self) -> None:
        """The buffers are full: the client has to take something of the response."""
        super().pause_writing()
        self._wait(SEND_SECONDS)

    def resume_writing(self) -> None:
        """The client has taken something."""
        super().resume_writing()
        self._stop_waiting()
        if self.cycle is not None and self.cycle.more_body:
            self._wait(BODY_SECONDS)

    def shutdown(self) -> None:
        """The server shuts down: it answers complete requests, and waits for no client."""
        if self in self.waiting and self.cycle is not None and not self.cycle.response_complete:
            self._drop()
        else:
            super().shutdown()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self.waiting[self] = None
            self._deadline = self.loop.call_later(seconds, self._too_late)

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self._in_header and is_answering and not self.flow.write_paused:
            self._wait(HEADER_SECONDS)  # a pipelined request: the server may have paused reading
        else:
            self._drop()

    def _drop(self) -> None:
        self._stop_waiting()
        self._forget_requests()
        self.transport.abort()

    def _forget_requests(self) -> None:
        """Let no response be written any more; uvicorn would stop only that of the last request."""
        self.pipeline.clear()
        for cycle in self._unanswered:
            cycle.disconnected = True
            cycle.message_event.set()


def limited_protocol(most: int) -> type[LimitedProtocol]:
    """The protocol of a server with at most so many connections, and no more than files allow."""
    files = _most_files()
    if files is not None:
        most = max(1, min(most, files - SPARE_FILES))
    return type("Protocol", (LimitedProtocol,), {"most": most, "waiting": {}})


def _most_files() -> int | None:
    """How many files this process may open, raised as far as the system lets it."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return None if soft == resource.RLIM_INFINITY else soft
