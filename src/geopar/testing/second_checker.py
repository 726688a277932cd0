"""A second checker of working days, written apart from the first: slow, and in another way.

A vehicle is followed as one function from the moment at which it begins to the moment at which it
is done; how late it may begin is found by halving, since later beginnings never finish sooner.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from geopar.plan import Plan
from geopar.problems import HCVRP, Problem

HALVINGS = 70
CLOSE = 1e-7


def second_opinion(problem: Problem, plan: Plan) -> tuple[Counter[str], float]:
    """The codes of broken rules with how often each is broken, and the objective."""
    day = problem.day
    assert day is not None
    codes: Counter[str] = Counter()
    dawn = 0.0
    if day.available is not None:
        dawn = min(float(begin) for begin, _ in day.available)
    finishes, duties, lengths, arrivals = [0.0], [], [], []
    routes = {route.vehicle: [trip for trip in route.trips if trip] for route in plan.routes}
    served = {task for trips in routes.values() for trip in trips for task in trip}
    for v, name in enumerate(problem.vehicle_ids):
        trips = routes.get(name) or []
        codes.update(promises(problem, v, trips, served))
        if not trips:
            continue
        vehicle = Vehicle(problem, v, trips)
        codes.update(vehicle.broken_rules())
        finishes.append(vehicle.finish - dawn)
        duties.append(vehicle.finish - vehicle.begin)
        lengths.append(vehicle.length())
        arrivals += [at - dawn for at in vehicle.deliveries()]
    goal = {
        "makespan": max(finishes),
        "duration": sum(duties),
        "distance": sum(lengths),
        "arrivals": sum(arrivals),
    }[problem.goal]
    return codes, goal


def promises(
    problem: Problem, v: int, trips: Sequence[Sequence[Any]], served: set[Any]
) -> Counter[str]:
    """Whether a route begins with what was promised: what is on board, and what is locked."""
    day, ids = problem.day, problem.task_ids
    assert day is not None
    stops = [task for trip in trips for task in trip]
    broken: Counter[str] = Counter()
    aboard = {ids[t] for t in (day.on_board[v] if day.on_board else ()) if ids[t] in served}
    if aboard:
        whole_trip = list(trips[0]) if trips else []
        first = whole_trip if problem.comes_home else stops[: len(aboard)]
        broken["not-as-locked"] += aboard != set(first)
    told = day.locked[v] if day.locked else ()
    locked = [[ids[t] for t in trip if ids[t] in served] for trip in told]
    if problem.comes_home:
        whole = [trip for trip in locked if trip]
        broken["not-as-locked"] += [list(trip) for trip in trips[: len(whole)]] != whole
    else:
        prefix = [task for trip in locked for task in trip]
        broken["not-as-locked"] += stops[: len(prefix)] != prefix
    return +broken


class Vehicle:
    """One vehicle and its trips."""

    def __init__(self, problem: Problem, v: int, trips: Sequence[Sequence[Any]]) -> None:
        assert problem.day is not None
        self.problem, self.day, self.v = problem, problem.day, v
        number = {task: i for i, task in enumerate(problem.task_ids)}
        self.trips = [[number[task] for task in trip] for trip in trips]
        self.places, self.rows = problem.places_xy.tolist(), problem.matrix_rows.tolist()
        self.speed = float(problem.speeds[v])
        self.aboard = set(self.day.on_board[v]) if self.day.on_board else set()
        self.opening = 0.0 if self.day.available is None else float(self.day.available[v][0])
        self.finish, self.begins, self.late = self.drive(self.opening)
        matters = problem.goal == "duration" or self.day.longest is not None
        self.begin = self.latest_begin() if matters else self.opening

    def hop(self, origin: int, destination: int) -> float:
        """How long it drives."""
        if self.day.matrices is None:
            driven = math.dist(self.places[origin], self.places[destination])
        else:
            name = self.day.profile[self.v] if self.day.profile else next(iter(self.day.matrices))
            table = self.day.matrices[name].durations
            driven = float(table[self.rows[origin], self.rows[destination]])
        return driven / self.speed

    def drive(self, now: float) -> tuple[float, list[tuple[int, float]], list[tuple[str, float]]]:
        """The finish of a vehicle that begins now, when it serves, and what it is too late for."""
        problem, day = self.problem, self.day
        place = int(problem.homes[self.v])
        begins: list[tuple[int, float]] = []
        late: list[tuple[str, float]] = []
        depot = problem.num_tasks
        for number, trip in enumerate(self.trips):
            under_way = number == 0 and self.aboard & set(trip)
            if problem.comes_home and not day.has_depot and not under_way:
                now += self.hop(place, int(problem.homes[self.v]))
                place = int(problem.homes[self.v])
                if day.released is not None:
                    now = max([now, *(day.released[task] for task in trip)])
            elif problem.comes_home and not under_way:
                now += self.hop(place, depot)
                place = depot
                now = max(now, day.opens)
                if now + day.loading > day.closes + CLOSE:
                    late.append(("depot-closed", now))
                now += day.loading
                if day.released is not None:
                    now = max([now, *(day.released[task] for task in trip)])
            for task in trip:
                if task in self.aboard and not problem.comes_home:
                    begins.append((task, now + self.hop(place, problem.homes[self.v])))
                    place, now = int(problem.homes[self.v]), begins[-1][1]
                    continue
                now += self.hop(place, task)
                place = task
                now, in_time = self.open_moment(task, now)
                late += [] if in_time else [("late", now)]
                begins.append((task, now))
                now += 0.0 if day.service is None else day.service[task]
        end = int(problem.ends[self.v])
        if end >= 0:
            now += self.hop(place, end)
            if end == depot and now > day.closes + CLOSE:
                late.append(("depot-closed", now))
        return now, begins, late

    def open_moment(self, task: int, now: float) -> tuple[float, bool]:
        """When a stop can be served, and whether that is in time."""
        day = self.day
        if not self.problem.comes_home and day.released is not None:
            now = max(now, day.released[task])
        if day.windows is None:
            return now, True
        mine = range(day.windows.offset[task], day.windows.offset[task + 1])
        for i in mine:
            if max(now, day.windows.opens[i]) <= day.windows.closes[i] + CLOSE:
                return max(now, day.windows.opens[i]), True
        return now, not len(mine)

    def latest_begin(self) -> float:
        """By halving: the last moment from which it does as well as from the first."""

        def as_good(moment: float) -> bool:
            finish, begins, late = self.drive(moment)
            if [code for code, _ in late] != [code for code, _ in self.late]:
                return False
            # Whoever is late must not be later still.
            if any(
                one > first + CLOSE / 10
                for (_, one), (_, first) in zip(late, self.late, strict=True)
            ):
                return False
            if self.problem.goal == "arrivals":
                same = zip(begins, self.begins, strict=True)
                return all(one[1] <= other[1] + CLOSE / 10 for one, other in same)
            return finish <= self.finish + CLOSE / 10

        good, bad = self.opening, self.finish + 1.0
        for _ in range(HALVINGS):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if as_good(middle) else (good, middle)
        return good

    def broken_rules(self) -> Counter[str]:
        """By code, how often."""
        problem, day, v = self.problem, self.day, self.v
        broken = Counter(code for code, _ in self.late)
        if day.available is not None and self.finish > day.available[v][1] + CLOSE:
            broken["shift-over"] += 1
        if day.longest is not None and self.finish - self.begin > day.longest[v] + CLOSE:
            broken["on-duty-too-long"] += 1
        most = math.inf if day.most_trips is None else day.most_trips[v]
        if len(self.trips) > (most if day.has_depot else min(most, 1)):
            broken["too-many-trips"] += 1
        requests = len(problem.request_ids)
        if day.allowed is not None:
            tasks = [task for trip in self.trips for task in trip]
            forbidden = sum(not day.allowed[task % requests][v] for task in tasks)
            broken.update({"not-allowed": forbidden} if forbidden else {})
        overloads = sum(self.overloads(trip) for trip in self.trips)
        broken.update({"overload": overloads} if overloads else {})
        return broken

    def overloads(self, trip: list[int]) -> int:
        """In how many dimensions there is ever too much on board."""
        problem, day = self.problem, self.day
        requests, count = len(problem.request_ids), 0
        more = 0 if day.extra_demand is None else day.extra_demand.shape[1]
        for d in range(1 + more):

            def size(task: int, d: int = d) -> float:
                if d and day.extra_demand is not None:
                    return float(day.extra_demand[task % requests][d - 1])
                if isinstance(problem, HCVRP):
                    return float(problem.demand[task])
                return 1.0 if day.size is None else float(day.size[task % requests])

            room = float(problem.capacity[self.v])
            if d and day.extra_capacity is not None:
                room = float(day.extra_capacity[self.v][d - 1])
            if problem.comes_home:
                most = sum(map(size, trip))
            else:
                on_board = most = 0.0
                for task in trip:
                    on_board += size(task) if task < requests else -size(task)
                    most = max(most, on_board)
            count += most > room * (1 + CLOSE)
        return count

    def length(self) -> float:
        """How far it drives."""
        problem, day = self.problem, self.day
        home = int(problem.homes[self.v])
        places = [home]
        for number, trip in enumerate(self.trips):
            under_way = number == 0 and self.aboard & set(trip)
            if problem.comes_home and not under_way:
                places.append(problem.num_tasks if day.has_depot else home)
            at_start = self.aboard if not problem.comes_home else set[int]()
            places += [home if task in at_start else task for task in trip]
        places += [int(problem.ends[self.v])] if problem.ends[self.v] >= 0 else []
        total = 0.0
        for one, other in itertools.pairwise(places):
            if day.matrices is not None:
                name = day.profile[self.v] if day.profile else next(iter(day.matrices))
                rows = problem.matrix_rows
                total += day.matrices[name].distances[rows[one]][rows[other]]
            else:
                total += math.dist(*problem.places_xy[[one, other]])
        return total

    def deliveries(self) -> list[float]:
        """When service begins at each stop that counts."""
        first = 0 if self.problem.comes_home else self.problem.num_tasks // 2
        return [at for task, at in self.begins if task >= first]
