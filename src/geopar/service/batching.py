"""One-pass requests that come at the same time go through the network together.

A request waits a few milliseconds for others of its size, a little longer while others are being
solved; while all workers are busy, what comes in gathers by itself, so batches grow with the load.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from geopar.problems import Problem
from geopar.service.messages import ConstructCommand, Done, SolveCommand, TraceCommand
from geopar.service.pool import Run

GATHER_SECONDS = 0.005
# A pass costs about as much as one more problem in it (3 ms of hcvrp/60/3), and so does answering
# each by itself. While one is under way a second one therefore waits longer, or until so many came.
LONGER_SECONDS, ENOUGH = 0.03, 8
# Larger batches delay every response, and gain little.
MOST_TOGETHER = 32
# Larger problems gain nothing from a batch, and would delay the others in it.
MOST_TASKS = 1000

_Size = tuple[str, int, int]


@dataclass(eq=False)
class PendingRequest:
    """One request, and when it arrived."""

    problem: Problem
    seed: int
    since: float
    response: asyncio.Future[str]

    @property
    def size(self) -> _Size:
        """Requests of one size can share a batch."""
        return self.problem.kind, self.problem.num_tasks, self.problem.num_vehicles


class BrokenPassError(Exception):
    """The network's plan broke a rule: our fault."""


@dataclass
class Batcher:
    """A source of batches, and of single runs, which go first.

    Parameters
    ----------
    hand_out
        Called when a run can be taken.
    on_batch
        Called with the size of each batch.
    busy
        Number of passes under way.
    """

    hand_out: Callable[[], None]
    on_batch: Callable[[int], None] = lambda size: None
    busy: Callable[[], int] = lambda: 0
    _pending: deque[PendingRequest] = field(default_factory=deque)
    _singles: deque[Run] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._pending) + len(self._singles)

    async def construct(self, problem: Problem, seed: int) -> str:
        """The result of one pass as JSON text."""
        loop = asyncio.get_running_loop()
        request = PendingRequest(problem, seed, loop.time(), loop.create_future())
        self._pending.append(request)
        self._wait(GATHER_SECONDS)
        try:
            return await request.response
        finally:
            if request in self._pending:  # the client disconnected
                self._pending.remove(request)

    async def run(self, command: SolveCommand | TraceCommand) -> Done:
        """Carry out one short command."""
        run = Run(command)
        self._singles.append(run)
        self.hand_out()
        try:
            return await run.done
        finally:
            if run in self._singles:
                self._singles.remove(run)

    def take(self) -> Run | None:
        """A single run, or a batch of the oldest request's size, once that one waited enough."""
        if self._singles:
            return self._singles.popleft()
        if not self._pending:
            return None
        now = asyncio.get_running_loop().time()
        first = self._pending[0]
        alone = not self.busy()
        too_soon = first.since + (GATHER_SECONDS if alone else LONGER_SECONDS) - now
        if too_soon > 0 and len(self._pending) < (MOST_TOGETHER if alone else ENOUGH):
            self._wait(too_soon)
            return None
        batch = [request for request in self._pending if request.size == first.size][:MOST_TOGETHER]
        chosen = set(map(id, batch))
        self._pending = deque(request for request in self._pending if id(request) not in chosen)
        self.on_batch(len(batch))
        command = ConstructCommand(
            tuple(request.problem for request in batch), tuple(request.seed for request in batch)
        )
        run = Run(command)
        run.done.add_done_callback(lambda done: _distribute(done, batch))
        return run

    def _wait(self, seconds: float) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._gathered)

    def _gathered(self) -> None:
        self._timer = None
        self.hand_out()


def _distribute(done: asyncio.Future[Done], batch: list[PendingRequest]) -> None:
    error = done.exception()
    # An exception that was retrieved causes no warning when its client has disconnected.
    for at, request in enumerate(batch):
        if request.response.done():
            continue
        if error is not None:
            request.response.set_exception(error)
            request.response.exception()
        elif text := done.result().texts[at]:
            request.response.set_result(text)
        else:
            request.response.set_exception(BrokenPassError())
