"""Planning again: a plan of yesterday, or of this morning, made to fit what the problem is now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from geopar.checking import check
from geopar.errors import Faults
from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.problems.travel import legs
from geopar.schedule import Timetable, schedule
from geopar.violations import Violation

Routes = list[list[Indices]]


def keep(problem: Problem, plan: Plan, span: float) -> Problem:
    """The problem with what the plan begins within the next ``span`` locked.

    HCVRP: trips that leave the depot by then; OMDCPDP: stops that are served by then. Time counts
    from the first start of the fleet.

    Parameters
    ----------
    plan
        What is being driven; what the problem does not have any more is left out of it.
    span
        In the problem's unit of time.
    """
    until = problem.first_start + span
    routes = _known_once(problem, plan)
    day = Day() if problem.day is None else problem.day
    told = day.locked or ((),) * problem.num_vehicles
    first = [{task for trip in trips for task in trip} for trips in told]
    for own, some in zip(first, day.on_board or (), strict=False):
        own.update(some)
    requests = len(problem.request_ids)
    # Both ends of an order are one vehicle's.
    taken = {task % requests: v for v, own in enumerate(first) for task in own}

    def may_keep(task: int, v: int) -> bool:
        mine = taken.get(task % requests, v) == v and task not in first[v]
        return mine and _may(problem, task, v)

    locked: list[list[list[int]]] = []
    for v, table in enumerate(schedule(problem, routes)):
        kept = [
            [task for task in trip if may_keep(task, v)] for trip in _begun(problem, table, until)
        ]
        locked.append(_joined(problem, v, [*map(list, told[v]), *filter(None, kept)]))
    return problem.replace(day=day.replace(locked=locked))


def _begun(problem: Problem, table: Timetable, until: float) -> list[list[int]]:
    """What a vehicle has begun by then: trips, or the first stops of its only one."""
    if problem.comes_home:
        leaves = [table.departure, *(trip[-1].departure for trip in table.trips[:-1])]
        return [
            [visit.task for visit in trip if visit.task is not None]
            for trip, at in zip(table.trips, leaves, strict=False)
            if at <= until
        ]
    begun = (visit for visit in table.visits if visit.arrival + visit.waiting <= until)
    return [[visit.task for visit in begun if visit.task is not None]]


def _joined(problem: Problem, v: int, trips: list[list[int]]) -> list[list[int]]:
    """The locked beginning of a route, behind what the vehicle has on board."""
    day = problem.day
    aboard = list(() if day is None or day.on_board is None else day.on_board[v])
    if not trips:
        return []
    if not problem.comes_home:
        stops = [task for trip in trips for task in trip]
        return [[*(task for task in aboard if task not in stops), *stops]]
    return trips if not aboard or set(aboard) == set(trips[0]) else [aboard, *trips]


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
    routes = _with_locked(problem, _known_once(problem, plan))
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


def _known_once(problem: Problem, plan: Plan) -> Routes:
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
        if not _may(problem, customer, v) or demand[customer] > problem.capacity[v]:
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
        if not _may(problem, order, v):
            continue
        way = np.concatenate([problem.homes[v : v + 1], *trips, ends])
        found = (float(legs(problem.travel, way).sum() / problem.speeds[v]), v)
        best = found if best is None else min(best, found)
    if best is not None:
        v = best[1]
        routes[v] = [np.concatenate([*routes[v], ends])]


def _may(problem: Problem, task: int, vehicle: int) -> bool:
    day, requests = problem.day, len(problem.request_ids)
    return day is None or day.allowed is None or bool(day.allowed[task % requests, vehicle])
