"""A second checker of working days, written apart from the first: slow, and in another way.

A vehicle is followed as one function from the moment at which it begins to the moment at which it
is done; how late it may begin is found by halving, since later beginnings never finish sooner.
"""

import itertools
import math
from collections import Counter

HALVINGS = 200
CLOSE = 1e-7


def second_opinion(problem, plan):
    """The codes of broken rules with how often each is broken, and the objective."""
    day = problem.day
    codes: Counter[str] = Counter()
    dawn = 0.0
    if day.available is not None:
        dawn = min(float(begin) for begin, _ in day.available)
    finishes, duties, lengths, arrivals = [0.0], [], [], []
    routes = {route.vehicle: [trip for trip in route.trips if trip] for route in plan.routes}
    for v, name in enumerate(problem.vehicle_ids):
        trips = routes.get(name) or []
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


class Vehicle:
    """One vehicle and its trips."""

    def __init__(self, problem, v, trips):
        self.problem, self.day, self.v = problem, problem.day, v
        number = {task: i for i, task in enumerate(problem.task_ids)}
        self.trips = [[number[task] for task in trip] for trip in trips]
        self.opening = 0.0 if self.day.available is None else float(self.day.available[v][0])
        self.finish, self.begins, self.late = self.drive(self.opening)
        self.begin = self.latest_begin()

    def hop(self, origin, destination):
        problem = self.problem
        if self.day.matrices is not None:
            profiles = list(self.day.matrices)
            name = self.day.profile[self.v] if self.day.profile else profiles[0]
            rows = problem.matrix_rows
            table = self.day.matrices[name].durations
            return table[rows[origin]][rows[destination]] / problem.speeds[self.v]
        return math.dist(*problem.places_xy[[origin, destination]]) / problem.speeds[self.v]

    def drive(self, now):
        """The finish of a vehicle that begins now, when it serves, and what it is too late for."""
        problem, day = self.problem, self.day
        place, begins = problem.homes[self.v], []
        late: Counter[str] = Counter()
        depot = problem.num_tasks
        for trip in self.trips:
            if problem.comes_home:
                now += self.hop(place, depot)
                place = depot
                now = max(now, day.opens)
                if now + day.loading > day.closes + CLOSE:
                    late["depot-closed"] += 1
                now += day.loading
                if day.released is not None:
                    now = max([now, *(day.released[task] for task in trip)])
            for task in trip:
                now += self.hop(place, task)
                place = task
                now, in_time = self.open_moment(task, now)
                late["late"] += not in_time
                begins.append((task, now))
                now += 0.0 if day.service is None else day.service[task]
        end = problem.ends[self.v]
        if end >= 0:
            now += self.hop(place, end)
            if end == depot and now > day.closes + CLOSE:
                late["depot-closed"] += 1
        return now, begins, late

    def open_moment(self, task, now):
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

    def latest_begin(self):
        """By halving: the last moment from which it does as well as from the first."""

        def as_good(moment):
            finish, begins, late = self.drive(moment)
            if late != self.late:
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

    def broken_rules(self):
        problem, day, v = self.problem, self.day, self.v
        broken = Counter({code: count for code, count in self.late.items() if count})
        if day.available is not None and self.finish > day.available[v][1] + CLOSE:
            broken["shift-over"] += 1
        if day.longest is not None and self.finish - self.begin > day.longest[v] + CLOSE:
            broken["on-duty-too-long"] += 1
        if day.most_trips is not None and len(self.trips) > day.most_trips[v]:
            broken["too-many-trips"] += 1
        requests = len(problem.request_ids)
        if day.allowed is not None:
            tasks = [task for trip in self.trips for task in trip]
            forbidden = sum(not day.allowed[task % requests][v] for task in tasks)
            broken.update({"not-allowed": forbidden} if forbidden else {})
        overloads = sum(self.overloads(trip) for trip in self.trips)
        broken.update({"overload": overloads} if overloads else {})
        return broken

    def overloads(self, trip):
        """In how many dimensions there is ever too much on board."""
        problem, day = self.problem, self.day
        requests, count = len(problem.request_ids), 0
        more = 0 if day.extra_demand is None else day.extra_demand.shape[1]
        for d in range(1 + more):

            def size(task, d=d):
                if d:
                    return day.extra_demand[task % requests][d - 1]
                if problem.comes_home:
                    return problem.demand[task]
                return 1.0 if day.size is None else day.size[task % requests]

            room = problem.capacity[self.v] if d == 0 else day.extra_capacity[self.v][d - 1]
            if problem.comes_home:
                most = sum(map(size, trip))
            else:
                on_board = most = 0.0
                for task in trip:
                    on_board += size(task) if task < requests else -size(task)
                    most = max(most, on_board)
            count += most > room * (1 + CLOSE)
        return count

    def length(self):
        problem, day = self.problem, self.day
        places = [problem.homes[self.v]]
        for trip in self.trips:
            places += ([problem.num_tasks] if problem.comes_home else []) + trip
        places += [problem.ends[self.v]] if problem.ends[self.v] >= 0 else []
        total = 0.0
        for one, other in itertools.pairwise(places):
            if day.matrices is not None:
                name = day.profile[self.v] if day.profile else next(iter(day.matrices))
                rows = problem.matrix_rows
                total += day.matrices[name].distances[rows[one]][rows[other]]
            else:
                total += math.dist(*problem.places_xy[[one, other]])
        return total

    def deliveries(self):
        first = 0 if self.problem.comes_home else self.problem.num_tasks // 2
        return [at for task, at in self.begins if task >= first]
