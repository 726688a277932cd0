"""A Ray cluster. This module alone imports Ray, and is imported when one is asked for.

Ray does a task again whose worker or node has died, as often as it is told.
"""

from __future__ import annotations

import logging
import math
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from geopar.errors import GeoparError, InputError, MissingExtraError, refuse
from geopar.spread.closing import Closing
from geopar.spread.executor import (
    AHEAD,
    MOST_TRIES,
    Done,
    Task,
    Value,
    WorkerDiedError,
    attempt,
    portable,
)
from geopar.spread.versions import Versions, of_this_process, probe, require_same

try:
    import ray
    from ray import exceptions as failures
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ModuleNotFoundError as error:
    raise MissingExtraError("A Ray cluster", "cluster") from error

# Until a host answers, and until every node has told its versions.
SECONDS_TO_CONNECT, SECONDS_TO_TELL = 10.0, 60.0
# Between two looks at how many workers there are.
SECONDS_BETWEEN_LOOKS = 1.0


class RayCluster(Closing):
    """Runs tasks on a cluster that is there already.

    Parameters
    ----------
    address
        ``auto``, ``HOST:PORT`` or ``ray://HOST:PORT``.
    cores
        That each task uses.
    """

    def __init__(self, address: str, cores: int = 1) -> None:
        self._cores = cores
        # A program that uses Ray itself stays connected.
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(address)
        self._remote: Any = ray.remote(_attempt_if_same).options(
            num_cpus=cores, max_retries=MOST_TRIES - 1
        )
        self.workers, self._looked = 0, -math.inf
        try:
            require_same(of_this_process(), _versions_of_nodes())
            self._look()
        except BaseException:
            self.close()
            raise

    def _look(self) -> None:
        """Nodes come and go: count the workers now and then."""
        if time.monotonic() < self._looked + SECONDS_BETWEEN_LOOKS:
            return
        self._looked = time.monotonic()
        cpus = [int(node["Resources"].get("CPU", 0)) for node in _nodes()]
        if any(cpus) and max(cpus) < self._cores:
            message = f"is more than any node of the cluster has: {max(cpus)}."
            refuse("bad-threads", "threads", self._cores, message, f"Maybe {max(cpus)}.")
        self.workers = sum(count // self._cores for count in cpus)

    def run(
        self, function: Callable[[Task], Value], tasks: Iterable[Task]
    ) -> Iterator[Done[Value]]:
        """As :meth:`geopar.spread.executor.Executor.run`."""
        waiting = enumerate(tasks)
        flying: dict[Any, int] = {}
        try:
            while True:
                # Where no worker is left one task waits, which makes a cluster that grows grow.
                while len(flying) < max(1, AHEAD * self.workers):
                    following = next(waiting, None)
                    if following is None:
                        break
                    flying[self._send(function, *following)] = following[0]
                if not flying:
                    return
                landed, _ = ray.wait(
                    list(flying), num_returns=1, timeout=SECONDS_BETWEEN_LOOKS, fetch_local=True
                )
                self._look()
                for reference in landed:
                    yield _land(reference, flying.pop(reference))
        finally:
            for reference in flying:  # somebody has stopped it
                ray.cancel(reference, force=True)

    def _send(self, function: Callable[[Task], Value], number: int, task: Task) -> Any:
        try:
            return self._remote.remote(of_this_process(), function, number, task)
        except (failures.ObjectStoreFullError, failures.OutOfDiskError):
            _refuse_full_store()

    def close(self) -> None:
        """Leave the cluster, which stays."""
        if self._is_ours and ray.is_initialized():
            ray.shutdown()


def _attempt_if_same(
    versions: Versions, function: Callable[[Task], Value], number: int, task: Task
) -> Done[Value]:
    """Run a task on a node, which may have joined after all were asked for their versions."""
    require_same(versions, {socket.gethostname(): of_this_process()})
    return attempt(function, number, task)


def _land(reference: Any, number: int) -> Done[Any]:
    """What became of a task."""
    try:
        done: Done[Any] = ray.get(reference)
    except (failures.ObjectStoreFullError, failures.OutOfDiskError):
        _refuse_full_store()
    except (
        failures.WorkerCrashedError, failures.NodeDiedError, failures.ObjectLostError,
        failures.OutOfMemoryError,
    ):  # fmt: skip
        return Done(number, error=WorkerDiedError())
    except InputError as error:  # of versions; those of tasks come in what is done
        raise getattr(error, "cause", error) from None
    except Exception as error:  # could not be pickled, for example
        return Done(number, error=portable(error))
    return done


def _refuse_full_store() -> Any:
    refuse(
        "full-store", "cluster", ..., "its object store is full, and so is the disk behind it.",
        "Start the nodes with a larger --object-store-memory, or send fewer tasks at once.",
    )  # fmt: skip


def _connect(address: str) -> None:
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
    """Ask first whether anybody is there: Ray would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    except (OSError, OverflowError) as error:
        message = f"does not answer: {getattr(error, 'strerror', None) or error}."
        hint = "Check the address and the port, and whether the cluster runs. Or use processes."
        refuse("no-cluster", "cluster", address, message, hint)


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
