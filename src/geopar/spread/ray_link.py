"""A connection to a Ray cluster.

Only :mod:`geopar.spread.ray_cluster` and the service's gateway import this, and only when a cluster
is asked for: nothing else imports Ray.
"""

from __future__ import annotations

import logging
import socket
import time
from typing import Any, NamedTuple

from geopar.errors import GeoparError, MissingExtraError, refuse
from geopar.spread.versions import Versions, of_this_process, probe, require_same

try:
    import ray
    from ray import exceptions as failures
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ModuleNotFoundError as error:
    raise MissingExtraError("A Ray cluster", "cluster") from error

__all__ = ["Size", "connect", "failures", "leave", "ray", "size", "size_at"]

# Until a host answers, and until every node has told its versions.
SECONDS_TO_CONNECT, SECONDS_TO_TELL = 10.0, 60.0
# An empty frame of settings: its length, its type, flags and stream.
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


class Size(NamedTuple):
    """Of a cluster: nodes with cores for tasks, and how many tasks can run at once."""

    nodes: int
    workers: int


def connect(address: str) -> bool:
    """Join a cluster whose nodes are what this process is; False if this process had done so.

    Raises
    ------
    geopar.errors.InputError
        When there is none, or one of other versions.
    """
    joins = not ray.is_initialized()
    if joins:
        _join(address)
    try:
        require_same(of_this_process(), _versions_of_nodes())
    except BaseException:
        if joins:
            leave()
        raise
    return joins


def leave() -> None:
    """Leave the cluster, which stays."""
    if ray.is_initialized():
        ray.shutdown()


def size(cores: int = 1) -> Size:
    """What the cluster has now, for tasks of so many cores.

    Raises
    ------
    geopar.errors.InputError
        When no node has so many.
    """
    cpus = [int(node["Resources"].get("CPU", 0)) for node in _nodes()]
    if any(cpus) and max(cpus) < cores:
        message = f"is more than any node of the cluster has: {max(cpus)}."
        refuse("bad-threads", "threads", cores, message, f"Maybe {max(cpus)}.")
    return Size(sum(count > 0 for count in cpus), sum(count // cores for count in cpus))


def size_at(address: str) -> Size:
    """What the cluster at an address has; found out in a process that ends after it."""
    connect(address)
    try:
        return size()
    finally:
        leave()


def _join(address: str) -> None:
    if address != "auto":
        _require_host(address)
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except ConnectionError:
        if address == "auto":
            message, hint = "finds no Ray cluster here.", "Start one: ray start --head."
        else:
            message, hint = "is no Ray cluster.", "Check the address and the port."
        refuse("no-cluster", "cluster", address, message, f"{hint} Or use processes.")
    except RuntimeError as error:
        # Ray compares its own version and Python's, and names both.
        if "ersion mismatch" not in str(error):
            raise
        words = " ".join(str(error).split())
        hint = "Install the same on all machines."
        refuse("other-versions", "cluster", address, f"cannot be used: {words}", hint)


def _require_host(address: str) -> None:
    """Ask first whether a cluster may be there: Ray would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    hint = "Check the address and the port, and whether the cluster runs. Or use processes."
    try:
        place = host.strip("[]"), int(port)
        with socket.create_connection(place, SECONDS_TO_CONNECT) as connection:
            if not _speaks_grpc(connection):
                refuse("no-cluster", "cluster", address, "answers, but is no Ray cluster.", hint)
    except (OSError, OverflowError) as error:
        message = f"does not answer: {getattr(error, 'strerror', None) or error}."
        refuse("no-cluster", "cluster", address, message, hint)


def _speaks_grpc(connection: socket.socket) -> bool:
    """Whether the other side greets as gRPC does, by the first frame of HTTP/2 (RFC 9113, 3.4)."""
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SETTINGS)
    head = b""
    while len(head) < len(SETTINGS) and (more := connection.recv(len(SETTINGS) - len(head))):
        head += more
    return head[3:4] == SETTINGS[3:4]


def _nodes() -> list[dict[str, Any]]:
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in known if node["Alive"]]


def _versions_of_nodes() -> dict[str, Versions]:
    """What runs on each node."""
    asked = {}
    for node in _nodes():
        if node["Resources"].get("CPU"):
            strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            tell = ray.remote(probe()).options(num_cpus=0, scheduling_strategy=strategy)
            asked[f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"] = tell.remote()
    until = time.monotonic() + SECONDS_TO_TELL
    told = {}
    for name, reference in asked.items():
        try:
            left = max(0.0, until - time.monotonic())
            told[name] = Versions(*ray.get(reference, timeout=left))
        except failures.GetTimeoutError as error:
            text = f"Node {name} did not answer within {SECONDS_TO_TELL:g} s."
            raise GeoparError(text) from error
        except failures.RayError:
            continue  # it has died just now, and will do no task either
    return told
