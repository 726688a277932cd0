"""Messages between a server and its gateway to a Ray cluster; the server never imports Ray."""

from __future__ import annotations

from typing import Any, NamedTuple

from geopar.service.messages import Report


class ClusterSize(NamedTuple):
    """From the gateway: nodes with cores for workers, and for how many workers."""

    nodes: int
    workers: int


class Start(NamedTuple):
    """To the gateway: have a worker of this number, warm for these problems."""

    worker: int
    kinds: tuple[str, ...]


class Send(NamedTuple):
    """To the gateway: a message for a worker, as :mod:`geopar.service.messages` has them."""

    worker: int
    message: Any


class Kill(NamedTuple):
    """To the gateway: end a worker at once."""

    worker: int


class Reported(NamedTuple):
    """From the gateway: a report of a worker."""

    worker: int
    report: Report


class Ended(NamedTuple):
    """From the gateway: a worker is no more."""

    worker: int
    reason: str


class Unusable(NamedTuple):
    """From the gateway, before it ends: there is no cluster, or not one that can be used."""

    reason: str
