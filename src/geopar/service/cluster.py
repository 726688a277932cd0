"""Workers on a Ray cluster, as a pool has them: the server's side of the gateway."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import logging
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from geopar.errors import MissingExtraError
from geopar.service.gateway_messages import (
    ClusterSize,
    Ended,
    Kill,
    Reported,
    Send,
    Start,
    Unusable,
)
from geopar.service.messages import EXIT, STOP, Command
from geopar.service.pool import FIRST_PAUSE, LONGEST_PAUSE, OnEnd, OnReport, Pool
from geopar.service.process import WorkerProcess
from geopar.spread import open_executor

_log = logging.getLogger(__name__)


class Cluster(NamedTuple):
    """Where the workers of a service are, if not here.

    Parameters
    ----------
    address
        ``auto`` or ``HOST:PORT``.
    most
        At most so many workers; as many as the cluster has cores if left out.
    """

    address: str
    most: int | None = None

    def workers(self, cores: int) -> int:
        """How many, of a cluster with so many cores."""
        return cores if self.most is None else min(cores, self.most)


def try_out(cluster: Cluster) -> int:
    """How many workers a cluster has for a service; found out in another process.

    Raises
    ------
    geopar.errors.InputError
        When there is no cluster, or not one that can be used.
    geopar.errors.MissingExtraError
        When Ray is not installed.
    """
    if importlib.util.find_spec("ray") is None:
        raise MissingExtraError("geopar serve --workers ray", "cluster")
    with open_executor("processes:1") as executor:
        (done,) = executor.run(_cores_at, [cluster.address])
    return max(1, cluster.workers(done.result()))


def _cores_at(address: str) -> int:
    from geopar.spread.ray_link import size_at

    return size_at(address).workers


def _gateway(conn: Connection, address: str) -> None:
    """Entry point of the gateway: only there Ray is imported."""
    from geopar.service.gateway import main

    main(conn, address)


class RemoteHandle:
    """A worker on the cluster; see :class:`geopar.service.pool.WorkerHandle`."""

    is_remote = True
    pid = None

    def __init__(
        self, number: int, gateway: WorkerProcess, on_report: OnReport, on_end: OnEnd
    ) -> None:
        self._number, self._gateway = number, gateway
        self.on_report, self.on_end = on_report, on_end
        self.ending = ""

    def send(self, command: Command) -> None:
        """Send a command."""
        self._gateway.send(Send(self._number, command))

    def stop(self) -> None:
        """Stop the present run."""
        self._gateway.send(Send(self._number, STOP))

    def close(self) -> None:
        """End it, as :meth:`kill`: nobody waits for what it has to say."""
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self._gateway.send(Kill(self._number))


class ClusterWorkers:
    """Keeps a gateway to a cluster, and a pool as large as the cluster.

    Parameters
    ----------
    cluster
        Where.
    kinds
        The problems to be warm for.
    """

    def __init__(self, cluster: Cluster, kinds: tuple[str, ...]) -> None:
        self.cluster, self._kinds = cluster, kinds
        self.size, self.trouble = ClusterSize(0, 0), ""
        self._pool: Pool | None = None
        self._gateway: WorkerProcess | None = None
        self._numbers = itertools.count()
        self._handles: dict[int, RemoteHandle] = {}
        self._pause, self._closing = FIRST_PAUSE, False

    def start(self, pool: Pool) -> None:
        """Connect, for this pool."""
        self._pool = pool
        self._connect()

    def close(self) -> None:
        """Leave the cluster."""
        self._closing = True
        if self._gateway is not None:
            self._gateway.send(EXIT)

    def make_worker(self, on_report: OnReport, on_end: OnEnd) -> RemoteHandle:
        """Start a worker; only while there is a connection, which decides how many there are."""
        assert self._gateway is not None
        number = next(self._numbers)
        handle = RemoteHandle(number, self._gateway, on_report, on_end)
        self._handles[number] = handle
        self._gateway.send(Start(number, self._kinds))
        return handle

    def to_json(self) -> dict[str, Any]:
        """For ``GET /health``."""
        assert self._pool is not None
        return {
            "address": self.cluster.address, "nodes": self.size.nodes, "workers": self._pool.size,
            "busy": self._pool.busy, "connected": self.size.nodes > 0,
        }  # fmt: skip

    def _connect(self) -> None:
        if not self._closing:
            self.trouble = ""
            self._gateway = WorkerProcess(
                (self.cluster.address,), self._hear, self._on_end, _gateway
            )

    def _hear(self, gateway: WorkerProcess, message: Any) -> None:
        assert self._pool is not None
        if isinstance(message, Reported):
            if (handle := self._handles.get(message.worker)) is not None:
                handle.on_report(handle, message.report)
        elif isinstance(message, Ended):
            self._end(message.worker, message.reason)
        elif isinstance(message, ClusterSize):
            if message.nodes < self.size.nodes:
                _log.warning("the cluster has %d nodes, it had %d", message.nodes, self.size.nodes)
            self.size, self.trouble, self._pause = message, "", FIRST_PAUSE
            self._pool.resize(self.cluster.workers(message.workers))
        elif isinstance(message, Unusable):
            self.trouble = message.reason

    def _on_end(self, gateway: WorkerProcess) -> None:
        """Without the gateway there are no workers; it is tried again, later and later."""
        assert self._pool is not None
        # What it said itself, or else what became of it.
        reason = self.trouble or f"the connection to the cluster was lost: {gateway.ending}"
        self._gateway, self.size = None, ClusterSize(0, 0)
        self._pool.resize(0)
        for number in [*self._handles]:
            self._end(number, reason)
        self._pool.last_ending = reason
        if not self._closing:
            _log.error("%s; tried again in %.1f s", reason, self._pause)
            asyncio.get_running_loop().call_later(self._pause, self._connect)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _end(self, number: int, reason: str) -> None:
        handle = self._handles.pop(number, None)
        if handle is not None:
            handle.ending = reason
            handle.on_end(handle)
