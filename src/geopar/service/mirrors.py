"""Events of jobs that another server runs, made from what that server writes down."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from geopar.service.documents import to_text
from geopar.service.events import EventLog
from geopar.service.jobs import row_text
from geopar.service.store import DamagedRowError, Row, SharedStore, UnreachableStoreError

_log = logging.getLogger(__name__)


@dataclass
class Mirror:
    """The log of one job elsewhere, as far as it is known here.

    Events are numbered as where they came from: a client may go on listening at any server.
    """

    log: EventLog = field(default_factory=EventLog)
    readers: int = 0
    is_looking: bool = False
    look_again: bool = False
    _shown: dict[str, str] = field(default_factory=dict)

    def show(self, row: Row, progress: str | None) -> None:
        """Publish what is new; an end is the last event."""
        events: dict[str, str] = {}
        if row.has_ended:
            events["end"] = row_text(row, None, row.result)
        else:
            events["status"] = to_text({"status": row.status, "position": None})
            if progress is not None:
                events["progress"] = progress
            if row.result is not None:
                best = json.loads(row.result)
                names = ("iterations", "objective", "plan", "schedule")
                improved = {"time": best["seconds"], **{name: best[name] for name in names}}
                events["improvement"] = to_text(improved)
        new = {name: text for name, text in events.items() if self._shown.get(name) != text}
        # Where they came from at least as many were numbered since, the last of them so:
        self.log.count = max(self.log.count, row.events - len(new))
        for name, text in new.items():
            self._shown[name] = text
            self.log.publish(name, text)
        if row.has_ended:
            self.log.close()


class Mirrors:
    """All jobs elsewhere that somebody follows here.

    Parameters
    ----------
    store
        Where other servers write their jobs down.
    """

    def __init__(self, store: SharedStore) -> None:
        self.store = store
        self._mirrors: dict[str, Mirror] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def follow(self, id: str, after: int) -> AsyncIterator[bytes]:
        """Encoded events after that number, until the job has ended."""
        mirror = self._mirrors.setdefault(id, Mirror())
        mirror.readers += 1
        self.look(id)
        try:
            async for part in mirror.log.follow(after):
                yield part
        finally:
            mirror.readers -= 1
            if not mirror.readers:
                self._mirrors.pop(id, None)

    def look(self, id: str) -> None:
        """Read a job again, if anybody follows it; while it is read, once more afterwards."""
        mirror = self._mirrors.get(id)
        if mirror is None:
            return
        mirror.look_again = True
        if not mirror.is_looking:
            task = asyncio.get_running_loop().create_task(self._look(id, mirror))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def look_at_all(self) -> None:
        """Read all of them again, since messages may have been missed."""
        for id in self._mirrors:
            self.look(id)

    def close(self) -> None:
        """End all streams."""
        for mirror in self._mirrors.values():
            mirror.log.close()

    async def _look(self, id: str, mirror: Mirror) -> None:
        mirror.is_looking = True
        try:
            while mirror.look_again and not mirror.log.closed:
                mirror.look_again = False
                # In this order: the row has counted what the progress told.
                progress, row = await self.store.progress(id), await self.store.get(id)
                if row is None:
                    mirror.log.close()  # forgotten
                else:
                    mirror.show(row, progress)
        except UnreachableStoreError:
            pass  # all are looked at again when it is back
        except (DamagedRowError, ValueError, KeyError, TypeError) as error:
            _log.error("job %s cannot be followed: %s", id, error)
            mirror.log.close()
        finally:
            mirror.is_looking = False
