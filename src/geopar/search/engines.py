"""One face for the compiled searches of both problems, alone or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from geopar.plan import Indices, flatten
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.search import hcvrp, omdcpdp

Routes = list[list[Indices]]

# How often in a run the searches side by side are brought together.
MEETINGS = 8


class Engine(Protocol):
    """A search at work on one problem."""

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""

    def best_routes(self) -> Routes:
        """The best plan so far."""

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""


class HcvrpEngine:
    """Search for HCVRP."""

    def __init__(
        self, problem: HCVRP, data: hcvrp.Data, start: Routes | None, seed: int, horizon: float
    ) -> None:
        self._data = data
        self._state = (
            hcvrp.initial(data, seed)
            if start is None
            else hcvrp.from_routes(data, seed, flatten(start))
        )
        self._parameters = hcvrp.parameters_for(problem.num_tasks, problem.num_vehicles, horizon)

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""
        if iterations:
            hcvrp.anneal(self._data, self._state, self._parameters, iterations, begin, end)
        return hcvrp.best_cost(self._data, self._state)

    def best_routes(self) -> Routes:
        """The best plan so far."""
        return hcvrp.best_routes(self._data, self._state)

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""
        random = self._state.random
        self._state = hcvrp.from_routes(self._data, 0, flatten(routes))
        self._state.random[:] = random


class OmdcpdpEngine:
    """Search for OMDCPDP."""

    def __init__(
        self, problem: OMDCPDP, data: omdcpdp.Data, start: Routes | None, seed: int, horizon: float
    ) -> None:
        self._data = data
        self._horizon = int(min(horizon, 1e15))
        self._state = (
            omdcpdp.initial(data, seed)
            if start is None
            else omdcpdp.from_routes(data, _joined(start), seed)
        )

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""
        if iterations:
            omdcpdp.run(self._data, self._state, iterations, begin, end, self._horizon)
        return omdcpdp.best_cost(self._state)

    def best_routes(self) -> Routes:
        """The best plan so far."""
        return [[route] for route in omdcpdp.best_routes(self._state)]

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""
        random = self._state.random
        self._state = omdcpdp.from_routes(self._data, _joined(routes), 0)
        self._state.random[:] = random


def _joined(routes: Routes) -> list[Indices]:
    nothing = np.zeros(0, dtype=np.int64)
    return [np.concatenate([nothing, *trips]) for trips in routes]


class SideBySide:
    """Several searches of one problem in threads; now and then all go on from the best plan."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines
        self._costs = [engine.advance(0, 0.0, 0.0) for engine in engines]
        self._threads = ThreadPoolExecutor(len(engines))
        self._met = 0

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run that many iterations in each search; the best cost of all."""
        runs = [
            self._threads.submit(engine.advance, iterations, begin, end) for engine in self._engines
        ]
        self._costs = [run.result() for run in runs]
        if int(end * MEETINGS) > self._met and end < 1.0:
            self._met = int(end * MEETINGS)
            self.rebase(self.best_routes())
        return min(self._costs)

    @property
    def _leader(self) -> int:
        return int(np.argmin(self._costs))

    def best_routes(self) -> Routes:
        """The best plan of all."""
        return self._engines[self._leader].best_routes()

    def rebase(self, routes: Routes) -> None:
        """All but the leader, which has it, go on from this plan."""
        leader = self._leader
        for i, engine in enumerate(self._engines):
            if i != leader:
                engine.rebase(routes)


def make_engine(
    problem: Problem, start: Routes | None, seed: int, horizon: float, threads: int
) -> Engine:
    """A search from ``start``, or from an insertion, that expects about ``horizon`` iterations."""
    # Streams of one run must not be those of another run with the next seed.
    seeds = [seed if i == 0 else hash((seed, i)) for i in range(threads)]
    engines: list[Engine]
    if isinstance(problem, HCVRP):
        known = hcvrp.prepare(problem)
        engines = [HcvrpEngine(problem, known, start, s, horizon) for s in seeds]
    else:
        data = omdcpdp.prepare(problem)
        engines = [OmdcpdpEngine(problem, data, start, s, horizon) for s in seeds]
    return engines[0] if threads == 1 else SideBySide(engines)
