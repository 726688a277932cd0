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
from geopar.service.orders import ConstructOrder, Done, SolveOrder, TraceOrder
from geopar.service.pool import Run

GATHER_SECONDS = 0.005
# A pass costs about as much as one more problem in it (3 ms of hcvrp/60/3), and so does answering
# each by itself. While one is under way a second one therefore waits longer, or until so many came.
LONGER_SECONDS, ENOUGH = 0.03, 8
# More make everybody wait, and gain little.
MOST_TOGETHER = 32
# Larger problems gain nothing from company, and would keep it waiting.
MOST_TASKS = 1000

_Size = tuple[str, int, int]


@dataclass(eq=False)
class _Guest:
    """One request, and when it came."""

    problem: Problem
    seed: int
    since: float
    answer: asyncio.Future[str]

    @property
    def size(self) -> _Size:
        return self.problem.kind, self.problem.num_tasks, self.problem.num_vehicles


class BrokenPassError(Exception):
    """The network's plan broke a rule: our fault."""


@dataclass
class Gathering:
    """A source of batches, and of single runs, which go first.

    Parameters
    ----------
    pump
        Called when there is something to take.
    on_batch
        Told the size of each batch.
    busy
        How many passes are under way.
    """

    pump: Callable[[], None]
    on_batch: Callable[[int], None] = lambda size: None
    busy: Callable[[], int] = lambda: 0
    _guests: deque[_Guest] = field(default_factory=deque)
    _singles: deque[Run] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._guests) + len(self._singles)

    async def construct(self, problem: Problem, seed: int) -> str:
        """The result of one pass as JSON text."""
        loop = asyncio.get_running_loop()
        guest = _Guest(problem, seed, loop.time(), loop.create_future())
        self._guests.append(guest)
        self._wait(GATHER_SECONDS)
        try:
            return await guest.answer
        finally:
            if guest in self._guests:  # whoever asked went away
                self._guests.remove(guest)

    async def run(self, order: SolveOrder | TraceOrder) -> Done:
        """Carry out one short order."""
        run = Run(order)
        self._singles.append(run)
        self.pump()
        try:
            return await run.done
        finally:
            if run in self._singles:
                self._singles.remove(run)

    def take(self) -> Run | None:
        """A single run, or all that came with the one who waited longest, if it waited enough."""
        if self._singles:
            return self._singles.popleft()
        if not self._guests:
            return None
        now = asyncio.get_running_loop().time()
        first = self._guests[0]
        alone = not self.busy()
        too_soon = first.since + (GATHER_SECONDS if alone else LONGER_SECONDS) - now
        if too_soon > 0 and len(self._guests) < (MOST_TOGETHER if alone else ENOUGH):
            self._wait(too_soon)
            return None
        batch = [guest for guest in self._guests if guest.size == first.size][:MOST_TOGETHER]
        chosen = set(map(id, batch))
        self._guests = deque(guest for guest in self._guests if id(guest) not in chosen)
        self.on_batch(len(batch))
        order = ConstructOrder(
            tuple(guest.problem for guest in batch), tuple(guest.seed for guest in batch)
        )
        run = Run(order)
        run.done.add_done_callback(lambda done: _hand_out(done, batch))
        return run

    def _wait(self, seconds: float) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, self._gathered)

    def _gathered(self) -> None:
        self._timer = None
        self.pump()


def _hand_out(done: asyncio.Future[Done], batch: list[_Guest]) -> None:
    error = done.exception()
    # An exception that was looked at is not complained of when nobody waits for it any more.
    for at, guest in enumerate(batch):
        if guest.answer.done():
            continue
        if error is not None:
            guest.answer.set_exception(error)
            guest.answer.exception()
        elif text := done.result().texts[at]:
            guest.answer.set_result(text)
        else:
            guest.answer.set_exception(BrokenPassError())
