"""The floor: the vehicle that is free first takes the nearest open task that fits.

No seed, no search, no look ahead; what everything else must beat, and fast enough to be the start
of anything: a plan for 100,000 tasks takes well under a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled
from geopar.compiled.warming import announced
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, OMDCPDP
from geopar.problems.kinds import PROBLEM_KINDS
from geopar.problems.random import generate
from geopar.problems.travel import require_straight_lines
from geopar.search.nearest import OpenTasks, nearest, open_tasks, take
from geopar.solver import Outcome, Request
from geopar.stop import Budget, MaxIterations

Floats = NDArray[np.float64]

# Loads are sums: let the last of ten tenths in. Stricter than the checker's tolerance.
_SLACK = 1 + 1e-10

# Whatever its room, a vehicle collects at most so many orders before it delivers one: every step
# looks through all that is on board, and this keeps 100,000 tasks within a second.
_MOST_ABOARD = 1000


def dispatch(request: Request) -> Outcome:
    """Plan by the rule of this module, for any problem.

    It cannot stop halfway, so it takes its time whatever the budget says, and as the rule leaves
    nothing open, ``seed``, ``start`` and ``threads`` change nothing.

    Raises
    ------
    geopar.errors.InputError
        For a problem with a day: who is free first and what is near says nothing of windows.
    """
    problem = request.problem
    require_straight_lines(problem, "dispatch")
    routes, cost = PROBLEM_KINDS[problem.kind].dispatch.load()(problem)
    plan = Plan.from_indices(problem, routes, cost)
    request.tell(0, cost, lambda: plan)
    return Outcome(plan)


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile, so that no time limit pays for it: three seconds once, then kept on disk."""
    with announced("Compiling dispatch, once: a few seconds.", announce):
        dispatch(Request(generate(f"{kind}/4/2"), Budget(MaxIterations(0))))


def plan_hcvrp(problem: HCVRP) -> tuple[list[list[Indices]], float]:
    """Routes by the rule, and their makespan."""
    tasks, vehicle, trip, makespan = _run_hcvrp(
        open_tasks(problem.customers_xy, problem.demand),
        problem.customers_xy,
        problem.depot_xy,
        problem.demand,
        problem.capacity * _SLACK,
        problem.speed,
    )
    # Served in time order; the sort is stable, so each trip keeps its order.
    order = np.lexsort((trip, vehicle))
    tasks, vehicle, trip = tasks[order], vehicle[order], trip[order]
    routes: list[list[Indices]] = [[] for _ in range(problem.num_vehicles)]
    cuts = np.flatnonzero((np.diff(vehicle) != 0) | (np.diff(trip) != 0)) + 1
    for piece, at in zip(np.split(tasks, cuts), np.append(0, cuts), strict=True):
        routes[vehicle[at]].append(piece)
    return routes, float(makespan)


def plan_omdcpdp(problem: OMDCPDP) -> tuple[list[list[Indices]], float]:
    """Routes by the rule, and the sum of their arrivals."""
    # A pickup takes one place; the tree has no others.
    places = problem.tasks_xy
    tasks, vehicle, arrivals = _run_omdcpdp(
        open_tasks(places[: problem.num_orders], np.ones(problem.num_orders)),
        places,
        problem.starts_xy,
        np.minimum(problem.capacity, _MOST_ABOARD),
    )
    order = np.argsort(vehicle, kind="stable")
    cuts = np.cumsum(np.bincount(vehicle, minlength=problem.num_vehicles))[:-1]
    return [[tour] for tour in np.split(tasks[order], cuts)], float(arrivals)


# The kernels work on plain numbers: whole-row assignments would triple the time to compile.


