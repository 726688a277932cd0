"""One server among several that share a store: who lives, who has which job, who is to stop it.

A server without work takes jobs that wait in the queue of another one, unless they have only just
come there: it must have seen them waiting before.

Nobody trusts a clock: a server is given up when it has not counted on for as long as the lease,
by the watch of the server that looks at it and could look all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Collection, Coroutine

from geopar.service.jobs import STOP_SECONDS, Jobs
from geopar.service.limits import Limits
from geopar.service.mirrors import Mirrors
from geopar.service.store import (
    RENAMED,
    STOP,
    TAKEN,
    Claims,
    DamagedRowError,
    FullStoreError,
    SharedStore,
    UnreachableStoreError,
)

# Seconds between two signs of life, each with a look at the others.
BEAT_EVERY = 1.0
# Of these, between two looks for jobs whose server is not even known any more.
LOOK_EVERY = 10
# Waiting jobs that a server takes over at once, for each of its workers; others take the rest.
AHEAD = 2
# Jobs that wait elsewhere, of which an idle server looks at so many.
LOOK_AT = 100
LEASE = 15.0

_log = logging.getLogger(__name__)


class Watch:
    """Which servers have not gone on for too long.

    Parameters
    ----------
    lease
        Seconds without a beat after which a server is given up.
    """

    def __init__(self, lease: float) -> None:
        self.lease = lease
        self._seen: dict[str, tuple[int, float]] = {}
        self._looked = -float("inf")

    def look(self, beats: dict[str, int], clock: float) -> list[tuple[str, int]]:
        """Note the beats of all others; those that are to be given up, with their last beat."""
        if clock - self._looked > self.lease / 2:
            self.forget()  # we were away ourselves, and they may have been well
        self._looked = clock
        for id, beat in beats.items():
            if id not in self._seen or self._seen[id][0] != beat:
                self._seen[id] = beat, clock
        self._seen = {id: seen for id, seen in self._seen.items() if id in beats}
        return [
            (id, beat) for id, (beat, since) in self._seen.items() if clock - since > self.lease
        ]

    def forget(self) -> None:
        """Begin anew: what was seen before says nothing any more."""
        self._seen.clear()


class Sharing:
    """Keeps this server in touch with the others.

    Parameters
    ----------
    store
        What they share.
    jobs
        The jobs of this server.
    limits
        Of this server; only jobs within them are taken over.
    lease
        Seconds after which a server that gives no sign of life is given up.
    tells
        Whether this server may tell addresses of ends, also of jobs of others.
    without
        Which solvers this server does not have.
    """

    def __init__(
        self,
        store: SharedStore,
        jobs: Jobs,
        limits: Limits,
        lease: float = LEASE,
        tells: bool = False,
        without: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self.store, self.jobs, self.limits, self.tells = store, jobs, limits, tells
        self.without = without
        self.mirrors = Mirrors(store)
        self._waiting: set[str] = set()
        self._watch = Watch(lease)
        self._changed: dict[str, asyncio.Event] = {}
        self._looks = 0
        self._tasks: set[asyncio.Task[None]] = set()
        jobs.stop_elsewhere, jobs.save_progress = self.stop, store.save_progress

    def start(self) -> None:
        """Begin to listen, and to give signs of life."""
        self.store.listen(self._hear)
        self._spawn(self._live())

    async def close(self) -> None:
        """Take nothing over any more."""
        self.mirrors.close()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def is_elsewhere(self, id: str) -> bool:
        """Whether there is such a job that has not ended."""
        with contextlib.suppress(DamagedRowError):
            row = await self.store.get(id)
            return row is not None and not row.has_ended
        return False

    async def stop(self, id: str) -> None:
        """Stop a job that another server has; back when it has ended, or after a while."""
        if not await self.is_elsewhere(id):
            return
        await self.store.ask_to_stop(id)
        changed = self._changed.setdefault(id, asyncio.Event())
        try:
            async with asyncio.timeout(STOP_SECONDS):
                while await self.is_elsewhere(id):
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), BEAT_EVERY)
                    changed.clear()
        except TimeoutError:
            pass
        finally:
            self._changed.pop(id, None)

    def _hear(self, id: str | None) -> None:
        if id is None:
            self.mirrors.look_at_all()
            return
        if id.startswith(STOP):
            if self.jobs.live(id.removeprefix(STOP)) is not None:
                self._spawn(self._stop_asked())
            return
        if id.startswith(RENAMED):
            if self.jobs.live(id.removeprefix(RENAMED)) is not None:
                self._spawn(self._renamed(id.removeprefix(RENAMED)))
            return
        if id.startswith(TAKEN):
            taken, _, server = id.removeprefix(TAKEN).partition(" ")
            if server != self.store.server:
                self.jobs.hand_over(taken)
            return
        self.mirrors.look(id)
        if id in self._changed:
            self._changed[id].set()

    async def _renamed(self, id: str) -> None:
        """Call a job of this server as another one was asked to."""
        with contextlib.suppress(UnreachableStoreError, DamagedRowError):
            row = await self.store.get(id)
            if row is not None:
                self.jobs.call(id, row.name)

    async def _stop_asked(self) -> None:
        with contextlib.suppress(UnreachableStoreError):
            for id in await self.store.asked_to_stop():
                self.jobs.ask_to_stop(id)

    async def _live(self) -> None:
        while True:
            try:
                await self._beat()
            except UnreachableStoreError:
                self._watch.forget()
            except (FullStoreError, DamagedRowError) as error:
                _log.error("jobs of other servers cannot be looked after: %s", error)
            await asyncio.sleep(BEAT_EVERY)

    async def _beat(self) -> None:
        if not await self.store.beat():
            _log.warning("the others had given up this server; it is back, without its jobs")
        silent = self._watch.look(await self.store.beats(), time.monotonic())
        for id, beat in silent:
            if await self.store.bury(id, beat):
                _log.warning("server %s gives no sign of life: its jobs are taken over", id)
        await self._look_for_work()
        if silent or self._looks % LOOK_EVERY == 0 or self._room() > 0:
            await self.jobs.recover(self._claims(), self.tells)
        self._looks += 1
        await self._stop_asked()
        self.mirrors.look_at_all()

    async def _look_for_work(self) -> None:
        """Take what has waited elsewhere for a beat at least, if there is nothing to do here."""
        idle = self.jobs.pool.idle - len(self.jobs.queue) - self.jobs.being_stored
        if idle <= 0:
            self._waiting.clear()
            return
        now = await self.store.waiting_elsewhere(LOOK_AT)
        seen = [id for id in now if id in self._waiting]
        self._waiting = set(now)
        if seen:
            claims = self._claims()._replace(most=idle, waiting=tuple(seen))
            await self.jobs.take_over(claims)

    def _room(self) -> int:
        return AHEAD * self.jobs.pool.size - len(self.jobs.queue)

    def _claims(self) -> Claims:
        limits = self.limits
        return Claims(
            max(0, self._room()), limits.tasks, limits.vehicles, limits.time_limit,
            tuple(self.without()), self.tells,
        )  # fmt: skip

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
