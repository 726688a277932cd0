"""One face for the compiled searches of all problems, alone or several side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np

from geopar.plan import Indices
from geopar.problems import Problem
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.search.additive import is_additive
from geopar.search.annealings import Annealings
from geopar.search.doubling import Doubling
from geopar.search.neighbours import Pause
from geopar.search.teams import SHORTEST_ROUND, Division, Part, Size, Teams, parts_for

Routes = list[list[Indices]]

# From here on a first plan takes long enough to be interrupted.
MANY_TASKS = 5000
# How often in a run the searches side by side are brought together.
MEETINGS = 8


class Operations(NamedTuple):
    """What the compiled search of a problem can do.

    Parameters
    ----------
    prepare
        What never changes, of a problem: the ``data`` of all that follows.
    settings
        For a run on the data of about so many iterations.
    initial
        A first state, by insertion: ``(data, seed)``.
    best_initial
        The best of so many insertions.
    from_routes
        The state of a given plan: ``(data, routes, seed)``.
    advance
        Run iterations from one fraction of the run to another:
        ``(data, state, settings, iterations, begin, end)``.
    best_cost, best_routes
        Of ``(data, state)``, in the user's units and for each vehicle its trips. Plans are
        compared by their cost, so what is left out adds more than any plan costs.
    seconds_per_iteration
        About, before the clock has told (benchmarks/search_speed.py).
    best_goal
        What is minimised, of the best plan, without what is left out; None where that is the cost.
    annealing
        Iterations until a run with such settings is annealed, and better begins anew; 0 for one
        that is annealed once.
    doublings
        How often a run that is annealed once does so again, see :mod:`geopar.search.doubling`.
    breed
        A state, and its settings, bred from two plans: ``(data, settings, routes, routes,
        random)``. Needed where a run begins anew.
    can_pause
        Whether ``prepare``, ``initial`` and ``divide`` take a ``pause``, called now and then, which
        may raise.
    divide
        How a plan is searched in parts, of ``(data, settings)``, or None where it cannot be.
    part_size
        How large parts should be.
    """

    prepare: Callable[[Any], Any]
    settings: Callable[[Any, float], Any]
    initial: Callable[[Any, int], Any]
    best_initial: Callable[[Any, int], Any]
    from_routes: Callable[[Any, Routes, int], Any]
    advance: Callable[[Any, Any, Any, int, float, float], None]
    best_cost: Callable[[Any, Any], float]
    best_routes: Callable[[Any, Any], Routes]
    seconds_per_iteration: float
    best_goal: Callable[[Any, Any], float | None] = lambda data, state: None
    annealing: Callable[[Any], int] = lambda settings: 0
    doublings: Callable[[Any], int] = lambda settings: 0
    breed: Callable[[Any, Any, Routes, Routes, np.random.Generator], tuple[Any, Any]] | None = None
    can_pause: bool = False
    divide: Callable[[Any, Any], Division | None] = lambda data, settings: None
    part_size: Size = Size(math.inf, 1)


def iterations_until(data: Any, horizon: float) -> int:
    """Settings of searches that only want to know how many iterations there will be."""
    return int(min(horizon, 1e15))


def tours_of(routes: Routes) -> list[Indices]:
    """The tasks of each vehicle in one piece: without trips."""
    nothing = np.zeros(0, dtype=np.int64)
    return [np.concatenate([nothing, *trips]) for trips in routes]


def operations_of(problem: Problem) -> Operations:
    """Those of its kind, with or without a day that does more than add."""
    kind = PROBLEM_KINDS[problem.kind]
    part = kind.engine if is_additive(problem) else kind.day_engine
    operations: Operations = part.load()
    return operations


def code_of(problem: Problem) -> tuple[object, ...]:
    """Which compiled code a problem needs: equal for problems that need the same."""
    adds, day = is_additive(problem), problem.day
    parts = set(day.parts) if adds and day is not None else set[str]()
    return problem.kind, day is None, adds, "matrices" in parts, "allowed" in parts


def tiny_like(problem: Problem) -> Problem:
    """A small part of a problem: what is compiled for it is what the problem needs."""
    # The largest vehicle has room for whatever any has room for.
    vehicles = np.unique([0, int(problem.capacity.argmax())])
    return problem.select(np.arange(min(4, len(problem.request_ids))), vehicles)


class Engine(Protocol):
    """A search at work on one problem."""

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""

    def best_routes(self) -> Routes:
        """The best plan so far."""

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out, where that differs."""

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""


