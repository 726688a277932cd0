"""The rules of a working day, for the checker: see :mod:`geopar.problems.day` for how time goes.

Times are followed stop by stop in plain Python, with no code that makes or shows plans.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.violations import Violation

Floats = NDArray[np.float64]
Trips = Sequence[NDArray[np.int64]]
Routes = Sequence[Trips]

# Sums of many times may miss a limit by their rounding, and by no more: this part of the moment.
TIME_TOLERANCE = 1e-9
LOAD_TOLERANCE = 1e-9
EARLIEST = -math.inf


class _Followed(NamedTuple):
    """What came of following one vehicle.

    ``begin`` and ``finish`` bound its time on duty, ``served`` is when service began at each task.
    """

    begin: float
    finish: float
    driven: float
    served: dict[int, float]


def judge(problem: Problem, routes: Routes, found: list[Violation]) -> tuple[Floats, float]:
    """Loads, times, shifts, who may serve whom, what is locked; completion times and objective.

    Parameters
    ----------
    routes
        For each vehicle its trips of tasks that the problem has.
    """
    day = problem.day
    assert day is not None
    served = {task for trips in routes for trip in trips for task in trip.tolist()}
    days = []
    for v, trips in enumerate(routes):
        some = [trip for trip in trips if len(trip)]
        _check_who(problem, day, v, some, found, served)
        _check_loads(problem, v, some, found)
        days.append(follow(problem, day, v, some, found) if some else None)
    dawn = problem.first_start
    busy = [one for one in days if one is not None]
    completion = np.array([one.finish - dawn if one else 0.0 for one in days])
    if problem.goal == "makespan":
        return completion, float(completion.max(initial=0.0))
    if problem.goal == "duration":
        return completion, math.fsum(one.finish - one.begin for one in busy)
    if problem.goal == "distance":
        return completion, math.fsum(one.driven for one in busy)
    last = problem.num_tasks // 2 if not problem.comes_home else 0
    arrivals = (at for one in busy for task, at in one.served.items() if task >= last)
    return completion, math.fsum(at - dawn for at in arrivals)


def _late(moment: float, limit: float) -> bool:
    return moment > limit + TIME_TOLERANCE * max(1.0, abs(limit), abs(moment))


def _windows(day: Day, task: int) -> Iterator[tuple[float, float]]:
    if day.windows is not None:
        for i in range(int(day.windows.offset[task]), int(day.windows.offset[task + 1])):
            yield float(day.windows.opens[i]), float(day.windows.closes[i])


def loads_of(problem: Problem) -> Floats:
    """``(requests, dimensions)``: what each request takes."""
    day = problem.day
    assert day is not None
    if isinstance(problem, HCVRP):
        first = problem.demand
    else:
        first = np.ones(problem.num_orders) if day.size is None else day.size
    return np.column_stack([first] if day.extra_demand is None else [first, day.extra_demand])


def capacities_of(problem: Problem) -> Floats:
    """``(vehicles, dimensions)``: what each vehicle has room for."""
    more = None if problem.day is None else problem.day.extra_capacity
    return np.column_stack([problem.capacity] if more is None else [problem.capacity, more])


def _check_loads(problem: Problem, vehicle: int, trips: Trips, found: list[Violation]) -> None:
    """No trip, and no moment between a pickup and its delivery, with more than there is room."""
    loads, room = loads_of(problem), capacities_of(problem)[vehicle]
    name, requests = problem.vehicle_ids[vehicle], len(problem.request_ids)
    for number, trip in enumerate(trips, start=1):
        if problem.comes_home:
            most = loads[trip].sum(0)
        else:
            sign = np.where(trip < requests, 1.0, -1.0)[:, None]
            most = np.cumsum(sign * loads[trip % requests], axis=0).max(0)
        for d in np.flatnonzero(most > room * (1 + LOAD_TOLERANCE)).tolist():
            which = f" (dimension {d + 1})" if len(room) > 1 else ""
            text = (
                f"vehicle {name}, trip {number} carries {most[d]:.12g}, "
                f"but its capacity is {room[d]:.12g}{which}"
            )
            found.append(
                Violation("overload", text, (name,), (), number, float(most[d]), float(room[d]))
            )


class _Event(NamedTuple):
    """Something that happens at a place.

    ``task`` is None at the depot and at the end. Service may begin inside one of ``windows``, if
    there are any, and the vehicle does not go on before ``ready``.
    """

    place: int
    task: int | None
    windows: tuple[tuple[float, float], ...]
    service: float
    ready: float


def _events(problem: Problem, day: Day, vehicle: int, trips: Trips) -> list[_Event]:
    """All that happens behind the start of a vehicle."""
    start, depot = int(problem.homes[vehicle]), problem.num_tasks
    aboard = frozenset(() if day.on_board is None else day.on_board[vehicle])
    events = []
    for number, trip in enumerate(trips):
        if problem.comes_home and (number > 0 or aboard.isdisjoint(trip.tolist())):
            goods = EARLIEST if day.released is None else float(max(day.released[trip]))
            if day.has_depot:
                open_hours = ((day.opens, day.closes - day.loading),)
                events.append(_Event(depot, None, open_hours, day.loading, goods))
            else:
                events.append(_Event(start, None, (), 0.0, goods))
        for task in trip.tolist():
            if task in aboard and not problem.comes_home:
                events.append(_Event(start, task, (), 0.0, EARLIEST))
                continue
            windows = tuple(_windows(day, task))
            if day.released is not None and not problem.comes_home:
                soonest = float(day.released[task])
                windows = tuple((max(a, soonest), b) for a, b in windows or ((soonest, math.inf),))
            service = 0.0 if day.service is None else float(day.service[task])
            events.append(_Event(task, task, windows, service, EARLIEST))
    end = int(problem.ends[vehicle])
    if end >= 0:
        hours = ((EARLIEST, day.closes),) if problem.comes_home and end == depot else ()
        events.append(_Event(end, None, hours, 0.0, EARLIEST))
    return events


def follow(
    problem: Problem, day: Day, vehicle: int, trips: Trips, found: list[Violation]
) -> _Followed:
    """Drive a vehicle's trips as early as possible, then begin as late as that finish allows."""
    events = _events(problem, day, vehicle, trips)
    places = np.array([problem.homes[vehicle], *(event.place for event in events)])
    legs = problem.travel.duration(vehicle, places[:-1], places[1:]).tolist()
    driven = float(problem.travel.distance(places[:-1], places[1:], vehicle).sum())
    begin, closing = 0.0, math.inf
    if day.available is not None:
        begin, closing = map(float, day.available[vehicle])
    name = problem.vehicle_ids[vehicle]

    now, begins = begin, []
    for leg, event in zip(legs, events, strict=True):
        now += leg
        moment, late_by = _first_moment(event.windows, now)
        if late_by > 0.0:
            found.append(_too_late(problem, name, event, now, late_by))
        begins.append(moment)
        now = max(moment + event.service, event.ready)
    finish = now
    served = {e.task: at for e, at in zip(events, begins, strict=True) if e.task is not None}

    keeps = problem.goal == "arrivals"
    for leg, event, moment in zip(legs[::-1], events[::-1], begins[::-1], strict=True):
        latest = now - event.service
        if keeps and event.task is not None:
            latest = moment
        elif event.windows:
            latest = max((min(latest, b) for a, b in event.windows if a <= latest), default=moment)
        now = max(latest, moment) - leg
    begin = max(begin, now)
    _check_shift(problem, day, vehicle, len(trips), begin, finish, closing, found)
    return _Followed(begin, finish, driven, served)


