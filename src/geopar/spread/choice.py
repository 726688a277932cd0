"""What runs the tasks, by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from geopar.errors import refuse
from geopar.spread.executor import Executor
from geopar.spread.processes import Processes
from geopar.spread.serial import Serial

SERIAL, PROCESSES = "serial", "processes"
# Each is a process with compiled code of its own.
MOST_PROCESSES = 1024


def open_executor(cluster: str | None = None, cores: int = 1) -> Executor:
    """What runs tasks, by name; to be closed, best by ``with``.

    Parameters
    ----------
    cluster
        ``serial`` for this process, which it is when left out, ``processes`` or ``processes:4``
        for processes on this machine, ``auto`` for the Ray cluster that this machine belongs to,
        or a cluster's address such as ``10.0.0.1:6379``.
    cores
        That each task uses.

    Raises
    ------
    geopar.errors.InputError
        For a name that is none, when no cluster is there, or one of another version.
    geopar.errors.MissingExtraError
        For a cluster, when Ray is not installed.
    """
    if cluster is None or cluster == SERIAL:
        return Serial()
    kind, _, count = cluster.partition(":")
    if kind == PROCESSES:
        return Processes(_count(cluster, count, cores))
    if not _may_be_address(cluster):
        hint = "Maybe serial, processes, processes:4, auto or 10.0.0.1:6379."
        refuse("bad-cluster", "cluster", cluster, "is neither a kind nor an address.", hint)
    from geopar.spread.ray_cluster import RayCluster

    return RayCluster(cluster, cores)


@contextmanager
def opened(cluster: str | Executor | None, cores: int = 1) -> Iterator[Executor]:
    """What runs tasks: by name, closed at the end, or one that is open, and stays so."""
    if cluster is not None and not isinstance(cluster, str):
        yield cluster
        return
    with open_executor(cluster, cores) as executor:
        yield executor


def _count(cluster: str, text: str, cores: int) -> int:
    if cluster == PROCESSES:
        return max(1, len(os.sched_getaffinity(0)) // cores)
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_PROCESSES):
        message = f"must have a whole number from 1 to {MOST_PROCESSES:,} after the colon."
        refuse("bad-cluster", "cluster", cluster, message, "Maybe processes:4.")
    return int(text)


def _may_be_address(text: str) -> bool:
    return text == "auto" or re.fullmatch(r"(ray://)?[\w.\-\[\]:]+:\d{1,5}", text) is not None
