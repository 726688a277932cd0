"""Many annealings in one run: from new plans, and from plans bred from the best ones so far.

A small instance is annealed well within a part of a second, and which plan that ends in is chance.
So the rest of a run is spent on further annealings, each as long as it takes, however long the run
may be: a run that is stopped early is as good as one that was meant to be that short. Only the last
ones are a little longer or shorter, so that the end of the run cuts none of them off.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from geopar.search.engines import Operations, Routes

# Plans that are kept to breed from.
POOL = 8
# One annealing of so many begins with a new plan, and the first ones do.
NEW_AMONG = 3
# With fewer annealings left than this, they share the rest of the run evenly.
FITTED = 8


class Annealings:
    """An engine that anneals again and again.

    Parameters
    ----------
    operations
        Of the problem, with a way to breed.
    data
        The problem, prepared.
    state
        Where the first annealing begins.
    settings
        Of each annealing.
    seed
        Of everything that is drawn here.
    """

    def __init__(
        self, operations: Operations, data: Any, state: Any, settings: Any, seed: int
    ) -> None:
        self._operations, self._data, self._state = operations, data, state
        self._settings, self._now = settings, settings
        self._length = operations.annealing(settings)
        self._done = 0.0
        """How much of this annealing."""
        self._random = np.random.default_rng(seed & ((1 << 64) - 1))
        self._pool: list[tuple[float, Routes]] = []
        self._ended = 0

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""
        at, each = begin, (end - begin) / max(1, iterations)
        while iterations > 0:
            rate = self._rate(at, each)
            some = max(1, min(iterations, round((1.0 - self._done) / rate)))
            then = min(1.0, self._done + some * rate)
            self._operations.advance(self._data, self._state, self._now, some, self._done, then)
            iterations -= some
            at += some * each
            self._done = then
            if then > 1.0 - rate / 2.0:
                self._begin_anew()
        return min(self._cost_now, self._pool[0][0] if self._pool else math.inf)

    def _rate(self, at: float, each: float) -> float:
        """How much of an annealing an iteration is, where one is so much of the run."""
        left = (1.0 - at) / each if each > 0.0 else math.inf
        annealings = self._done + left / self._length
        if left < 1.0 or annealings >= FITTED:
            return 1.0 / self._length
        return (max(1, round(annealings)) - self._done) / left

    @property
    def _cost_now(self) -> float:
        return self._operations.best_cost(self._data, self._state)

    def best_routes(self) -> Routes:
        """The best plan so far."""
        if self._pool and self._pool[0][0] <= self._cost_now:
            return self._pool[0][1]
        return self._operations.best_routes(self._data, self._state)

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out: everybody is served here."""
        return None

    def rebase(self, routes: Routes) -> None:
        """Keep this plan to breed from."""
        state = self._operations.from_routes(self._data, routes, 0)
        self._keep(self._operations.best_cost(self._data, state), routes)

    def _keep(self, cost: float, routes: Routes) -> None:
        """Into the pool, unless a plan of that cost, but for rounding, is there."""
        for i, (other, _) in enumerate(self._pool):
            if abs(cost - other) <= 1e-9 * cost:
                if cost < other:
                    self._pool[i] = cost, routes
                return
        self._pool.append((cost, routes))
        self._pool.sort(key=lambda plan: plan[0])
        del self._pool[POOL:]

    def _begin_anew(self) -> None:
        """The next annealing: from a new plan, or from one that is bred."""
        operations, data = self._operations, self._data
        self._done = 0.0
        self._ended += 1
        self._keep(self._cost_now, operations.best_routes(data, self._state))
        seed = int(self._random.integers(1 << 62))
        if self._ended % NEW_AMONG == 0 or len(self._pool) < 2:
            self._state, self._now = operations.initial(data, seed), self._settings
            return
        one, other = self._random.choice(len(self._pool), 2, replace=False)
        assert operations.breed is not None
        self._state, self._now = operations.breed(
            data, self._settings, self._pool[one][1], self._pool[other][1], self._random
        )