def _first_moment(windows: Sequence[tuple[float, float]], now: float) -> tuple[float, float]:
    """When service can begin, and by how much that is too late."""
    for opens, closes in windows:
        if not _late(max(now, opens), closes):
            return max(now, opens), 0.0
    if not windows:
        return now, 0.0
    opens, closes = windows[-1]
    return max(now, opens), max(now, opens) - closes


def _too_late(problem: Problem, name: str, event: _Event, now: float, late_by: float) -> Violation:
    limit = now - late_by
    at, late = _at(problem, now), _lasting(problem, late_by)
    if event.task is None:
        text = f"vehicle {name} is at the depot at {at}, {late} too late"
        return Violation("depot-closed", text, (name,), found=now, allowed=limit)
    stop = problem.task_ids[event.task]
    text = f"vehicle {name} is at {stop} at {at}, {late} too late"
    return Violation("late", text, (name,), (stop,), found=now, allowed=limit)


def _at(problem: Problem, moment: float) -> str:
    """A moment as the problem's clock has it."""
    return f"{moment:g}" if problem.day is None else problem.day.written(moment)


def _lasting(problem: Problem, time: float) -> str:
    """How long something takes, with the unit where there is one."""
    return f"{time:.4g} {problem.time_unit}".rstrip()


def _check_shift(
    problem: Problem,
    day: Day,
    vehicle: int,
    trips: int,
    begin: float,
    finish: float,
    closing: float,
    found: list[Violation],
) -> None:
    name = problem.vehicle_ids[vehicle]
    if _late(finish, closing):
        over = _lasting(problem, finish - closing)
        text = f"vehicle {name} is done at {_at(problem, finish)}, {over} after its shift"
        found.append(Violation("shift-over", text, (name,), found=finish, allowed=closing))
    longest = math.inf if day.longest is None else float(day.longest[vehicle])
    if _late(finish - begin, longest):
        duty = finish - begin
        time, most_time = _lasting(problem, duty), _lasting(problem, longest)
        text = f"vehicle {name} is on duty for {time}, but may be for {most_time}"
        found.append(Violation("on-duty-too-long", text, (name,), found=duty, allowed=longest))
    most = math.inf if day.most_trips is None else float(day.most_trips[vehicle])
    most = most if day.has_depot else min(most, 1.0)
    if trips > most:
        many = "1 trip" if trips == 1 else f"{trips} trips"
        text = f"vehicle {name} makes {many}, but may make {most:g}"
        found.append(Violation("too-many-trips", text, (name,), found=trips, allowed=most))


