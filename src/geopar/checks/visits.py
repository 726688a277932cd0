"""A plan's visits as arrays, and the rule that all problems share: every task is served once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geopar.plan import Numbers, Plan
from geopar.problems import Problem
from geopar.problems.tasks import Task
from geopar.violations import Violation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Visits:
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


def gather(problem: Problem, plan: Plan, found: list[Violation]) -> Visits:
    """All visits of a plan, with what is wrong about its routes, vehicles and ids."""
    numbers = plan.numbers(problem)
    return _by_name(problem, plan, found) if numbers is None else _by_number(numbers, found)


def _by_number(numbers: Numbers, found: list[Violation]) -> Visits:
    """Those of a plan that knows the problem's own numbers: nothing in it is unknown."""
    problem, vehicle = numbers.problem, numbers.vehicle
    count = np.bincount(vehicle, minlength=problem.num_vehicles)
    if not problem.comes_home:
        several = np.flatnonzero(count > 1).tolist()
        found.extend(_several_trips(problem.vehicle_ids[v], int(count[v])) for v in several)
    return Visits(
        numbers.tasks,
        np.repeat(np.arange(len(vehicle)), np.diff(numbers.bounds)),
        vehicle,
        np.arange(1, len(vehicle) + 1) - (np.cumsum(count) - count)[vehicle],
        list(problem.vehicle_ids),
    )


def _several_trips(name: str, count: int) -> Violation:
    message = f"vehicle {name} has {count} trips; here a route is one trip"
    return Violation("several-trips", message, (name,), found=count, allowed=1)


def _by_name(problem: Problem, plan: Plan, found: list[Violation]) -> Visits:
    """Those of a plan from anywhere."""
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
        elif count > 1 and not problem.comes_home:
            found.append(_several_trips(name, count))

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
    return Visits(
        task[known],
        trip_of[known],
        np.array(trip_vehicle, dtype=np.int64),
        np.array(trip_number, dtype=np.int64),
        names,
    )


def check_served_once(problem: Problem, visits: Visits, found: list[Violation]) -> list[int]:
    """Every task of the problem is visited once.

    Where a day allows it, requests may be left out as a whole: they are returned.
    """
    requests = len(problem.request_ids)
    count = np.bincount(visits.task, minlength=problem.num_tasks)
    never = count == 0
    left_out = np.zeros(requests, dtype=np.bool_)
    if problem.day is not None and problem.day.may_leave_out:
        left_out = never.reshape(-1, requests).all(0)
        never &= ~left_out[np.arange(problem.num_tasks) % requests]
    for i in np.flatnonzero(never).tolist():
        ids = problem.task_ids
        message = f"{ids[i]} is served by nobody"
        found.append(Violation("unserved", message, (), (ids[i],), found=0, allowed=1))
    twice = np.flatnonzero(count > 1).tolist()
    if not twice:
        return np.flatnonzero(left_out).tolist()
    # Plain lists: in a hopeless plan this loop runs over every task.
    by_task = visits.vehicle[np.argsort(visits.task, kind="stable")].tolist()
    counts, ends = count.tolist(), np.cumsum(count).tolist()
    ids = problem.task_ids
    for i in twice:
        times = counts[i]
        servers = by_task[ends[i] - times : ends[i]]
        names = tuple(dict.fromkeys([visits.names[v] for v in servers]))
        message = f"{ids[i]} is served {times} times, by {', '.join(names)}"
        found.append(Violation("served-twice", message, names, (ids[i],), found=times, allowed=1))
    return np.flatnonzero(left_out).tolist()
