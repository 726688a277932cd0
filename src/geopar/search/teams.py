"""Search in parts, by several threads or by one: some of the vehicles at a time, and then others.

The plan is divided by its vehicles. Each part, some vehicles with all that they serve, is searched
as if it were a problem of its own; then the parts are put together again, and the plan is divided
along another line. Within a part no thread has to wait for another, and since the lines change all
the time, every exchange between two vehicles has its turn. What a part cannot see is how the others
come along, so rounds are short. Even one thread gains where a part fits into the processor's cache
and the whole does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from geopar.plan import flatten, unflatten

if TYPE_CHECKING:
    from geopar.search.engines import Routes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FlatPlan = tuple[Ints, Ints, Ints]
"""Tasks, bounds and vehicles of trips, see :func:`geopar.plan.flatten`."""

# A short run has so many rounds at least, but none shorter than this.
LEAST_ROUNDS, SHORTEST_ROUND = 16, 100
# How far vehicles are off the line by which the plan is divided, in parts of their spread: what is
# divided by place alone never sees what lies across. With more than so many tasks a vehicle is all
# over the place. Of very many tasks few are at the line, and who is near should stay together.
BLUR, BLUR_OF_MANY = 0.5, 0.05
MANY_FOR_ONE, VERY_MANY = 25.0, 50_000
# A part has at least so many tasks: fewer have too little to exchange.
LEAST_TASKS = 100


class Part(NamedTuple):
    """Some vehicles and what they serve, as a problem of its own."""

    data: Any
    state: Any
    tasks: Ints
    """What the whole problem calls each of its tasks."""
    vehicles: Ints
    """And each of its vehicles."""


class Division(Protocol):
    """How the plan of a kind of problem is divided, searched in parts and put together."""

    places: Floats
    """Of the tasks."""
    num_vehicles: int
    round: tuple[float, int]
    """Iterations of a round for each task of a part, and at least: what dividing takes is little
    beside that."""

    def part(self, plan: FlatPlan, vehicles: Ints, seed: int) -> Part:
        """These vehicles with all that they serve; its best plan is the one that it begins with."""

    def loads(self, part: Part) -> Floats:
        """How much each of its vehicles has to do, for :meth:`settings`."""

    def settings(self, loads: Sequence[Floats], fraction: float) -> list[Any]:
        """For parts with such vehicles those that make them as hot as the whole is now."""

    def advance(self, part: Part, settings: Any, iterations: int, begin: float, end: float) -> None:
        """Run iterations on a part."""

    def now(self, part: Part) -> FlatPlan:
        """Where its search is, in numbers of its own."""

    def best(self, part: Part) -> FlatPlan:
        """Its best plan, in numbers of its own."""

    def best_cost(self, part: Part) -> float:
        """Of its best plan, in the user's units."""

    def together(self, costs: Sequence[float]) -> float:
        """What plans of parts that cost so much cost together."""


class Size(NamedTuple):
    """Of the parts of a kind of problem."""

    tasks: float
    """Larger plans are better searched in parts of about so many tasks, even by one thread."""
    vehicles: int
    """At least so many: fewer have too little to exchange."""


