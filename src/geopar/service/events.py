"""Server-sent events: the newest of each kind, for readers of any speed.

Only the newest event of each name is kept, so a reader that is slow, late or back again misses
improvements in between and never the latest, and what is kept does not grow with the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

HEARTBEAT = 10.0


@dataclass(frozen=True, slots=True)
class Event:
    """One event: ``data`` is JSON text, on one line."""

    number: int
    name: str
    data: str

    def encode(self) -> bytes:
        """As it travels."""
        return f"id: {self.number}\nevent: {self.name}\ndata: {self.data}\n\n".encode()


COMMENT = b": still here\n\n"


@dataclass
class EventLog:
    """The newest event of each name; ``count`` numbers them."""

    count: int = 0
    closed: bool = False
    _newest: dict[str, Event] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, name: str, data: str) -> None:
        """Note an event and wake all readers."""
        self.count += 1
        self._newest[name] = Event(self.count, name, data)
        self._wake()

    def close(self) -> None:
        """Nothing more will come."""
        self.closed = True
        self._wake()

    def since(self, number: int) -> list[Event]:
        """What is newer than that, in order."""
        newer = [event for event in self._newest.values() if event.number > number]
        return sorted(newer, key=lambda event: event.number)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, after: int, heartbeat: float = HEARTBEAT) -> AsyncIterator[bytes]:
        """Everything from there on until the log is closed; comments while nothing happens."""
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
