"""Bounds for clients: in threads, few at once, and none for somebody who has gone."""

from __future__ import annotations

import asyncio
from threading import Event

from geopar.bounding import bound
from geopar.problems import Problem
from geopar.service.documents import to_text
from geopar.service.limits import Limits


class Bounds:
    """What is being looked for at the moment.

    In threads, not in workers: the compiled code holds no lock, and a worker that looks for a bound
    would keep a plan waiting.

    Parameters
    ----------
    limits
        As many at once as there are workers.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._running: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        return len(self._running)

    async def find(self, problem: Problem, seconds: float) -> str:
        """The bound as text. Cancelled, it ends soon."""
        self._limits.check_room("bounds", len(self), self._limits.concurrent, "--workers")
        gone = Event()
        task = asyncio.ensure_future(
            asyncio.to_thread(bound, problem, seconds, stopped=gone.is_set)
        )
        self._running.add(task)
        # Only then has its thread ended, which may be a little after the client is gone.
        task.add_done_callback(self._running.discard)
        try:
            return to_text((await asyncio.shield(task))._asdict())
        finally:
            gone.set()
