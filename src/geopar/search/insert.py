"""``insert``: the best of a few insertions, each task where it costs least.

What ``refine`` begins with, on its own. The insertions after the first one take the tasks a little
out of turn, and the cheapest plan of all counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from geopar.compiled.warming import announced
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.random import generate
from geopar.search.at_hand import may_dispatch, plan_at_hand
from geopar.search.dispatch import compile_dispatch
from geopar.search.engines import Routes, code_of, operations_of, tiny_like
from geopar.search.neighbours import Pause
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations, OutOfTimeError

# As many as one pass of a network takes time for, about.
TRIES = 16
# What this process has compiled for days, see :func:`geopar.search.engines.code_of`.
_compiled: set[tuple[object, ...]] = set()


def insert(request: Request) -> Outcome:
    """Insert all tasks, then see whether other sequences do better while there is time for them.

    An insertion counts as an iteration, also one that is left out because there are very many
    orders. The first is made whatever the budget says, unless it takes long, where the outcome may
    be what is at hand; the others are always the same, so ``seed``, ``start`` and ``threads``
    change nothing.
    """
    at_hand = plan_at_hand(replace(request, start=None))
    try:
        return _insert(request, None if at_hand is None else request.budget.require_time)
    except OutOfTimeError:
        assert at_hand is not None
        return at_hand


def _insert(request: Request, pause: Pause | None) -> Outcome:
    problem, budget, began = request.problem, request.budget, request.budget.seconds
    operations = operations_of(problem)
    pauses: dict[str, Any] = {} if pause is None else {"pause": pause}
    data = operations.prepare(problem, **pauses)

    def found(state: Any) -> tuple[float, Routes, float | None]:
        goal = operations.best_goal(data, state)
        return operations.best_cost(data, state), operations.best_routes(data, state), goal

    def tell(tries: int, cost: float, routes: Routes, goal: float | None) -> None:
        claim = cost if goal is None else goal
        request.tell(tries, cost, lambda: Plan.from_indices(problem, routes, claim), goal)

    cost, routes, goal = found(operations.initial(data, 0, **pauses))
    tell(1, cost, routes, goal)
    tries = _tries(budget, budget.seconds - began)
    if tries > 1:
        best = found(operations.best_initial(data, tries))
        cost, routes, goal = best if best[0] < cost else (cost, routes, goal)
        tell(tries, cost, routes, goal)
    claim = cost if goal is None else goal
    return Outcome(Plan.from_indices(problem, routes, claim), iterations=tries)


def _tries(budget: Budget, seconds: float) -> int:
    """How many insertions there is time for, the first included, which took so many seconds."""
    if budget.done:
        return 1
    # Those that follow are made in one go, and the first once more.
    in_time = budget.seconds_left / max(seconds, 1e-9)
    return int(max(1, min(TRIES, in_time, 1 + budget.iterations_left)))


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    with announced("compiling the insertion, once, about 10 s", announce):
        problem = generate(f"{kind}/4/2")
        insert(Request(problem, Budget(MaxIterations(1))))
        if may_dispatch(problem):
            compile_dispatch(problem)


def warm_up_day(problem: Problem, announce: Callable[[str], None]) -> None:
    """The same for a problem with a day: the engine that inserts its tasks."""
    if code_of(problem) not in _compiled:
        with announced("compiling the insertion of days, once, about 15 s", announce):
            insert(Request(tiny_like(problem), Budget(MaxIterations(1))))
        _compiled.add(code_of(problem))
