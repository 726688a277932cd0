"""The floor: the vehicle that is free first takes the nearest open task that fits.

No seed, no search, no look ahead; what everything else must beat, and fast enough to be the start
of anything: a plan for 100,000 tasks takes well under a second. Should even that be too long, what
is open then is dealt out along a curve (:mod:`geopar.search.dealing`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled
from geopar.compiled.warming import announced
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.random import generate
from geopar.problems.travel import require_straight_lines
from geopar.search.dealing import deal_customers, deal_orders
from geopar.search.fleet import (
    TOTAL,
    VISITS,
    Fleet,
    Trips,
    Visits,
    drive,
    go_home,
    idle_fleet,
    no_visits,
    note,
    trips_of,
    where,
)
from geopar.search.nearest import OpenTasks, nearest, open_tasks, take
from geopar.search.neighbours import Pause, go_on
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations, OutOfTimeError

Floats = NDArray[np.float64]

# Loads are sums: let the last of ten tenths in. Stricter than the checker's tolerance.
_SLACK = 1 + 1e-10

# Whatever its room, a vehicle collects at most so many orders before it delivers one: every step
# looks through all that is on board, and this keeps 100,000 tasks within a second.
_MOST_ABOARD = 1000

# Decisions between two looks at the time, a hundredth of a second.
PIECE = 3_000

HURRIED_NOTE = "the time was too short for dispatch, so {} tasks were dealt out along a curve"


def dispatch(request: Request) -> Outcome:
    """Plan by the rule of this module, for any problem.

    Iterations are nothing to it, and as the rule leaves nothing open, ``seed``, ``start`` and
    ``threads`` change nothing. When the time is up, all that is still open is dealt out at once.

    Raises
    ------
    geopar.errors.InputError
        For a problem with a day: who is free first and what is near says nothing of windows.
    """
    problem = request.problem
    require_straight_lines(problem, "dispatch")
    plan_by_rule = PROBLEM_KINDS[problem.kind].dispatch.load()
    trips: Trips
    trips, cost, dealt = plan_by_rule(problem, request.budget.require_time)
    plan = Plan.from_flat(problem, *trips, cost)
    request.tell(0, cost, lambda: plan)
    return Outcome(plan, notes=(HURRIED_NOTE.format(f"{dealt:,}"),) if dealt else ())


def deal(request: Request) -> Outcome:
    """Deal all tasks out along the curve, in well under a second for a million of them."""
    problem = request.problem
    require_straight_lines(problem, "dealing out")
    trips: Trips
    trips, cost, _ = PROBLEM_KINDS[problem.kind].dispatch.load()(problem, give_up, 0)
    plan = Plan.from_flat(problem, *trips, cost)
    request.tell(0, cost, lambda: plan)
    return Outcome(plan)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it: three seconds once, then kept on disk."""
    with announced("Compiling dispatch, once: a few seconds.", announce):
        compile_dispatch(generate(f"{kind}/4/2"))


def compile_dispatch(problem: Problem) -> None:
    """Compile the rule, and what deals out when there is no time for it, on a small problem."""
    request = Request(problem, Budget(MaxIterations(0)))
    dispatch(request)
    deal(request)


def give_up() -> float:
    """A pause that ends it all."""
    raise OutOfTimeError


def plan_hcvrp(
    problem: HCVRP, pause: Pause = go_on, piece: int = PIECE
) -> tuple[Trips, float, int]:
    """Trips by the rule, their makespan, and how many customers there was no time for."""
    places, demand, vehicles = problem.customers_xy, problem.demand, problem.num_vehicles
    tree = open_tasks(places, demand)
    fleet, visits = idle_fleet(vehicles), no_visits(len(demand))
    room = problem.capacity * _SLACK
    given = tree, places, problem.depot_xy, room, problem.speed, fleet, visits
    dealt = 0
    try:
        while _run_hcvrp(*given, demand, piece):
            pause()
    except OutOfTimeError:
        dealt = len(demand) - int(visits.done[VISITS])
        deal_customers(*given)
    return trips_of(visits, vehicles), float(visits.value[TOTAL]), dealt


