"""A search in parts as a solver: rounds of pieces, merged, anytime."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from geopar.compiled.warming import announced
from geopar.errors import refuse
from geopar.parts import hcvrp, omdcpdp
from geopar.parts.piece import Effort, Flat, Piece, Place, joined
from geopar.plan import Plan, flatten, unflatten
from geopar.problems import Problem
from geopar.problems.random import generate
from geopar.search.at_hand import plan_at_hand
from geopar.search.engines import make_engine, operations_of
from geopar.search.pace import run_paced
from geopar.solver import Outcome, Request
from geopar.spread import Executor
from geopar.stop import Budget, MaxIterations, OutOfTimeError

# Tasks of a part: few enough that what the search looks at stays in a processor's cache (a part of
# 10,000 has 1.6 times the iterations a second of 200,000), enough that borders hardly matter.
PART_TASKS = 10_000
# Rounds of a run: each costs cutting and joining, and without enough of them borders show.
ROUNDS, SECONDS_PER_ROUND = 12, 5.0
# The first round finds out how fast the workers are.
FIRST_SHARE = 0.25
# Where nothing says how long a run will be: iterations of a round for each task, and how cold.
ENDLESS_ITERATIONS, ENDLESS_FRACTION = 10.0, 0.7
# What parts cannot do is done at the end by one search of the whole: vehicles of HCVRP share their
# work across all parts. Of a run it takes this share, from this fraction of its own cooling on.
FINISH = {"hcvrp": 0.25, "omdcpdp": 0.0}
FINISH_FROM = 0.6
PIECE = 1000
# Of the time that a round is given, in case the workers are slower than they were.
USED = 0.85


class Cutting(NamedTuple):
    """How a problem is cut, searched in pieces, and what a plan costs."""

    cost: Callable[[Any, Flat], float]
    split: Callable[[Any, Flat, int, float], Any]
    pieces: Callable[[Any, Flat, Any, list[Effort]], list[tuple[Piece, Place]]]
    improve: Callable[[Piece], Flat]


CUTTING = {
    "hcvrp": Cutting(hcvrp.cost, hcvrp.split, hcvrp.pieces, hcvrp.improve),
    "omdcpdp": Cutting(omdcpdp.cost, omdcpdp.split, omdcpdp.pieces, omdcpdp.improve),
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
            For a problem that cannot be cut.
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
        try:
            plan = _first(request, at_hand is not None)
        except OutOfTimeError:
            assert at_hand is not None
            return at_hand
        return _Run(request, self._executor, self._part_tasks, plan).search()


def _here() -> Executor:
    from geopar.spread import open_executor

    return open_executor()


def _first(request: Request, may_stop: bool) -> Flat:
    """The start, or an insertion."""
    problem, start = request.problem, request.start
    if start is not None:
        return Flat(*flatten(start.to_indices(problem)))
    pause = request.budget.require_time if may_stop else None
    engine = make_engine(problem, None, request.seed, 0.0, 1, pause)
    return Flat(*flatten(engine.best_routes()))


class _Run:
    """One run: the plan at hand, the best so far, and how fast the workers are."""

    def __init__(self, request: Request, executor: Executor, part_tasks: int, plan: Flat) -> None:
        self.request, self.executor = request, executor
        self.problem, self.budget = request.problem, request.budget
        self.cutting = CUTTING[self.problem.kind]
        self.parts = max(1, round(self.problem.num_tasks / part_tasks))
        self.random = np.random.default_rng(request.seed)
        self.plan = self.best = plan
        self.cost = self.cutting.cost(self.problem, plan)
        self.done, self.notes = 0, set[str]()
        share = FINISH[self.problem.kind] if self.parts > 1 else 0.0
        self.later = tuple(
            share * left if math.isfinite(left) else 0.0
            for left in (self.budget.seconds_left, self.budget.iterations_left)
        )
        # Iterations a second of all workers, by a guess at first.
        self.rate = executor.workers / operations_of(self.problem).seconds_per_iteration

    def search(self) -> Outcome:
        self._tell()
        while not self.budget.done:
            iterations, end = self._next(*self.left)
            if iterations < 1:
                break
            began = time.perf_counter()
            self._round(iterations, self.budget.fraction, end)
            self.rate = iterations / max(time.perf_counter() - began, 1e-9)
            self._tell()
        if any(self.later) and not self.budget.done:
            self._finish()
        return Outcome(self._plan(), self.done, notes=tuple(sorted(self.notes)))

    @property
    def left(self) -> tuple[float, float]:
        """Seconds and iterations for parts."""
        seconds, iterations = self.later
        return self.budget.seconds_left - seconds, self.budget.iterations_left - iterations

    def _next(self, seconds: float, count: float) -> tuple[int, float]:
        """Iterations of the next round, and at which fraction of the run it ends."""
        budget, now = self.budget, self.budget.progress
        if math.isfinite(count):
            iterations = math.ceil(min(count, (self.done + count) / ROUNDS))
        elif math.isfinite(seconds):
            share = FIRST_SHARE if not self.done else 1.0
            rounds = max(1, math.ceil(seconds / SECONDS_PER_ROUND))
            iterations = int(self.rate * USED * seconds / rounds * share)
        else:
            return int(ENDLESS_ITERATIONS * self.problem.num_tasks), ENDLESS_FRACTION
        later = replace(
            now, seconds=now.seconds + iterations / self.rate,
            iterations=now.iterations + iterations,
        )  # fmt: skip
        return iterations, min(1.0, budget.rule.fraction(later))

    def _round(self, iterations: int, begin: float, end: float) -> None:
        """Cut, search, join."""
        problem, cutting = self.problem, self.cutting
        part = cutting.split(problem, self.plan, self.parts, self.random.uniform(0.0, math.pi))
        sizes = np.bincount(part, self.plan.sizes, self.parts) / problem.num_tasks
        expected = self.done + (
            self.budget.iterations_left
            if math.isfinite(self.budget.iterations_left)
            else min(self.rate * self.budget.seconds_left, 1e15)
        )
        begin, end = min(begin, end), max(begin, end)
        seeds = self.random.integers(1 << 62, size=self.parts)
        # Rounded so that they add up.
        ends = np.rint(np.cumsum(sizes) * iterations).astype(np.int64)
        efforts = [
            Effort(int(seed), int(count), begin, end, max(1.0, expected * share))
            for seed, count, share in zip(seeds, np.diff(ends, prepend=0), sizes, strict=True)
        ]
        made = cutting.pieces(problem, self.plan, part, efforts)
        made = [(piece, place) for piece, place in made if len(piece.plan.tasks)]
        # Until its search is done, and if there is no time for that, each stays as it is.
        found = [piece.plan for piece, _ in made]
        running = self.executor.run(cutting.improve, (piece for piece, _ in made))
        for done in running:
            self.done += made[done.number][0].effort.iterations
            if done.error is None:
                found[done.number] = done.result()
            else:
                self.notes.add(f"a part stayed as it was: {done.error}")
            if self.budget.interrupted or self.left[0] <= 0.0:
                running.close()  # type: ignore[attr-defined]
                break
        self.plan = joined(
            [place.outside(own) for (_, place), own in zip(made, found, strict=True)]
        )
        cost = cutting.cost(problem, self.plan)
        if cost < self.cost:
            self.cost, self.best = cost, self.plan

    def _finish(self) -> None:
        """Search the whole, here."""
        budget = self.budget
        horizon = min(budget.iterations_left, budget.seconds_left * self.rate) / (1.0 - FINISH_FROM)
        routes = unflatten(*self.plan, self.problem.num_vehicles)
        engine = make_engine(self.problem, routes, self.request.seed, horizon, 1)

        def advance(count: int, begin: float, end: float) -> tuple[int, float]:
            cooled = (FINISH_FROM + (1.0 - FINISH_FROM) * at for at in (begin, end))
            return count, engine.advance(count, *cooled)

        def plan() -> Plan:
            return Plan.from_indices(self.problem, engine.best_routes())

        cost = engine.advance(0, 0.0, 0.0)
        self.done += run_paced(advance, self.request, 1 << 62, PIECE, cost, plan)
        cost = engine.advance(0, 1.0, 1.0)
        if cost < self.cost:
            self.cost, self.best = cost, Flat(*flatten(engine.best_routes()))

    def _tell(self) -> None:
        self.request.tell(self.done, self.cost, self._plan)

    def _plan(self) -> Plan:
        routes = unflatten(*self.best, self.problem.num_vehicles)
        return Plan.from_indices(self.problem, routes, self.cost)