def parts_for(num_tasks: int, num_vehicles: int, threads: int, size: Size) -> tuple[int, int]:
    """Into how many parts a plan is divided, and how many threads search them.

    As many as threads, or more where smaller parts are searched faster, if that does not leave them
    too little to exchange. Each thread has as many.
    """
    most = min(num_tasks // LEAST_TASKS, num_vehicles // size.vehicles)
    threads = max(1, min(threads, most))
    wanted = max(threads, min(most, round(num_tasks / size.tasks)))
    return wanted // threads * threads, threads


class Team:
    """Who searches one part for a round; it is made when a thread begins with it."""

    def __init__(self, vehicles: Ints, seed: int, settings: Any) -> None:
        self.vehicles, self.seed, self.settings = vehicles, seed, settings
        self.part: Part | None = None

    def advance(
        self, division: Division, plan: FlatPlan, iterations: int, begin: float, end: float
    ) -> Part:
        """Run iterations, at first those of this plan's part."""
        if self.part is None:
            self.part = division.part(plan, self.vehicles, self.seed)
        division.advance(self.part, self.settings, iterations, begin, end)
        return self.part


class Teams:
    """An engine that searches a plan in parts.

    Parameters
    ----------
    division
        Of the problem.
    whole
        The problem as one part, with its first plan.
    seed
        Of everything that is drawn.
    parts, threads
        How many there are; each thread has as many parts.
    horizon
        About how many iterations each thread will have.
    """

    def __init__(
        self,
        division: Division,
        whole: Part,
        seed: int,
        parts: int,
        threads: int,
        horizon: float,
    ) -> None:
        self._division, self._count, self._each = division, parts, parts // threads
        self._random = np.random.default_rng(seed & ((1 << 64) - 1))
        self._plan, self._loads = division.best(whole), division.loads(whole)
        self._best, self._best_cost = self._plan, division.best_cost(whole)
        self._threads = ThreadPoolExecutor(threads) if threads > 1 else None
        self._teams: list[Team] = []
        self._parts: list[Part] = []
        self._round = _length_of_round(division, parts, horizon / self._each)
        self._done = 0

    def advance(self, iterations: int, begin: float, end: float) -> float:
        """Run that many iterations in each thread; the best cost so far."""
        at, left = begin, iterations
        while left > 0:
            if not self._teams:
                self._divide(at)
            # Of each part; the last ones may be a few more than asked for.
            some = min(-(-left // self._each), self._round - self._done)
            then = min(end, at + (end - begin) * some * self._each / iterations)
            self._parts = self._advanced(some, at, then)
            at, left = then, left - some * self._each
            self._done += some
            if self._done == self._round:
                self._put_together()
        return min(self._best_cost, self._cost_of_parts())

    def _advanced(self, iterations: int, begin: float, end: float) -> list[Part]:
        """Run iterations in each part."""
        if self._threads is None:
            return [
                team.advance(self._division, self._plan, iterations, begin, end)
                for team in self._teams
            ]
        runs = [
            self._threads.submit(team.advance, self._division, self._plan, iterations, begin, end)
            for team in self._teams
        ]
        return [run.result() for run in runs]

    def best_routes(self) -> Routes:
        """The best plan so far."""
        plan = self._best
        if self._cost_of_parts() < self._best_cost:
            plan = self._joined([self._division.best(part) for part in self._parts])
        return unflatten(*plan, self._division.num_vehicles)

    def best_goal(self) -> float | None:
        """What it costs without what it leaves out: everybody is served here."""
        return None

    def rebase(self, routes: Routes) -> None:
        """Go on from this plan."""
        self._put_together()
        self._plan = flatten(routes)

    def _cost_of_parts(self) -> float:
        """Of the best plans of all parts together."""
        if not self._parts:
            return math.inf
        return self._division.together([self._division.best_cost(part) for part in self._parts])

    def _divide(self, fraction: float) -> None:
        """Begin a round."""
        group = self._groups()
        # Vehicles that stand idle among themselves have nothing to search.
        busy = np.unique(group[self._plan[2]])
        chosen = [np.flatnonzero(group == one) for one in busy]
        seeds = self._random.integers(1 << 62, size=len(chosen)).tolist()
        settings = self._division.settings([self._loads[some] for some in chosen], fraction)
        self._teams = [Team(*one) for one in zip(chosen, seeds, settings, strict=True)]
        self._done = 0

    def _groups(self) -> Ints:
        """Which part each vehicle belongs to: all with about as many tasks, by where they are."""
        tasks, bounds, vehicle = self._plan
        count = self._division.num_vehicles
        driver = np.repeat(vehicle, np.diff(bounds))
        served = np.bincount(driver, minlength=count)
        angle = self._random.uniform(0.0, 2.0 * np.pi)
        along = self._division.places[tasks] @ np.array([np.cos(angle), np.sin(angle)])
        middle = np.bincount(driver, along, count) / np.maximum(served, 1)
        spread = middle[served > 0].std()
        middle[served == 0] = self._random.choice(middle[served > 0], (served == 0).sum())
        blur = BLUR_OF_MANY
        if len(tasks) < VERY_MANY:
            blur = BLUR * max(1.0, served[served > 0].mean() / MANY_FOR_ONE) ** 2
        middle += blur * spread * self._random.standard_normal(count)
        order = np.argsort(middle, kind="stable")
        share = (np.cumsum(served[order]) - served[order] / 2.0) / len(tasks)
        group = np.empty(count, dtype=np.int64)
        group[order] = np.minimum((share * self._count).astype(np.int64), self._count - 1)
        return group

    def _put_together(self) -> None:
        """End a round, if one is under way."""
        if self._parts:
            cost = self._cost_of_parts()
            if cost < self._best_cost:
                self._best = self._joined([self._division.best(part) for part in self._parts])
                self._best_cost = cost
            self._plan = self._joined([self._division.now(part) for part in self._parts])
            for part in self._parts:
                self._loads[part.vehicles] = self._division.loads(part)
        self._teams, self._parts = [], []

    def _joined(self, plans: Sequence[FlatPlan]) -> FlatPlan:
        """Plans of all parts as one."""
        tasks, ends, vehicle, size = [], [np.zeros(1, dtype=np.int64)], [], 0
        for part, (some, bounds, drivers) in zip(self._parts, plans, strict=True):
            tasks.append(part.tasks[some])
            ends.append(bounds[1:] + size)
            vehicle.append(part.vehicles[drivers])
            size += len(some)
        return np.concatenate(tasks), np.concatenate(ends), np.concatenate(vehicle)


def _length_of_round(division: Division, parts: int, horizon: float) -> int:
    """So many iterations of each part, where each will have about ``horizon`` in all."""
    for_each_task, least = division.round
    usual = max(least, for_each_task * len(division.places) / parts)
    return int(max(SHORTEST_ROUND, min(usual, horizon / LEAST_ROUNDS)))


def numbered(chosen: Ints, count: int) -> Ints:
    """For each of ``count`` its number among the chosen ones, or -1."""
    number = np.full(count, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    return number


def trips_of(plan: FlatPlan, vehicles: Ints, num_vehicles: int) -> FlatPlan:
    """Trips of some vehicles, which are numbered among themselves; tasks keep their numbers."""
    tasks, bounds, driver = plan
    own = numbered(vehicles, num_vehicles)[driver]
    lengths = np.diff(bounds)
    mine = own >= 0
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[mine])])
    return tasks[np.repeat(mine, lengths)], ends, own[mine]
