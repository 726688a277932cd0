"""A search in parts as a solver: rounds of pieces, joined, anytime."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from geopar.compiled.warming import announced
from geopar.errors import refuse
from geopar.parts import hcvrp, omdcpdp
from geopar.parts.piece import PIECE, Effort, Ints, Piece, Place, improve, joined
from geopar.plan import Plan, flatten, unflatten
from geopar.problems import HCVRP, Problem
from geopar.problems.random import generate
from geopar.search.at_hand import plan_at_hand
from geopar.search.engines import make_engine, operations_of
from geopar.search.pace import run_paced
from geopar.search.teams import FlatPlan, trips_of
from geopar.solver import Outcome, Request
from geopar.spread import Executor
from geopar.stop import Budget, MaxIterations, OutOfTimeError

# Tasks of a part: few enough that what the search looks at stays in a processor's cache (a part of
# 10,000 has 1.6 times the iterations a second of 200,000), enough that borders hardly matter.
PART_TASKS = 10_000
# Rounds of a run: without enough of them borders show. Each costs dividing and joining, and HCVRP
# more than that: in the heat the best plan of a part is not what its search had come to.
ROUNDS, SECONDS_PER_ROUND = 6, {"hcvrp": 45.0, "omdcpdp": 10.0}
# How often sectors are corrected by an insertion in each.
CORRECTIONS = 2
# Where nothing says how long a run will be: iterations of a round for each task, and how cold.
ENDLESS_ITERATIONS, ENDLESS_FRACTION = 10.0, 0.7
# What parts cannot do is done at the end by one search of the whole: vehicles of HCVRP share their
# work across all parts. Of a run it takes this share, from this fraction of the cooling on.
FINISH = {"hcvrp": 0.25, "omdcpdp": 0.0}
FINISH_FROM = {"hcvrp": 0.8, "omdcpdp": 1.0}
# Of the time that a round is given, in case workers are slower than they were.
USED = 0.95


class Dividing(NamedTuple):
    """How a problem is divided, and what a plan costs."""

    cost: Callable[[Any, FlatPlan], float]
    arrays: Callable[[Any, Ints, Ints], dict[str, Any]]
    groups: Callable[[Any, FlatPlan, int, np.random.Generator], Ints]


DIVIDING = {
    "hcvrp": Dividing(hcvrp.cost, hcvrp.arrays, hcvrp.groups),
    "omdcpdp": Dividing(omdcpdp.cost, omdcpdp.arrays, omdcpdp.groups),
}


class InParts:
    """A solver: the search of one problem, in parts.

    Parameters
    ----------
    executor
        What searches the parts.
    part_tasks
        Tasks of a part, about.
    """

    __name__ = "refine in parts"

    def __init__(self, executor: Executor, part_tasks: int = PART_TASKS) -> None:
        self._executor, self._part_tasks = executor, part_tasks

    def warm_up(self, problem: Problem, announce: Callable[[str], None]) -> None:
        """Compile what the parts need here, so that workers on this machine find it.

        Raises
        ------
        geopar.errors.InputError
            For a problem that cannot be divided.
        """
        if problem.day is not None or not problem.has_straight_lines:
            message = "has a working day or a matrix, which cannot be searched in parts."
            refuse("not-in-parts", "problem", ..., message, "Leave --cluster out.")
        with announced("compiling the search in parts, once, about 30 s", announce):
            tiny = generate(f"{problem.kind}/8/2")
            budget = Budget(MaxIterations(4))
            InParts(_here(), part_tasks=4)(Request(tiny, budget))

    def __call__(self, request: Request) -> Outcome:
        """Search, round after round, until the budget is spent."""
        at_hand = plan_at_hand(request)
        parts = max(1, round(request.problem.num_tasks / self._part_tasks))
        if parts > 1 and math.isfinite(request.budget.seconds_left):
            # As many for each worker; but what is to repeat must not depend on workers.
            parts = math.ceil(parts / self._executor.workers) * self._executor.workers
        run = _Run(request, self._executor, min(parts, request.problem.num_vehicles))
        try:
            run.begin(may_stop=at_hand is not None)
        except OutOfTimeError:
            assert at_hand is not None
            return at_hand
        return run.search()


def _here() -> Executor:
    from geopar.spread import open_executor

    return open_executor()


class _Run:
    """One run: the plan at hand, and the best so far."""

    def __init__(self, request: Request, executor: Executor, parts: int) -> None:
        self.request, self.executor, self.parts = request, executor, parts
        self.problem, self.budget = request.problem, request.budget
        self.dividing = DIVIDING[self.problem.kind]
        self.random = np.random.default_rng(request.seed)
        self.done, self.notes = 0, set[str]()
        # Which part each vehicle belongs to, where the first plan has decided that.
        self.group: Ints | None = None
        self.plan: FlatPlan
        self.best: FlatPlan
        self.cost = math.inf
        share = FINISH[self.problem.kind] if parts > 1 else 0.0
        # The search of the whole begins when this fraction of the run is over.
        self.finish_at = 1.0 - share

    def begin(self, may_stop: bool) -> None:
        """The start, or a first plan.

        Raises
        ------
        OutOfTimeError
            When there is no time for that, and it may stop.
        """
        problem, start = self.problem, self.request.start
        pause = self.budget.require_time if may_stop else None
        if start is not None:
            self._take(flatten(start.to_indices(problem)))
        elif isinstance(problem, HCVRP) and 1 < self.parts <= hcvrp.most_sectors(problem):
            self._take(self._in_sectors(problem, pause))
        else:
            engine = make_engine(problem, None, self.request.seed, 0.0, 1, pause)
            self._take(flatten(engine.best_routes()))

    def _in_sectors(self, problem: HCVRP, pause: Callable[[], object] | None) -> FlatPlan:
        """Insertions in sectors, which are set anew by what each takes."""
        work, self.group = hcvrp.work(problem), hcvrp.dealt(problem, self.parts)
        fleets = [np.flatnonzero(self.group == number) for number in range(self.parts)]
        for corrections in range(CORRECTIONS + 1):
            if pause is not None:
                pause()
            sector = hcvrp.sectors(problem, self.parts, work)
            inside = [np.flatnonzero(sector == number) for number in range(self.parts)]
            places = [Place(*own) for own in zip(inside, fleets, strict=True) if len(own[0])]
            effort = Effort(self.request.seed, iterations=0)
            pieces = [self._piece(place, None, effort) for place in places]
            found = {done.number: done.value for done in self.executor.run(improve, pieces)}
            # What a worker could not do is done here.
            plans = [(found.get(i) or improve(piece)).plan for i, piece in enumerate(pieces)]
            plan = joined([place.outside(own) for place, own in zip(places, plans, strict=True)])
            if corrections < CORRECTIONS:
                work = hcvrp.corrected(problem, plan, sector, self.group, work)
        return plan

    def search(self) -> Outcome:
        self._tell()
        while not self.budget.done and self.budget.fraction < self.finish_at:
            before = self.done
            self._round()
            self._tell()
            if self.done == before:
                break  # no time for another one
        if self.finish_at < 1.0 and not self.budget.done:
            self._finish()
        return Outcome(self._plan(), self.done, notes=tuple(sorted(self.notes)))

    def _length(self) -> tuple[float, float, float]:
        """Seconds and iterations of the next round, and at which fraction of the run it ends."""
        budget, now = self.budget, self.budget.fraction
        left = 1.0 - now / self.finish_at  # of what is for parts
        seconds, count = budget.seconds_left, budget.iterations_left
        if math.isinf(seconds) and math.isinf(count):
            return math.inf, ENDLESS_ITERATIONS * self.problem.num_tasks, ENDLESS_FRACTION
        for_parts = (self.finish_at - now) / (1.0 - now)
        by_time = seconds * for_parts / SECONDS_PER_ROUND[self.problem.kind]
        rounds = max(1, round(min(left * ROUNDS, by_time)))
        share = for_parts / rounds
        return seconds * share * USED, count * share, now + (1.0 - now) * share

    def _round(self) -> None:
        """Divide, search, join."""
        seconds, iterations, end = self._length()
        places = self._divided()
        cooling = FINISH_FROM[self.problem.kind] / self.finish_at if self.parts > 1 else 1.0
        begin, end = (min(1.0, cooling * at) for at in (self.budget.fraction, end))
        each = 1.0 / math.ceil(len(places) / max(1, self.executor.workers))
        seeds = self.random.integers(1 << 62, size=len(places)).tolist()
        # Rounded so that they add up.
        sizes = np.cumsum([len(place.tasks) for place in places]) / self.problem.num_tasks
        counts: list[int | None] = [None] * len(places)
        if math.isfinite(iterations):
            whole = math.ceil(iterations)
            counts = np.diff(np.rint(sizes * whole).astype(np.int64), prepend=0).tolist()
        horizon = self._horizon() / len(places)
        # Until its search is done, and if there is no time for that, each stays as it is.
        found = [place.inside(self._trips(place)) for place in places]
        pieces = [
            self._piece(
                place, plan, Effort(seed, begin, max(begin, end), horizon, count, seconds * each)
            )
            for place, plan, seed, count in zip(places, found, seeds, counts, strict=True)
        ]
        running = self.executor.run(improve, pieces)
        for done in running:
            if done.value is not None:
                found[done.number] = done.value.plan
                self.done += done.value.iterations
            else:
                self.notes.add(f"a part stayed as it was: {done.error}")
            if self.budget.interrupted or self.budget.seconds_left <= 0.0:
                running.close()  # type: ignore[attr-defined]
                break
        self._take(joined([place.outside(own) for place, own in zip(places, found, strict=True)]))

    def _divided(self) -> list[Place]:
        """Parts with something to serve."""
        problem = self.problem
        group = self.group
        if group is None:
            group = self.dividing.groups(problem, self.plan, self.parts, self.random)
        places = []
        for number in range(self.parts):
            vehicles = np.flatnonzero(group == number)
            tasks, _, _ = trips_of(self.plan, vehicles, problem.num_vehicles)
            if len(tasks):
                places.append(Place(np.sort(tasks), vehicles))
        return places

    def _trips(self, place: Place) -> FlatPlan:
        return trips_of(self.plan, place.vehicles, self.problem.num_vehicles)

    def _piece(self, place: Place, plan: FlatPlan | None, effort: Effort) -> Piece:
        arrays = self.dividing.arrays(self.problem, place.tasks, place.vehicles)
        return Piece(self.problem.kind, arrays, plan, effort)

    def _horizon(self) -> float:
        """About how many iterations all workers together will have had in the end."""
        left = self.budget.iterations_left
        if math.isinf(left):
            rate = self.executor.workers / operations_of(self.problem).seconds_per_iteration
            left = min(rate * self.budget.seconds_left * self.finish_at, 1e15)
        return self.done + left

    def _finish(self) -> None:
        """Search the whole, here."""
        budget, cooled = self.budget, FINISH_FROM[self.problem.kind]
        rate = 1.0 / operations_of(self.problem).seconds_per_iteration
        horizon = min(budget.iterations_left, budget.seconds_left * rate) / (1.0 - cooled)
        routes = unflatten(*self.plan, self.problem.num_vehicles)
        engine = make_engine(self.problem, routes, self.request.seed, horizon, 1)

        def advance(count: int, begin: float, end: float) -> tuple[int, float]:
            return count, engine.advance(
                count, *(cooled + (1.0 - cooled) * at for at in (begin, end))
            )

        def plan() -> Plan:
            return Plan.from_indices(self.problem, engine.best_routes())

        cost = engine.advance(0, cooled, cooled)
        self.done += run_paced(advance, self.request, 1 << 62, PIECE, cost, plan)
        self._take(flatten(engine.best_routes()))

    def _take(self, plan: FlatPlan) -> None:
        """Go on from this plan, which may be the best."""
        self.plan, cost = plan, self.dividing.cost(self.problem, plan)
        if cost < self.cost:
            self.cost, self.best = cost, plan

    def _tell(self) -> None:
        self.request.tell(self.done, self.cost, self._plan)

    def _plan(self) -> Plan:
        routes = unflatten(*self.best, self.problem.num_vehicles)
        return Plan.from_indices(self.problem, routes, self.cost)
