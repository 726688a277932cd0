"""What stands on a driver's sheet, apart from how it looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from geopar.errors import Faults
from geopar.files.plan_schedule import timetables
from geopar.files.wording import maybe
from geopar.plan import Plan, ways
from geopar.problems import Problem
from geopar.problems.tasks import Stop
from geopar.schedule import Timetable, Visit
from geopar.sheets.times import Times

ACTIONS = {"pickup": "Pick up", "delivery": "Deliver"}


class Line(NamedTuple):
    """One stop as the driver reads it.

    Parameters
    ----------
    number
        Of the stop on the vehicle's way; empty where a trip ends.
    arrives, leaves
        When, as text.
    waits, takes
        How long until service begins, and how long it takes; empty for nothing.
    stop
        Its id; what is to be done there where that is not the same everywhere.
    told
        What the table of stops says besides, by name: address, phone, note.
    load
        What is on board afterwards.
    """

    number: str
    arrives: str
    leaves: str
    waits: str
    takes: str
    stop: str
    told: dict[str, str]
    load: str


class Trip(NamedTuple):
    """From the depot, or where the vehicle is, to the next time at the depot or the end.

    ``way`` are the places that it passes.
    """

    lines: list[Line]
    way: list[int]


class Sheet(NamedTuple):
    """All that one driver has to do.

    Parameters
    ----------
    vehicle
        Its id.
    about
        What is known of the vehicle besides, by name.
    leaves, home
        When it leaves for its first stop, and when it is done.
    distance
        How far it drives.
    trips
        One after the other.
    """

    vehicle: str
    about: dict[str, str]
    leaves: str
    home: str
    distance: str
    trips: list[Trip]

    @property
    def num_stops(self) -> int:
        """Without the ends of trips."""
        return sum(bool(line.number) for trip in self.trips for line in trip.lines)


def sheets_of(problem: Problem, plan: Plan, vehicles: Sequence[str] | None = None) -> list[Sheet]:
    """A sheet for each vehicle that has something to do, or for these.

    Raises
    ------
    geopar.errors.InputError
        For a vehicle that the problem does not have.
    """
    _check_known(problem, vehicles)
    times = Times(problem)
    routes = plan.known_indices(problem)
    sheets = []
    for v, table in enumerate(timetables(problem, plan)):
        name = problem.vehicle_ids[v]
        if name in vehicles if vehicles is not None else table.trips:
            passed = [way.tolist() for way in ways(problem, v, routes[v])]
            sheets.append(_sheet(problem, times, v, table, passed))
    return sheets


def _check_known(problem: Problem, vehicles: Sequence[str] | None) -> None:
    faults = Faults()
    for name in vehicles or ():
        if name not in problem.vehicle_ids:
            faults.add(
                "unknown-vehicle", "vehicle", name, "is no vehicle of the problem.",
                maybe(name, problem.vehicle_ids),
            )  # fmt: skip
    faults.raise_if_any()


def _sheet(
    problem: Problem, times: Times, v: int, table: Timetable, passed: list[list[int]]
) -> Sheet:
    return Sheet(
        problem.vehicle_ids[v], problem.details_of_vehicle(v),
        times.moment(table.departure), times.moment(table.finish),
        _distance(problem, table.distance),
        list(_trips(problem, times, table, passed)),
    )  # fmt: skip


def _trips(
    problem: Problem, times: Times, table: Timetable, passed: list[list[int]]
) -> Iterator[Trip]:
    """Stops are numbered on from trip to trip, so that one map can show them all."""
    numbers = count(1)
    for visits, way in zip(table.trips, passed, strict=True):
        yield Trip([_line(problem, times, visit, numbers) for visit in visits], way)


def _line(problem: Problem, times: Times, visit: Visit, numbers: Iterator[int]) -> Line:
    return Line(
        str(next(numbers)) if visit.task is not None else "",
        times.moment(visit.arrival),
        times.moment(visit.departure),
        times.length(visit.waiting),
        times.length(visit.service),
        _stop(problem, visit.task),
        {} if visit.task is None else problem.details_of(visit.task),
        f"{visit.load:,.6g}",
    )


def _stop(problem: Problem, task: int | None) -> str:
    if task is None:
        return "Back at the depot" if problem.comes_home else "End"
    found = problem.task_ids[task]
    if isinstance(found, Stop):
        return f"{ACTIONS[found.action]} {found.order}"
    return found


def _distance(problem: Problem, distance: float) -> str:
    by_road = problem.day is not None and problem.day.matrices is not None
    unit = " km" if problem.coordinates == "lonlat" and not by_road else ""
    return f"{distance:,.1f}{unit}" if unit else f"{distance:,.4g}"
