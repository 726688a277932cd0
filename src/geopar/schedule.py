"""Schedules: where each vehicle is when, and what it has on board.

How time goes on a working day is said in :mod:`geopar.problems.day`. The checker works it out once
more, by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from geopar.plan import Indices
from geopar.problems import Problem
from geopar.problems.day import Day, windows_of
from geopar.problems.travel import legs


class Visit(NamedTuple):
    """One stop of a vehicle.

    Parameters
    ----------
    task
        Its index; None for the depot, or another end, behind a trip.
    arrival
        When.
    load
        What is on board after it.
    waiting, service
        How long it waits and how long it is served; at the depot it is loaded for the next trip.
    departure
        When it goes on.
    """

    task: int | None
    arrival: float
    load: float
    waiting: float
    service: float
    departure: float


class Timetable(NamedTuple):
    """All that one vehicle does.

    Parameters
    ----------
    trips
        The visits of each trip.
    distance
        How far it drives.
    load_factor
        How full it is: what it carries over what it could carry in so many trips.
    begin
        When it is on duty from.
    departure
        When it leaves for its first stop: loaded, where it has to be.
    finish
        When it is done; times count from 0 for a vehicle that stays where it is.
    """

    trips: list[list[Visit]]
    distance: float
    load_factor: float
    begin: float
    departure: float
    finish: float

    @property
    def visits(self) -> list[Visit]:
        """Those of all trips."""
        return list(chain.from_iterable(self.trips))


IDLE = Timetable([], 0.0, 0.0, 0.0, 0.0, 0.0)


def schedule(problem: Problem, routes: Sequence[Sequence[Indices]]) -> list[Timetable]:
    """The timetable of each vehicle.

    Parameters
    ----------
    routes
        For each vehicle its trips of task indices, none of them empty.
    """
    one = _plain if problem.day is None else _of_day
    return [one(problem, v, trips) if len(trips) else IDLE for v, trips in enumerate(routes)]


def setting_out(problem: Problem, table: Timetable) -> list[Visit]:
    """Where a vehicle's working day begins, if it has one: on duty from, and gone for its stops.

    Plain problems have no such visit, for all leave at once, unless there is something to tell of
    the vehicles.
    """
    if not table.trips or (problem.day is None and not problem.vehicle_details):
        return []
    first = [visit.task for visit in table.trips[0] if visit.task is not None]
    load = problem.load_of([np.array(first)]) if problem.comes_home else 0.0
    loading = 0.0 if problem.day is None else problem.day.loading
    loading = min(loading, table.departure - table.begin)
    return [Visit(None, table.begin, load, 0.0, loading, table.departure)]


def _plain(problem: Problem, vehicle: int, trips: Sequence[Indices]) -> Timetable:
    home = problem.homes[vehicle : vehicle + 1]
    end = home if problem.comes_home else home[:0]
    way = np.concatenate([home, *(stop for trip in trips for stop in (trip, end))])
    driven = np.cumsum(legs(problem.travel, way))
    arrivals = (driven / problem.speeds[vehicle]).tolist()
    visits, at = [], 0
    for trip in trips:
        stops = len(trip) + len(end)
        tasks = [*trip.tolist(), *([None] * len(end))]
        loads = _loads(problem, trip, len(end))
        times = arrivals[at : at + stops]
        visits.append(
            [Visit(*visit, 0.0, 0.0, visit[1]) for visit in zip(tasks, times, loads, strict=True)]
        )
        at += stops
    return Timetable(
        visits, float(driven[-1]), _fullness(problem, vehicle, trips), 0.0, 0.0, arrivals[-1]
    )


def _loads(problem: Problem, trip: Indices, ends: int) -> list[float]:
    return [*np.round(problem.on_board(trip), 9).tolist(), *([0.0] * ends)]


def _fullness(problem: Problem, vehicle: int, trips: Sequence[Indices]) -> float:
    return problem.load_of(trips) / (len(trips) * float(problem.capacity[vehicle]))


class _Call(NamedTuple):
    """What happens at one place of a vehicle's way.

    ``opens`` are the moments from which and until which service may begin, ``ready`` is before
    which it does not leave.
    """

    place: int
    task: int | None
    service: float
    opens: list[tuple[float, float]]
    ready: float


def _of_day(problem: Problem, vehicle: int, trips: Sequence[Indices]) -> Timetable:
    day = problem.day
    assert day is not None
    calls, first = _calls(problem, day, vehicle, trips)
    way = np.array([problem.homes[vehicle], *(call.place for call in calls)])
    travel = problem.travel
    driven = float(travel.distance(way[:-1], way[1:], vehicle).sum())
    taken = travel.duration(vehicle, way[:-1], way[1:]).tolist()
    begin = 0.0 if day.available is None else float(day.available[vehicle, 0])
    earliest = _forward(calls, taken, begin)
    counts = _time_counts(problem, day, vehicle)
    if counts or not _is_out(day, vehicle):
        keeps_begins = not counts
        begin = max(begin, _latest(calls, taken, earliest, keeps_begins=keeps_begins))
    times = _forward(calls, taken, begin)
    trips_of: list[list[Visit]] = []
    at = first
    for number, trip in enumerate(trips):
        stops = len(trip)
        is_last = number == len(trips) - 1
        if not is_last or problem.ends[vehicle] >= 0:
            stops += 1
        loads = _loads(problem, trip, stops - len(trip))
        trips_of.append(
            [
                Visit(
                    calls[i].task, times[i][0], load,
                    times[i][1] - times[i][0], times[i][2] - times[i][1], times[i][2],
                )
                for i, load in zip(range(at, at + stops), loads, strict=True)
            ]
        )  # fmt: skip
        at += stops
    return Timetable(
        trips_of, driven, _fullness(problem, vehicle, trips),
        begin, times[first - 1][2] if first else begin, times[-1][2],
    )  # fmt: skip


def _is_out(day: Day, vehicle: int) -> bool:
    """Whether a vehicle is under way with goods, and leaves at once."""
    return day.on_board is not None and bool(day.on_board[vehicle])


def _time_counts(problem: Problem, day: Day, vehicle: int) -> bool:
    """Whether time on duty is limited or costs something.

    Then a vehicle leaves as late as it can. Otherwise no stop is served later than it could be, so
    that there is time to spare before windows close.
    """
    limited = day.longest is not None and bool(np.isfinite(day.longest[vehicle]))
    return problem.goal == "duration" or (limited and problem.goal != "arrivals")


def _calls(
    problem: Problem, day: Day, vehicle: int, trips: Sequence[Indices]
) -> tuple[list[_Call], int]:
    """All places that a vehicle calls at behind its start, and how many come before its stops."""
    always = [(-np.inf, np.inf)]
    calls: list[_Call] = []
    aboard = frozenset(() if day.on_board is None else day.on_board[vehicle])
    under_way = len(trips) > 0 and not aboard.isdisjoint(trips[0].tolist())
    depot, end = problem.num_tasks, int(problem.ends[vehicle])
    by_depot = problem.comes_home and day.has_depot
    open_hours = [(day.opens, day.closes - day.loading)]
    first = 0
    for number, trip in enumerate(trips):
        ready = -np.inf
        if problem.comes_home and day.released is not None:
            ready = float(day.released[trip].max())
        if problem.comes_home and not (number == 0 and under_way):
            # Loading is behind the arrival from the trip before, so that it is one call.
            if number == 0 and by_depot:
                calls.append(_Call(depot, None, day.loading, open_hours, ready))
            elif number == 0:
                calls.append(_Call(int(problem.homes[vehicle]), None, 0.0, always, ready))
            else:
                calls[-1] = _Call(depot, None, day.loading, open_hours, ready)
        if number == 0:
            first = len(calls)
        calls += [_stop(problem, day, vehicle, int(task)) for task in trip]
        if number < len(trips) - 1:
            calls.append(_Call(depot, None, 0.0, always, -np.inf))
        elif end >= 0:
            calls.append(_Call(end, None, 0.0, always, -np.inf))
    return calls, first


def _stop(problem: Problem, day: Day, vehicle: int, task: int) -> _Call:
    if not problem.comes_home and day.on_board is not None and task in day.on_board[vehicle]:
        return _Call(int(problem.homes[vehicle]), task, 0.0, [(-np.inf, np.inf)], -np.inf)
    opens = [] if day.windows is None else windows_of(day.windows, task)
    if not problem.comes_home and day.released is not None:
        released = float(day.released[task])
        opens = [(max(a, released), b) for a, b in opens or [(-np.inf, np.inf)]]
    service = 0.0 if day.service is None else float(day.service[task])
    return _Call(task, task, service, opens or [(-np.inf, np.inf)], -np.inf)


def _forward(calls: list[_Call], taken: list[float], now: float) -> list[tuple[float, ...]]:
    """Arrival, begin and departure of each call; late in the last window if it must be."""
    times: list[tuple[float, ...]] = []
    for call, leg in zip(calls, taken, strict=True):
        now += leg
        begin = next((max(now, a) for a, b in call.opens if max(now, a) <= b), None)
        if begin is None:
            begin = max(now, call.opens[-1][0])
        leaves = max(begin + call.service, call.ready)
        times.append((now, begin, leaves))
        now = leaves
    return times


def _latest(
    calls: list[_Call],
    taken: list[float],
    times: list[tuple[float, ...]],
    *,
    keeps_begins: bool,
) -> float:
    """The latest departure from the start with which nothing that counts comes later."""
    latest = times[-1][2]
    for call, leg, (_, begin, _) in zip(
        reversed(calls), reversed(taken), reversed(times), strict=True
    ):
        if not (keeps_begins and call.task is not None):
            then = latest - call.service
            # Never before the earliest, whatever rounding says.
            begin = max([begin, *(min(then, b) for a, b in call.opens if a <= then)])
        latest = begin - leg
    return latest