def plan_omdcpdp(
    problem: OMDCPDP, pause: Pause = go_on, piece: int = PIECE
) -> tuple[Trips, float, int]:
    """A trip for each vehicle by the rule, the sum of arrivals, and stops without time for them."""
    # A pickup takes one place; the tree has no others.
    places, orders, vehicles = problem.tasks_xy, problem.num_orders, problem.num_vehicles
    tree = open_tasks(places[:orders], np.ones(orders))
    fleet, visits = idle_fleet(vehicles), no_visits(len(places))
    # Who has what on board: a chain of orders per vehicle, newest first.
    newest, older = np.full(vehicles, -1), np.full(orders, -1)
    room = np.minimum(problem.capacity, _MOST_ABOARD)
    given = tree, places, problem.starts_xy, newest, older, fleet, visits, room
    dealt = 0
    try:
        while _run_omdcpdp(*given, piece):
            pause()
    except OutOfTimeError:
        dealt = len(places) - int(visits.done[VISITS])
        deal_orders(*given)
    return trips_of(visits, vehicles), float(visits.value[TOTAL]), dealt


# The kernels work on plain numbers: whole-row assignments would triple the time to compile.


@compiled
def _run_hcvrp(
    tree: OpenTasks,
    places: Floats,
    depot: Floats,
    capacity: Floats,
    speed: Floats,
    fleet: Fleet,
    visits: Visits,
    demand: Floats,
    decisions: int,
) -> bool:
    """Decide so often who serves which customer; whether there is more to decide."""
    load, free, total = fleet.load, fleet.free, visits.value
    for _ in range(decisions):
        v = fleet.first[1]
        if free[v] == math.inf:
            return False
        x, y = where(fleet, v, places, depot[0], depot[1])
        task = nearest(tree, x, y, capacity[v] - load[v])
        if task >= 0:
            take(tree, task)
            note(fleet, visits, v, task)
            load[v] += demand[task]
            drive(fleet, v, math.hypot(x - places[task, 0], y - places[task, 1]) / speed[v])
        elif fleet.at[v] >= 0:
            go_home(fleet, v, places, depot, speed[v])
        else:
            # At the depot and empty, and still nothing fits, now and for ever.
            total[TOTAL] = max(total[TOTAL], free[v])
            drive(fleet, v, math.inf)
    return True


@compiled
def _run_omdcpdp(
    tree: OpenTasks,
    places: Floats,
    starts: Floats,
    newest: Indices,
    older: Indices,
    fleet: Fleet,
    visits: Visits,
    capacity: Floats,
    decisions: int,
) -> bool:
    """Decide so often who goes where next; whether there is more to decide."""
    aboard, free, done, half = fleet.load, fleet.free, visits.done, len(older)
    for _ in range(decisions):
        if done[VISITS] == len(places):
            return False
        v = fleet.first[1]
        x, y = where(fleet, v, places, starts[v, 0], starts[v, 1])
        task, best = -1, math.inf
        if aboard[v] < capacity[v]:
            task = nearest(tree, x, y, 1.0)
        if task >= 0:
            best = (x - places[task, 0]) ** 2 + (y - places[task, 1]) ** 2
        newer, order = -1, newest[v]
        before, chosen = -1, -1
        while order >= 0:
            squared = (x - places[half + order, 0]) ** 2 + (y - places[half + order, 1]) ** 2
            # On a tie a delivery goes first: it counts, and it makes room.
            if squared < best or (squared == best and chosen < 0):
                best, before, chosen = squared, newer, order
            newer, order = order, older[order]
        if chosen >= 0:
            task = half + chosen
            if before >= 0:
                older[before] = older[chosen]
            else:
                newest[v] = older[chosen]
            aboard[v] -= 1
            visits.value[TOTAL] += free[v] + math.sqrt(best)
        elif task >= 0:
            take(tree, task)
            older[task] = newest[v]
            newest[v] = task
            aboard[v] += 1
        else:
            drive(fleet, v, math.inf)
            continue
        note(fleet, visits, v, task)
        drive(fleet, v, math.sqrt(best))
    return bool(done[VISITS] < len(places))
