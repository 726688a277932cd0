"""Tasks on a Ray cluster, several at a time where they are short.

A message of Ray's takes a few milliseconds of processor time at both ends and between them. So
tasks are sent in bunches, as large as take about half a second; a worker that has spent longer on
one gives the rest of it back, and others can take it. Ray does a bunch again whose worker or node
has died, as often as it is told; of one that was given up each task is tried alone, where there is
no doubt whose fault it was.
"""

from __future__ import annotations

import math
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, NamedTuple

from geopar.errors import InputError, refuse
from geopar.spread import ray_link
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
from geopar.spread.ray_link import failures, ray
from geopar.spread.versions import Versions, of_this_process, require_same

# Between two looks at how many workers there are.
SECONDS_BETWEEN_LOOKS = 1.0
# A bunch of tasks should take so long, and has at most so many: they are lost together.
SECONDS_OF_BUNCH, MOST_IN_BUNCH = 0.5, 64
# After so many times as long a worker gives back what it has not begun.
OVERDUE = 2.0
# How much of what is known of tasks so far counts when another bunch has come.
MEMORY = 0.8

Numbered = tuple[int, Any]


class _Answer(NamedTuple, Generic[Value]):
    """Of a worker: what became of a bunch, and how long it took there."""

    done: list[Done[Value]]
    seconds: float


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
        self._is_ours = ray_link.connect(address)
        self._remote: Any = ray.remote(_attempt_some).options(
            num_cpus=cores, max_retries=MOST_TRIES - 1
        )
        self.workers, self._looked = 0, -math.inf
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    def _look(self) -> None:
        """Nodes come and go: count the workers now and then."""
        if time.monotonic() >= self._looked + SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            self.workers = ray_link.size(self._cores).workers

    def run(
        self, function: Callable[[Task], Value], tasks: Iterable[Task]
    ) -> Iterator[Done[Value]]:
        """As :meth:`geopar.spread.executor.Executor.run`."""
        bunches = _Bunches(tasks)
        flying: dict[Any, list[Numbered]] = {}
        try:
            while True:
                # Where no worker is left one task waits, which makes a cluster that grows grow.
                while len(flying) < max(1, AHEAD * self.workers):
                    bunch = bunches.take()
                    if not bunch:
                        break
                    flying[self._send(function, bunch)] = bunch
                if not flying:
                    return
                landed, _ = ray.wait(
                    list(flying), num_returns=1, timeout=SECONDS_BETWEEN_LOOKS, fetch_local=True
                )
                self._look()
                for reference in landed:
                    yield from _land(reference, flying.pop(reference), bunches)
        finally:
            for reference in flying:  # somebody has stopped it
                ray.cancel(reference, force=True)

    def _send(self, function: Callable[[Task], Value], bunch: list[Numbered]) -> Any:
        try:
            return self._remote.remote(of_this_process(), function, bunch)
        except (failures.ObjectStoreFullError, failures.OutOfDiskError):
            _refuse_full_store()

    def close(self) -> None:
        """Leave the cluster, which stays."""
        if self._is_ours:
            ray_link.leave()


class _Bunches(Generic[Task]):
    """Tasks to do, several at a time: as many as take about as long as a bunch should."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._new = enumerate(tasks)
        self._again: deque[list[Numbered]] = deque()
        self._seconds = math.inf

    def take(self) -> list[Numbered]:
        """The next bunch; empty when there is no more."""
        if self._again:
            return self._again.popleft()
        count = int(min(MOST_IN_BUNCH, max(1.0, SECONDS_OF_BUNCH / max(self._seconds, 1e-9))))
        return list(islice(self._new, count))

    def note(self, bunch: list[Numbered], done: int, seconds: float) -> None:
        """So many of a bunch have taken so long; the rest is still to be done."""
        each = seconds / done
        first = math.isinf(self._seconds)
        self._seconds = each if first else MEMORY * self._seconds + (1.0 - MEMORY) * each
        if done < len(bunch):
            self._again.append(bunch[done:])

    def try_alone(self, bunch: list[Numbered]) -> None:
        """Do these again, each for itself."""
        self._again.extend([one] for one in bunch)


def _attempt_some(
    versions: Versions, function: Callable[[Task], Value], bunch: list[Numbered]
) -> _Answer[Value]:
    """Run tasks on a node, which may have joined after all were asked for their versions."""
    require_same(versions, {socket.gethostname(): of_this_process()})
    began = time.perf_counter()
    done: list[Done[Value]] = []
    for number, task in bunch:
        done.append(attempt(function, number, task))
        seconds = time.perf_counter() - began
        if seconds > OVERDUE * SECONDS_OF_BUNCH:
            break
    return _Answer(done, seconds)


def _land(reference: Any, bunch: list[Numbered], bunches: _Bunches[Any]) -> Iterator[Done[Any]]:
    """What became of a bunch; of one that was lost with its worker nothing, unless it was alone."""
    try:
        answer: _Answer[Any] = ray.get(reference)
    except (failures.ObjectStoreFullError, failures.OutOfDiskError):
        _refuse_full_store()
    except (
        failures.WorkerCrashedError, failures.NodeDiedError, failures.ObjectLostError,
        failures.OutOfMemoryError,
    ):  # fmt: skip
        if len(bunch) == 1:
            yield Done(bunch[0][0], error=WorkerDiedError())
        else:
            bunches.try_alone(bunch)
    except InputError as error:  # of versions; those of tasks come in what is done
        raise getattr(error, "cause", error) from None
    except Exception as error:  # could not be pickled, for example
        if len(bunch) == 1:
            yield Done(bunch[0][0], error=portable(error))
        else:
            bunches.try_alone(bunch)
    else:
        bunches.note(bunch, len(answer.done), answer.seconds)
        yield from answer.done


def _refuse_full_store() -> Any:
    refuse(
        "full-store", "cluster", ..., "its object store is full, and so is the disk behind it.",
        "Start the nodes with a larger --object-store-memory, or send fewer tasks at once.",
    )  # fmt: skip
