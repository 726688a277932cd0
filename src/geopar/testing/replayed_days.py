"""A whole day replayed, morning as driven and rest as planned again, by its own few lines.

Each vehicle is driven from place to place with the travel times of the whole day's problem. Nothing
of the rest's problem is used but the plan that was made for it and who was to be where.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from geopar.plan import Indices, Plan
from geopar.problems import HCVRP, Problem
from geopar.replanning.rest import RestOfDay
from geopar.replanning.whereabouts import Whereabouts
from geopar.schedule import schedule

CLOSE = 1e-6


Call = tuple[int, float, float, float, int | None]
"""Place, arrival, begin, departure and task."""


def _get(day: Any, name: str, i: int, otherwise: float) -> float:
    value = None if day is None else getattr(day, name)
    return otherwise if value is None else float(value[i])


class Driver:
    """One vehicle that is driven; what goes wrong is noted."""

    def __init__(self, problem: Problem, v: int, now: float, place: int, wrong: list[str]) -> None:
        self.problem, self.day, self.v = problem, problem.day, v
        self.now, self.place, self.wrong = now, place, wrong

    def drive(self, place: int) -> None:
        """Go to a place."""
        self.now += float(self.problem.travel.duration(self.v, self.place, place))
        self.place = place

    def serve(
        self, task: int, place: int, *, fetched: bool = False, ready: float = -math.inf
    ) -> None:
        """Drive there, wait for a window, and serve."""
        self.drive(place)
        windows = []
        if self.day is not None and self.day.windows is not None and not fetched:
            at = slice(self.day.windows.offset[task], self.day.windows.offset[task + 1])
            opens, closes = self.day.windows.opens[at], self.day.windows.closes[at]
            windows = list(zip(opens, closes, strict=True))
        now = max(self.now, ready)
        if not self.problem.comes_home:
            now = max(now, _get(self.day, "released", task, -math.inf))
        fits = [max(now, a) for a, b in windows if max(now, a) <= b + CLOSE]
        if windows and not fits:
            self.wrong.append(f"late at {task}")
        self.now = (fits[0] if fits else now) + _get(self.day, "service", task, 0.0)

    def load(self, goods: Iterable[int], late: Mapping[int, float]) -> None:
        """At the depot, or where the vehicle starts if there is none."""
        released = [max(_get(self.day, "released", t, -math.inf), late.get(t, -math.inf))
                    for t in goods]  # fmt: skip
        if self.day is None or self.day.has_depot:
            self.drive(self.problem.num_tasks)
            if self.day is not None:
                self.now = max(self.now, self.day.opens) + self.day.loading
                self.check(self.now <= self.day.closes + CLOSE, "depot closed")
        self.now = max([self.now, *released])

    def check(self, holds: Any, what: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.wrong.append(f"{self.problem.vehicle_ids[self.v]}: {what}")


def loads(problem: Problem) -> tuple[Any, Any]:
    """What each request takes, and what each vehicle has room for, in all dimensions."""
    day = problem.day
    if isinstance(problem, HCVRP):
        first, room = problem.demand, problem.capacity
    else:
        size = None if day is None else day.size
        first = np.ones(problem.num_orders) if size is None else size
        room = problem.capacity
    if day is None or day.extra_demand is None or day.extra_capacity is None:
        return first[:, None], room[:, None]
    both = np.column_stack([first, day.extra_demand])
    return both, np.column_stack([room, day.extra_capacity])


def faults_of(rest: RestOfDay, plan: Plan) -> list[str]:
    """All that is wrong with a day: what `rest` says of the morning, and `plan` for what is left.

    The morning itself is taken from the schedule: who has done what is checked against its times.
    """
    problem, wrong = rest.day, list[str]()
    ids = {task: i for i, task in enumerate(problem.task_ids)}
    served = Counter(task for one in rest.vehicles for task in one.done)
    routes = {route.vehicle: route.trips for route in plan.routes}
    orders = len(problem.request_ids)
    last = problem.num_tasks - orders
    late: dict[
        int, float
    ] = {}  # what was in a vehicle that is out of service, or goes back to the depot
    fetched: dict[int, int] = {}
    for v, one in enumerate(rest.vehicles):
        name = problem.vehicle_ids[v]
        if name in rest.out_of_service:
            if one.doing != "loading":
                late |= dict.fromkeys(one.aboard, rest.goods_back.get(name, rest.now))
                fetched |= dict.fromkeys(one.aboard, one.last_place)
            if routes.get(name):
                wrong.append(f"{name} drives though it is out of service")
        late |= dict.fromkeys(one.back, one.free)
    aboard_of = {
        task: v
        for v, one in enumerate(rest.vehicles)
        if problem.vehicle_ids[v] not in rest.out_of_service
        for task in one.aboard
    }
    for v, one in enumerate(rest.vehicles):
        trips = [[ids[task] for task in trip] for trip in routes.get(problem.vehicle_ids[v], ())]
        trips = [trip for trip in trips if trip]
        if trips:
            _drive_rest(problem, v, one, trips, wrong, served, late, fetched, aboard_of)
    cancelled = {i for i, name in enumerate(problem.request_ids) if name in rest.cancelled}
    for task, count in served.items():
        if count > 1:
            wrong.append(f"{problem.task_ids[task]} is served {count} times")
    left_out = {i for i in range(orders) if not served[i + last]} - cancelled
    known = () if rest.problem is None else rest.problem.request_ids
    names = [problem.request_ids[request] for request in left_out]
    return [*wrong, *_morning(rest), *(f"{name} is lost" for name in names if name not in known)]


def _morning(rest: RestOfDay) -> list[str]:
    """Whether everybody has done what is said of them, and can be where they are said to be."""
    problem, wrong = rest.day, list[str]()
    depot = problem.num_tasks
    routes = rest.plan.to_indices(problem)
    for v, (one, table) in enumerate(zip(rest.vehicles, schedule(problem, routes), strict=True)):
        name = problem.vehicle_ids[v]
        if one.begun is None:
            if one.done or (routes[v] and table.begin <= rest.now) or one.free < rest.now:
                wrong.append(f"{name} has begun")
            continue
        calls = _followed(problem, v, routes[v], table.begin)
        done = {task for _, _, begin, _, task in calls if begin <= rest.now and task is not None}
        if done != set(one.done):
            wrong.append(f"{name} has done {done}, not {set(one.done)}")
        # It may be at a place where it comes after all that it has begun, and not before it is
        # there, nor before what it has begun there is over.
        could = False
        for k, (place, arrival, begin, departure, _) in enumerate(calls):
            ready = departure if begin <= rest.now else arrival
            before = all(earlier[2] <= rest.now + CLOSE for earlier in calls[:k])
            could |= place == one.place and before and one.free >= max(ready, rest.now) - CLOSE
        if not could and not (one.place == problem.homes[v] and one.doing == "waiting"):
            wrong.append(f"{name} cannot be at {one.place} at {one.free}")
        at_depot = problem.comes_home and one.place == depot
        if at_depot and one.aboard and one.doing != "loading":
            wrong.append(f"{name} has goods on board at the depot")
    return wrong


def _followed(problem: Problem, v: int, trips: Sequence[Indices], begin: float) -> list[Call]:
    """Place, arrival, begin, departure and task of all that a vehicle does from some moment on."""
    day, home = problem.day, int(problem.homes[v])
    told = set[int]() if day is None or day.on_board is None else set(day.on_board[v])
    driver, calls = Driver(problem, v, begin, home, []), list[Call]()
    for number, trip in enumerate(trips):
        goods = trip.tolist()
        if problem.comes_home and not (number == 0 and told & set(goods)):
            at = driver.place
            driver.drive(problem.num_tasks if day is None or day.has_depot else at)
            arrival = driver.now
            driver.load(goods, {})
            loading = 0.0 if day is None else day.loading
            begin_loading = max(arrival, driver.now - loading)
            calls.append((driver.place, arrival, begin_loading, driver.now, None))
        for task in goods:
            if task in told and not problem.comes_home:
                driver.drive(home)
                calls.append((home, driver.now, driver.now, driver.now, task))
                continue
            driver.drive(task)
            arrival = driver.now
            driver.serve(task, task)
            service = _get(day, "service", task, 0.0)
            calls.append((task, arrival, driver.now - service, driver.now, task))
    if problem.ends[v] >= 0:
        driver.drive(int(problem.ends[v]))
        calls.append((driver.place, driver.now, driver.now, driver.now, None))
    return calls


def _drive_rest(
    problem: Problem,
    v: int,
    one: Whereabouts,
    trips: list[list[int]],
    wrong: list[str],
    served: Counter[int],
    late: Mapping[int, float],
    fetched: Mapping[int, int],
    aboard_of: Mapping[int, int],
) -> None:
    """What a vehicle does with the rest of its day."""
    day, orders = problem.day, len(problem.request_ids)
    driver = Driver(problem, v, one.free, one.place, wrong)
    demand, room = loads(problem)
    made = one.trips_made
    for number, trip in enumerate(trips):
        carried = set(one.aboard) if number == 0 else set()
        for task in trip:
            whose = aboard_of.get(task % orders, v)
            driver.check(whose == v, f"serves what is on board of another: {task}")
            allowed = None if day is None else day.allowed
            driver.check(allowed is None or allowed[task % orders, v], f"may not serve {task}")
        if problem.comes_home:
            if carried & set(trip):
                driver.check(set(trip) <= carried, "mixes what is on board with other goods")
            else:
                driver.load(trip, late)
            driver.check((demand[trip].sum(0) <= room[v] * (1 + CLOSE)).all(), "too much on board")
            made += 1
            for task in trip:
                driver.serve(task, task)
                served[task] += 1
            continue
        load = np.zeros(demand.shape[1])
        for task in trip:
            picks_up = task < orders
            load += demand[task] if picks_up else -demand[task - orders]
            driver.check((load <= room[v] * (1 + CLOSE)).all(), "too much on board")
            if picks_up and task in one.aboard:
                continue
            if picks_up and task in fetched:
                driver.serve(task, fetched[task], fetched=True, ready=late[task])
                continue
            driver.serve(task, task)
            served[task] += 1
    end = int(problem.ends[v])
    if end >= 0:
        driver.drive(end)
        if day is not None and problem.comes_home and end == problem.num_tasks:
            driver.check(driver.now <= day.closes + CLOSE, "home after the depot has closed")
    if day is None:
        return
    closing = math.inf if day.available is None else day.available[v, 1]
    driver.check(driver.now <= closing + CLOSE, "works after the shift")
    if one.begun is not None:
        longest = _get(day, "longest", v, math.inf)
        driver.check(driver.now - one.begun <= longest + CLOSE, "is on duty too long")
    if problem.comes_home:
        most = _get(day, "most_trips", v, math.inf)
        driver.check(made <= (most if day.has_depot else min(most, 1.0)), "makes too many trips")
