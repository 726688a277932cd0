"""Where everybody is at a moment of the day, if all goes as the plan has it.

Nobody is taken out of a service or off a way: whoever is being served or loaded is free when that
is over, and whoever drives is free where that way ends, for between two places nobody knows how
long any other way takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from geopar.plan import Indices
from geopar.problems import Problem
from geopar.problems.day import Day
from geopar.schedule import Timetable, schedule

Doing = Literal["not begun", "driving", "waiting", "serving", "loading", "done"]


class Whereabouts(NamedTuple):
    """What a vehicle does at a moment, and from where and when it can do something else.

    Parameters
    ----------
    doing
        At the moment itself.
    place
        The number of the place where it takes up new work: where it is, or is driving to.
    free
        When it does so.
    last_place
        Where it was last, for certain: where it is, or what it left behind.
    begun
        On duty since; None where that is still to come.
    done
        The tasks that are served, or being served.
    aboard
        HCVRP: what is on board or being loaded, in the order of the plan; OMDCPDP: the orders that
        were picked up and not delivered.
    trips_made
        Those that are over; one that is on board is not, and the only one of OMDCPDP never is.
    back
        HCVRP: what is on board, but on its way back to the depot, where it is when it is free.
    """

    doing: Doing
    place: int
    free: float
    last_place: int
    begun: float | None
    done: tuple[int, ...]
    aboard: tuple[int, ...]
    trips_made: int
    back: tuple[int, ...] = ()


class _Call(NamedTuple):
    """One place of a vehicle's way.

    ``begin`` is when something begins there that is not broken off. ``trip`` is the trip of a task,
    or the one that is loaded; behind the last trip there is none to load.
    """

    place: int
    arrival: float
    begin: float
    departure: float
    task: int | None
    trip: int


def whereabouts(
    problem: Problem, routes: Sequence[Sequence[Indices]], now: float
) -> list[Whereabouts]:
    """Those of each vehicle.

    Parameters
    ----------
    routes
        For each vehicle its trips of task indices, none of them empty.
    """
    tables = schedule(problem, routes)
    return [_of_vehicle(problem, v, routes[v], table, now) for v, table in enumerate(tables)]


def _of_vehicle(
    problem: Problem, v: int, trips: Sequence[Indices], table: Timetable, now: float
) -> Whereabouts:
    day = Day() if problem.day is None else problem.day
    told = () if day.on_board is None else day.on_board[v]
    home = int(problem.homes[v])
    if not trips or table.begin > now:
        dawn = 0.0 if day.available is None else float(day.available[v, 0])
        return Whereabouts("not begun", home, max(now, dawn), home, None, (), told, 0)
    calls = _calls(problem, day, v, trips, table)
    at = next((k for k, call in enumerate(calls) if call.departure > now), len(calls))
    done = [call.task for call in calls[:at] if call.task is not None]
    call = calls[min(at, len(calls) - 1)]
    doing: Doing = "done"
    last, free = call.place, now
    if at < len(calls):
        doing, free = "driving" if call.arrival > now else "waiting", max(now, call.arrival)
        if doing == "driving":
            last = calls[at - 1].place if at else home
        if call.begin <= now:
            doing, free = "loading" if call.task is None else "serving", call.departure
            done += [] if call.task is None else [call.task]
    if problem.comes_home:
        aboard, back = _carried(problem, day, trips, call, told, done, loading=doing == "loading")
    else:
        aboard, back = _picked_up(len(problem.request_ids), told, done), []
    # Couriers are on the one trip that they make until the day is over.
    finished = call.trip + (call.task is not None) if problem.comes_home else 0
    if aboard and doing != "loading":
        finished = max(0, finished - 1)
    place = call.place
    if doing == "serving" and problem.comes_home and day.has_depot and not aboard:
        following = calls[at + 1] if at + 1 < len(calls) else call
        if following.place == problem.num_tasks:
            # The trip is over: all that is left of it is the way to the depot.
            place, free = following.place, following.arrival
    return Whereabouts(
        doing, place, free, last, table.begin, tuple(done), tuple(aboard), finished, tuple(back)
    )


def _carried(
    problem: Problem,
    day: Day,
    trips: Sequence[Indices],
    call: _Call,
    told: Sequence[int],
    done: Sequence[int],
    *,
    loading: bool,
) -> tuple[list[int], list[int]]:
    """HCVRP: what is on board at a call or on the way there, and what of it goes to the depot.

    What was on board from the start and has no place in the plan stays there until the vehicle is
    at the depot.
    """
    spare = [task for task in told if task not in done and not any(task in t for t in trips)]
    loads_first = day.has_depot and not any(task in trips[0] for task in told)
    was_unloaded = 0 if loads_first else 1  # before that trip
    if loading:
        return trips[call.trip].tolist(), []
    if call.task is not None:
        served = set(done)
        rest = [task for task in trips[call.trip].tolist() if task not in served]
        return rest + (spare if call.trip < was_unloaded else []), []
    if day.has_depot and call.place == problem.num_tasks:
        return [], spare if call.trip == was_unloaded else []
    # Still where it starts, or where it ends.
    return (list(told) if call.trip == 0 else spare if call.trip == was_unloaded else []), []


def _picked_up(orders: int, told: Sequence[int], done: Sequence[int]) -> list[int]:
    """OMDCPDP: the orders that are on board."""
    picked_up = dict.fromkeys([*told, *(task for task in done if task < orders)])
    delivered = {task - orders for task in done}
    return [order for order in picked_up if order not in delivered]


def _calls(
    problem: Problem, day: Day, v: int, trips: Sequence[Indices], table: Timetable
) -> list[_Call]:
    """All places of a vehicle's way, the first being where it sets out from.

    Loading comes last before a trip leaves: until then it waits for goods, and can do otherwise.
    """
    home, depot, end = int(problem.homes[v]), problem.num_tasks, int(problem.ends[v])
    aboard = frozenset(() if day.on_board is None else day.on_board[v])
    calls = []
    if problem.comes_home and day.has_depot and aboard.isdisjoint(trips[0].tolist()):
        there = table.begin + float(problem.travel.duration(v, home, depot))
        begin = max(there, table.departure - day.loading)
        calls.append(_Call(depot, there, begin, table.departure, None, 0))
    else:
        calls.append(_Call(home, table.begin, table.departure, table.departure, None, 0))
    for number, visits in enumerate(table.trips):
        for visit in visits:
            begin = visit.arrival + visit.waiting
            place, task, trip = visit.task, visit.task, number
            if task is None:
                is_last = number == len(trips) - 1
                place, trip = end if is_last else depot, number + 1
                begin = max(begin, visit.departure - (0.0 if is_last else day.loading))
            elif not problem.comes_home and task in aboard:
                place = home
            assert place is not None
            calls.append(_Call(place, visit.arrival, begin, visit.departure, task, trip))
    return calls
