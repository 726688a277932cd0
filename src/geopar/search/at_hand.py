"""A plan to fall back on before one is begun that may not be finished in time."""

from __future__ import annotations

from dataclasses import replace

from geopar.problems import HCVRP, Problem
from geopar.search.dispatch import deal, dispatch
from geopar.search.engines import MANY_TASKS
from geopar.solver import Outcome, Request

DISPATCH_NOTE = "the time was too short for an insertion, so this is what dispatch gives"
DEALT_NOTE = "the time was too short for an insertion, so tasks were dealt out along a curve"
START_NOTE = "the time was too short to begin, so this is the plan that was given to begin with"

# With so many loads for each vehicle to carry, dispatch gives a shorter makespan than dealing out
# does; with fewer it takes five times as long for a longer one.
MANY_LOADS = 20.0


def may_dispatch(problem: Problem) -> bool:
    """Whether the rule of dispatch knows all that there is to know of a problem."""
    return problem.day is None and problem.has_straight_lines


def plan_at_hand(request: Request) -> Outcome | None:
    """What to return if the time is up before the first plan is complete; told to the observer.

    None for what is so small that it is complete at once, and for days: their first plans cannot
    be given up, and dispatch knows nothing of them.
    """
    problem, start = request.problem, request.start
    if problem.num_tasks < MANY_TASKS or not may_dispatch(problem):
        return None
    if start is not None:
        return Outcome(start, 0, notes=(START_NOTE,))
    if should_deal(problem):
        return replace(deal(request), iterations=0, notes=(DEALT_NOTE,))
    given = dispatch(request)
    return replace(given, iterations=0, notes=(DISPATCH_NOTE, *given.notes))


def should_deal(problem: Problem) -> bool:
    """Whether tasks are better dealt out along a curve than left to the rule of dispatch."""
    if not isinstance(problem, HCVRP):
        return False
    return float(problem.demand.sum()) < MANY_LOADS * float(problem.capacity.sum())