def _check_who(
    problem: Problem,
    day: Day,
    vehicle: int,
    trips: Trips,
    found: list[Violation],
    served: set[int],
) -> None:
    """Only who may serve serves; what is on board or locked comes first, and here.

    What nobody serves is judged elsewhere.
    """
    name, requests = problem.vehicle_ids[vehicle], len(problem.request_ids)
    if day.allowed is not None:
        for task in (task for trip in trips for task in trip.tolist()):
            if not day.allowed[task % requests, vehicle]:
                stop = problem.task_ids[task]
                text = f"vehicle {name} serves {stop}, which it may not"
                found.append(Violation("not-allowed", text, (name,), (stop,)))
    begins = [trip.tolist() for trip in trips]
    given = () if day.locked is None else day.locked[vehicle]
    locked = [[task for task in trip if task in served] for trip in given]
    locked = [trip for trip in locked if trip]
    if not problem.comes_home:
        locked, begins = [list(chain(*locked))], [list(chain(*begins))]
        begins[0] = begins[0][: len(locked[0])]
    if begins[: len(locked)] != locked and any(locked):
        text = f"the route of vehicle {name} does not begin as it is locked"
        found.append(Violation("not-as-locked", text, (name,)))
    aboard = served & set(() if day.on_board is None else day.on_board[vehicle])
    if aboard:
        first = trips[0].tolist() if len(trips) else []
        first = first if problem.comes_home else first[: len(aboard)]
        if set(first) != aboard:
            text = f"the route of vehicle {name} does not begin with what it has on board"
            found.append(Violation("not-as-locked", text, (name,)))
