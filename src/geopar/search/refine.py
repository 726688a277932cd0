"""``refine``: our own search, for all problems, from any start.

It runs in short compiled pieces between which it looks at the clock, tells its observer and lets
Ctrl-C through.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from geopar.compiled.warming import announced
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.random import generate
from geopar.search.at_hand import may_dispatch, plan_at_hand
from geopar.search.dispatch import compile_dispatch
from geopar.search.engines import (
    code_of,
    make_engine,
    operations_of,
    tiny_like,
    warm_up_teams,
)
from geopar.search.pace import run_paced
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations, OutOfTimeError

# Iterations between two looks at the budget when there is no time limit.
PIECE = 1000
# Without an end in sight the search cools over this many iterations for each task, and then again
# and again from its best plan, each time from a lower heat.
CYCLE = 2000
REHEAT = 0.4
# What this process has compiled for days, see :func:`geopar.search.engines.code_of`.
_compiled: set[tuple[object, ...]] = set()


def refine(request: Request) -> Outcome:
    """Improve ``start``, or an insertion of all tasks, until the budget is spent.

    Of very many tasks the insertion may take longer than there is time for: then the outcome is
    what dispatch gives or is dealt out along a curve, or ``start``.

    Several threads share the plan of a large fleet, each with the full number of iterations for
    some of its vehicles at a time; small ones are searched side by side. The same seed, iterations
    and threads give the same plan.
    """
    problem, budget, start = request.problem, request.budget, request.start
    at_hand = plan_at_hand(request)
    cycle = CYCLE * problem.num_tasks
    by_time = budget.seconds_left / operations_of(problem).seconds_per_iteration
    expected = min(budget.iterations_left, by_time)
    endless = math.isinf(budget.rule.seconds_left(budget.progress)) and not _counts(budget)
    horizon = cycle if endless else max(0.0, expected)
    routes = None if start is None else start.to_indices(problem)
    pause = None if at_hand is None else budget.require_time
    try:
        if pause is not None:
            pause()
        engine = make_engine(problem, routes, request.seed, horizon, request.threads, pause)
    except OutOfTimeError:
        assert at_hand is not None
        return at_hand
    cost = engine.advance(0, 0.0, 0.0)

    def plan() -> Plan:
        # Of a day the cost holds what is left out as well: no claim that could be checked.
        claim = cost if problem.day is None else None
        return Plan.from_indices(problem, engine.best_routes(), claim)

    cycles = 0

    def advance(count: int, begin: float, end: float) -> tuple[int, float]:
        nonlocal cost
        floor = REHEAT if cycles else 0.0
        cost = engine.advance(count, floor + (1 - floor) * begin, floor + (1 - floor) * end)
        return count, cost

    done = 0
    while not cycles or (endless and not budget.done):
        if cycles:
            engine.rebase(engine.best_routes())
        most = cycle if endless else 1 << 62
        done += run_paced(advance, request, most, PIECE, cost, plan, engine.best_goal)
        cycles += 1
    return Outcome(plan(), done)


def _counts(budget: Budget) -> bool:
    """Whether some rule counts iterations towards an end, rather than since the last find."""
    now = budget.progress
    later = type(now)(now.seconds, now.iterations + 1, now.cost, 0.0, 0)
    return budget.rule.fraction(later) > budget.rule.fraction(now)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it."""
    _compile(generate(f"{kind}/4/2"), "compiling the search, once, about 20 s", announce)


def warm_up_day(problem: Problem, announce: Callable[[str], None]) -> None:
    """The same for a problem with a day: the engine that searches it."""
    if code_of(problem) not in _compiled:
        _compile(tiny_like(problem), "compiling the search of days, once, about 30 s", announce)
        _compiled.add(code_of(problem))


def _compile(problem: Problem, text: str, announce: Callable[[str], None]) -> None:
    with announced(text, announce):
        plan = refine(Request(problem, Budget(MaxIterations(2)))).plan
        refine(Request(problem, Budget(MaxIterations(2)), start=plan))
        warm_up_teams(problem)
        if may_dispatch(problem):
            compile_dispatch(problem)