@compiled
def _run_hcvrp(
    tree: OpenTasks,
    places: Floats,
    depot: Floats,
    demand: Floats,
    capacity: Floats,
    speed: Floats,
) -> tuple[Indices, Indices, Indices, float]:
    """Serve all customers; for each visit, in the order of decision, its task, vehicle, trip."""
    num_tasks, num_vehicles = len(demand), len(capacity)
    tasks = np.empty(num_tasks, dtype=np.int64)
    vehicles = np.empty(num_tasks, dtype=np.int64)
    trips = np.empty(num_tasks, dtype=np.int64)
    free, first = _queue(num_vehicles)
    # -1 is the depot
    at = np.full(num_vehicles, -1, dtype=np.int64)
    load = np.zeros(num_vehicles)
    trip = np.zeros(num_vehicles, dtype=np.int64)
    makespan, served, on_duty = 0.0, 0, True
    while on_duty:
        v = first[1]
        x, y = depot[0], depot[1]
        if at[v] >= 0:
            x, y = places[at[v], 0], places[at[v], 1]
        task = nearest(tree, x, y, capacity[v] - load[v])
        if task >= 0:
            take(tree, task)
            tasks[served], vehicles[served], trips[served] = task, v, trip[v]
            served += 1
            load[v] += demand[task]
            at[v] = task
            _drive(free, first, v, math.hypot(x - places[task, 0], y - places[task, 1]) / speed[v])
        elif at[v] >= 0:
            at[v] = -1
            trip[v] += 1
            load[v] = 0.0
            _drive(free, first, v, math.hypot(x - depot[0], y - depot[1]) / speed[v])
        else:
            # At the depot and empty, and still nothing fits, now and for ever.
            makespan = max(makespan, free[v])
            _drive(free, first, v, math.inf)
            on_duty = free[first[1]] < math.inf
    return tasks, vehicles, trips, makespan


@compiled
def _run_omdcpdp(
    tree: OpenTasks, places: Floats, starts: Floats, capacity: Floats
) -> tuple[Indices, Indices, float]:
    """Serve all orders; for each stop, in the order of decision, its task and vehicle."""
    num_tasks, num_vehicles = len(places), len(starts)
    half = num_tasks // 2
    tasks = np.empty(num_tasks, dtype=np.int64)
    vehicles = np.empty(num_tasks, dtype=np.int64)
    free, first = _queue(num_vehicles)
    # -1 is the start
    at = np.full(num_vehicles, -1, dtype=np.int64)
    # Who has what on board: a chain of orders per vehicle, newest first.
    aboard = np.zeros(num_vehicles, dtype=np.int64)
    newest = np.full(num_vehicles, -1, dtype=np.int64)
    older = np.full(half, -1, dtype=np.int64)
    arrivals, served = 0.0, 0
    while served < num_tasks:
        v = first[1]
        x, y = starts[v, 0], starts[v, 1]
        if at[v] >= 0:
            x, y = places[at[v], 0], places[at[v], 1]
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
            arrivals += free[v] + math.sqrt(best)
        elif task >= 0:
            take(tree, task)
            older[task] = newest[v]
            newest[v] = task
            aboard[v] += 1
        else:
            _drive(free, first, v, math.inf)
            continue
        tasks[served], vehicles[served] = task, v
        served += 1
        at[v] = task
        _drive(free, first, v, math.sqrt(best))
    return tasks, vehicles, arrivals


@compiled
def _queue(num_vehicles: int) -> tuple[Floats, Indices]:
    """When each vehicle is free, and a tournament tree of who is free first (at the root, 1)."""
    size = 1
    while size < num_vehicles:
        size *= 2
    free = np.zeros(size)
    for v in range(num_vehicles, size):
        free[v] = math.inf
    first = np.zeros(2 * size, dtype=np.int64)
    for node in range(2 * size - 1, 0, -1):
        # All are free at once: the left child, so that the first in the list begins.
        first[node] = node - size if node >= size else first[2 * node]
    return free, first


@compiled
def _drive(free: Floats, first: Indices, v: int, time: float) -> None:
    """Let a vehicle be busy for so long."""
    free[v] += time
    node = len(free) + v
    while node > 1:
        node //= 2
        left, right = first[2 * node], first[2 * node + 1]
        first[node] = right if free[right] < free[left] else left
