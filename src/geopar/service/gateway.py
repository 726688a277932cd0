"""The process between a server and a Ray cluster, which alone of the two knows Ray.

Ray ends a process that has lost its cluster; so the server itself must not be one of Ray's. Workers
are actors: each runs what a worker process runs, and is asked for its reports, one call after the
other, which waits there until there are some.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Coroutine
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from geopar.errors import GeoparError
from geopar.service.gateway_messages import (
    ClusterSize,
    Ended,
    Kill,
    Reported,
    Send,
    Start,
    Unusable,
)
from geopar.service.messages import EXIT, Report
from geopar.spread.ray_link import connect, failures, ray, size
from geopar.spread.versions import Versions, of_this_process, require_same

# Seconds that an actor waits for a report; then it is asked again.
WAIT = 5.0
# Seconds between two looks at how large the cluster is.
LOOK_EVERY = 2.0
# Calls of one actor at the same time: one waits for reports, the others bring messages.
CALLS = 4


class Queues:
    """What connects a worker with its actor."""

    def __init__(self) -> None:
        self.inbox: SimpleQueue[Any] = SimpleQueue()
        self.outbox: SimpleQueue[Report] = SimpleQueue()
        self.recv, self.send = self.inbox.get, self.outbox.put


class RemoteWorker:
    """A worker on a node of the cluster: the actor."""

    def __init__(self, versions: Versions, kinds: tuple[str, ...]) -> None:
        # Nodes may have joined after all were asked for their versions.
        require_same(versions, {socket.gethostname(): of_this_process()})
        from geopar.service.worker import live

        self._ends = Queues()
        Thread(target=live, args=(self._ends, kinds, False), daemon=True).start()

    def send(self, message: Any) -> None:
        """Pass on what the server sends."""
        self._ends.inbox.put(message)

    def reports(self) -> list[Report]:
        """What there is to tell; waits for something, but not for ever."""
        told: list[Report] = []
        with contextlib.suppress(Empty):
            told.append(self._ends.outbox.get(timeout=WAIT))
            while True:
                told.append(self._ends.outbox.get_nowait())
        return told


def main(conn: Connection, address: str) -> None:
    """Entry point of the process; it ends with the server, or with the cluster."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        connect(address)
    except GeoparError as error:
        conn.send(Unusable(one_line(error)))
        return
    asyncio.run(Gateway(conn).live())


class Gateway:
    """Starts actors, and passes messages on in both directions."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._actors: dict[int, Any] = {}
        self._make: Any = ray.remote(RemoteWorker).options(
            num_cpus=1, max_concurrency=CALLS, max_restarts=0
        )
        self._tasks: set[asyncio.Task[None]] = set()

    async def live(self) -> None:
        """Until the server ends."""
        Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()
        told: ClusterSize | None = None
        while True:
            try:
                now = ClusterSize(*await asyncio.to_thread(size))
            except Exception as error:  # Ray has errors of many kinds for a cluster that is gone
                self._tell(Unusable(f"the cluster does not answer any more: {one_line(error)}"))
                return
            if now != told:
                self._tell(now)
                told = now
            await asyncio.sleep(LOOK_EVERY)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(EOFError, OSError):
            while (message := self._conn.recv()) != EXIT:
                loop.call_soon_threadsafe(self._take, message)
        # Actors end with the process that made them.
        os._exit(0)

    def _take(self, message: Start | Send | Kill) -> None:
        if isinstance(message, Start):
            actor = self._make.remote(of_this_process(), message.kinds)
            self._actors[message.worker] = actor
            self._spawn(self._follow(message.worker, actor))
        elif (actor := self._actors.get(message.worker)) is None:
            return  # it has ended, which the server will hear
        elif isinstance(message, Send):
            self._spawn(_send(actor, message.message))
        else:
            ray.kill(actor)

    async def _follow(self, worker: int, actor: Any) -> None:
        """Pass on the reports of a worker until it ends."""
        try:
            while True:
                for report in await actor.reports.remote():
                    self._tell(Reported(worker, report))
        except Exception as error:
            self._tell(Ended(worker, _reason(error)))
        finally:
            self._actors.pop(worker, None)
            with contextlib.suppress(Exception):
                ray.kill(actor)

    def _tell(self, message: ClusterSize | Reported | Ended | Unusable) -> None:
        try:
            self._conn.send(message)
        except OSError:
            os._exit(0)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _send(actor: Any, message: Any) -> None:
    with contextlib.suppress(failures.RayError):  # whoever follows the actor hears of it as well
        await actor.send.remote(message)


def _reason(error: Exception) -> str:
    """Why an actor is no more, in one line."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, GeoparError):
        return one_line(cause)
    if isinstance(error, failures.ActorUnschedulableError):
        return "the cluster has no room for a worker"
    if isinstance(error, failures.ActorDiedError):
        return "a worker on the cluster died, or its machine"
    return f"a worker on the cluster was lost ({type(error).__name__})"


def one_line(error: Exception) -> str:
    """What an error says, without its line ends and without a full stop."""
    return " ".join(str(error).split()).rstrip(".")