class Search:
    """One search.

    Parameters
    ----------
    operations
        Of the problem.
    data
        The problem, prepared.
    state
        Where to begin.
    settings
        Of the run.
    """

    def __init__(self, operations: Operations, data: Any, state: Any, settings: Any) -> None:
        self._operations, self._data = operations, data
        self._state, self._settings = state, settings

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run iterations that are this part of the whole run; the best cost in the user's units."""
        self._operations.advance(self._data, self._state, self._settings, iterations, begin, end)
        return self._operations.best_cost(self._data, self._state)

    def best_routes(self) -> Routes:
        """The best plan so far."""
        return self._operations.best_routes(self._data, self._state)

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out, where that differs."""
        return self._operations.best_goal(self._data, self._state)

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""
        random = self._state.random
        self._state = self._operations.from_routes(self._data, routes, 0)
        self._state.random[:] = random


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

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out, where that differs."""
        return self._engines[self._leader].best_goal()

    def rebase(self, routes: Routes) -> None:
        """All but the leader, which has it, go on from this plan."""
        leader = self._leader
        for i, engine in enumerate(self._engines):
            if i != leader:
                engine.rebase(routes)


def make_engine(
    problem: Problem,
    start: Routes | None,
    seed: int,
    horizon: float,
    threads: int,
    pause: Pause | None = None,
) -> Engine:
    """A search from ``start``, or from an insertion, that expects about ``horizon`` iterations.

    Before that ``pause`` is called now and then, if the problem's operations can; it may raise.
    """
    operations = operations_of(problem)
    pauses: dict[str, Any] = {"pause": pause} if pause and operations.can_pause else {}
    data = operations.prepare(problem, **pauses)
    settings = operations.settings(data, horizon)

    def first(seed: int) -> Any:
        if start is None:
            return operations.initial(data, seed, **pauses)
        return operations.from_routes(data, start, seed)

    parts, workers = parts_for(
        problem.num_tasks, problem.num_vehicles, threads, operations.part_size
    )
    if parts > 1 and not operations.annealing(settings):
        # Together they have as many iterations as one thread that much longer.
        long = operations.settings(data, horizon * workers)
        division = operations.divide(data, long, **pauses)
        if division is not None:
            whole = whole_of(problem, data, first(seed))
            teams = Teams(division, whole, seed, parts, workers, horizon)
            return doubled(teams, operations.doublings(long))

    def search(seed: int) -> Engine:
        nonlocal start
        state = first(seed)
        if start is None and problem.num_tasks >= MANY_TASKS:
            # One insertion takes long enough: the searches side by side begin with the same.
            start = operations.best_routes(data, state)
        if operations.annealing(settings):
            return Annealings(operations, data, state, settings, seed)
        return doubled(Search(operations, data, state, settings), operations.doublings(settings))

    if threads == 1:
        return search(seed)
    # Streams of one run must not be those of another run with the next seed.
    return SideBySide([search(seed if i == 0 else hash((seed, i))) for i in range(threads)])


def doubled(engine: Engine, doublings: int) -> Engine:
    """The engine, or one that anneals its run several times."""
    return Doubling(engine, doublings) if doublings else engine


def whole_of(problem: Problem, data: Any, state: Any) -> Part:
    """All of a problem as one part."""
    return Part(data, state, np.arange(problem.num_tasks), np.arange(problem.num_vehicles))


def warm_up_teams(problem: Problem) -> None:
    """Compile what it takes to divide such problems, if they can be, on a small one."""
    operations = operations_of(problem)
    data = operations.prepare(problem)
    division = operations.divide(data, operations.settings(data, 2.0))
    if division is not None:
        whole = whole_of(problem, data, operations.initial(data, 0))
        Teams(division, whole, 0, 2, 1, 2.0).advance(SHORTEST_ROUND, 0.0, 1.0)
