"""A plan of yesterday, or of this morning, made to fit what the problem is now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from geopar.checking import check
from geopar.errors import Faults
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.travel import legs
from geopar.violations import Violation

Routes = list[list[Indices]]


def repaired(problem: Problem, plan: Plan) -> Plan:
    """A feasible plan that keeps as much as it can of one that is not.

    Vehicles and stops that are gone are dropped, and so is what comes twice, is too much or comes
    too late where it stands. What is then missing is put where it costs least; on a working day
    that may leave requests out it stays out, for the search to put back.

    Raises
    ------
    geopar.errors.InputError
        When what is locked breaks a rule by itself.
    """
    routes = _with_locked(problem, known_once(problem, plan))
    dropped = 1
    while True:
        report = check(problem, Plan.from_indices(problem, routes))
        wrong = [one for one in report.violations if one.code != "unserved"]
        if not wrong:
            break
        if any(one.code == "not-as-locked" for one in wrong):
            faults = Faults()
            for one in wrong:
                faults.add(one.code, "start", ..., one.message + ".", one.hint)
            faults.raise_now()
        routes = _without(problem, routes, _to_drop(problem, routes, wrong, dropped))
        dropped *= 2
    if problem.day is None or not problem.day.may_leave_out:
        routes = _completed(problem, routes)
    return Plan.from_indices(problem, routes)


def known_once(problem: Problem, plan: Plan) -> Routes:
    """What the problem still has, where it is served first."""
    seen: set[int] = set()
    routes: Routes = []
    for trips in plan.known_indices(problem):
        kept = []
        for trip in trips:
            new = [task for task in dict.fromkeys(trip.tolist()) if task not in seen]
            seen.update(new)
            kept.append(np.array(new, dtype=np.int64))
        routes.append([trip for trip in kept if len(trip)])
    return routes


def _with_locked(problem: Problem, routes: Routes) -> Routes:
    """Routes that begin with what is locked or on board, which is taken out elsewhere."""
    day = problem.day
    if day is None or (day.locked is None and day.on_board is None):
        return routes
    first: list[list[list[int]]] = []
    for v, trips in enumerate(routes):
        aboard = set(() if day.on_board is None else day.on_board[v])
        begins = [list(trip) for trip in day.locked[v] if trip] if day.locked is not None else []
        if aboard and not begins:
            order = [t for trip in trips for t in trip.tolist() if t in aboard]
            begins = [[*order, *sorted(aboard - set(order))]]
        first.append(begins)
    fixed = {task for trips in first for trip in trips for task in trip}
    found: Routes = []
    for v, trips in enumerate(routes):
        free = [[t for t in trip.tolist() if t not in fixed] for trip in trips]
        both = [*first[v], *(trip for trip in free if trip)]
        if not problem.comes_home and both:
            both = [list(chain(*both))]
        found.append([np.array(trip, dtype=np.int64) for trip in both])
    return found


def _to_drop(problem: Problem, routes: Routes, wrong: Sequence[Violation], count: int) -> set[int]:
    """Requests without which the plan breaks fewer rules: those named, or the last of a route."""
    requests = len(problem.request_ids)
    number = {task: i % requests for i, task in enumerate(problem.task_ids)}
    vehicles = {name: v for v, name in enumerate(problem.vehicle_ids)}
    drop: set[int] = set()
    for one in wrong:
        if one.tasks and one.code not in ("overload", "too-many-on-board"):
            drop.update(number[task] for task in one.tasks)
            continue
        for name in one.vehicles:
            trips = routes[vehicles[name]]
            chosen = trips if one.trip is None else [trips[one.trip - 1]]
            tasks = [task for trip in chosen for task in trip.tolist()]
            drop.update(task % requests for task in tasks[-count:])
    return drop


def _without(problem: Problem, routes: Routes, drop: set[int]) -> Routes:
    requests = len(problem.request_ids)

    def rest(trip: Indices) -> Indices:
        return trip[[task % requests not in drop for task in trip.tolist()]]

    return [[kept for trip in trips if len(kept := rest(trip))] for trips in routes]


def _completed(problem: Problem, routes: Routes) -> Routes:
    """Everything that is missing put where it costs least, one after the other."""
    served = {task for trips in routes for trip in trips for task in trip.tolist()}
    requests = len(problem.request_ids)
    missing = [i for i in range(requests) if i not in served]
    # An order of which one end is missing is no order: the checker has dropped it.
    for request in missing:
        if isinstance(problem, HCVRP):
            _insert_customer(problem, routes, request)
        else:
            _append_order(problem, routes, request)
    return routes


def _insert_customer(problem: HCVRP, routes: Routes, customer: int) -> None:
    """Where its vehicle is home soonest, in a trip with room or in a new one."""
    depot, demand = np.array([problem.num_tasks]), problem.demand
    speeds, travel = problem.speeds, problem.travel
    here = np.array([customer])
    best: tuple[float, int, int, int] | None = None
    for v, trips in enumerate(routes):
        if not may(problem, customer, v) or demand[customer] > problem.capacity[v]:
            continue
        ways = [np.concatenate([depot, trip, depot]) for trip in trips]
        lengths = [legs(travel, way) for way in ways]
        home = sum(float(length.sum()) for length in lengths)
        there_and_back = np.concatenate([depot, here, depot])
        options = [(float(legs(travel, there_and_back).sum()), len(trips), 0)]
        for t, (way, length) in enumerate(zip(ways, lengths, strict=True)):
            if demand[trips[t]].sum() + demand[customer] > problem.capacity[v]:
                continue
            to = travel.distance(way, np.broadcast_to(here, way.shape))
            extra = to[:-1] + to[1:] - length
            at = int(extra.argmin())
            options.append((float(extra[at]), t, at))
        extra_length, t, at = min(options)
        found = ((home + extra_length) / float(speeds[v]), v, t, at)
        best = found if best is None else min(best, found)
    if best is not None:
        _, v, t, at = best
        if t == len(routes[v]):
            routes[v].append(here)
        else:
            routes[v][t] = np.insert(routes[v][t], at, customer)


def _append_order(problem: Problem, routes: Routes, order: int) -> None:
    """Behind the route that delivers it soonest."""
    ends = np.array([order, len(problem.request_ids) + order])
    best: tuple[float, int] | None = None
    for v, trips in enumerate(routes):
        if not may(problem, order, v):
            continue
        way = np.concatenate([problem.homes[v : v + 1], *trips, ends])
        found = (float(legs(problem.travel, way).sum() / problem.speeds[v]), v)
        best = found if best is None else min(best, found)
    if best is not None:
        v = best[1]
        routes[v] = [np.concatenate([*routes[v], ends])]


def may(problem: Problem, task: int, vehicle: int) -> bool:
    """Whether a vehicle is allowed to serve a task."""
    day, requests = problem.day, len(problem.request_ids)
    return day is None or day.allowed is None or bool(day.allowed[task % requests, vehicle])
