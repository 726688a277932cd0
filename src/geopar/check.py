"""The independent checker: what a plan really costs, and every rule that it breaks.

It shares no code with the environments and solvers whose work it judges, not even the lookup of
ids, so that one mistake cannot be made on both sides.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from geopar.violations import VIOLATIONS, Report, Violation

if TYPE_CHECKING:
    from geopar.plan import Plan, Task
    from geopar.problems import HCVRP, OMDCPDP, Problem

__all__ = ["VIOLATIONS", "Report", "Violation", "check"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Sums of many decimal fractions may miss the capacity by their rounding, and by no more.
LOAD_TOLERANCE = 1e-9
CLAIM_TOLERANCE = 1e-6


def check(problem: Problem, plan: Plan) -> Report:
    """Recompute a plan's objective and find every rule that it breaks.

    Parameters
    ----------
    problem
        What was to be planned.
    plan
        The plan, from wherever it came.

    Returns
    -------
    Report
        Never raises for a bad plan: the report says what is wrong with it.
    """
    if plan.kind != problem.kind:
        message = f"the plan is for {plan.kind}, the problem is {problem.kind}"
        violation = Violation("wrong-problem", message)
        return Report(problem.kind, (violation,), math.inf, np.zeros(problem.num_vehicles))
    found: list[Violation] = []
    visits = _gather(problem, plan, found)
    _check_served_once(problem, visits, found)
    if problem.kind == "hcvrp":
        _check_loads(problem, visits, found)
        completion = _times_at_home(problem, visits)
        objective = float(completion.max())
    else:
        _check_orders(problem, visits, found)
        _check_room(problem, visits, found)
        completion, objective = _lengths_and_arrivals(problem, visits)
    if not found:
        _check_claim(plan.objective, objective, found)
    return Report(problem.kind, tuple(found), math.inf if found else objective, completion)


@dataclass(frozen=True, slots=True)
class _Visits:
    """The plan's visits to known tasks as flat arrays, route after route.

    Vehicles that the problem does not have are numbered after those that it has: their visits
    count as visits, but they have neither a capacity nor a cost.
    """

    task: Ints
    trip: Ints
    trip_vehicle: Ints
    trip_number: Ints
    names: list[str]

    @property
    def vehicle(self) -> Ints:
        """The vehicle of each visit."""
        return self.trip_vehicle[self.trip]

    def capacity(self, problem: Problem) -> Floats:
        """The capacity of each vehicle that was named."""
        strangers = len(self.names) - problem.num_vehicles
        return np.concatenate([problem.capacity, np.full(strangers, np.inf)])


def _gather(problem: Problem, plan: Plan, found: list[Violation]) -> _Visits:
    vehicle_index = {name: i for i, name in enumerate(problem.vehicle_ids)}
    trips: list[tuple[Task, ...]] = []
    trip_vehicle: list[int] = []
    trip_number: list[int] = []
    num_routes: Counter[str] = Counter()
    num_trips: Counter[str] = Counter()
    for route in plan.routes:
        name = route.vehicle
        if name not in vehicle_index:
            message = f"vehicle {name} has a route, but the problem has no such vehicle"
            found.append(Violation("unknown-vehicle", message, (name,)))
        index = vehicle_index.setdefault(name, len(vehicle_index))
        num_routes[name] += 1
        for trip in route.trips:
            num_trips[name] += 1
            trips.append(trip)
            trip_vehicle.append(index)
            trip_number.append(num_trips[name])
    for name, routes in num_routes.items():
        count = num_trips[name]
        if routes > 1:
            message = f"vehicle {name} has {routes} routes"
            found.append(Violation("duplicate-vehicle", message, (name,), found=routes, allowed=1))
        elif problem.kind == "omdcpdp" and count > 1:
            message = f"vehicle {name} has {count} trips; here a route is one trip"
            found.append(Violation("several-trips", message, (name,), found=count, allowed=1))

    find = {task: i for i, task in enumerate(problem.task_ids)}.get
    lengths = np.array([len(trip) for trip in trips], dtype=np.int64)
    task = np.array([find(task, -1) for trip in trips for task in trip], dtype=np.int64)
    trip_of = np.repeat(np.arange(len(trips), dtype=np.int64), lengths)
    known = task >= 0
    strangers = np.flatnonzero(~known)
    first, names = np.cumsum(lengths) - lengths, list(vehicle_index)
    for at, t in zip(strangers.tolist(), trip_of[strangers].tolist(), strict=True):
        name, stranger = names[trip_vehicle[t]], trips[t][at - int(first[t])]
        message = f"vehicle {name} visits {stranger}, which the problem does not have"
        found.append(Violation("unknown-task", message, (name,), (stranger,), trip_number[t]))
    return _Visits(
        task[known],
        trip_of[known],
        np.array(trip_vehicle, dtype=np.int64),
        np.array(trip_number, dtype=np.int64),
        names,
    )


def _check_served_once(problem: Problem, visits: _Visits, found: list[Violation]) -> None:
    ids = problem.task_ids
    count = np.bincount(visits.task, minlength=problem.num_tasks)
    for i in np.flatnonzero(count == 0).tolist():
        message = f"{ids[i]} is served by nobody"
        found.append(Violation("unserved", message, (), (ids[i],), found=0, allowed=1))
    twice = np.flatnonzero(count > 1).tolist()
    if not twice:
        return
    # Plain lists: in a hopeless plan this loop runs over every task.
    by_task = visits.vehicle[np.argsort(visits.task, kind="stable")].tolist()
    counts, ends = count.tolist(), np.cumsum(count).tolist()
    for i in twice:
        times = counts[i]
        servers = by_task[ends[i] - times : ends[i]]
        names = tuple(dict.fromkeys([visits.names[v] for v in servers]))
        message = f"{ids[i]} is served {times} times, by {', '.join(names)}"
        found.append(Violation("served-twice", message, names, (ids[i],), found=times, allowed=1))


def _check_loads(problem: HCVRP, visits: _Visits, found: list[Violation]) -> None:
    trips = len(visits.trip_vehicle)
    load = np.bincount(visits.trip, weights=problem.demand[visits.task], minlength=trips)
    room = visits.capacity(problem)[visits.trip_vehicle]
    for t in np.flatnonzero(load > room * (1 + LOAD_TOLERANCE)).tolist():
        name, number = visits.names[visits.trip_vehicle[t]], int(visits.trip_number[t])
        message = (
            f"vehicle {name}, trip {number} carries {load[t]:.12g}, "
            f"but its capacity is {room[t]:.12g}"
        )
        begin, end = np.searchsorted(visits.trip, [t, t + 1])
        tasks = tuple(problem.task_ids[i] for i in visits.task[begin:end])
        found.append(
            Violation("overload", message, (name,), tasks, number, float(load[t]), float(room[t]))
        )


def _times_at_home(problem: HCVRP, visits: _Visits) -> Floats:
    """When each vehicle is home from its last trip (paper, Eqs. 14 and 15)."""
    if not len(visits.task):
        return np.zeros(problem.num_vehicles)
    place = problem.customers_xy[visits.task]
    to_depot = np.hypot(*(place - problem.depot_xy).T)
    hop = np.hypot(*np.diff(place, axis=0, prepend=place[:1]).T)
    changes = visits.trip[1:] != visits.trip[:-1]
    first, last = np.append(True, changes), np.append(changes, True)
    driven = np.where(first, to_depot, hop) + np.where(last, to_depot, 0.0)
    length = np.bincount(visits.vehicle, weights=driven, minlength=len(visits.names))
    return np.asarray(length[: problem.num_vehicles] / problem.speed)


def _first_visits(problem: OMDCPDP, visits: _Visits) -> tuple[Ints, Ints]:
    """Where each order is first picked up and first delivered; behind all visits for never."""
    first = np.full(problem.num_tasks, len(visits.task), dtype=np.int64)
    # Written backwards, so that of several visits the first one stays.
    first[visits.task[::-1]] = np.arange(len(visits.task))[::-1]
    return first[: problem.num_orders], first[problem.num_orders :]


def _check_orders(problem: OMDCPDP, visits: _Visits, found: list[Violation]) -> None:
    """Pickup before delivery, both on one vehicle."""
    pickup, delivery = _first_visits(problem, visits)
    vehicle = np.append(visits.vehicle, -1)
    by, to = vehicle[pickup], vehicle[delivery]
    num_orders, task_ids = problem.num_orders, problem.task_ids

    def note(code: str, where: NDArray[np.bool_], sentence: str) -> None:
        at = np.flatnonzero(where)
        for i, v, w in zip(at.tolist(), by[at].tolist(), to[at].tolist(), strict=True):
            one, other = visits.names[v], visits.names[w]
            message = sentence.format(problem.order_ids[i], one, other)
            names = (one, other) if code == "split-order" else (other,)
            both = (task_ids[i], task_ids[num_orders + i])
            found.append(Violation(code, message, names, both))

    delivered, both = to >= 0, (by >= 0) & (to >= 0)
    note(
        "delivery-without-pickup", delivered & ~both, "{0} is delivered by {2}, picked up by nobody"
    )
    note("split-order", both & (by != to), "{0} is picked up by {1} and delivered by {2}")
    note(
        "delivery-before-pickup", both & (by == to) & (delivery < pickup),
        "{0} is delivered by {2} before it is picked up",
    )  # fmt: skip


def _check_room(problem: OMDCPDP, visits: _Visits, found: list[Violation]) -> None:
    """Never too many on board; a delivery frees room only if its order was on board."""
    pickup, _ = _first_visits(problem, visits)
    vehicle, order = visits.vehicle, visits.task % problem.num_orders
    change = np.zeros(len(order) + 1, dtype=np.int64)
    change[pickup] = 1
    at = np.flatnonzero(visits.task >= problem.num_orders)
    at = at[at > pickup[order[at]]]
    at = at[vehicle[at] == vehicle[pickup[order[at]]]]
    change[at[np.unique(order[at], return_index=True)[1]]] = -1

    by_vehicle = np.argsort(vehicle, kind="stable")
    count = np.bincount(vehicle, minlength=len(visits.names))
    first = np.cumsum(count) - count
    so_far = np.cumsum(np.append(0, change[by_vehicle]))
    on_board = so_far[1:] - np.repeat(so_far[first], count)
    room = visits.capacity(problem)
    for v in np.unique(vehicle[by_vehicle[on_board > np.repeat(room, count)]]).tolist():
        worst = int(first[v] + on_board[first[v] : first[v] + count[v]].argmax())
        peak, stop = int(on_board[worst]), problem.task_ids[visits.task[by_vehicle[worst]]]
        message = (
            f"vehicle {visits.names[v]} has {peak} orders on board after the {stop}, "
            f"but room for {room[v]:g}"
        )
        found.append(
            Violation(
                "too-many-on-board", message, (visits.names[v],), (stop,),
                found=peak, allowed=float(room[v]),
            )
        )  # fmt: skip


def _lengths_and_arrivals(problem: OMDCPDP, visits: _Visits) -> tuple[Floats, float]:
    """How far each vehicle drives, and the sum of the deliveries' arrival times (paper, Eq. 16).

    The sum is taken by hops: each is driven before all deliveries that come after it on its route.
    """
    known = np.flatnonzero(visits.vehicle < problem.num_vehicles)
    if not len(known):
        return np.zeros(problem.num_vehicles), 0.0
    known = known[np.argsort(visits.vehicle[known], kind="stable")]
    vehicle, task = visits.vehicle[known], visits.task[known]
    place = problem.tasks_xy[task]
    begins = np.append(True, vehicle[1:] != vehicle[:-1])
    before = np.where(begins[:, None], problem.starts_xy[vehicle], np.roll(place, 1, axis=0))
    hop = np.hypot(*(place - before).T)
    length = np.bincount(vehicle, weights=hop, minlength=problem.num_vehicles)

    delivers = task >= problem.num_orders
    total = np.bincount(vehicle[delivers], minlength=problem.num_vehicles)
    earlier: Ints = np.cumsum(delivers) - delivers  # on this route and the routes before it
    still_to_come = np.cumsum(total)[vehicle] - earlier
    return np.asarray(length), float(hop @ still_to_come)


def _check_claim(claim: float | None, objective: float, found: list[Violation]) -> None:
    if claim is None:
        return
    if not math.isclose(claim, objective, rel_tol=CLAIM_TOLERANCE):
        message = f"the plan claims {claim:.12g}, but its routes have {objective:.12g}"
        found.append(Violation("wrong-objective", message, found=float(claim), allowed=objective))
